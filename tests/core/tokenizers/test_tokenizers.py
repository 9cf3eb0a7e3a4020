"""Tokenizers by name, callables, and what a user sees where something is missing or wrong."""

import importlib
import pickle
from functools import partial

import pytest
import sacrebleu.metrics.bleu as sacrebleu_bleu
import sacrebleu_tokenizers
from generators import raises, seeded

import fastbleu
import fastbleu.sacrebleu
from fastbleu import tokenizers
from fastbleu.core.tokenizers.tokenizer import MECAB, MODELS, TOKENIZERS
from fastbleu.originals.tokenizers import REWRITES
from fastbleu.tokenizers import Tokenizer, tokenize

pytestmark = pytest.mark.pythons

COMPILED = importlib.import_module("fastbleu.core.tokenizers._compiled").COMPILED
TEXT = "It's 5-10% (1,000.5)... &quot;ok&quot; \u201csì\u201d 世界\u3002"


def letters_and_digits(text):
    """A tokenizer of a user's."""
    return ["".join(filter(str.isalnum, word)) for word in text.split()]


class Upper:
    """A tokenizer of a user's that is an object."""

    def __call__(self, text):
        return tuple(text.upper().split())

    def method(self, text):
        return text.split(",")


def test_names_are_those_of_sacrebleu():
    assert tuple(sacrebleu_bleu._TOKENIZERS) == TOKENIZERS == tokenizers.names()[: len(TOKENIZERS)]


@pytest.mark.parametrize("name", tokenizers.names())
def test_every_name_is_one_of_bleu(name):
    try:
        tokenizer = tokenizers.get(name)
    except (ImportError, OSError):  # without its library, or its model
        return
    assert fastbleu.BLEU(tokenize=name).tokenize is tokenizer


def test_the_tables_have_the_compiled_ones():
    """All lists are written by hand: the tables, and the names in kernel/text/char_classes.h."""
    assert {*COMPILED, *MECAB, *MODELS} == set(TOKENIZERS)
    assert len(COMPILED) == len(set(COMPILED))


@pytest.mark.parametrize("name", REWRITES)
def test_many_texts_are_rewritten_as_each_alone(name):
    rewrite, _ = REWRITES[name]
    numbers = seeded("rewritten", name)
    parts = ["a", "B\u03a3", "\u0130", "-", ".", " ", "&quot;", "&amp", ";", "<", "<skipped>", "\n"]
    parts += ["\x1c", "\x85", "\xa0", "\u2028", "\u3000", "\u201c", "\ud800", "\U0001f600"]
    for others in ([], ["\udbff"]):
        texts = ["".join(numbers.choices(parts + others, k=n % 9)) for n in range(300)]
        for options in ((False, False), (False, True), (True, False), (True, True)):
            assert rewrite(texts, *options) == [rewrite([text], *options)[0] for text in texts]
            assert rewrite([], *options) == []


def test_information_separators_are_no_white_space_for_perl():
    """Other spaces of Unicode are, also in a text that has one of them."""
    for name in ("multi-bleu-detok", "mteval-v14"):
        score = fastbleu.BLEU(name).score(["a\u2028b c\x1cd\xa0e f"], ["a b"])
        assert (score.hyp_len, score.matches[:2]) == (5, (2, 1)), name


@pytest.mark.parametrize("name", COMPILED)
def test_compiled_tokenizers(name):
    tokenizer = tokenizers.get(name)
    sacrebleus = sacrebleu_bleu._get_tokenizer(name)()
    assert (tokenizer.name, tokenizer.compiled, tokenizer.split) == (name, name, None)
    assert tokenizer.signature == sacrebleus.signature()
    assert tokenize(TEXT, name) == sacrebleu_tokenizers.tokens(TEXT, name)
    assert tokenize(TEXT, tokenizer) == tokenize(TEXT, name)
    assert tokenizers.get(tokenizer) is tokenizer
    assert all(type(token) is str for token in tokenize(TEXT, name))


@pytest.mark.parametrize(
    ("function", "name", "expected"),
    [
        (str.split, "str.split", ["A,", "b.", "C"]),
        (letters_and_digits, "letters_and_digits", ["A", "b", "C"]),
        (Upper(), "Upper", ["A,", "B.", "C"]),
        (Upper().method, "Upper.method", ["A", " b. C"]),
        (partial(str.split, sep="."), "partial", ["A, b", " C"]),
        (list, "list", list("A, b. C")),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_callables(function, name, expected):
    tokenizer = tokenizers.get(function)
    assert (tokenizer.name, tokenizer.signature, tokenizer.compiled) == (name, name, None)
    assert tokenize("A, b. C", function) == tokenizer.tokens("A, b. C") == expected
    assert type(tokenizer.tokens("A, b. C")) is list


def test_a_callable_decides_about_its_tokens():
    """It sees the whole text, may return tokens with white space, and keeps its list."""
    kept = ["a", " "]
    assert tokenize(" a \n", lambda text: [text]) == [" a \n"]
    tokenize("text", lambda _: kept).append("b")
    assert kept == ["a", " "]
    with pytest.raises(ZeroDivisionError):
        tokenize("text", lambda _: 1 / 0)


@pytest.mark.parametrize(
    ("returned", "what"),
    [
        ("a b", "returned a str"),
        (None, "returned a NoneType"),
        (iter(["a"]), "returned a list_iterator"),
        (["a", 1], "returned an int at position 1"),
        (("a", b"b"), "returned a bytes at position 1"),
    ],
)
def test_callables_that_return_something_else(returned, what):
    def own(_):
        return returned

    own.__qualname__ = "own"
    words = rf"^tokenizer own {what}.*'the text'.*expected a list of str"
    raises(TypeError, words, tokenize, "the text", own)
    raises(TypeError, rf"for '{'x' * 75}\.\.\.', expected a list of str", tokenize, "x" * 5000, own)


@pytest.mark.parametrize(
    ("name", "close"),
    [("v13a", "13a"), ("jamecap", "ja-mecab"), ("flores", "flores101"), ("chars", "char")],
)  # fmt: skip
def test_unknown_names_get_a_hint(name, close):
    for call in (lambda: tokenizers.get(name), lambda: tokenize("text", name)):
        words = f"{name!r} is unknown; did you mean '{close}'"
        with pytest.raises(ValueError, match=words) as caught:
            call()
        assert all(known in str(caught.value) for known in TOKENIZERS)


def test_the_default_is_13a_and_case_does_not_matter():
    assert tokenize(TEXT) == tokenize(TEXT, "13a")
    for name, known in (("13A", "13a"), ("INTL", "intl"), ("None", "none")):
        assert tokenizers.get(name) is tokenizers.get(known)
        assert fastbleu.BLEU(tokenize=name).tokenize is tokenizers.get(name)


@pytest.mark.parametrize("name", ["moses", "sentences", "multi-bleu"])
def test_tokenizers_of_one_recipe_are_no_names(name):
    """They are made for texts of their recipe: "moses" is a split at spaces."""
    for call in (tokenizers.get, lambda name: fastbleu.BLEU(tokenize=name)):
        raises(ValueError, f"tokenizer '{name}' is unknown; ", call, name)
    for metric in (fastbleu.sacrebleu.BLEU, sacrebleu_bleu.BLEU):
        raises(KeyError, name, metric, tokenize=name)
    assert fastbleu.BLEU("marian-words").tokenize.name == "moses"


def test_unknown_names_without_a_hint():
    for name in ("", "entirely different", "\ud800"):
        words = r"is unknown; choose one of " + ", ".join(TOKENIZERS)
        raises(ValueError, words, tokenizers.get, name, model="some.model")


@pytest.mark.parametrize("value", [None, 13, b"13a", ["13a"]])
def test_arguments_of_other_types(value):
    raises(TypeError, r"tokenize is an? \w+, expected a name .*13a.*calla", tokenizers.get, value)
    for tokenizer in ("13a", str.split, "no such name"):
        raises(TypeError, r"text is an? \w+, expected a str", tokenize, value, tokenizer)


@pytest.mark.parametrize("tokenizer", ["13a", "ja-mecab", str.split, tokenizers.get("zh")])
def test_a_model_for_a_tokenizer_without_one(tokenizer):
    words = "model is given.*spm, flores101, flores200, spBLEU-1K do"
    raises(ValueError, words, tokenizers.get, tokenizer, model="some.model")


def test_tokenizers_do_not_change():
    tokenizer = tokenizers.get("13a")
    for change in (
        lambda: setattr(tokenizer, "name", "zh"),
        lambda: setattr(tokenizer, "other", 1),
        lambda: delattr(tokenizer, "compiled"),
    ):
        raises(AttributeError, "cannot be changed", change)
    assert tokenizer.name == tokenizer.compiled == "13a"


def test_equality_and_hash():
    assert tokenizers.get("13a") == tokenizers.get("13a") != tokenizers.get("zh")
    assert tokenizers.get(str.split) == tokenizers.get(str.split) != tokenizers.get(list)
    assert tokenizers.get("13a") != "13a"
    assert len({tokenizers.get(name) for name in ("13a", "zh", "13a", str.split, str.split)}) == 3
    assert repr(tokenizers.get("13a")) == "<Tokenizer 13a>"


@pytest.mark.parametrize("source", [*COMPILED, str.split, letters_and_digits, Upper().method])
def test_pickling(source):
    tokenizer = tokenizers.get(source)
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        back = pickle.loads(pickle.dumps(tokenizer, protocol))
        assert isinstance(back, Tokenizer)
        assert (back.name, back.compiled) == (tokenizer.name, tokenizer.compiled)
        assert back.signature == tokenizer.signature
        assert tokenize("A, b. 5-C", back) == tokenize("A, b. 5-C", tokenizer)

"""Errors name the segment, the place and the fix: a row for each kind of mistake.

Token ids are in test_ids_errors.py, columns in test_arrow.py, tables and the command in their own
folders. What nltk and sacreBLEU refuse as well is compared with them in theirs.
"""

import copy
import pickle
import re
import warnings
from collections import UserDict
from functools import partial
from operator import attrgetter
from types import MappingProxyType

import numpy as np
import pytest
from generators import PRISTINE, raises, refused
from metrics import count, from_state
from nltk.translate import bleu_score as nltk

import fastbleu
from fastbleu import (
    BLEU,
    InputError,
    InputWarning,
    SmoothingFunction,
    corpus_bleu,
    modified_precision,
    sentence_bleu,
)

pytestmark = pytest.mark.pythons

GOOD = [["a", "b"], ["a"]]
TEXT, TOKENS, IDS, FUNCTION = (
    BLEU(),
    BLEU(tokenize=False),
    BLEU(tokenize=False, ignore_ids=(0,)),
    BLEU(tokenize=str.split),
)
MESSAGE = {"role": "assistant", "content": "The cat sat down."}
TEXTS = ["The cat sat on the mat.", "It rained all night."]
REFERENCES = [["The cat sat on a mat."], ["It rained all night."]]
UNHASHABLE = {"list": [], "dict": {}, "tuple": (1, ((), [2]))}


class BatchEncoding(UserDict):
    """Like the output of a transformers tokenizer; iterating over it yields its keys."""


ROWS, ROW = BatchEncoding(input_ids=[[1, 2, 3]]), BatchEncoding(input_ids=[1, 2, 3])


# ---- corpora

OF_TYPES = [
    (TEXT, ["a", 5], ["a", "b"], r"segment 1: the hypothesis is an int, expected a str"),
    (TEXT, ["a", ["b"]], ["a", "b"], "segment 1: the hypothesis is a list.*tokenize=False"),
    (TEXT, ["a", "b"], ["a", ["b", None]], r"1: references\[1\] is missing.*leave it out"),
    (TEXT, ["a", "b"], ["a", ["b", ["c"]]], r"segment 1: references\[1\] is a list"),
    (TEXT, ["a", "b"], [["a"], ["b", b"c"]], r"segment 1: references\[1\] is a bytes"),
    (TEXT, "a b", ["a b"], r"hypotheses is a str.*\[hypothesis\]"),
    (TEXT, {"a", "b"}, ["a", "b"], "hypotheses is a set"),
    (TEXT, ["a", "b"], {"a": 1, "b": 2}, "references is a dict"),
    (TEXT, REFERENCES, TEXTS, r"swapped\? hypotheses come first"),
    (TOKENS, [[["a", "b"], ["c"]]], [["a", "b"]], "hypotheses come before references"),
    # A str is not a list of characters here.
    (TOKENS, ["the cat"], [GOOD], "hypothesis is a str, expected a list.*split"),
    (TOKENS, [b"the cat"], [GOOD], "hypothesis is a bytes, expected a list"),
    (TOKENS, [["a"]], "the cat", "references is a str, expected a list"),
    (TOKENS, [["a"]], [["the cat"]], r"references\[0\] is a str.*\[\[\.\.\.\]\]"),
    (TOKENS, [["a"]], [[["a"], "a"]], r"references\[1\] is a str, expected"),
    (TOKENS, "the cat", [GOOD] * 7, r"hypotheses is a str.*pass \[hypothesis\]"),
    (TOKENS, [["a"]], [3], "segment 0: references is an int, expected a list"),
    (TOKENS, [["a"]], 3, "references is an int, expected a list with one entry"),
    (TOKENS, [3], [GOOD], "segment 0: the hypothesis is an int, expected a list"),
    # Chat messages.
    (TEXT, [MESSAGE], ["a"], r"segment 0: the hypothesis is a dict.*the messages' content$"),
    (TEXT, ["a", [MESSAGE]], ["a", "a"], r"segment 1: the hypothesis\[0\] is a dict, expected"),
    (TEXT, ["a"], [["a", (MESSAGE,)]], r"segment 0: references\[1\]\[0\] is a dict.*content$"),
    (TOKENS, [["a"], [MESSAGE]], [GOOD] * 2, r"1: the hypothesis\[0\] is a dict.* into tokens$"),
    (TOKENS, [["a"]], [[MESSAGE]], r"0: references\[0\] is a dict, expected a list of tokens"),
    # The output of a tokenizer.
    (TOKENS, ROWS, [[1, 2, 3]], r'hypotheses is a BatchEncoding.*pass hypotheses\["input_ids"\]'),
    (TOKENS, [[1, 2]], ROWS, r'references is a BatchEncoding.*pass references\["input_ids"\]'),
    (TOKENS, [ROW], [[[1, 2]]], r'0: the hypothesis is a BatchEncoding.*pass its \["input_ids"\]$'),
    (TOKENS, dict(ROWS), [[1, 2]], r'hypotheses is a dict.*pass hypotheses\["input_ids"\]'),
    (TEXT, MappingProxyType(dict(ROWS)), ["a"], "hypotheses is a mappingproxy"),
    (TEXT, ["a"], [[dict(ROW)]], r"0: references\[0\] is a dict"),
]
OF_VALUES = [
    (TEXT, ["a", "b"], ["a", []], "segment 1: no references"),
    (TEXT, ["a", "b"], ["a"], "references has 1 segment, hypotheses has 2"),
    (TEXT, ["a"], ["a", "b"], r"references has 2 segments.*\[\[reference, ...\]\]"),
    (TEXT, ["a", "b", "c"], [["a", "b", "c"]] * 2, r"references\[k\]\[segment\].*zip\(\*refer"),
    (TOKENS, [["a"], ["b"]], [[["a"], ["b"]]] * 3, r"zip\(\*references\)"),
    (TOKENS, [["a"]] * 3, [GOOD, GOOD, []], "segment 2.*no references"),
]


@pytest.mark.parametrize(
    ("error", "metric", "hypotheses", "references", "words"),
    [(TypeError, *row) for row in OF_TYPES] + [(InputError, *row) for row in OF_VALUES],
)
def test_wrong_corpora_are_refused_by_every_method(error, metric, hypotheses, references, words):
    raises(InputError, words, metric.score, hypotheses, references)
    for method_of in [metric] + [FUNCTION] * (metric is TEXT):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", InputWarning)
            refused(method_of, error, words, hypotheses, references)


@pytest.mark.parametrize("place", [0, 70])
@pytest.mark.parametrize("kind", UNHASHABLE)
def test_unhashable_tokens_are_named(kind, place):
    bad = ["a"] * place + [UNHASHABLE[kind], "b"]
    for hypothesis, references, side in (
        (bad, GOOD, "the hypothesis"),
        (["a"], [["a"], bad], r"references\[1\]"),
    ):
        words = rf"{side}\[{place}\] is a {kind}.*a token must be hashable"
        corpus = [["a"], ["a"], hypothesis], [GOOD, GOOD, references]
        for call in (count, partial(count, threads=2), lambda h, r: corpus_bleu(r, h)):
            raises(TypeError, f"segment 2: {words}", call, *corpus)
        raises(TypeError, f"segment 0: {words}", sentence_bleu, references, hypothesis)
        raises(TypeError, "unhashable", PRISTINE.sentence_bleu, references, hypothesis)


@pytest.mark.parametrize("reference", [[["x"], "b"], ("a", ["b"], "c"), ["a", "b", {}]])
def test_unhashable_tokens_of_references_longer_than_the_hypothesis(reference):
    for name, precision in (("nltk", PRISTINE), ("", fastbleu)):
        with pytest.raises(TypeError, match="unhashable" if name else r"references\[1\]\[\d\]"):
            precision.modified_precision([["a"], reference], ["a"], 2)
        assert precision.modified_precision([reference[:1]], ["a"], 2).numerator == 0


# ---- single calls

CALLS = [
    (lambda: modified_precision(GOOD, ["a", []], 1), TypeError, r"hypothesis\[1\].*unhashable"),
    *(
        # nltk returns 0 for these.
        (partial(sentence_bleu, *sides, weights=()), TypeError, r"\[0\] is a list; a token must")
        for sides in (([[["x"], "b"]], ["a"]), ([["a"]], [["x"], "a"]))
    ),
    (lambda: sentence_bleu([], ["a"]), ValueError, "segment 0.*no references"),
    (lambda: corpus_bleu([GOOD, GOOD, ()], [["a"]] * 3), ValueError, "segment 2.*no references"),
    (lambda: sentence_bleu([[np.ones(2)]], [np.ones(2)]), TypeError, r"\[0\] is a.*hashable"),
]


@pytest.mark.parametrize(("call", "error", "words"), CALLS, ids=[words for *_, words in CALLS])
def test_single_calls_are_refused(call, error, words):
    raises(error, words, call)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        *(("smooth", "smooth_method"), ("smoothing", "smooth_method")),
        *(("lower_case", "lowercase"), ("max_order", "max_ngram_order")),
        *(("n_gram", "max_ngram_order"), ("pad_id", "ignore_ids"), ("stop_id", "stop_ids")),
        *(("trg_lang", "tokenize"), ("tokenizer", "tokenize"), ("smoothing_value", "smooth_value")),
        *(("keep_segments", "keep_stats"), ("efective_order", "effective_order")),
        ("answer", None),
    ],
)
def test_unknown_parameters_are_named(name, meant):
    hint = f"; did you mean '{meant}'" if meant else "$"
    for make in (BLEU, partial(from_state, np.zeros(10, int))):
        raises(TypeError, rf"^fastbleu\.BLEU has no parameter '{name}'{hint}", make, **{name: 4})


LONG = "the cat " * 10_000


CALLS_WITH = {
    "texts": lambda long: fastbleu.identify(31.2, [long], [long]),
    "number": lambda long: fastbleu.identify(["a"], ["a"], long),
    "patch": lambda long: fastbleu.patch(str(long)),
    "describe": lambda long: fastbleu.dialects.describe(long),
    "tokenizer": lambda long: fastbleu.tokenizers.get(str(long)),
    "column": lambda long: fastbleu.tables.score({"mt": ["a"], "ref": ["a"]}, str(long), "ref"),
    "seed": lambda long: fastbleu.significance.bootstrap(["a"] * 2, ["a"] * 2, seed=long),
    "sacrebleu tokenize": lambda long: fastbleu.sacrebleu.BLEU(tokenize=str(long)),
    "sacrebleu smooth_method": lambda long: fastbleu.sacrebleu.BLEU(smooth_method=long),
    "nltk smoothing": lambda long: sentence_bleu([["a"]], ["a"], smoothing_function=long),
    "nltk weights": lambda long: sentence_bleu([["a"]], ["a"], frozenset([str(long)]).__len__),
    "orders": lambda long: fastbleu.matrix.self_bleu(["a", "b"], orders=long),
    "missing": lambda long: BLEU().score(["a"], ["a"], missing=long),
    "missing array": lambda long: BLEU().score(["a"], ["a"], missing=np.array([str(long)] * 2)),
    **{name: partial(lambda name, long: BLEU(**{name: long}), name) for name in (
        "dialect", "tokenize", "smooth_method", "reference_length", "weights",
        "max_ngram_order", "threads", "smooth_value", "ignore_ids",
    )},
    "keywords": lambda long: BLEU("codebleu-weighted", keywords=str(long)),
    "tokenize of mteval": lambda long: BLEU("mteval-v14", tokenize=str(long)),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS_WITH)
def test_values_in_messages_are_cut(name):
    for long in (LONG, [LONG], list(LONG)):
        with pytest.raises((TypeError, ValueError, AssertionError, KeyError)) as caught:
            CALLS_WITH[name](long)
        assert len(str(caught.value)) < 500


@pytest.mark.parametrize(
    ("call", "facts"),
    [
        (lambda: TEXT.score(["a", 5], ["a", "b"]), (1, None, "hypothesis")),
        (lambda: TEXT.score(["a", "b"], ["a", ["b", None]]), (1, 1, "reference")),
        (lambda: TEXT.score(["a", "b"], ["a", []]), (1, None, "reference")),
        (lambda: TOKENS.count([["a"]] * 2, [GOOD, [["a"], 3]]), (1, 1, "reference")),
        (lambda: IDS.score([[1], [2.5]], [[[1]], [[2]]]), (1, None, "hypothesis")),
        (lambda: corpus_bleu([[["a"]], [["a"]]], [["a"], [{}]]), (1, None, "hypothesis")),
        (lambda: TEXT.score(["a", "b"], ["a", "b"], tokenizers=["13a", "x"]), (1, None, None)),
        (lambda: TEXT.score(["a"], ["a", "b"]), None),
    ],
    ids=["type", "missing", "no references", "token", "id", "nltk", "tokenizer", "whole side"],
)
def test_errors_carry_the_place_that_their_message_names(call, facts):
    with pytest.raises((TypeError, ValueError)) as caught:
        call()
    for error in (caught.value, copy.copy(caught.value), pickle.loads(pickle.dumps(caught.value))):
        assert str(error) == str(caught.value)
        if facts is not None:
            assert (error.segment, error.reference, error.side, error.file, error.line) == (
                *facts,
                None,
                None,
            )
            assert str(error).startswith(f"segment {facts[0]}: ")


@pytest.mark.parametrize("name", ["report", "significance.compare"])
def test_errors_about_a_system_carry_the_place(name):
    call = attrgetter(name)(fastbleu)
    with pytest.raises(TypeError, match=r"systems\['x'\]: segment 1: the hypothesis") as caught:
        call({"x": ["a", 3], "y": ["a", "b"]}, ["a", "b"])
    assert (caught.value.segment, caught.value.side) == (1, "hypothesis")


# ---- lists of sentences that are compared in all pairs


class Frame:
    """An object that looks like a data frame."""

    columns, shape = ("a", "b"), (2, 2)

    def __len__(self):
        return 2


SENTENCES = [
    (TEXT, "a text", TypeError, "hypotheses is a str"),
    (TOKENS, b"a text", TypeError, "hypotheses is a bytes, expected a list with one entry"),
    (TEXT, {"a"}, TypeError, r"hypotheses is a set, expected.*; pass a list in the order of"),
    (TEXT, {"a": 1}, TypeError, r"hypotheses is a dict.*; pass a list in the order of"),
    (TEXT, Frame(), TypeError, r"hypotheses is a Frame.*pass a column, as hypotheses\['a'\]"),
    (TEXT, np.array(5), TypeError, "hypotheses has no dimension, expected a list of sentences"),
    (TEXT, ["a", b"one"], TypeError, r"hypotheses\[1\] is a bytes, expected a str; decode it"),
    (TEXT, ["a", None], TypeError, r"hypotheses\[1\] is missing \(None\)"),
    (FUNCTION, ["a", 1], TypeError, r"hypotheses\[1\] is an int, expected a str"),
    (TEXT, ["a", np.array([1, 2])], TypeError, r"\[1\].*for token ids pass tokenize=False"),
    (TEXT, [*"a" * 600, ("a", "b")], TypeError, r"hypotheses\[600\] is a tuple, expected a str"),
    (TOKENS, [["a"], "one"], TypeError, r"hypotheses\[1\] is a str.*; split it.*token"),
    (TOKENS, [["a"], [["x"]]], TypeError, r"hypotheses\[1\]\[0\] is a list, expected a token"),
    (TOKENS, [["a"], ["a", 0.5, {}]], TypeError, r"\[1\]\[2\] is a dict; a token must"),
    (TOKENS, [["a"], [("a", [])]], TypeError, r"hypotheses\[1\]\[0\] is a tuple with an"),
    (TOKENS, [["a"], np.array(5)], TypeError, r"hypotheses\[1\] has no dimension, expected a list"),
    (IDS, np.arange(4), ValueError, r"hypotheses has the shape \(4,\).*\(sentences, length\)"),
    (IDS, np.ones((2, 3, 4, 5), int), ValueError, r"hypotheses has the shape \(2, 3, 4, 5\)"),
    (IDS, [np.arange(4), np.ones((3, 4), int)], ValueError, r"\[1\] has the shape \(3, 4\)"),
    (TOKENS, [np.arange(4), np.ones(3)], TypeError, r"hypotheses\[1\] has the dtype float64"),
    (IDS, [np.arange(4), "abc"], TypeError, r"hypotheses\[1\] is a str, expected a sequence of"),
    (TOKENS, [np.arange(4), [1, "a"]], TypeError, r"hypotheses\[1\]\[1\] has 'a', a str"),
    (IDS, [np.arange(4), [2**63]], ValueError, r"hypotheses\[1\]\[0\] has the id.*int64"),
    (IDS, [np.arange(4), [[1]]], TypeError, r"hypotheses\[1\]\[0\] has \[1\], a list"),
]


@pytest.mark.parametrize(("metric", "wrong", "error", "words"), SENTENCES)
def test_wrong_lists_of_sentences_are_refused(metric, wrong, error, words):
    good = [[7, 8]] if metric is IDS else [["a", "b"]] if metric is TOKENS else ["a b"]
    pairwise = fastbleu.matrix.pairwise
    raises(InputError, words, pairwise, wrong, good, metric=metric)
    raises(error, words, pairwise, wrong, good, metric=metric)
    words = words.replace("hypotheses", "references")
    raises(error, words, pairwise, good, wrong, metric=metric)


# ---- nltk's functions


WORDS = ["the", "cat", "sat"]
LINES = ["the cat sat on a mat", "it rained"]


@pytest.mark.parametrize(
    ("function", "arguments", "fix"),
    [
        ("sentence_bleu", (WORDS, WORDS), r"one flat list of tokens.*pass \[reference\]"),
        ("corpus_bleu", ([WORDS] * 2, [WORDS] * 2), r"flat list.*\[\[reference\], \.\.\.\]"),
        ("modified_precision", (WORDS, WORDS, 1), r"pass \[reference\]"),
        ("sentence_bleu", (LINES, WORDS), r"references\[0\] is a str.*pass a list of tokens"),
        ("sentence_bleu", (["那只猫坐在垫子上面睡觉"] * 2, WORDS), r"references\[0\] is a str"),
        ("sentence_bleu", ([WORDS], "the cat"), "segment 0.*character"),
        ("corpus_bleu", ([[WORDS, "the cat"]], [WORDS]), "segment 0.*character"),
        ("corpus_bleu", (LINES, [LINES] * 2), r"fastbleu\.sacrebleu\.corpus_bleu"),
        ("sentence_bleu", (LINES[0], LINES), r"fastbleu\.sacrebleu\.corpus_bleu"),
        ("sentence_bleu", LINES, r"\(\[reference\.split\(\)\], hypothesis\.split\(\)\)"),
        ("sentence_bleu", ([WORDS], LINES[:1]), "every hypothesis is one token.*split"),
        ("sentence_bleu", ((LINES[:1], LINES[:1]), WORDS), "every reference is one token"),
        ("corpus_bleu", ([[WORDS]] * 4, [LINES[:1]] * 4), "every hypothesis is one token"),
        ("corpus_bleu", ([[LINES[1:]]] * 2, [WORDS] * 2), "every reference is one token"),
    ],
)
def test_likely_mistakes_get_nltks_score_and_a_warning_with_the_fix(function, arguments, fix):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ours, nltks = (getattr(library, function)(*arguments) for library in (fastbleu, nltk))
        if function == "modified_precision":  # from Python 3.12 on, 0/3 is not equal to itself
            ours, nltks = ((p.numerator, p.denominator) for p in (ours, nltks))
        assert ours == nltks
    (warning,) = [warning for warning in caught if warning.category is InputWarning]
    assert re.search(fix, str(warning.message))
    assert warning.filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error", InputWarning)
        raises(InputWarning, fix, getattr(fastbleu, function), *arguments)


def test_a_text_may_be_a_token():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert sentence_bleu([["the cat", "sat"]], ["the cat", "sat"], (1,)) == 1.0


UNBOUND, BOUND = (kind.method1 for kind in (SmoothingFunction, SmoothingFunction()))


@pytest.mark.parametrize(
    ("references", "hypothesis", "options", "words"),
    [
        ([WORDS], [WORDS], {}, r"nested too deeply.*_bleu\(\[tokens\], tokens\)"),
        ([[WORDS]], WORDS, {}, r"references\[0\]\[0\] is a list.*it is nested too deeply"),
        ([WORDS], WORDS, {"smoothing_function": UNBOUND}, r"method1, .*SmoothingFunction\(\)"),
        *(
            ([WORDS], WORDS, {"smoothing_function": wrong}, r"SmoothingFunction\(\)\.method1")
            for wrong in ("method1", SmoothingFunction, nltk.SmoothingFunction())
        ),
        ([WORDS], WORDS, {"weights": BOUND}, "pass it as smoothing_function="),
        ([WORDS], WORDS, {"weights": 1}, r"weights is 1, expected one for each .* \(1,\) for"),
        ([WORDS], WORDS, {"weights": None}, "weights is None, expected one for each order"),
        ([WORDS], WORDS, {"weights": iter(WORDS)}, "weights is <.*, expected one for each order"),
    ],
)
def test_the_fix_when_nltk_fails_too(references, hypothesis, options, words):
    for call, sides in (
        (sentence_bleu, (references, hypothesis)),
        (corpus_bleu, ([references], [hypothesis])),
    ):
        raises(TypeError, words, call, *sides, **options)
        with pytest.raises((TypeError, AttributeError)):
            getattr(nltk, call.__name__)(*sides, **options)


def test_the_fix_for_sacrebleus_order():
    words = r"fastbleu\.sacrebleu\.corpus_bleu\(hypotheses, references\)"
    raises(AssertionError, words, corpus_bleu, LINES, [LINES])
    words = r"corpus_bleu\(list\(zip\(\*references\)\), hypotheses"
    raises(AssertionError, words, corpus_bleu, [WORDS] * 2, [[WORDS] * 2])
    raises(AssertionError, "be the same $", corpus_bleu, [[WORDS]] * 2, [WORDS])

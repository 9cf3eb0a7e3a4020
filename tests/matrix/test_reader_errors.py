"""Errors for invalid lists of sentences name the argument; hostile tokens do no harm."""

import gc
import os

import numpy as np
import pytest
from generators import raises
from hostile import Lying, Planned, Token, clean, raising, resident_kilobytes
from test_reader import TOKENS, seeded, split
from threads import at_once
from tokenizer_texts import random_texts

from fastbleu import BLEU, InputWarning
from fastbleu.inputs.checks import TextChecks, TokenChecks
from fastbleu.matrix._sentences import IdReader, TextReader, read_lists
from fastbleu.matrix._vocabulary import Vocabulary
from fastbleu.matrix.reader import SentenceReader
from fastbleu.matrix.source_pairs import batch_of

IDS = BLEU(None, ignore_ids=(0,))
TEXT = BLEU()
H = np.arange(1, 13).reshape(3, 4)


class Frame:
    """What looks like a data frame."""

    columns = ("a", "b")
    shape = (2, 2)

    def __len__(self):
        return 2


def refused(parameters, sentences, error, words, **options):
    reader = SentenceReader(parameters)
    reader.read([], "hypotheses")
    raises(error, words, reader.read, sentences, "hypotheses", **options)
    # Nothing is left of the failure: the reader goes on.
    reader.vocabulary.forget()
    assert split(reader.read(["a b"] if parameters.tokenizer else [[7, 8]], "x")) == [[0, 1]]


@pytest.mark.parametrize("parameters", [TEXT, TOKENS, IDS, BLEU(str.split)])
@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ("a text", r"hypotheses is a str"),
        (b"a text", r"hypotheses is a bytes, expected a list with one entry per sentence"),
        (None, r"hypotheses is a NoneType"),
        (5, r"hypotheses is an int"),
        ({"a"}, r"hypotheses is a set, expected.*; pass sorted\(hypotheses\)"),
        (frozenset("a"), r"hypotheses is a frozenset.*; pass sorted\(hypotheses\)"),
        ({"a": 1}, r"hypotheses is a dict.*; pass list\(hypotheses.values\(\)\)"),
        ((text for text in "ab"), r"hypotheses is a generator.*pass list\(hypotheses\)"),
        (Frame(), r"hypotheses is a Frame.*pass hypotheses.values.tolist\(\)"),
        (np.array(5), r"hypotheses has"),
    ],
)
def test_what_is_no_list(parameters, wrong, words):
    refused(parameters, wrong, (TypeError, ValueError), words)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (["one"], "expected a str: hypotheses must be one flat list of str.*tokenize=None"),
        (("one", "two"), r"is a tuple, expected a str"),
        (b"one", "is a bytes, expected a str; decode it first"),
        (None, r"is missing \(None\)"),
        (1, "is an int, expected a str"),
        (np.array([1, 2]), "for token ids pass tokenize=None"),
        (Token(), "is a Token, expected a str"),
    ],
)
@pytest.mark.parametrize("at", [0, 3, 600])
def test_what_is_no_text(wrong, words, at):
    for parameters in (TEXT, BLEU(str.split)):
        texts = ["a b"] * 700
        texts[at] = wrong
        refused(parameters, texts, TypeError, rf"^hypotheses\[{at}\] .*{words[3:]}")
        refused(parameters, texts, TypeError, rf"^hypotheses\[{at + 50}\] ", before=50)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ("one", r'\] is a str, expected a list of tokens; split it.*tokenize="13a"'),
        (b"one", r"\] is a bytes, expected a list of tokens"),
        ({"one"}, r"\] is a set, expected a list of tokens"),
        (None, r"\] is missing \(None\)"),
        (7, r"\] is an int, expected a list of tokens"),
        ([["nested"]], r"\]\[0\] is a list, expected a token: hypotheses must be one flat list"),
        (["a", 0.5, {}], r"\]\[2\] is a dict; a token must be hashable"),
        ([("a", [])], r"\]\[0\] is a tuple with an unhashable element"),
        (np.array(5), r"\] has no dimension, expected a list of tokens"),
    ],
)
@pytest.mark.parametrize("at", [1, 3, 600])
def test_what_is_no_list_of_tokens(wrong, words, at):
    sentences = [["a", "b"]] * 700
    sentences[at] = wrong
    refused(TOKENS, sentences, TypeError, rf"^hypotheses\[{at}{words}")
    refused(TOKENS, sentences, TypeError, rf"^hypotheses\[{at + 9}{words}", before=9)


@pytest.mark.parametrize(
    ("wrong", "error", "words"),
    [
        (H[0], ValueError, r"hypotheses has the shape \(4,\).*expected \(sentences, length\)"),
        (H[None], ValueError, r"hypotheses has the shape \(1, 3, 4\)"),
        (H.astype(float), TypeError, "hypotheses has the dtype float64"),
        ([H[0], H], ValueError, r"hypotheses\[1\] has the shape \(3, 4\)"),
        ([H[0], H[0] / 2], TypeError, r"hypotheses\[1\] has the dtype float64"),
        ([H[0], "abc"], TypeError, r"hypotheses\[1\] is a str, expected a sequence of token ids"),
        ([H[0], [1, "a"]], TypeError, r"hypotheses\[1\]\[1\] has 'a', a str"),
        ([H[0], [2**63]], ValueError, r"hypotheses\[1\]\[0\] has the id.*int64"),
        ([H[0], [[1]]], TypeError, r"hypotheses\[1\]\[0\] has \[1\], a list"),
    ],
)
def test_what_is_no_row_of_ids(wrong, error, words):
    for parameters in (TOKENS, IDS):
        refused(parameters, wrong, error, words)
    if isinstance(wrong, list):
        refused(IDS, wrong, error, words.replace("[1", r"[5", 1), before=4)


def test_masks():
    ones = np.ones(H.shape, int)
    refused(TEXT, ["a"], TypeError, "a mask needs token ids", mask=[[1]])
    refused(TOKENS, H, ValueError, r"the mask of hypotheses has the shape", mask=ones[:2])
    refused(TOKENS, list(H), ValueError, r"the mask of hypotheses has 2", mask=ones[:2])
    refused(TOKENS, list(H), ValueError, r"mask of hypotheses\[2\]", mask=[*ones[:2], ones[0, :2]])


def test_compiled_readers_check_what_they_need():
    vocabulary = Vocabulary()
    reader = TextReader(TextChecks(), "13a")
    for wrong in ("abc", iter(["a"]), None):
        with pytest.raises(TypeError):
            reader.read_texts(vocabulary, TextChecks(), wrong)
        with pytest.raises(TypeError):
            read_lists(vocabulary, TokenChecks(), wrong)
    with pytest.raises(TypeError):
        reader.read_texts(None, TextChecks(), ["a"])
    with pytest.raises(TypeError):
        IdReader().read_rows(vocabulary, None)
    assert reader.fill(["a &amp; b"], ["a"], 0) == 1  # still a packer


# --- batches


def test_one_source_is_no_batch():
    for hypotheses, references, parameters in (
        (["a"], ["b"], TEXT),
        ([], [], TEXT),
        (["a"], None, TEXT),
        (np.array(["a"]), ["b"], TEXT),
        ([["a"]], [["b"], []], TOKENS),
        ([["a", ("b",)]], [(("b",), "a")], TOKENS),
        ([[], []], [[]], TOKENS),
        (H, H, TOKENS),
        (list(H), H.tolist(), TOKENS),
        ([[1, 2], []], None, IDS),
    ):
        assert batch_of(hypotheses, references, parameters.tokenizer) is None


def test_several_sources():
    text = [["a", "b"], ["c", "d"]]
    assert batch_of(text, text[::-1], TEXT.tokenizer) == [(text[0], text[1]), (text[1], text[0])]
    assert batch_of(text, None, TEXT.tokenizer) == [(text[0], None), (text[1], None)]
    assert batch_of(tuple(map(tuple, text)), text, TEXT.tokenizer) == [(tuple(t), t) for t in text]
    tokens = [[["a"], ["b", "c"]], [["d"], []]]
    assert batch_of(tokens, [[[]], [[]]], TOKENS.tokenizer) == [(t, [[]]) for t in tokens]
    assert batch_of([[[], []]], [[]], TOKENS.tokenizer) == [([[], []], [])]
    ids = np.stack([H, H + 1])
    for form in (ids, list(ids), [list(rows) for rows in ids], ids.tolist()):
        pairs = batch_of(form, ids[:, :1], TOKENS.tokenizer)
        assert [tuple(map(len, pair)) for pair in pairs] == [(3, 1), (3, 1)]


@pytest.mark.parametrize(
    ("hypotheses", "references", "parameters", "error", "words"),
    [
        (["a"], [["b"]], TEXT, ValueError, "references is a batch.*hypotheses holds str.*flat"),
        ([["a"]], ["b"], TEXT, ValueError, "hypotheses is a batch.*references holds str"),
        ([["a"]], [[["a"]]], TOKENS, ValueError, "references is a batch.*holds lists of tokens"),
        (H[None], H, TOKENS, ValueError, "hypotheses is a batch"),
        ([["a"]] * 2, [["a"]] * 3, TEXT, ValueError, "hypotheses has 2 sources, references has 3"),
        ([], [["a"]], TEXT, ValueError, "hypotheses has 0 sources, references has 1"),
        ([["a"], ["a", "b"]], [["a"]] * 2, TEXT, ValueError, r"hypotheses\[1\] has 2 sentences"),
        ([["a"]] * 3, [["a"], ["a"], []], TEXT, ValueError, r"references\[2\] has 0 sentences"),
        ([["a"], "b"], [["a"]] * 2, TEXT, TypeError, r"hypotheses\[1\] is a str"),
        ([["a"], None], None, TEXT, TypeError, r"hypotheses\[1\] is a NoneType"),
    ],
)
def test_batches_that_do_not_fit(hypotheses, references, parameters, error, words):
    raises(error, words, batch_of, hypotheses, references, parameters.tokenizer)


WORDS_OF_TEXT = [["the", "cat", "sat"], ["a", "cat", "sat"]]


@pytest.mark.parametrize("tokenize", ["13a", "none", "intl"])
def test_lists_of_tokens_that_are_taken_for_sources_of_text(tokenize):
    parameters, names = BLEU(tokenize), ("candidates", "references")
    for sources in (WORDS_OF_TEXT, tuple(map(tuple, WORDS_OF_TEXT)), [*WORDS_OF_TEXT] * 4):
        with pytest.warns(InputWarning, match="^candidates looks like.*pass tokenize=None"):
            assert len(batch_of(sources, None, parameters.tokenizer, names)) == len(sources)
    advice = "if these are lists of tokens pass tokenize=None"
    with pytest.raises(ValueError, match=rf"candidates\[1\] has 4 sentences.*; {advice}"):
        batch_of([WORDS_OF_TEXT[0], ["a"] * 4], None, parameters.tokenizer, names)
    with pytest.raises(ValueError, match=f"2 sources, references has 3;.*; {advice}"):
        batch_of(WORDS_OF_TEXT, WORDS_OF_TEXT[:1] * 3, parameters.tokenizer, names)


def test_sources_of_text_are_not_taken_for_lists_of_tokens():
    for parameters in (BLEU("zh"), BLEU("char"), BLEU(str.split)):
        assert len(batch_of(WORDS_OF_TEXT, None, parameters.tokenizer)) == 2
    for sources in (
        [["one", "two"]] * 3,
        [["a text", "b", "c"], ["d", "e", "f"]],
        [["a", "b", "c"], ["d", "a text", "f"]],
        [["a", "b", 5], ["d", "e", "f"]],
    ):
        assert len(batch_of(sources, None, TEXT.tokenizer)) == len(sources)
    raises(
        ValueError,
        r"in separate calls$",
        batch_of,
        [["a text"], ["a text", "b"]],
        None,
        TEXT.tokenizer,
    )


def test_ids_in_tuples_that_are_taken_for_tokens():
    ids = (((1, 2), (3, 4)), ((5,), (6,)))
    with pytest.warns(InputWarning, match="x holds tuples of tuples of numbers.*pass lists"):
        assert split(SentenceReader(TOKENS).read(ids, "x")) == [[0, 1], [2, 3]]
    for fine in (ids[0], [list(ids[0])], ((("a",), (1, 2)),), ((),), ((1, 2), ((1,), (2,)))):
        SentenceReader(TOKENS).read(fine, "x")


def test_batches_name_their_arguments():
    with pytest.raises(ValueError, match=r"candidates is a batch.*samples holds str"):
        batch_of([["a"]], ["a"], TEXT.tokenizer, ("candidates", "samples"))
    with pytest.raises(TypeError, match=r"^candidates\[4\]\[1\] is an int"):
        SentenceReader(TEXT).read(["a", 1], "candidates[4]")


# --- hostile input


@pytest.mark.parametrize("error", [Planned(), ValueError(), TypeError("mine"), KeyboardInterrupt()])
def test_exceptions_of_tokens_propagate_and_the_reader_goes_on(error):
    reader = SentenceReader(TOKENS)
    first = split(reader.read([["a", 1, "x" * 20]], "x"))
    for token in (Token(on_hash=raising(error)), Token(on_equal=raising(error))):
        for known_only in (False, True):
            sentences = [["b", 1.0], [token, "c", Token(), 1]]
            if known_only and token.on_equal:
                continue  # it is compared with nothing
            with pytest.raises(type(error)) as caught:
                reader.read(sentences, "x", known_only=known_only)
            assert caught.value is error
    assert split(reader.read([["a", 1.0, "x" * 20]], "x", known_only=True)) == first
    reader.vocabulary.forget()
    assert split(reader.read([["b", "a"]], "x")) == [[0, 1]]


def test_reading_from_within_a_read():
    reader = SentenceReader(TOKENS)
    reader.read([["a", 0.5]], "x")
    seen = []

    def action():
        seen.append(split(reader.read([["a", 0.5]], "x", known_only=True)))
        for call in (lambda: reader.read([["new"]], "x"), reader.vocabulary.forget):
            raises(RuntimeError, "is being read into", call)

    assert split(reader.read([[Token(on_hash=action), "a"]], "x", known_only=True)) == [[-1, 0]]
    assert seen == [[[0, 1]]]

    def action_while_adding():
        finding = lambda: reader.read([["a"]], "x", known_only=True)  # noqa: E731
        for call in (finding, reader.vocabulary.forget, reader.vocabulary.all_tokens):
            raises(RuntimeError, "only one may add", call)

    reader.read([[Token(on_hash=action_while_adding), "a"]], "x")
    reader.vocabulary.forget()
    assert split(reader.read([["a"]], "x")) == [[0]]


def test_tokens_whose_death_uses_the_reader():
    reader = SentenceReader(TOKENS)
    deaths = []

    class Dying(Token):
        def __del__(self):
            deaths.append(clean(lambda: split(reader.read([["again", "again"]], "x"))))

    reader.read([[Dying(), "a"]], "x")
    reader.vocabulary.forget()
    gc.collect()
    assert deaths == [[[0, 0]]]
    assert split(reader.read([["a", "again"]], "x")) == [[1, 0]]


def test_sequences_that_lie():
    reader = SentenceReader(TOKENS)
    assert split(reader.read([Lying(9, ["a"]), ["a"]], "x")) == [[0], [0]]
    with pytest.raises(ValueError, match=r"2 sentences of x became 1 while.*a Lying"):
        reader.read(Lying(2, [["a"]]), "x")
    with pytest.raises(KeyError):
        reader.read([["a"], Lying(2, raising(KeyError()))], "x")


# --- threads and memory


def test_threads_read_what_is_known_at_once():
    rng = seeded("threads of sentences")
    texts = random_texts(rng, 2000)
    for parameters, sentences in (
        (TEXT, texts),
        (TOKENS, [text.split() for text in texts]),
        (TOKENS, np.arange(40_000).reshape(2000, 20)),
    ):
        reader = SentenceReader(parameters)
        expected = reader.read(sentences, "x").flat()

        def work(_, reader=reader, sentences=sentences, expected=expected):
            shared = reader.sharing()
            for _ in range(5):
                assert shared.read(sentences, "x", known_only=True).flat() == expected
                assert reader.read(sentences, "x", known_only=True).flat() == expected

        at_once(work, 4)


@pytest.mark.skipif(
    not os.path.exists("/proc/self/statm") or "FASTBLEU_SANITIZED" in os.environ,
    reason="memory of the process is not to be told",
)
def test_forgetting_frees_the_content_of_long_tokens():
    reader = SentenceReader(TEXT)

    def fill(first):
        reader.vocabulary.forget()
        texts = [f"{'long' * 20}{first + n}" for n in range(20_000)]
        assert len(set(reader.read(texts, "x").flat())) == 20_000

    fill(0)
    before = resident_kilobytes()
    for first in range(1, 30):
        fill(first * 20_000)
    assert resident_kilobytes() - before < 20_000
    assert reader.vocabulary.nbytes > 1_600_000
    reader.vocabulary.forget()
    assert reader.vocabulary.nbytes < 5_000_000
    assert max(reader.read([" ".join(map(str, range(200_000)))], "x").flat()) == 199_999
    reader.vocabulary.forget()
    assert reader.vocabulary.nbytes < 100_000

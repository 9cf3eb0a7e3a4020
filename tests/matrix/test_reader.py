"""What is read of sentences: each token has one number over a vocabulary, by Python's own equality.

Batches of sources that do not fit are refused; hostile tokens do no harm to those who read them.
What is no sentence is refused in tests/core/inputs/test_errors.py. Random tokens, texts and ids are
in the tests of what reads them, such as test_reference_index.py.
"""

import gc
import os
import pickle
from array import array
from itertools import product

import numpy as np
import pytest
from generators import raises
from hostile import Lying, Planned, Token, clean, raising, resident_kilobytes

from fastbleu import BLEU, InputWarning
from fastbleu.matrix import (
    NearestIndex,
    ReferenceIndex,
    duplicates,
    mbr,
    pairwise,
    pairwise_chunked,
    self_bleu,
)
from fastbleu.matrix.reader import SentenceReader

pytestmark = pytest.mark.pythons

TEXT, TOKENS, IDS = BLEU(), BLEU(tokenize=False), BLEU(tokenize=False, ignore_ids=(0,))


def split(sentences):
    """The ids of each sentence."""
    ids, lengths = sentences.flat().tolist(), sentences.lengths
    assert len(lengths) == len(sentences)
    assert len(ids) == sum(lengths)
    assert max(lengths, default=0) == sentences.longest
    assert min(ids, default=0) >= -1
    found = []
    for length in lengths:
        found.append(ids[:length])
        ids = ids[length:]
    return found


# --- text


def test_long_tokens_outlive_their_texts():
    """Tokens that are no keys by themselves are copied: texts and buffers of lines go away."""
    reader = SentenceReader(BLEU(tokenize="none"))
    words = ["w" * n + str(n) for n in range(14, 80)]
    words += ["я" * n + str(n) for n in range(7, 50)] + ["\U0001f600" * n for n in range(4, 30)]
    first = [split(reader.read([word + " &amp;"], "x"))[0][0] for word in words]
    assert len(set(first)) == len(words)
    gc.collect()
    junk = ["v" * n for n in range(14, 80)] * 3  # where the texts were
    again = split(reader.read([" ".join(words)], "x", known_only=True))[0]
    assert again == first
    assert len(junk) == 198


def test_texts_that_look_tokenized_are_counted():
    for metric, sentences, count in (
        (TEXT, ["a .", "b.", "c ."], 2),
        (BLEU(tokenize=str.split), ["d C ."], 1),
        (TOKENS, [["a", "."]], 0),
    ):
        reader = SentenceReader(metric)
        reader.read(sentences, "x", counted=True)
        reader.read(sentences, "x")
        assert reader.signs.tokenized_periods == count


# In the first of each, the hypothesis alone would choose another tokenizer.
CHINESE = (
    ["他在2019年买了iPhone 11。", "今天很好"],
    ["他在2019年买了一部iPhone 11。", "今天天气很好。"],
)
LATIN = ["今a", "a b c d"], ["a b c 今a", "a b c d e"]


def test_signatures_name_the_tokenizer_that_was_chosen():
    metric = BLEU(tokenize="auto")
    for sides, name in ((CHINESE, "zh"), (LATIN, "13a")):
        for make in (NearestIndex, ReferenceIndex):
            assert f"|tok:auto+{name}|" in make(iter(sides[1]), metric=metric).signature
        assert f"|tok:auto+{name}|" in mbr(*sides, metric=metric).signature


def test_sources_choose_separately():
    metric = BLEU(tokenize="auto", threads=2)
    batch = [LATIN, CHINESE, LATIN] * 5
    hypotheses, references = ([list(source[side]) for source in batch] for side in (0, 1))
    expected = [
        [metric.sentence_scores([text] * 2, [[its] for its in source[1]]) for text in source[0]]
        for source in batch
    ]
    assert np.array_equal(pairwise(hypotheses, references, metric=metric), expected)
    result = mbr(hypotheses, references, return_matrix=True, metric=metric)
    assert np.array_equal(result.matrix, expected)
    assert "|tok:auto+13a+zh|" in result.signature


def test_references_that_choose_different_tokenizers():
    metric = BLEU(tokenize="auto")
    both = [CHINESE[1][0], "a b c d"]
    pool = [*CHINESE[1], "a b c d"] * 9000
    words = (
        r'tokenize="auto" chooses zh for {0}\[0\] and 13a for {0}\[{1}\], but here one tokenizer '
        r'reads all: pass a metric with tokenize="zh" or tokenize="13a"'
    )
    for call, name, number in (
        (lambda: list(pairwise_chunked(["a"], both, metric=metric)), "references", 1),
        (lambda: mbr(both, metric=metric), "hypotheses", 1),
        (lambda: mbr([both, both], metric=metric), r"hypotheses\[0\]", 1),
        (lambda: NearestIndex(pool[:1] * 8193 + both, metric=metric), "references", 8194),
        (lambda: duplicates(pool, min_score=9, metric=metric), "sentences", 2),
        (lambda: self_bleu(both, metric=metric), "sentences", 1),
        (lambda: self_bleu(pool[:3], against="each", metric=metric), "sentences", 2),
    ):
        raises(ValueError, words.format(name, number), call)
    # Where all are references of one segment, the first one chooses.
    first = metric.sentence_scores(CHINESE[0], [both] * 2)
    index = pickle.loads(pickle.dumps(ReferenceIndex(iter(both), metric=metric)))
    assert np.array_equal(index.sentence_scores(CHINESE[0]), first)
    assert "|tok:auto+zh|" in index.signature
    others = [pool[1:3], [pool[0], pool[2]], pool[:2]]
    found = self_bleu(pool[:3], orders=[4], metric=metric).scores[:, 0]
    assert found.tolist() == metric.sentence_scores(pool[:3], others).tolist()


# --- tokens and ids


def test_equal_numbers_are_one_token_whichever_came_first():
    for first, then in product((1, 1.0, True, np.int64(1)), repeat=2):
        reader = SentenceReader(TOKENS)
        assert split(reader.read([["a", first, b"a"]], "x")) == [[0, 1, 2]]
        assert split(reader.read([[then, "a", b"a", then]], "x")) == [[1, 0, 2, 1]]
        assert split(reader.read([[then, 2.0]], "x", known_only=True)) == [[1, -1]]
        assert split(reader.read(np.array([[3, 1]]), "x")) == [[3, 1]]
        assert split(reader.read(np.array([[4, 1]]), "x", known_only=True)) == [[-1, 1]]


def test_tokens_and_ids_share_one_vocabulary():
    reader = SentenceReader(TOKENS)
    assert split(reader.read([[7, 8, -1], [2**62]], "x")) == [[0, 1, 2], [3]]
    assert split(reader.read(np.array([[8, 7, 2**62, 5]]), "x")) == [[1, 0, 3, 4]]
    assert split(reader.read([np.array([5], "u1"), [-1]], "x")) == [[4], [2]]


def test_padding_is_warned_of_once():
    padded = np.array([[1, 2, 0, 0], [3, 0, 0, 0], [4, 5, 0, 0], [6, 7, 8, 9]])
    reader = SentenceReader(TOKENS)
    with pytest.warns(InputWarning, match="most rows of x end in a run of the id 0"):
        reader.read(padded, "x")
    reader.read(padded, "x")


# --- what is read


def test_sentences_are_pickled():
    rules = BLEU(tokenize=False, ignore_ids=(0,))
    read = SentenceReader(rules).read(np.array([[0, 0], [1, 0], [2, 1]]), "x")
    copy = pickle.loads(pickle.dumps(read))
    assert (split(copy), copy.padding) == ([[], [0], [1, 0]], [0])
    make, _ = read.__reduce__()
    for wrong in (-1, 4, 2**62):
        with pytest.raises(ValueError, match="but 3 are left"):
            make(array("i", [1, 2, 3]), array("q", [wrong]), [])
    with pytest.raises(TypeError, match="expected int32"):
        make(array("q", [1]), array("q", [1]), [])


# --- batches

H = np.arange(1, 13).reshape(3, 4)


@pytest.mark.filterwarnings("ignore::fastbleu.InputWarning")
def test_one_source_or_several():
    text, tokens = [["a", "b"], ["c", "d"]], [[["a"], ["b", "c"]], [["d"], []]]
    ids = np.stack([H, H + 1])
    for metric, hypotheses, references, expected in (
        (TEXT, ["a"], ["b"], (1, 1)),
        (TEXT, np.array(["a"]), ["b"], (1, 1)),
        (TOKENS, [["a"]], [["b"], []], (1, 2)),
        (TOKENS, [["a", ("b",)]], [(("b",), "a")], (1, 1)),
        (TOKENS, [[], []], [[]], (2, 1)),
        (TOKENS, list(H), H.tolist(), (3, 3)),
        (IDS, H, H, (3, 3)),
        (TEXT, text, tuple(map(tuple, text)), (2, 2, 2)),
        (TOKENS, tokens, [[[]], [[]]], (2, 2, 1)),
        (TOKENS, ids.tolist(), ids[:, :1], (2, 3, 1)),
        (IDS, list(ids), [list(rows) for rows in ids], (2, 3, 3)),
    ):
        assert pairwise(hypotheses, references, metric=metric).shape == expected


@pytest.mark.parametrize(
    ("metric", "hypotheses", "references", "error", "words"),
    [
        (TEXT, ["a"], [["b"]], ValueError, "references is a batch.*hypotheses holds str.*flat"),
        (TEXT, [["a"]], ["b"], ValueError, "hypotheses is a batch.*references holds str"),
        (TOKENS, [["a"]], [[["a"]]], ValueError, "references is a batch.*holds lists of tokens"),
        (TOKENS, H[None], H, ValueError, "hypotheses is a batch"),
        (TEXT, [["a"]] * 2, [["a"]] * 3, ValueError, "hypotheses has 2 sources, references has 3"),
        (TEXT, [], [["a"]], ValueError, "hypotheses has 0 sources, references has 1"),
        (TEXT, [["a"], ["a", "b"]], [["a"]] * 2, ValueError, r"hypotheses\[1\] has 2 sentences"),
        (TEXT, [["a"]] * 3, [["a"], ["a"], []], ValueError, r"references\[2\] has 0 sentences"),
        (TEXT, [["a"], "b"], [["a"]] * 2, TypeError, r"hypotheses\[1\] is a str"),
        (TEXT, [["a"], None], [["a"]] * 2, TypeError, r"hypotheses\[1\] is a NoneType"),
        # Masks.
        (IDS, (H, np.ones((2, 4), int)), H, ValueError, "the mask of hypotheses has the shape"),
        (IDS, (list(H), np.ones((2, 4), int)), H, ValueError, "the mask of hypotheses has 2"),
        (IDS, (list(H), [[1] * 4, [1] * 4, [1]]), H, ValueError, r"mask of hypotheses\[2\]"),
        (TEXT, (["a"], [[1]]), ["a"], TypeError, "a mask needs token ids"),
    ],
)
def test_batches_and_masks_that_do_not_fit(metric, hypotheses, references, error, words):
    masks = {}
    if isinstance(hypotheses, tuple):
        hypotheses, masks["hypothesis_mask"] = hypotheses
    raises(error, words, pairwise, hypotheses, references, **masks, metric=metric)


TOKENIZED = [["the", "cat", "sat"], ["a", "cat", "sat"]]


@pytest.mark.parametrize("tokenize", ["13a", "none"])
def test_lists_of_tokens_that_are_taken_for_sources_of_text(tokenize):
    for sources in (TOKENIZED, tuple(map(tuple, TOKENIZED)), [*TOKENIZED] * 4):
        with pytest.warns(InputWarning, match="^hypotheses looks like.*with tokenize=False"):
            assert len(mbr(sources, metric=BLEU(tokenize=tokenize)).best) == len(sources)
    advice = "if these are lists of tokens pass a metric with tokenize=False"
    with pytest.raises(ValueError, match=f"2 sources, references has 3;.*; {advice}"):
        mbr(TOKENIZED, TOKENIZED[:1] * 3, metric=BLEU(tokenize=tokenize))
    with pytest.raises(ValueError, match=rf"hypotheses\[1\] has 4 sentences.*; {advice}"):
        pairwise([TOKENIZED[0], ["a"] * 4], [["a"]] * 2, metric=BLEU(tokenize=tokenize))


def test_sources_of_text_are_not_taken_for_lists_of_tokens():
    """Nor are they where single words may be texts; warnings are errors."""
    for tokenize in ("zh", "char", str.split):
        assert len(mbr(TOKENIZED, metric=BLEU(tokenize=tokenize)).best) == 2
    for sources in ([["one", "two"]] * 3, [["a text", "b", "c"], ["d", "e", "f"]]):
        assert len(mbr(sources, metric=BLEU(tokenize="13a")).best) == len(sources)


def test_ids_in_tuples_that_are_taken_for_tokens():
    ids = (((1, 2), (3, 4)), ((5,), (6,)))
    with pytest.warns(InputWarning, match="hypotheses holds tuples of tuples of numbers.*pass l"):
        pairwise(ids, [["a"]], metric=BLEU(tokenize=False))
    for fine in (ids[0], [list(ids[0])], ((("a",), (1, 2)),), ((1, 2), ((1,), (2,)))):
        pairwise(fine, [[1]], metric=TOKENS)


# --- hostile input


@pytest.mark.parametrize("error", [Planned(), TypeError("mine")])
def test_exceptions_of_tokens_propagate_and_the_reader_goes_on(error):
    reader = SentenceReader(TOKENS)
    first = split(reader.read([["a", 1, "x" * 20]], "x"))
    for token, known_only in (
        (Token(on_hash=raising(error)), False),
        (Token(on_hash=raising(error)), True),
        (Token(on_equal=raising(error)), False),
    ):
        reader.read([["b", 1.0]], "x", known_only=known_only)
        with pytest.raises(type(error)) as caught:
            reader.read([["b", 1.0], [token, "c", Token(), 1]], "x", known_only=known_only)
        # Python 3.15's dict raises a TypeError of its own if a key does.
        assert caught.value is error or str(caught.value).endswith(f"({error})")
    assert split(reader.read([["a", 1.0, "x" * 20]], "x", known_only=True)) == first
    reader.vocabulary.forget()
    assert split(reader.read([["b", "a"]], "x")) == [[0, 1]]


def test_reading_from_within_a_read():
    reader = SentenceReader(TOKENS)
    reader.read([["a", 0.5]], "x")
    seen = []

    def read_again():
        seen.append(split(reader.read([["a", 0.5]], "x", known_only=True)))
        for call in (lambda: reader.read([["new"]], "x"), reader.vocabulary.forget):
            raises(RuntimeError, "is being read into", call)

    known = reader.read([[Token(on_hash=read_again), "a"]], "x", known_only=True)
    assert (split(known), seen) == ([[-1, 0]], [[[0, 1]]])

    def read_while_adding():
        finding = lambda: reader.read([["a"]], "x", known_only=True)  # noqa: E731
        for call in (finding, reader.vocabulary.forget, reader.vocabulary.all_tokens):
            raises(RuntimeError, "only one may add", call)

    reader.read([[Token(on_hash=read_while_adding), "a"]], "x")
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
    assert pairwise([Lying(9, ["a"]), ["a"]], [["a"]], metric=TOKENS).shape == (2, 1)
    with pytest.raises(ValueError, match=r"2 sentences of hypotheses became 1 while.*a Lying"):
        pairwise(Lying(2, [["a"]]), [["a"]], metric=TOKENS)
    with pytest.raises(KeyError):
        pairwise([["a"], Lying(2, raising(KeyError()))], [["a"]], metric=TOKENS)


# --- threads and memory


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

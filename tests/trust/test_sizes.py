"""Very large input is counted correctly, or refused with OverflowError."""

from pathlib import Path

import numpy as np
import oracle
import pytest
from generators import raises, seeded
from metrics import count

import fastbleu
from fastbleu import BLEU, Stats, matrix
from fastbleu.matrix import ReferenceIndex
from fastbleu.tokenizers import tokenize

MOST = 2**63 - 1
TOKENS = 5_000_000
REFERENCES = 100_000
FULL = Stats([[MOST] * 10])


def needs_memory(gibibytes):
    meminfo = Path("/proc/meminfo").read_text()
    free = next(int(line.split()[1]) for line in meminfo.splitlines() if "MemAvailable" in line)
    return pytest.mark.skipif(free < gibibytes << 20, reason=f"needs {gibibytes} GiB of memory")


def rows_of(stats):
    return np.asarray(stats).tolist()


# ---- counts at the end of int64

OVERFLOWS = {
    "Stats + Stats": lambda: FULL + Stats([[1] * 10]),
    "Stats + Stats below 0": lambda: Stats([[-MOST] * 10]) + Stats([[-MOST] * 10]),
    "sum([Stats])": lambda: sum([FULL, Stats([[1] * 10])]),
    "Stats.sum": Stats([[1] * 10, [MOST] * 10]).sum,
    "Stats.concatenate.sum": lambda: Stats.concatenate([FULL, FULL]).sum(),
    "two halves": Stats(np.full((2, 10), 2**62)).sum,
}


@pytest.mark.parametrize("what", OVERFLOWS)
def test_beyond_int64(what):
    raises(OverflowError, "", OVERFLOWS[what])
    assert (FULL + Stats.zeros(1)).sum() == FULL


def test_more_ids_than_an_int32_has():
    ids, few = np.broadcast_to(np.int8(1), (1, 2**31)), np.ones((1, 3), np.int8)
    for sides in ((ids, few), (few, ids), (few, ids[:, None])):
        raises(OverflowError, "", BLEU(tokenize=False).count, *sides)
    raises(OverflowError, "", matrix.pairwise, ids, few, metric=BLEU(tokenize=False))


# ---- long segments


def long_pair():
    """A sentence, its beginning, and the row of both."""
    hypothesis = [f"w{number}" for number in range(1000)] * (TOKENS // 1000)
    totals = [TOKENS - n for n in range(4)]
    return hypothesis, hypothesis[:-7], [TOKENS, TOKENS - 7, *(n - 7 for n in totals), *totals]


@needs_memory(4)
@pytest.mark.parametrize("name", ["none", "13a", "zh", "intl", "char", "13a, wide", "i8", "i2"])
def test_5_million_tokens_of_text_or_ids(name):
    hypothesis, reference, row = long_pair()
    if name in ("i8", "i2"):
        ids = (np.arange(TOKENS) % 1000).astype(name)[None]
        assert rows_of(BLEU(tokenize=False).count(ids, ids[:, :-7])) == [row]
        return
    texts = [" ".join(side) for side in (hypothesis, reference)]
    if name == "char":
        texts = [texts[0].replace(" ", "x")[: row[n]] for n in range(2)]
    if name.endswith("wide"):
        texts = [texts[0] + " я", texts[0] + " \U0001f600"]
        row = [TOKENS + 1, TOKENS + 1, *row[6:], *(total + 1 for total in row[6:])]
    found = count(texts[:1], [texts[1:]], tokenize=name.partition(",")[0])
    assert rows_of(found) == [row]


@needs_memory(4)
def test_5_million_tokens():
    hypothesis, reference, row = long_pair()
    metric = BLEU("nltk", tokenize=False, smooth_method="none")
    assert rows_of(metric.count([hypothesis], [[reference]])) == [row]
    score = metric.score([hypothesis], [[reference]]).value
    opposite = metric.score([reference], [[hypothesis]]).value
    assert fastbleu.sentence_bleu([reference], hypothesis) == score
    assert fastbleu.corpus_bleu([[reference]], [hypothesis]) == score
    assert matrix.pairwise([hypothesis], [reference], metric=metric).tolist() == [[score]]
    found = matrix.self_bleu([hypothesis, reference], orders=(4,), metric=metric).scores
    assert found.tolist() == [[score], [opposite]]


@pytest.mark.long_only
@needs_memory(4)
def test_5_million_tokens_in_an_index_and_decoded():
    hypothesis, reference, row = long_pair()
    index = ReferenceIndex([reference], metric=BLEU(tokenize=False))
    assert rows_of(index.count([hypothesis])) == [row]
    assert matrix.mbr([["w1"], hypothesis, reference], metric=BLEU(tokenize=False)).best in (1, 2)


def test_100_000_references_of_a_segment():
    rng = seeded("many references")
    hypothesis = rng.choices("abcd", k=9)
    references = [rng.choices("abcdefgh", k=rng.randrange(12)) for _ in range(REFERENCES)]
    row = oracle.row(hypothesis, references)
    assert rows_of(count([hypothesis], [references])) == [row]
    texts = list(map(" ".join, references))
    assert rows_of(count([" ".join(hypothesis)], [texts], tokenize="13a")) == [row]
    index = ReferenceIndex(references, metric=BLEU(tokenize=False))
    assert rows_of(index.count([hypothesis])) == [row]
    # A row of nothing but padding is no reference, but an empty one was.
    ids = [[*map(ord, reference), *[-1] * (12 - len(reference))] for reference in references]
    found = BLEU(tokenize=False, ignore_ids=(-1,)).count(
        [list(map(ord, hypothesis))], np.array([ids])
    )
    assert rows_of(found) == [oracle.row(hypothesis, list(filter(None, references)))]


# ---- indices and strings


@pytest.mark.long_only
@needs_memory(2)
def test_an_index_of_2_billion_tokens():
    """References of all lengths up to 2**16 + 9."""
    number = 2**16 + 10
    references = (np.zeros(length, np.int8) for length in range(number))
    index = ReferenceIndex(references, metric=BLEU(tokenize=False, max_ngram_order=1))
    for length in (0, 65_535, 65_536, number - 1, number + 5):
        most = min(length, number - 1)
        found = index.count(np.zeros((1, length), np.int8))
        assert rows_of(found) == [[length, most, most, length]]


@pytest.mark.long_only
@needs_memory(16)
@pytest.mark.parametrize("letter", ["a", "я"])
def test_strings_of_more_than_2_to_the_31_characters(letter):
    size = 2**31 + 10
    text = letter * size
    for name in ("none", "13a", "zh", "intl"):
        found = count([text], [[text]], tokenize=name)
        assert rows_of(found) == [[1, 1, 1, 0, 0, 0, 1, 0, 0, 0]]
    found = count([text], [[text[:-1]]], tokenize="none")
    assert rows_of(found)[0][2] == 0, "one character less"
    raises(OverflowError, "", count, [text], [["a"]], tokenize="char")
    assert list(map(len, tokenize(text, "none"))) == [size]


@pytest.mark.long_only
@needs_memory(16)
def test_many_words_and_entities_beyond_2_to_the_31_characters():
    text = ("a" * 1023 + " ") * (2**21 + 1)  # tokens on both sides of 2**31
    total = 2**21 + 1
    row = [total, total, *2 * [total - n for n in range(4)]]
    assert rows_of(count([text], [[text]], tokenize="13a")) == [row]
    text = "a &lt; b " + "c" * (2**31 + 10) + " &amp; d."  # has to be written anew
    found = count([text], [["a < b & d ."]], tokenize="13a")
    assert rows_of(found)[0][:4] == [7, 6, 6, 4]

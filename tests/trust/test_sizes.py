"""Very large input is counted correctly, or refused with OverflowError."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import oracle
import pytest
import sacrebleu
from generators import PRISTINE, seeded
from states import metric_with

import fastbleu
from fastbleu import BLEU, Stats, count, matrix, significance, tokenize
from fastbleu import sacrebleu as ours
from fastbleu.dialects import NLTK, SACREBLEU
from fastbleu.matrix import ReferenceIndex

MOST = 2**63 - 1
TOKENS = 5_000_000
REFERENCES = 100_000
HIGHEST_ORDER = 64
FULL, SEVERAL = Stats([[MOST] * 10]), Stats([[1] * 10, [MOST] * 10])
SEGMENT = ["a b c d e"], [["a b c d e"]]
SMOOTHING = ["none", "floor", "add-k", "exp"]


def needs_memory(gibibytes):
    meminfo = Path("/proc/meminfo").read_text()
    free = next(int(line.split()[1]) for line in meminfo.splitlines() if "MemAvailable" in line)
    return pytest.mark.skipif(free < gibibytes << 20, reason=f"needs {gibibytes} GiB of memory")


def rows_of(stats):
    return np.asarray(stats).tolist()


# ---- counts at the end of int64


@pytest.mark.parametrize("number", [2**63, 2**64 - 1, 2**64, 10**30])
def test_numbers_beyond_int64(cases, number):
    cases.raises(OverflowError, lambda: Stats([[number] * 10]), "Stats")
    cases.raises(OverflowError, lambda: BLEU.from_state([number] * 10), "a state")


def test_sums_beyond_int64(cases):
    one, low = Stats([[1] * 10]), Stats([[-MOST] * 10])
    unsigned = np.full((1, 10), 2**63, np.uint64)
    halves = Stats(np.full((2, 10), 2**62))
    for what, action in {
        "Stats of uint64": lambda: Stats(unsigned),
        "a state of uint64": lambda: BLEU.from_state(unsigned[0]),
        "Stats + Stats": lambda: FULL + one,
        "Stats + Stats below 0": lambda: low + low,
        "sum([Stats])": lambda: sum([FULL, one]),
        "Stats.sum": SEVERAL.sum,
        "Stats.concatenate.sum": lambda: Stats.concatenate([FULL, one]).sum(),
        "two halves": halves.sum,
        "rows of the metric": lambda: ours.BLEU()._aggregate_and_compute(halves),
    }.items():
        cases.raises(OverflowError, action, what)
    cases.equal((FULL + Stats.zeros(1)).sum() == FULL, True, "the largest sum")


@pytest.mark.parametrize("rules", [SACREBLEU, NLTK], ids=["sacrebleu", "nltk"])
def test_metrics_that_are_full(cases, rules):
    options = {"dialect": "nltk" if rules is NLTK else "sacrebleu"}
    metric = BLEU(**options, keep_segments=True)
    metric._sums.add(metric_with([MOST] * 10, **options)._sums.value)
    other = BLEU(**options, keep_segments=True)
    other.update(*SEGMENT)
    for what, action in {
        "update": lambda: metric.update(*SEGMENT),
        "merge": lambda: metric.merge(other),
        "merge the other way": lambda: other.merge(metric),
    }.items():
        cases.raises(OverflowError, action, what)
        cases.equal(metric.state.tolist(), [MOST] * 10, f"the state after {what}")
    cases.equal(other.state[:2].tolist(), [5, 5], "the other state")
    bootstrap = partial(significance.bootstrap, SEVERAL, dialect=rules)
    cases.raises(OverflowError, bootstrap, "a bootstrap")
    for name in ("paired_bootstrap", "paired_approximate_randomization"):
        test = partial(getattr(significance, name), SEVERAL, [SEVERAL], dialect=rules)
        cases.raises(OverflowError, test, name)


def test_more_ids_than_an_int32_has(cases):
    ids, few = np.broadcast_to(np.int8(1), (1, 2**31)), np.ones((1, 3), np.int8)
    for sides in ((ids, few), (few, ids), (few, ids[:, None])):
        cases.raises(OverflowError, lambda s=sides: BLEU(None).statistics(*s), "2**31 ids")
    cases.raises(OverflowError, lambda: BLEU(None).pairwise(ids, few), "2**31 ids, pairwise")


@pytest.mark.parametrize(
    "state",
    [
        [MOST] * 10,
        [MOST, MOST, MOST - 1, MOST - 2, MOST - 3, 0, *[MOST] * 4],
        [MOST, 1, *[MOST] * 8],
        [1, MOST, *[MOST] * 8],
        [2**53 + 1, 2**53 + 2, 2**53 + 1, 2**53, 2**52 + 1, 3, *[2**53 + 1] * 4],
    ],
)
def test_the_largest_states_have_the_scores_of_unlimited_numbers(cases, state):
    for smoothing in SMOOTHING:
        how = {"effective_order": True}
        expected = sacrebleu.BLEU.compute_bleu(
            state[2:6], state[6:], *state[:2], smooth_method=smoothing, **how
        )
        found = metric_with(state, smoothing=smoothing, **how).compute()
        cases.equal(found.value, expected.score, smoothing)
    for method, smoothing in enumerate([*SMOOTHING, "method4"]):
        expected = float(oracle.nltk_score([state], (0.25,) * 4, method))
        found = metric_with(state, dialect="nltk", smoothing=smoothing).compute()
        cases.equal(found.value, expected, f"nltk, {smoothing}")


# ---- long segments


def long_pair():
    """A sentence, its beginning, and the row of both."""
    hypothesis = [f"w{number}" for number in range(1000)] * (TOKENS // 1000)
    totals = [TOKENS - n for n in range(4)]
    return hypothesis, hypothesis[:-7], [TOKENS, TOKENS - 7, *(n - 7 for n in totals), *totals]


@needs_memory(4)
def test_a_segment_of_5_million_tokens(cases):
    hypothesis, reference, row = long_pair()
    exact = BLEU(None, dialect="nltk").statistics([hypothesis], [[reference]])
    cases.equal(rows_of(exact), [row], "BLEU.statistics")
    score = NLTK.score(exact).value

    texts = " ".join(hypothesis), " ".join(reference)
    for name in ("none", "13a", "zh", "intl"):
        found = count([texts[0]], [[texts[1]]], tokenize=name)
        cases.equal(rows_of(found), [row], f"text, {name}")
    letters = texts[0][:TOKENS].replace(" ", "x")
    found = count([letters], [[letters[:-7]]], tokenize="char")
    cases.equal(rows_of(found), [row], "text, char")
    found = count([f"{texts[0]} я"], [[f"{texts[0]} \U0001f600"]], tokenize="13a")
    expected = [TOKENS + 1, TOKENS + 1, *row[6:], *(total + 1 for total in row[6:])]
    cases.equal(rows_of(found), [expected], "text of other widths")
    del texts, letters, found

    for dtype in (np.int64, np.int16):
        ids = (np.arange(TOKENS) % 1000).astype(dtype)[None]
        found = BLEU(None).statistics(ids, ids[:, :-7])
        cases.equal(rows_of(found), [row], f"ids, {dtype.__name__}")
    cases.equal(fastbleu.sentence_bleu([reference], hypothesis), score, "sentence_bleu")
    cases.equal(fastbleu.corpus_bleu([[reference]], [hypothesis]), score, "corpus_bleu")
    metric = BLEU(None, dialect="nltk")
    metric.update([hypothesis], [[reference]])
    cases.equal(metric.compute().value, score, "update and compute")

    metric = BLEU(None, dialect="nltk", smoothing="none")
    found = metric.pairwise([hypothesis], [reference])
    cases.equal(found.tolist(), [[score]], "pairwise")
    expected = fastbleu.sentence_bleu([hypothesis], reference)
    found = matrix.self_bleu([hypothesis, reference], (4,)).scores
    cases.equal(found.tolist(), [[score], [expected]], "self_bleu")


@pytest.mark.long_only
@needs_memory(4)
def test_5_million_tokens_in_an_index_and_decoded(cases):
    hypothesis, reference, row = long_pair()
    found = ReferenceIndex([reference], tokenize=None).statistics([hypothesis])
    cases.equal(rows_of(found), [row], "ReferenceIndex")
    best = matrix.mbr([["w1"], hypothesis, reference], tokenize=None).best
    cases.check(best in (1, 2), f"mbr chose {best}")


def test_100_000_references_of_a_segment(cases):
    rng = seeded("many references")
    hypothesis = rng.choices("abcd", k=9)
    references = [rng.choices("abcdefgh", k=rng.randrange(12)) for _ in range(REFERENCES)]
    row = oracle.row(hypothesis, references)
    cases.equal(rows_of(count([hypothesis], [references])), [row], "count")
    found = count([" ".join(hypothesis)], [list(map(" ".join, references))], tokenize="13a")
    cases.equal(rows_of(found), [row], "text")
    ids = [[ord(letter) - 97 for letter in reference] for reference in references]
    table = np.array([[*its, *[-1] * (12 - len(its))] for its in ids], np.int8)
    its_ids = np.array([[ord(letter) - 97 for letter in hypothesis]])
    # A row of nothing but padding is no reference, but an empty one was.
    padded = oracle.row(hypothesis, [its for its in references if its])
    found = BLEU(None, ignore_ids=(-1,)).statistics(its_ids, table[None])
    cases.equal(rows_of(found), [padded], "ids")
    expected = float(oracle.nltk_score([row], (0.25,) * 4))
    found = float(fastbleu.sentence_bleu(references, hypothesis))
    cases.check(abs(found - expected) < 1e-12, f"sentence_bleu gave {found}, not {expected}")
    index = ReferenceIndex(references, tokenize=None)
    cases.equal(rows_of(index.statistics([hypothesis])), [row], "ReferenceIndex")
    cases.equal(len(index), REFERENCES, "its references")


# ---- orders


def test_max_order_1_to_64(cases):
    for order in range(1, HIGHEST_ORDER + 1):
        rng = seeded("orders", order)
        for length in (order - 1, order, order + 1, 3 * order):
            hypothesis = rng.choices("ab" if length % 2 else "abc", k=length)
            cut = rng.randint(0, length)
            references = [hypothesis[cut:] + hypothesis[:cut], [*hypothesis[1:], "b", "a"]]
            one_order(cases, order, hypothesis, references)


def one_order(cases, order, hypothesis, references):
    """The same segment by every way to count."""
    row = oracle.row(hypothesis, references, order)
    texts = [" ".join(hypothesis)], [list(map(" ".join, references))]
    ids = [np.array(list(map(ord, its)), np.int32) for its in (hypothesis, *references)]
    index = ReferenceIndex(references, tokenize=None, max_order=order)
    for what, stats in {
        "count": count([hypothesis], [references], max_order=order),
        "text": count(*texts, max_order=order, tokenize="13a"),
        "ids": BLEU(None, max_order=order).statistics(ids[:1], [ids[1:]]),
        "index": index.statistics([hypothesis]),
    }.items():
        cases.equal(rows_of(stats), [row], f"{what}, max_order {order}, {texts}")
    nltk = {"dialect": "nltk", "max_order": order}
    metric = BLEU(None, smoothing="exp", **nltk)
    rows = Stats([oracle.row(hypothesis, [reference], order) for reference in references])
    found = metric.pairwise([hypothesis], references).tolist()
    where = f"max_order {order}, {texts}"
    cases.equal(found, [metric.scorer.row_scores(rows).tolist()], f"pairwise, {where}")
    expected = BLEU(None, smoothing="floor", **nltk).scorer.row_scores(Stats([row])).tolist()
    found = matrix.self_bleu([hypothesis, *references], (order,)).scores[0].tolist()
    cases.equal(found, expected, f"self_bleu, {where}")
    arguments = references, hypothesis, (1 / order,) * order
    expected = float(PRISTINE.sentence_bleu(*arguments))
    cases.equal(float(fastbleu.sentence_bleu(*arguments)), expected, f"sentence_bleu, {where}")


# ---- indices and strings


@pytest.mark.long_only
@needs_memory(2)
def test_an_index_of_2_billion_tokens(cases):
    """References of all lengths up to 2**16 + 9."""
    number = 2**16 + 10
    references = (np.zeros(length, np.int8) for length in range(number))
    index = ReferenceIndex(references, tokenize=None, max_order=1)
    for length in (0, 65_535, 65_536, number - 1, number + 5):
        found = index.statistics(np.zeros((1, length), np.int8))
        most = min(length, number - 1)
        cases.equal(rows_of(found), [[length, most, most, length]], f"{length} tokens")


@pytest.mark.long_only
@needs_memory(16)
@pytest.mark.parametrize("letter", ["a", "я"])
def test_strings_of_more_than_2_to_the_31_characters(cases, letter):
    size = 2**31 + 10
    text = letter * size
    for name in ("none", "13a", "zh", "intl"):
        found = count([text], [[text]], tokenize=name)
        cases.equal(rows_of(found), [[1, 1, 1, 0, 0, 0, 1, 0, 0, 0]], name)
    found = count([text], [[text[:-1]]], tokenize="none")
    cases.equal(rows_of(found)[0][2], 0, "one character less")
    characters = partial(count, [text], [["a"]], tokenize="char")
    cases.raises(OverflowError, characters, "characters as tokens")
    cases.equal(list(map(len, tokenize(text, "none"))), [size], "tokenize")


@pytest.mark.long_only
@needs_memory(16)
def test_many_words_and_entities_beyond_2_to_the_31_characters(cases):
    text = ("a" * 1023 + " ") * (2**21 + 1)  # tokens on both sides of 2**31
    total = 2**21 + 1
    row = [total, total, *2 * [total - n for n in range(4)]]
    cases.equal(rows_of(count([text], [[text]], tokenize="13a")), [row], "many words")
    text = "a &lt; b " + "c" * (2**31 + 10) + " &amp; d."  # has to be written anew
    found = count([text], [["a < b & d ."]], tokenize="13a")
    cases.equal(rows_of(found)[0][:4], [7, 6, 6, 4], "entities")

"""SACREBLEU turns rows into the floats of sacreBLEU's compute_bleu, in each arithmetic.

And into scores by features that sacreBLEU does not have, such as weights.
"""

import math
import warnings
from array import array

import numpy as np
import pytest
from generators import SEGMENTS, raises, seeded, typed
from sacrebleu.metrics.bleu import BLEU

import fastbleu
from fastbleu import Stats
from fastbleu.dialects import SACREBLEU
from fastbleu.dialects._sacrebleu import details, score_rows

pytestmark = pytest.mark.pythons

CASES = max(SEGMENTS // 50, 200)
SMOOTHINGS = ["exp", "floor", "add-k", "none"]
VALUES = [None, None, 1, 0.1, 0.5, 2, 0, 0.0, -0.0, 1.7, 3, 1e-9, 1e-30, 5e-324, 123456.789, 10**15]
ODD_VALUES = [
    *(-1, -0.5, float("inf"), float("nan"), 1e300, 2**60, True, np.float64(0.3), np.int64(2)),
]
ARITHMETICS = {"float64": None, "float32": "float32", "int64-in-place": "int64"}


def random_row(rng, order):
    """A row as counting makes it, mostly; sometimes one that no text has."""
    length = rng.choice((0, 1, 2, 3, 4, 5, 9, 30, 1000, 10**7, 2**52, 2**53 + 1, 2**62 - 1))
    totals, matches = [], []
    for n in range(order):
        totals.append(max(0, length - n * rng.choice((1, 1, 1, 3))))
        most = min(totals[-1], matches[-1] if matches else totals[-1])
        matches.append(rng.choice((0, most, rng.randint(0, most), rng.randint(0, most))))
    if rng.random() < 0.05:
        matches = [rng.randint(0, 3) for _ in range(order)]
    if rng.random() < 0.05:
        totals = [rng.randint(0, 3) for _ in range(order)]
    ref_len = rng.choice((length, max(0, length - 1), length + 1, length * 2, 7, 0, -1))
    return [length, ref_len, *matches, *totals]


def theirs(row, order, smoothing, value, effective_order, dtype=None):
    """sacreBLEU's score object for one row, or the type of what it raises."""
    row = list(row) if dtype is None else np.array(row, dtype)
    metric = BLEU(
        smooth_method=smoothing,
        smooth_value=value,
        max_ngram_order=order,
        effective_order=effective_order,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        try:
            return metric._compute_score_from_stats(row)
        except (ArithmeticError, ValueError) as error:
            return type(error)


def ours(function, *arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        try:
            return function(*arguments)
        except (ArithmeticError, ValueError) as error:
            return type(error)


def settings(rng):
    order = rng.choice((1, 2, 3, 4, 4, 4, 5, 6, 9, 64, 65, 80))
    value = rng.choice(VALUES if rng.random() < 0.9 else ODD_VALUES)
    return order, rng.choice(SMOOTHINGS), value, rng.random() < 0.5


def same_float(ours, theirs):
    return ours == theirs or (ours != ours and theirs != theirs)


@pytest.mark.parametrize("arithmetic", ARITHMETICS)
def test_scores_of_random_rows(arithmetic):
    rng = seeded("sacrebleu rows", arithmetic)
    dtype = ARITHMETICS[arithmetic]
    for _ in range(CASES // 4):
        order, smoothing, value, effective = settings(rng)
        rows = [random_row(rng, order) for _ in range(4)]
        expected = [theirs(row, order, smoothing, value, effective, dtype) for row in rows]
        flat = np.array(rows, "float32" if dtype == "float32" else "int64")
        where = f"{smoothing} {value!r} {effective} {rows}"
        for row, score in zip(flat, expected, strict=True):
            seen = ours(score_rows, row, order, smoothing, value, effective, arithmetic)
            if isinstance(score, type):
                assert seen is score, where
            else:
                assert same_float(seen[0], score.score), where
        if not any(isinstance(score, type) for score in expected):
            seen = ours(score_rows, flat, order, smoothing, value, effective, arithmetic)
            assert list(map(str, seen)) == [str(float(score.score)) for score in expected], where


def test_details_of_random_rows():
    rng = seeded("sacrebleu details")
    for _ in range(CASES):
        order, smoothing, value, effective = settings(rng)
        row = random_row(rng, order)
        expected = theirs(row, order, smoothing, value, effective)
        seen = ours(details, array("q", row), order, smoothing, value, effective)
        where = f"{smoothing} {value!r} {effective} {row}"
        if isinstance(expected, type):
            assert seen is expected, where
            continue
        names = ("score", "precisions", "bp", "counts", "totals")
        assert typed(seen) == typed(tuple(getattr(expected, name) for name in names)), where


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
@pytest.mark.parametrize("value", [None, 0.5, 2])
@pytest.mark.parametrize("effective", [False, True])
@pytest.mark.parametrize("order", [1, 2, 4])
def test_short_segments(smoothing, value, effective, order):
    for length in range(order + 2):
        for shared in range(length + 1):
            totals = [max(0, length - n) for n in range(order)]
            row = [length, 3, *[max(0, shared - n) for n in range(order)], *totals]
            expected = theirs(row, order, smoothing, value, effective)
            seen = details(array("q", row), order, smoothing, value, effective)
            assert typed(seen[:2]) == typed((expected.score, expected.precisions))


def test_rows_are_left_as_they_are():
    rows = np.array([[5, 5, 3, 2, 1, 0, 5, 4, 3, 2]], "int64")
    score_rows(rows, 4, "add-k", 2.5)
    score_rows(rows, 4, "add-k", 2.5, False, "int64-in-place")
    assert rows.tolist() == [[5, 5, 3, 2, 1, 0, 5, 4, 3, 2]]


def test_other_arguments_are_refused():
    row = array("q", [0] * 10)
    foreign = np.dtype("int64").newbyteorder()
    kinds = [(dtype, "float64") for dtype in ("int32", "float64", "float32", foreign)]
    for dtype, arithmetic in (*kinds, ("int64", "float32"), ("int64", "expected")):
        with pytest.raises(TypeError):
            score_rows(np.zeros((1, 10), dtype), 4, arithmetic=arithmetic)
    with pytest.raises(TypeError):
        score_rows([0] * 10, 4)
    for order, *more in ((3,), (0,), (4, "method1"), (4, "exp", None, False, "float16")):
        with pytest.raises(ValueError):
            score_rows(row, order, *more)
    with pytest.raises(ValueError):
        score_rows(array("q", [0] * 11), 4)
    with pytest.raises((ValueError, BufferError)):
        score_rows(np.zeros((4, 20), "int64")[:, ::2], 4)


def test_no_rows():
    assert score_rows(array("q"), 4) == array("d")
    assert score_rows(np.zeros((0, 10), "int64"), 4) == array("d")


ROWS = [
    [5, 6, 4, 3, 2, 1, 5, 4, 3, 2],
    [3, 3, 3, 2, 1, 0, 3, 2, 1, 0],
    [0, 3, 0, 0, 0, 0, 0, 0, 0, 0],
    [9, 9, 5, 2, 0, 0, 9, 8, 7, 6],
]


def test_precisions_are_unsmoothed():
    score = SACREBLEU.score(Stats([ROWS[3]]))
    assert score.precisions == (5 / 9, 2 / 8, 0.0, 0.0)
    assert score.matches == (5, 2, 0, 0)
    assert SACREBLEU.score(Stats([ROWS[3]]), smoothing="add-k").matches == (5, 2, 0, 0)


def weighted(row, weights, effective):
    """The formula, without smoothing."""
    hyp_len, ref_len, *counts = row
    matches, totals = counts[:4], counts[4:]
    used = list(zip(weights, matches, totals, strict=True))
    if effective:
        used = [use for use in used if use[2]]
        if not used or not any(weight for weight, _, _ in used):
            return 0.0
    scale = sum(weights) / sum(weight for weight, _, _ in used)
    used = [(weight * scale, m, t) for weight, m, t in used if weight]
    if not hyp_len or any(not m for _, m, _ in used):
        return 0.0
    bp = min(1.0, math.exp(1 - ref_len / hyp_len))
    return 100 * bp * math.exp(sum(weight * math.log(m / t) for weight, m, t in used))


@pytest.mark.parametrize(
    "weights", [(1, 0, 0, 0), (0, 0, 1, 0), (0.4, 0.3, 0.2, 0.1), (1, 1, 2, 3)]
)
@pytest.mark.parametrize("effective", [False, True])
def test_weights(weights, effective):
    seen = SACREBLEU.sentence_scores(
        Stats(ROWS), weights=weights, smoothing="none", effective_order=effective
    )
    expected = [weighted(row, weights, effective) for row in ROWS]
    assert seen.tolist() == pytest.approx(expected, rel=1e-13)
    assert type(seen) is array


def test_weights_go_with_smoothing():
    weights = (0.4, 0.3, 0.2, 0.1)
    precisions = BLEU.compute_bleu([5, 2, 0, 0], [9, 8, 7, 6], 9, 9, "exp").precisions
    terms = [w * math.log(p / 100) for w, p in zip(weights, precisions, strict=True)]
    expected = 100 * math.exp(sum(terms))
    seen = SACREBLEU.score(Stats([ROWS[3]]), weights=weights)
    assert seen.value == pytest.approx(expected, rel=1e-14)


def test_signatures():
    def signature(*arguments, **named):
        text, _, version = SACREBLEU.signature(*arguments, **named).rpartition("|")
        assert version == f"version:2.6.0+fastbleu.{fastbleu.__version__}"
        return text

    assert signature(4) == "eff:no|smooth:exp"
    known = {"nrefs": -1, "lowercase": True, "tokenizer": "zh"}
    assert signature(4, **known) == "nrefs:var|case:lc|eff:no|tok:zh|smooth:exp"
    assert signature(4, smoothing="floor", nrefs=2) == "nrefs:2|eff:no|smooth:floor[0.10]"
    assert signature(4, smoothing="add-k", effective_order=True) == "eff:yes|smooth:add-k[1.00]"
    assert signature(4, smoothing="add-k", smoothing_value=0.125) == "eff:no|smooth:add-k[0.125]"
    assert signature(2, (0.5, 0.5), "none") == "eff:no|smooth:none|order:2"
    assert signature(2, weights=(1, 0.5)) == "eff:no|smooth:exp|order:2|weights:1.0,0.5"
    score = SACREBLEU.score(Stats([ROWS[0]]), smoothing="floor", nrefs=1, tokenizer="13a")
    assert score.signature.startswith("nrefs:1|eff:no|tok:13a|smooth:floor[0.10]|version:")


def test_a_corpus_is_scored_by_all_of_its_rows():
    stats = Stats(ROWS)
    assert SACREBLEU.score(stats) == SACREBLEU.score(stats.sum())
    raises(ValueError, "there are no segments", SACREBLEU.score, Stats.zeros(0))

"""A metric's state: exact int64 counts, enough for the score; what is refused leaves it alone."""

import math
import pickle
from array import array
from decimal import Decimal

import numpy as np
import pytest
from generators import PRISTINE, messages, raises, seeded
from metrics import from_state, metric_with
from processes import python
from sacrebleu.metrics import BLEU as PEER

import fastbleu
from fastbleu import BLEU

pytestmark = pytest.mark.pythons

MOST = 2**63 - 1
LINE = ["The cat sat on the mat."], ["The cat sat on a mat."]


def fed(metric, *batches):
    for batch in batches:
        metric.update(*batch)
    return metric


# --- large counts


def test_a_sum_beyond_int64_is_refused_and_changes_nothing():
    batch = ["a b c d e f g"] * 3, ["a b c d e f g h"] * 3
    other = fed(BLEU(), batch)
    for column in range(10):
        state = [0] * 10
        state[column] = MOST - 3
        if column > 1:  # matches lie below their totals
            state[6 + (column - 2) % 4] = MOST - 3
        metric = metric_with(state)
        for add, *arguments in (
            (metric.update, *batch),
            (metric.merge, other),
            (metric.merge, metric),
        ):
            raises(OverflowError, "int64", add, *arguments)
            assert metric.state.tolist() == state
    metric = metric_with([MOST - 1, 0, 0, 0], max_ngram_order=1)
    assert fed(metric, (["a"], [""])).state.tolist() == [MOST, 0, 0, 1]


def test_counts_that_no_double_holds_are_summed_and_scored_exactly():
    odd = [2**53 + 1, 2**53 + 3, 2**53 - 1, 1, 1, 1, 2**53 + 1, 1, 1, 1]
    metric = fed(metric_with(odd), (["a"], ["a"]))
    metric.merge(metric_with(odd))
    assert metric.state[0] == 2 * (2**53 + 1) + 1
    assert metric.compute().hyp_len == 2**54 + 3
    rng = seeded("nltk beyond 2**53")
    for smoothing, method in (("none", 0), ("add-k", 2), ("method4", 4)) * 70:
        hyp_len, ref_len = (rng.randint(2**53, 2**61) for _ in range(2))
        totals = [hyp_len - rng.randint(0, 9) - order for order in range(4)]
        state = [hyp_len, ref_len, *(rng.randint(1, total) for total in totals), *totals]
        score = metric_with(state, smooth_method=smoothing, dialect="nltk").compute()
        assert score.value == nltk_score(state, method), state


def nltk_score(state, method):
    """The score of counts by nltk's own functions."""
    hyp_len, ref_len, *counts = state
    pairs = zip(counts[:4], counts[4:], strict=True)
    precisions = [PRISTINE.Fraction(*pair, _normalize=False) for pair in pairs]
    smoothing = getattr(PRISTINE.SmoothingFunction(), f"method{method}")
    precisions = smoothing(precisions, references=[], hypothesis=[], hyp_len=hyp_len)
    logarithms = [0.25 * math.log(precision) for precision in precisions]
    return PRISTINE.brevity_penalty(ref_len, hyp_len) * math.exp(math.fsum(logarithms))


# --- states


def test_a_state_is_a_copy_of_any_integers():
    metric = fed(BLEU(), LINE)
    score, state = metric.compute(), metric.state
    again = from_state(state)
    state[:] = 99
    assert metric.compute() == score
    assert again.compute().value == score.value
    counts = [5, 6, 4, 3, 2, 1, 5, 4, 3, 2]
    arrays = [np.array(counts, dtype) for dtype in (np.int64, np.uint8, ">i4", object)]
    decimals = [*map(Decimal, counts)]
    for state in (counts, tuple(counts), *arrays, np.repeat(counts, 2)[::2], decimals):
        assert from_state(state).state.tolist() == counts


def test_wrong_states_are_refused():
    for state, error, words in (
        ([1, 1, 1, 1], ValueError, r"\(4,\).*10"),
        (np.ones((1, 10), int), ValueError, r"\(1, 10\)"),
        (np.array(5), ValueError, r"the state has the shape \(\)"),
        (np.ones(10), TypeError, "float64"),
        (["1"] * 10, TypeError, "integers"),
        ([Decimal("1.5")] * 10, TypeError, "integers"),
        ([2**70, *[0] * 9], OverflowError, "a number that does not fit into int64"),
        (np.array([2**63, *[0] * 9], "u8"), OverflowError, f"{2**63}, which does not fit"),
        ([True] * 10, TypeError, "the state holds booleans"),
        (np.ones(10, bool), TypeError, "the state holds booleans"),
        ([5, 5, 4, 3, 2, -1, 5, 4, 3, 2], ValueError, "-1"),
        ([5, 5, 6, 3, 2, 1, 5, 4, 3, 2], ValueError, "6.*5"),
        ([4, 5, 4, 3, 2, 1, 5, 4, 3, 2], ValueError, "more unigrams than tokens"),
        ([6, 6, 5, 3, 1, 0, 6, 5, 4, 9], ValueError, "of n-grams are inconsistent"),
        ([6, 6, 5, 3, 1, 0, 6, 6, 4, 3], ValueError, "of n-grams are inconsistent"),
        ([1] * 10, ValueError, "of n-grams are inconsistent"),
    ):
        raises(error, words, from_state, state)
    raises(ValueError, "no rows to keep", from_state, [0] * 10, keep_stats=True)


# --- a failing update adds nothing

GOOD = [f"a b c d {number}" for number in range(1500)]
TOKENS, IDS = [line.split() for line in GOOD], [[1, 2, 3]] * 1500


def failing_split(line):
    return line.split() if line != GOOD[1234] else [][1]


def snapshot(metric):
    """All that an update could change."""
    return metric.state.tolist(), metric.stats, metric.compute()


@pytest.mark.filterwarnings("ignore:.*fewer than 4 tokens", "ignore:no hypothesis has")
def test_a_bad_segment_in_the_middle_adds_nothing():
    for parameters, good, bad, error, words in (
        ({}, GOOD, 7, TypeError, "segment 1234: the hypothesis is an int"),
        ({"tokenize": failing_split}, GOOD, GOOD[1234], IndexError, "index out of range"),
        ({"tokenize": False}, TOKENS, ["a", ["b"]], TypeError, r"1234: .*\[1\] is a list"),
        ({"tokenize": False, "stop_ids": 9}, IDS, [1, "7"], TypeError, r"1234: .*\[1\] has"),
    ):
        references = good if good is GOOD else [[line] for line in good]
        for threads in (1, 2):
            metric = BLEU(**parameters, threads=threads, keep_stats=True)
            metric.update(good[:1], references[:1])
            before = snapshot(metric)
            spoiled = [*good[:1234], bad, *good[1235:]]
            raises(error, words, metric.update, spoiled, references)
            assert snapshot(metric) == before


# --- parameters


def test_metrics_of_other_parameters_are_not_merged():
    for name, value in (
        ("tokenize", "intl"),
        ("lowercase", True),
        ("max_ngram_order", 3),
        ("smooth_method", "none"),
        ("weights", (0.1, 0.2, 0.3, 0.4)),
        ("effective_order", True),
        ("dialect", "nltk"),
        ("reference_length", "shortest"),
    ):
        metric, other = fed(BLEU(), LINE), fed(BLEU(**{name: value}), LINE)
        for one, two in ((metric, other), (other, metric)):
            before = one.state.tolist()
            raises(ValueError, name, one.merge, two)
            assert one.state.tolist() == before
    for name, value in {"ignore_ids": (1,), "stop_ids": 3, "skip_ids": (4, 5)}.items():
        other = BLEU(tokenize=False, **{"stop_ids": 2, name: value})
        raises(ValueError, name, BLEU(tokenize=False, stop_ids=2).merge, other)
    for wrong in (None, 5, "state", PEER(), fastbleu.sacrebleu.BLEU()):
        raises(TypeError, f"cannot merge an? {type(wrong).__name__}", BLEU().merge, wrong)


# --- kept segments


def test_segments_are_those_of_the_moment_if_they_are_kept():
    metric = fed(BLEU(keep_stats=True), LINE)
    seen = metric.stats
    table = np.asarray(seen).tolist()
    np.asarray(seen)[:] = 3
    fed(metric, LINE)
    assert np.asarray(metric.stats).tolist() == table * 2
    assert len(seen) == 1
    other = fed(BLEU(), LINE)
    raises(ValueError, "make the metric with keep_stats=True", lambda: other.stats)


def test_a_sum_is_no_row_to_keep():
    stats = BLEU().count(["a b c d e", "b c"], ["a b c d", "b c"])
    metric = BLEU(keep_stats=True)
    raises(ValueError, "sum of rows, but keep_stats=True keeps", metric.update, stats.sum())
    metric.update(stats)
    assert metric.stats == stats
    added = BLEU()
    added.update(stats.sum())
    assert added.compute().value == metric.compute().value


# --- warnings


def test_tokenized_text_is_noticed_across_updates():
    batch = ["a b c d ."] * 32, ["a b c e ."] * 32
    metric = BLEU()
    _, (message,) = messages(lambda: fed(metric, *[batch] * 5).compute())
    assert '" ."' in message
    metric.reset()
    assert not messages(lambda: fed(metric, *[batch] * 3).compute())[1], "96 are not yet 100"
    for indifferent in ("none", "char", str.split):
        metric = BLEU(tokenize=indifferent)
        assert not messages(lambda metric=metric: fed(metric, *[batch] * 5).compute())[1]


def test_short_hypotheses_are_noticed_when_all_are_seen():
    short, long = (["a b"], ["a b"]), (["a b c d"], ["a b c d"])
    metric = BLEU()
    assert not messages(lambda: fed(metric, short, short))[1]
    assert "no hypothesis has 4 tokens" in messages(metric.compute)[1][0]
    fed(metric, long)
    assert not messages(metric.compute)[1]


# --- parameters


def test_parameters_are_what_they_are_equal_to():
    """numpy's single-precision numbers equal doubles that they are not, and score otherwise."""
    single = np.float32(0.1)
    metric = BLEU(weights=np.array([0.3, 0.3, 0.3, 0.1], np.float32), smooth_method="floor")
    assert all(type(weight) is float for weight in metric.weights)
    assert metric != BLEU(weights=(0.3, 0.3, 0.3, 0.1), smooth_method="floor")
    assert BLEU(smooth_method="floor", smooth_value=single) != BLEU(
        smooth_method="floor", smooth_value=0.1
    )


# --- one process


def test_all_reduce_of_one_process_is_a_copy_and_needs_no_torch():
    code = (
        "import sys, fastbleu; m = fastbleu.BLEU(); m.update(['a b c d'], ['a b c d'])\n"
        "r = m.all_reduce(); assert r == m and r is not m and r.compute() == m.compute()\n"
        "print('torch' in sys.modules)"
    )
    assert python("-c", code) == "False\n"


def test_a_pickled_metric_warns_as_before():
    batch = ["a b c d ."] * 64, ["a b c e."] * 64
    metric = fed(BLEU(), batch, batch)
    restored = pickle.loads(pickle.dumps(metric))
    assert messages(restored.compute)[1] == messages(metric.compute)[1] != []


ROW = array("q", [8, 8, 6, 4, 2, 1, 8, 7, 6, 5])
WRONG_STATES = {
    "a row of another width": (ROW[:8], 1, 1, 0, None),
    "two rows": (ROW + ROW, 1, 1, 0, None),
    "an empty row": (ROW[:0], 1, 1, 0, None),
    "fractions": (array("d", ROW), 1, 1, 0, None),
    "a list": (ROW.tolist(), 1, 1, 0, None),
    "kept rows of another width": (ROW, 1, 1, 0, ROW[:8]),
    "fewer rows than segments": (ROW, 2, 1, 0, ROW),
    "segments that are no number": (ROW, "1", 1, 0, None),
    "a fraction of a segment": (ROW, 1.5, 1, 0, None),
    "fewer than no segments": (ROW, -1, 1, 0, None),
    "fewer than no periods": (ROW, 1, 1, -1, None),
    "too few values": (ROW, 1),
}


@pytest.mark.parametrize("state", WRONG_STATES.values(), ids=WRONG_STATES)
def test_a_pickle_with_other_counts_is_refused_and_changes_nothing(state):
    metric = fed(BLEU(), LINE)
    before = metric.state.tolist()
    raises((ValueError, TypeError), ".", metric.__setstate__, state)
    assert metric.state.tolist() == before
    metric.__setstate__((ROW, 1, 1, 0, None))
    assert metric.state.tolist() == [a + b for a, b in zip(before, ROW, strict=True)]


@pytest.mark.parametrize("width", [0, 1, 5])
def test_sums_of_a_row_of_another_width_are_refused(width):
    kind, arguments = BLEU()._sums.value.__reduce__()
    raises(ValueError, "2 \\+ 2", kind, array("q", [0] * width), *arguments[1:])
    raises(ValueError, f"{width} numbers, but", BLEU()._scorer.restore, [0] * width)

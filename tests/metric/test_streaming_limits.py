"""Streaming: what is refused leaves the sums as they were, and no count is lost or rounded."""

import threading
import time
import warnings
from functools import partial

import numpy as np
import pytest
from commands import python
from generators import raises
from sacrebleu.metrics import BLEU as PEER
from threads import at_once

from fastbleu import BLEU, InputWarning

LINE = ["The cat sat on the mat."], ["The cat sat on a mat."]


def snapshot(metric):
    """All that an update could change."""
    return metric.state.tolist(), metric.segments, metric.segment_scores().tolist()


def fed(metric, *batches):
    for batch in batches:
        metric.update(*batch)
    return metric


# --- nothing added


@pytest.mark.parametrize("metric", [BLEU(), BLEU(dialect="nltk"), BLEU(None, stop_id=1)])
def test_computing_on_nothing_says_what_to_do(metric):
    for _ in range(2):
        raises(ValueError, "nothing was added since the start", metric.compute)
        metric.update([], [])  # no segments are still nothing
    assert not metric.state.any()


def test_empty_segments_are_segments():
    assert fed(BLEU(), ([""], [""])).compute().value == 0


# --- a failing update adds nothing

GOOD = [f"a b c d {number}" for number in range(1500)]
MISTAKES = {
    "a number as hypothesis": ("hypotheses", 7, TypeError, "segment 1234: the hypothesis is a int"),
    "bytes as reference": ("references", b"a", TypeError, "segment 1234: references is a bytes"),
    "None among references": (
        "references", ["a", None], TypeError, r"segment 1234: references\[1\] is missing"),
    "no references": ("references", [], ValueError, "segment 1234: no references"),
}  # fmt: skip


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", MISTAKES)
def test_a_bad_segment_in_the_middle_adds_nothing(name, threads):
    side, bad, error, message = MISTAKES[name]
    batch = {"hypotheses": GOOD[:], "references": GOOD[:]}
    metric = fed(BLEU(threads=threads, keep_segments=True), LINE)
    before, score = snapshot(metric), metric.compute()
    batch[side][1234] = bad
    raises(error, message, metric.update, **batch)
    assert snapshot(metric) == before
    assert metric.compute() == score


def test_a_bad_token_or_id_in_the_middle_adds_nothing():
    tokens = [line.split() for line in GOOD]
    metric = fed(BLEU(None, keep_segments=True), ([["a", "b"]], [[["a"]]]))
    before = snapshot(metric)
    bad = [*tokens[:700], ["a", ["b"]], *tokens[701:]]
    with pytest.raises(TypeError, match=r"segment 700: the hypothesis\[1\] is a list"):
        metric.update(bad, [[its] for its in tokens])
    with pytest.raises(ValueError, match="references has 1499 segments, hypotheses has 1500"):
        metric.update(tokens, [[its] for its in tokens[1:]])
    assert snapshot(metric) == before

    metric = fed(BLEU(None, keep_segments=True, stop_id=9), (np.eye(3, dtype=int),) * 2)
    before = snapshot(metric)
    ids = [[1, 2, 3]] * 1000
    for bad in (2**63, 1.5, "7", None):
        error = ValueError if bad == 2**63 else TypeError
        with pytest.raises(error, match=r"segment 700: the hypothesis\[1\] has"):
            metric.update([*ids[:700], [1, bad], *ids[701:]], [[its] for its in ids])
        with pytest.raises(error, match=r"segment 999: references\[1\]\[1\] has"):
            metric.update(ids, [*([its] for its in ids[1:]), [[1], [2, bad]]])
    assert snapshot(metric) == before


def test_a_tokenizer_that_fails_adds_nothing():
    def split(line):
        return line.split() if line != GOOD[1400] else [][1]

    metric = fed(BLEU(split, keep_segments=True), LINE)
    before = snapshot(metric)
    with pytest.raises(IndexError):
        metric.update(GOOD, GOOD)
    assert snapshot(metric) == before


# --- parameters


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("tokenize", "intl"), ("lowercase", True), ("max_order", 3), ("smoothing", "none"),
        ("weights", (0.1, 0.2, 0.3, 0.4)), ("effective_order", True), ("dialect", "nltk"),
        ("reference_length", "shortest"),
    ],
)  # fmt: skip
def test_metrics_of_other_parameters_are_not_merged(name, value):
    metric, other = fed(BLEU(), LINE), fed(BLEU(**{name: value}), LINE)
    for one, two in ((metric, other), (other, metric)):
        before = one.state.tolist()
        raises(ValueError, name, one.merge, two)
        assert one.state.tolist() == before


@pytest.mark.parametrize(
    ("name", "value"), [("ignore_ids", (1,)), ("stop_id", 3), ("skip_ids", (4, 5))]
)
def test_metrics_of_other_ids_are_not_merged(name, value):
    raises(ValueError, name, BLEU(None, stop_id=2).merge, BLEU(None, **{"stop_id": 2, name: value}))


def test_what_is_no_metric_is_not_merged():
    for wrong in (None, 5, LINE, BLEU().state, PEER()):
        raises(TypeError, type(wrong).__name__, BLEU().merge, wrong)


@pytest.mark.parametrize("method", ["method5", "method6", "method7"])
def test_smoothing_that_is_no_function_of_the_sums_is_refused(method):
    raises(ValueError, f"{method}.*last segment", BLEU, dialect="nltk", smoothing=method)


# --- kept segments


def test_segments_that_were_not_kept_are_not_given():
    metric = fed(BLEU(), LINE)
    for read in (lambda: metric.segments, metric.segment_scores):
        raises(ValueError, "make the metric with keep_segments=True", read)


def test_segments_are_those_of_the_moment():
    metric = fed(BLEU(keep_segments=True), LINE)
    seen = metric.segments
    table = np.asarray(seen).tolist()
    np.asarray(seen)[:] = 3
    fed(metric, LINE)
    assert np.asarray(metric.segments).tolist() == table * 2
    assert len(seen) == 1


# --- threads


@pytest.fixture
def impatient():
    """Threads that let others go first at every call and return."""
    threading.setprofile(lambda *event: time.sleep(0))
    yield
    threading.setprofile(None)


@pytest.mark.usefixtures("impatient")
def test_threads_that_update_one_metric_lose_nothing():
    metric = BLEU(None, max_order=1, keep_segments=True)
    part = fed(BLEU(None, max_order=1, keep_segments=True), ([["a"]], [[["a"]]]))

    def work(_):
        for _ in range(40):
            metric.update([["a"]], [[["a"]]])
            metric.merge(part)
            assert metric.state[0] > 0

    at_once(work, 4)
    assert metric.state.tolist() == [320] * 4
    assert np.asarray(metric.segments).sum(0).tolist() == [320] * 4


@pytest.mark.usefixtures("impatient")
def test_metrics_that_merge_each_other_do_not_wait_for_each_other():
    one, two = fed(BLEU(), LINE), fed(BLEU(), LINE)
    for _ in range(20):
        merges = (partial(one.merge, two), partial(two.merge, one))
        at_once(lambda number, merges=merges: merges[number](), 2)
        ends = sorted([int(one.state[0]), int(two.state[0])])
        assert ends[1] <= 2 * ends[0]
        one.reset(), two.reset()
        fed(one, LINE), fed(two, LINE)


# --- warnings


def warnings_of(function):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        function()
    return [str(w.message) for w in caught if issubclass(w.category, InputWarning)]


def test_tokenized_text_is_noticed_across_updates():
    batch = (["a b c d ."] * 32,) * 2
    metric = BLEU()
    messages = warnings_of(lambda: fed(metric, *[batch] * 5).compute())
    assert len(messages) == 1
    assert '" ."' in messages[0]
    metric.reset()
    assert not warnings_of(lambda: fed(metric, *[batch] * 3).compute()), "96 are not yet 100"
    assert not warnings_of(lambda: fed(BLEU("none"), *[batch] * 5).compute())


def test_short_hypotheses_are_noticed_when_all_are_seen():
    short, long = (["a b"], ["a b"]), (["a b c d"], ["a b c d"])
    metric = BLEU()
    assert not warnings_of(lambda: fed(metric, short, short))
    assert "no hypothesis has 4 tokens" in warnings_of(metric.compute)[0]
    fed(metric, long)
    assert not warnings_of(metric.compute)


# --- parameters


def test_parameters_are_what_they_are_equal_to():
    """numpy's single-precision numbers equal doubles that they are not, and score otherwise."""
    single = np.float32(0.1)
    metric = BLEU(weights=np.array([0.3, 0.3, 0.3, 0.1], np.float32), smoothing="floor")
    assert all(type(weight) is float for weight in metric.weights)
    assert metric != BLEU(weights=(0.3, 0.3, 0.3, 0.1), smoothing="floor")
    assert BLEU(smoothing="floor", smoothing_value=single) != BLEU(
        "13a", smoothing="floor", smoothing_value=0.1
    )
    assert BLEU(smoothing="add-k", smoothing_value=1) == BLEU(smoothing="add-k", smoothing_value=1)


@pytest.mark.parametrize("wrong", [{"weights": ["x"] * 4}, {"smoothing_value": [1]}])
def test_parameters_that_are_no_numbers(wrong):
    with pytest.raises(TypeError, match=rf"{next(iter(wrong))} has .*, expected a number"):
        BLEU(smoothing="floor", **wrong)


def test_what_came_from_a_state_has_no_segments_to_keep():
    raises(ValueError, "no segments to keep", BLEU.from_state, [0] * 10, keep_segments=True)
    raises(TypeError, r"pass its \.state", BLEU.from_state, BLEU())


# --- one process


def test_all_reduce_of_one_process_is_a_copy_and_needs_no_torch():
    code = (
        "import sys, fastbleu; m = fastbleu.BLEU(); m.update(['a b c d'], ['a b c d'])\n"
        "r = m.all_reduce(); assert r == m and r is not m and r.compute() == m.compute()\n"
        "print('torch' in sys.modules)"
    )
    assert python("-c", code) == "False\n"

"""Ids that change while they are counted, huge batches, and Ctrl-C: no crash, no copy, no wait."""

import os
import threading
import time
import tracemalloc

import numpy as np
import pytest
from hostile import clean, resident_kilobytes
from threads import again_and_again

from fastbleu import BLEU

OPTIONS = {"ignore_ids": (-100,), "stop_id": 1, "skip_ids": (2,)}
pytestmark = pytest.mark.usefixtures("the_next_call_is_right")


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("form", ["array", "slice", "ragged"])
def test_arrays_that_another_thread_fills_meanwhile(form, threads):
    """Counting may see any of the numbers, but never more of them than there is room for."""
    hypotheses = np.full((1500, 40), -100)
    references = np.full((1500, 2, 40), -100)
    views = {
        "array": (hypotheses, references),
        "slice": (hypotheses[:, ::-1], references[:, :, ::-1]),
        "ragged": (list(hypotheses), list(references)),
    }[form]

    def change():
        for value in (-100, 1, 2, 7):
            hypotheses[:], references[:] = value, value
        hypotheses[:] = np.arange(40)
        references[:] = np.arange(40)[::-1]

    with again_and_again(change):
        metric = BLEU(None, threads=threads, **OPTIONS)
        for _ in range(40):
            rows = np.asarray(metric.statistics(*views))
            assert (rows >= 0).all()
            assert (rows <= 40).all()
            assert (rows[:, 2:6] <= rows[:, 6:]).all()


class Emptying(int):
    """An id that empties a list when it is asked for its value."""

    victim = ()

    def __index__(self):
        del self.victim[:]
        return 5

    __int__ = __hash__ = __index__


class OnlyAnIndex:
    def __init__(self, victim):
        self.victim = victim

    def __index__(self):
        del self.victim[:]
        return 5


@pytest.mark.parametrize("kind", ["int", "index"])
@pytest.mark.parametrize("target", ["sequence", "references", "segments"])
def test_lists_that_are_emptied_while_they_are_read(kind, target):
    for position in (0, 3, 299):
        hypothesis, its = list(range(300)), [list(range(300)), list(range(300))]
        hypotheses, references = [hypothesis, hypothesis[:]], [its, its[:]]
        victim = {"sequence": hypothesis, "references": its, "segments": hypotheses}[target]
        if kind == "int":
            token = Emptying(7)
            token.victim = victim
        else:
            token = OnlyAnIndex(victim)
        hypothesis[position] = token
        clean(BLEU(None, **OPTIONS).statistics, hypotheses, references)


def test_contiguous_arrays_are_not_copied():
    hypotheses = np.arange(4_000_000).reshape(4000, 1000) % 30_000
    for dtype in (np.int64, np.int32, np.int16):
        ids = hypotheses.astype(dtype)
        metric = BLEU(None, **OPTIONS)
        metric.score(ids[:2], ids[:2])
        tracemalloc.start()
        try:
            metric.score(ids, ids)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert peak < ids.nbytes / 8, f"{peak} bytes for {ids.nbytes} of {np.dtype(dtype)}"


@pytest.mark.skipif(
    not os.path.exists("/proc/self/statm") or "FASTBLEU_SANITIZED" in os.environ,
    reason="the size of the process is not known, or not the library's",
)
def test_memory_for_one_long_row_is_not_kept():
    ids = np.full((1, 8_000_000), -100, "i1")
    metric = BLEU(None, **OPTIONS)
    before = resident_kilobytes()
    metric.update(ids, ids)
    grown = resident_kilobytes() - before
    assert metric.state[0] == 0
    assert grown < 32_000, f"{grown} kB are kept for the next row"


def test_the_gil_is_released():
    ids = np.random.default_rng(0).integers(0, 30_000, (3000, 1000))
    metric, ticks, done = BLEU(None), [], threading.Event()

    def count():
        metric.score(ids, ids[:, None])
        done.set()

    worker = threading.Thread(target=count)
    worker.start()
    while not done.is_set():
        ticks.append(time.perf_counter())
        time.sleep(0.001)
    worker.join()
    gaps = np.diff(ticks) if len(ticks) > 1 else np.ones(1)
    assert gaps.max() < 0.5 * max(ticks[-1] - ticks[0], 0.05), "other threads stood still"

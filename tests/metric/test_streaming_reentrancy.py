"""A metric that is used while it is used: by signal handlers and finalizers."""

import gc
import os
import signal

import pytest

from fastbleu import BLEU

TEXT = ["the cat sat on the mat"], ["the cat sat on a mat"]

posix = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs signals and fork")


@posix
def test_a_signal_handler_may_update_and_read():
    metric, handled = BLEU(), []

    def handle(*_):
        metric.update(*TEXT)
        handled.append(metric.state[0])
        # Not by an interval: a handler within a handler would note its sum before the outer one's.
        if len(handled) < 100:
            signal.setitimer(signal.ITIMER_REAL, 0.0005)

    before = signal.signal(signal.SIGALRM, handle)
    signal.setitimer(signal.ITIMER_REAL, 0.0005)
    try:
        updates = 0
        while len(handled) < 100:
            metric.update(*TEXT)
            metric.compute()
            updates += 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert metric.state[0] == 6 * (updates + len(handled))
    assert handled == sorted(handled)


class Run:
    """What logs its last result when it is collected, as experiment trackers do."""

    def __init__(self, metric, closed):
        self.metric, self.closed, self.itself = metric, closed, self

    def __del__(self):
        self.metric.update(*TEXT)
        self.closed.append(self.metric.compute().hyp_len)


def test_a_finalizer_may_update_and_read():
    metric, closed = BLEU(keep_segments=True), []
    for number in range(2000):
        Run(metric, closed)
        metric.update(*TEXT)
        assert len(metric.segments) == number + 1 + len(closed)
    gc.collect()
    assert len(closed) == 2000
    assert metric.state[0] == 6 * 4000


def test_an_interrupted_update_changes_nothing():
    class Interrupting(str):
        def lower(self):
            raise KeyboardInterrupt

    metric = BLEU(lambda text: text.lower().split(), keep_segments=True)
    metric.update(*TEXT)
    state = metric.state.tolist()
    with pytest.raises(KeyboardInterrupt):
        metric.update([TEXT[0][0], Interrupting("x")], TEXT[1] * 2)
    assert metric.state.tolist() == state
    assert len(metric.segments) == 1

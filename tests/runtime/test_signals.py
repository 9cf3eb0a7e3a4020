"""Ctrl-C ends a long call, whatever it is at, and changes nothing.

Some calls once did not react for a third of a second or more: each runs half a second longer
than its span, with a signal every 5 ms; the longest time between two handled signals is measured in
CPU time, so that a busy machine does not fail it. All long calls are tested by the trust gate, in
tests/trust/test_interrupts.py, which holds them to 0.2 seconds.
"""

import os
from contextlib import contextmanager

import pytest
from commands import python
from trust.long_calls import CALLS, CALLS_OF_EVERY_RUN
from trust.watch import Child

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no timers that send signals")

INTERRUPTED = """
import gc, signal, threading
from fastbleu import matrix
texts = [" ".join(f"w{n * k % 977}" for k in range(60)) for n in range(3000)]
index = matrix.ReferenceIndex(texts, threads=2)
gc.disable()
gc.collect()
signal.signal(signal.SIGALRM, signal.default_int_handler)
signal.setitimer(signal.ITIMER_REAL, 0.3)
try:
    index.score(texts * 900)
except KeyboardInterrupt:
    print("interrupted")
threads = [it for it in gc.get_objects() if isinstance(it, threading.Thread)]
print(len(threads) - sum(it.is_alive() for it in threads), "ended threads")
"""


@pytest.mark.long
@pytest.mark.skipif("FASTBLEU_SANITIZED" in os.environ, reason="sanitizers take their time")
@pytest.mark.parametrize(
    "name",
    [
        "a million references",  # copied, each of them, and given back
        "a long modified_precision",  # loops over positions
        "one row of large ids",  # memory touched for the first time
        "one list of ids",
        "a line of different words",  # a table that grows filled in one go
        "a ReferenceIndex of different tokens",
        "a line with entities",  # rewritten in one go
        "a lowercased line",
        "sacreBLEU's streams",  # turned by segment in one go
        "nltk's scores of many rows",
        "sentence_scores of many rows",
        "self-BLEU of short sentences",  # all rows cut and scored in one go
        "self-BLEU of a long sentence",  # repeats numbered in one go
        "pairs of long sentences",  # tables of n-grams touched for the first time
        "a ReferenceIndex with a late token of another kind",  # a dict made of all tokens
    ],
)
def test_signals_are_heard_all_the_time(name, tmp_path):
    # What a call does without a look for signals comes each time; what the machine does does not.
    gaps = []
    while len(gaps) < 3 and min(gaps, default=1) > 0.2:
        with Child(tmp_path) as child:
            child.prepare(name)
            child.tell(f"gap {CALLS[name].span + 0.5}")
            gaps.append(float(child.line(120)))
    print(f"{name}: heard nothing for {min(gaps):.3f} s")
    assert min(gaps) <= 0.2


def test_an_interrupted_call_leaves_no_threads_to_the_garbage_collector():
    # It calls Python code where these end, and a Ctrl-C that came meanwhile was lost there.
    assert python("-c", INTERRUPTED) == "interrupted\n0 ended threads\n"


class SharedChild:
    """A process that makes one call after another; another one after a test that fails."""

    def __init__(self, directory):
        self.directory, self.child = directory, None

    @contextmanager
    def prepared(self, name):
        self.child = self.child or Child(self.directory)
        try:
            self.child.prepare(name)
            yield self.child
        except BaseException:
            self.end()
            raise

    def end(self):
        if self.child is not None:
            with self.child:  # ends it
                self.child = None


@pytest.fixture(scope="module")
def shared_child(tmp_path_factory):
    shared = SharedChild(tmp_path_factory.mktemp("calls"))
    yield shared
    shared.end()


@pytest.mark.parametrize("name", CALLS_OF_EVERY_RUN)
def test_keyboard_interrupt(name, shared_child):
    with shared_child.prepared(name) as child:
        for delay in (0.05, 0.3):
            latency, problem = child.interrupted(delay)
            print(f"{name}: interrupted after {latency} s")
            assert latency is not None, "the call was too short to be interrupted"
            assert latency < 2
            assert not problem

"""Ctrl-C ends a long call, whatever it is at, and changes nothing.

tests/trust/test_interrupts.py holds all long calls to 0.2 seconds.
"""

import os

import pytest
from commands import python
from trust.long_calls import Child

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows sends no SIGINT to one process")


@pytest.mark.parametrize("name", ["count", "raw text in two threads", "self-BLEU"])
def test_a_long_call_is_interrupted(name):
    with Child(name) as child:
        assert child.interrupted(0.1) < 2


INTERRUPTED = """
import gc, signal, threading
from fastbleu import BLEU, matrix
texts = [" ".join(f"w{n * k % 977}" for k in range(60)) for n in range(3000)]
index = matrix.ReferenceIndex(texts, metric=BLEU(threads=2))
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


def test_an_interrupted_call_leaves_no_threads_to_the_garbage_collector():
    # It calls Python code where these end, and a Ctrl-C that came meanwhile was lost there.
    assert python("-c", INTERRUPTED) == "interrupted\n0 ended threads\n"

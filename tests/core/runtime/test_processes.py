"""Forks, sub-interpreters and Ctrl-C: a process goes on, or ends, and does not hang.

See trust/forking.py, too; tests/trust/test_interrupts.py holds all long calls to 0.2 seconds.
"""

import os
from pathlib import Path

import pytest
from first_call_fork import CALLS
from processes import python

forks = pytest.mark.skipif(
    not hasattr(os, "fork") or "FASTBLEU_SANITIZED" in os.environ,
    reason="no fork; or a child inherits the locks of AddressSanitizer's allocator",
)
signals = pytest.mark.skipif(os.name == "nt", reason="Windows sends no SIGINT to one process")
LONG = ("identify", "sentence_scores", "sentence_bleu", "corpus_bleu", "sacrebleu")
PARTS = {"dialect": "originals", "explain": "diagnosis", "pairwise": "matrix"}  # outside the core


@forks
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.long if name in LONG else ()) for name in CALLS]
)
def test_a_child_that_is_forked_while_another_thread_imports_does_not_hang(name):
    pytest.importorskip(f"fastbleu.{PARTS.get(name, 'core')}")
    python("-m", "first_call_fork", name, 0.003)


WHILE_A_LIBRARY_LOGS = """
import sys, threading
from first_call_fork import forked
from fastbleu.core.runtime.import_lock import import_locked
import logging  # after fastbleu
sys.path.append(sys.argv[1])
thread = threading.Thread(target=import_locked, args=["logs"])
thread.start()
while "logs" not in sys.modules:
    pass
print(forked(lambda: logging.getLogger("child")))
"""


@forks
def test_a_fork_waits_for_an_import_that_waits_for_the_lock_of_logging(tmp_path):
    """Or both would wait: logging, imported later, has its lock taken before a fork."""
    logs = "import logging, time; time.sleep(0.3); logging.getLogger(__name__)"
    (tmp_path / "logs.py").write_text(logs)
    assert python("-c", WHILE_A_LIBRARY_LOGS, tmp_path) == "0\n"


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


@signals
def test_an_interrupted_call_leaves_no_threads_to_the_garbage_collector():
    # It calls Python code where these end, and a Ctrl-C that came meanwhile was lost there.
    assert python("-c", INTERRUPTED) == "interrupted\n0 ended threads\n"


SCRIPT = Path(__file__).parents[2] / "trust" / "subinterpreters.py"


@pytest.mark.pythons
@pytest.mark.parametrize("order", ["main first", "main last"])
def test_sub_interpreters_are_refused_and_the_main_one_goes_on(order):
    """A sub-interpreter that imported the package first stood still in its first count."""
    *refused, main = python(SCRIPT, order).splitlines()
    if main == "not here":
        pytest.skip("this Python has no sub-interpreters")
    assert len(refused) == 2
    assert all("fastbleu works in the main interpreter only" in line for line in refused)
    assert main == f"the main interpreter, {order}: works"

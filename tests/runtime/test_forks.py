"""A child that is forked while modules are imported does not hang (see trust/forking.py, too)."""

import os

import pytest
from commands import python
from first_call_fork import CALLS

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork"),
    pytest.mark.skipif(
        "FASTBLEU_SANITIZED" in os.environ,
        reason="a forked child inherits the locks of AddressSanitizer's allocator",
    ),
]


SLOW = {"identify": pytest.mark.long}


@pytest.mark.parametrize("name", [pytest.param(name, marks=SLOW.get(name, ())) for name in CALLS])
def test_a_child_that_is_forked_while_another_thread_imports_does_not_hang(name):
    python("-m", "first_call_fork", name, 0.003)


WHILE_A_LIBRARY_LOGS = """
import sys, threading
from first_call_fork import forked
from fastbleu.runtime.import_lock import import_locked
import logging  # after fastbleu
sys.path.append(sys.argv[1])
thread = threading.Thread(target=import_locked, args=["logs"])
thread.start()
while "logs" not in sys.modules:
    pass
print(forked(lambda: logging.getLogger("child")))
"""


def test_a_fork_waits_for_an_import_that_waits_for_the_lock_of_logging(tmp_path):
    """Or both would wait: logging, imported later, has its lock taken before a fork."""
    logs = "import logging, time; time.sleep(0.3); logging.getLogger(__name__)"
    (tmp_path / "logs.py").write_text(logs)
    assert python("-c", WHILE_A_LIBRARY_LOGS, tmp_path) == "0\n"

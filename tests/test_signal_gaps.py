"""Long calls for which Ctrl-C once did not come through for a third of a second and more.

Each runs for a while with a signal every 5 ms; the longest time between two that are heard is
measured in seconds of the processor, so that a busy machine does not fail it. All long calls, and a
real SIGINT, are those of tests/trust/interrupts.py.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no timers that send signals")

CHILD = """
import sys
from trust.long_calls import CALLS, PREPARATIONS, longest_gap
call = CALLS[sys.argv[1]]
space = {}
exec(PREPARATIONS + call.setup, space)
print(longest_gap(compile(call.call, "call", "exec"), space, 1.5))
os = space["os"]
os.rmdir(space["directory"])
"""


@pytest.mark.parametrize(
    "name",
    [
        "a million references",  # copied, each of them, and given back
        "a long modified_precision",  # loops over positions
        "one row of large ids",  # memory touched for the first time
        "one list of ids",
        "a line with entities",  # rewritten in one go
        "a lowercased line",
        "sacreBLEU's streams",  # turned by segment in one go
        "nltk's scores of many rows",
        "sentence_scores of many rows",
        "self-BLEU of a long sentence",  # repeats numbered in one go
    ],
)
def test_signals_are_heard_all_the_time(name):
    found = subprocess.run(
        [sys.executable, "-c", CHILD, name],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parent)},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    gap = float(found.stdout)
    print(f"{name}: heard nothing for {gap:.3f} s")
    assert gap < 0.15

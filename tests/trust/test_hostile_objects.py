"""Objects whose own code raises, lies, changes what is being read, or calls the library again.

Trials are made in children, many in each, whose memory is filled with garbage when it is made and
given back; the one that was going on when a child died is named. Each outcome has to be a result,
what the hostile code raised, or an exception of the package's own with a message. No Hypothesis: a
crash cannot be shrunk in the process that it ends, and a trial by its number is the same each time.
"""

from __future__ import annotations

import json
import re

import pytest

from trust.children import SEED, environment, python

TRIALS_OF_A_CHILD = 1000
# Both find what is read or written out of place, the second without Python's own arenas between.
DEBUG_HOOKS = {"PYTHONMALLOC": "debug"}
GARBAGE = {"PYTHONMALLOC": "malloc", "MALLOC_PERTURB_": "165"}


@pytest.mark.parametrize("number", range(5))
def test_memory_under_debug_hooks(cases, long, number):
    trials(cases, number, DEBUG_HOOKS, long)


@pytest.mark.parametrize("number", range(5, 10))
def test_memory_filled_with_garbage(cases, long, number):
    trials(cases, number, GARBAGE, long)


def trials(cases, number, memory, long):
    count = TRIALS_OF_A_CHILD * (10 if long else 1)
    for first in range(number * count, (number + 1) * count, TRIALS_OF_A_CHILD):
        run_trials(cases, first, first + TRIALS_OF_A_CHILD, memory)


def run_trials(cases, first, end, memory):
    """Make trials; a child that dies is followed by one that goes on behind it."""
    memory = {**memory, "PYTHONHASHSEED": "0"}
    setting = " ".join(f"{name}={value}" for name, value in memory.items())
    while first < end:
        env = environment(**memory)
        child = python("hostile_trial", first, end - first, env=env, timeout=900)
        for failure in child.output.split("FAILED ")[1:]:
            lines = [line for line in failure.splitlines() if not re.fullmatch(r"\d+|{.*}", line)]
            cases.failures.append("\n    ".join(lines))
        numbers = [int(number) for number in re.findall(r"^(\d+)$", child.output, re.MULTILINE)]
        last = numbers[-1] if numbers else end
        cases.count += last + 1 - first if numbers else 0
        if child.output.rstrip().endswith("}"):
            assert json.loads(child.output.splitlines()[-1])["done"] == end - first
            return
        again = f"FASTBLEU_TEST_SEED={SEED} {setting} PYTHONPATH=tests python -m "
        again += f"trust.hostile_trial {last} 1"
        cases.failures.append(f"trial {last} {child.why()}\n    again: {again}")
        first = last + 1

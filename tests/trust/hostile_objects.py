"""Objects whose own code raises, lies, changes what is being read, or calls the library again.

Trials are made in children, many in each, whose memory is filled with garbage when it is made and
given back; the one that was going on when a child died is named. Each outcome has to be a result,
what the hostile code raised, or an exception of the package's own with a message.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from trust.part import SEED, Finished, Outcome, Part, environment, finish, say

TRIALS = 10_000
LONG_TRIALS = 100_000
TRIALS_OF_A_CHILD = 1000
CHILD = Path(__file__).with_name("hostile_trial.py")
# Both find what is read or written out of place, the second without Python's own arenas between.
MEMORY = {
    "memory under debug hooks": {"PYTHONMALLOC": "debug"},
    "memory filled with garbage": {"PYTHONMALLOC": "malloc", "MALLOC_PERTURB_": "165"},
}
TIMEOUT = 900


def run_child(first: int, count: int, memory: dict[str, str]) -> Finished:
    env = environment(changes={**memory, "PYTHONHASHSEED": "0"})
    return finish([sys.executable, CHILD, first, count], TIMEOUT, env=env)


def run_trials(first: int, count: int, memory: dict[str, str]) -> tuple[Counter[str], list[str]]:
    """Make trials; the kinds of outcomes, and what went wrong."""
    notes, failures, end = Counter[str](), [], first + count
    setting = " ".join(f"{name}={value}" for name, value in memory.items())
    setting = f"{SEED}={os.environ.get(SEED)} PYTHONHASHSEED=0 {setting} PYTHONPATH=tests"
    while first < end:
        child = run_child(first, end - first, memory)
        for failure in child.output.split("FAILED ")[1:]:
            lines = [line for line in failure.splitlines() if not re.fullmatch(r"\d+|{.*}", line)]
            failures.append("\n    ".join(lines))
        if child.output.rstrip().endswith("}"):
            summary = json.loads(child.output.splitlines()[-1])
            notes += Counter(summary["notes"])
            break
        numbers = re.findall(r"^(\d+)$", child.output, re.MULTILINE)
        last = int(numbers[-1]) if numbers else first
        rerun = f"{setting} python tests/trust/{CHILD.name} {last} 1"
        failures.append(f"trial {last} {child.why()}\n    again: {rerun}")
        if not numbers:
            break
        first = last + 1
    return notes, failures


def run(long: bool) -> Iterator[Outcome]:
    trials = LONG_TRIALS if long else TRIALS
    half = trials // len(MEMORY)
    for place, (what, memory) in enumerate(MEMORY.items()):
        outcome, notes = Outcome(what), Counter[str]()
        start = time.perf_counter()
        firsts = range(place * half, (place + 1) * half, TRIALS_OF_A_CHILD)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            for its_notes, failures in pool.map(
                lambda first, memory=memory: run_trials(first, TRIALS_OF_A_CHILD, memory), firsts
            ):
                notes += its_notes
                outcome.failures += failures
        outcome.cases = len(firsts) * TRIALS_OF_A_CHILD
        outcome.seconds = time.perf_counter() - start
        kinds = {name: count for name, count in notes.items() if not name.startswith("of ")}
        ends = ", ".join(f"{count} {name}" for name, count in Counter(kinds).most_common())
        say(f"hostile_objects: {what}: {ends}")
        yield outcome


PART = Part("hostile_objects", "objects that raise, lie, change, grow or call again", run)

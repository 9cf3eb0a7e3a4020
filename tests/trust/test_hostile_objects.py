"""Objects whose own code raises, lies, changes what is being read, or calls the library again.

Trials are made in children, many in each, whose memory is filled with garbage when it is made and
given back; the one that was going on when a child died is named. Each outcome has to be a result,
what the hostile code raised, or an exception of the package's own with a message. A trial by its
number is the same each time.
"""

import re

import pytest

from trust.children import SEED, environment, python

TRIALS_OF_A_CHILD = 1000
# Both find what is read or written out of place, the second without Python's own arenas between.
MEMORY = {
    "debug hooks": {"PYTHONMALLOC": "debug", "PYTHONHASHSEED": "0"},
    "garbage": {"PYTHONMALLOC": "malloc", "MALLOC_PERTURB_": "165", "PYTHONHASHSEED": "0"},
}


@pytest.mark.parametrize("memory", MEMORY)
@pytest.mark.parametrize("share", range(5))
def test_trials(long, share, memory):
    number = share + 5 * list(MEMORY).index(memory)
    children, failures = 10 if long else 1, []
    for child in range(number * children, (number + 1) * children):
        first = child * TRIALS_OF_A_CHILD
        failures += run_trials(first, first + TRIALS_OF_A_CHILD, MEMORY[memory])
    assert not failures, "\n".join(failures[:20])


def run_trials(first, end, memory):
    """What went wrong in trials; a child that dies is followed by one that goes on behind it."""
    failures = []
    while first < end:
        env = environment(**memory)
        child = python("hostile_trial", "hostile", first, end - first, env=env, timeout=900)
        for failure in child.output.split("FAILED ")[1:]:
            lines = [line for line in failure.splitlines() if not re.fullmatch(r"\d+|done", line)]
            failures.append("\n    ".join(lines))
        if child.output.endswith("done\n"):
            break
        last = int(re.findall(r"^(\d+)$", child.output, re.MULTILINE)[-1])
        setting = " ".join(f"{name}={value}" for name, value in memory.items())
        again = f"FASTBLEU_TEST_SEED={SEED} {setting} PYTHONPATH=tests:tests/support python -m "
        failures.append(
            f"trial {last} {child.why()}\n  {again} trust.hostile_trial hostile {last} 1"
        )
        first = last + 1
    return failures

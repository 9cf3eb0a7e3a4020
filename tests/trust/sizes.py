"""Part 5: what is very large is counted right, or refused with OverflowError.

By itself: `python -m trust.sizes GROUP`, with tests/ on the path.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable, Iterator

from trust import sizes_cases as cases
from trust import sizes_limits as limits
from trust.part import LONG_ONLY, Outcome, Part, environment, finish, skip

GIBIBYTE = 2**30


def free_memory() -> int:
    """Bytes that can be had without swapping."""
    with open("/proc/meminfo") as file:
        return next(int(line.split()[1]) * 1024 for line in file if "MemAvailable" in line)


Group = tuple[str, Callable[[Outcome], None], bool, int]
GROUPS: dict[str, Group] = {  # title, check, in the long form only, GiB of memory
    "int64": ("counts at the end of int64", limits.counts_at_the_end_of_int64, False, 0),
    "segment": (f"a segment of {cases.TOKENS:,} tokens", cases.long_segment, False, 4),
    "segment-index": (
        f"{cases.TOKENS:,} tokens in an index, and decoded",
        cases.long_segment_in_an_index,
        True,
        4,
    ),
    "references": (
        f"{cases.REFERENCES:,} references of a segment",
        cases.many_references,
        False,
        0,
    ),
    "orders": (f"max_order 1 to {cases.HIGHEST_ORDER}", cases.orders, False, 0),
    "lengths": ("an index of 70,000 lengths", cases.many_lengths, False, 0),
    "real-lengths": ("an index of 2.1 billion tokens", cases.as_many_lengths, True, 2),
    "strings": ("strings of more than 2**31 characters", cases.long_strings, True, 16),
}


def run(long: bool) -> Iterator[Outcome]:
    for name, (title, _, long_only, memory) in GROUPS.items():
        if long_only and not long:
            yield skip(title, LONG_ONLY)
        elif memory and free_memory() < memory * GIBIBYTE:
            yield skip(title, f"needs {memory} GiB of free memory")
        else:
            done = finish([sys.executable, "-m", "trust.sizes", name], 3600, env=environment())
            outcome = Outcome(title, seconds=done.seconds)
            if done.status == 0:
                outcome.cases, outcome.failures = json.loads(done.output)
            else:
                outcome.failures.append(done.why())
            yield outcome


PART = Part("sizes", "very large input", run)

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    result = Outcome(sys.argv[1])
    GROUPS[sys.argv[1]][1](result)
    print(json.dumps([result.cases, result.failures[:50]]))

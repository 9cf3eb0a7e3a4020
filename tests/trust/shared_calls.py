"""Threads that call every entry point with the same objects: a child of test_threads.py.

    python -m trust.shared_calls CALLS

Each thread makes CALLS calls, and at least one of every entry point that threads may share; each
result must be that of one thread alone, bit for bit. Ends with a line of JSON.
"""

from __future__ import annotations

import faulthandler
import json
import sys
import threading
import time
import warnings

from plain import plain
from threads import at_once

from trust.calls import Call
from trust.calls import calls as all_calls

THREADS = 8
# Entry points that take longer are called less often.
SLOW = 3e-4
SLOW_CALLS = 2


def outcome_of(call: Call) -> object:
    try:
        return plain(call())
    except Exception as error:
        return f"{type(error).__name__}: {error}"


class Shared:
    """A call, what it gives one thread alone, and whether it takes long."""

    def __init__(self, call: Call) -> None:
        self.call = call
        self.expected = outcome_of(call)
        start = time.perf_counter()
        for _ in range(3):
            outcome_of(call)
        self.slow = time.perf_counter() - start > 3 * SLOW

    def repeat(self, times: int, failures: list[str]) -> int:
        for _ in range(times):
            result = outcome_of(self.call)
            if result != self.expected:
                failures.append(f"{self.call.name}: {result!r}, alone {self.expected!r}"[:500])
                break
        return times


def main(calls: int) -> None:
    faulthandler.dump_traceback_later(600 + calls / 50, exit=True)  # for a thread stands still
    warnings.simplefilter("ignore")
    shared = [Shared(call) for call in all_calls(libraries=True) if not call.entry.alone]
    slow = sum(one.slow for one in shared)
    most = -(-(calls - SLOW_CALLS * slow) // (len(shared) - slow))
    plan = [(one, SLOW_CALLS if one.slow else most) for one in shared]
    failures: list[str] = []
    together = threading.Barrier(THREADS)
    made = [0] * THREADS

    def work(number: int) -> None:
        # All call the same at a time, and once more each something else.
        for one, count in plan:
            together.wait()
            made[number] += one.repeat(count // 2 + 1, failures)
        turn = number * len(plan) // THREADS
        together.wait()
        for one, count in plan[turn:] + plan[:turn]:
            made[number] += one.repeat(count - count // 2, failures)

    sys.setswitchinterval(1e-5)
    at_once(work, THREADS, timeout=None)
    print(json.dumps({"calls": made, "entries": len(plan), "failures": sorted(set(failures))}))


if __name__ == "__main__":
    main(int(sys.argv[1]))

"""Threads that call every entry point with the same objects: a child of threads.py.

python tests/trust/shared_calls.py CALLS

Each thread makes so many calls, and at least one of every entry point that threads may share; each
result must be that of one thread alone, bit for bit. Ends with a line of JSON.
"""

from __future__ import annotations

import faulthandler
import json
import sys
import threading
import time
import warnings
from pathlib import Path
from typing import Any

sys.path[0] = str(Path(__file__).resolve().parent.parent)

from trust.entries import ENTRIES, plain  # noqa: E402
from trust.entry import Entry  # noqa: E402

THREADS = 8
# Entry points that take longer are called less often.
SLOW = 3e-4
SLOW_CALLS = 2


class Shared:
    """One entry point, what its setup made, and what it gives one thread alone."""

    def __init__(self, entry: Entry) -> None:
        self.entry = entry
        self.it: Any = entry.setup()
        self.expected = plain(entry.call(self.it))
        start = time.perf_counter()
        for _ in range(3):
            entry.call(self.it)
        self.slow = time.perf_counter() - start > 3 * SLOW

    def call(self, times: int, failures: list[str]) -> None:
        for _ in range(times):
            try:
                result = plain(self.entry.call(self.it))
            except Exception as error:
                result = f"{type(error).__name__}: {error}"
            if result != self.expected:
                failures.append(f"{self.entry.name}: {result!r}, alone {self.expected!r}"[:500])
                return


def main() -> int:
    calls = int(sys.argv[1])
    faulthandler.enable()
    faulthandler.dump_traceback_later(600 + calls / 50, exit=True)  # for a thread stands still
    warnings.simplefilter("ignore")
    shared = [Shared(entry) for entry in ENTRIES if entry.threads]
    slow = [one for one in shared if one.slow]
    fast = [one for one in shared if not one.slow]
    times = [-(-(calls - SLOW_CALLS * len(slow)) // len(fast))] * len(fast)
    plan = [*zip(fast, times, strict=True), *((one, SLOW_CALLS) for one in slow)]
    failures: list[str] = []
    together = threading.Barrier(THREADS)
    made = [0] * THREADS

    def work(number: int) -> None:
        # All call the same at a time, and once more each something else.
        for one, count in plan:
            together.wait()
            one.call(count // 2 + 1, failures)
            made[number] += count // 2 + 1
        turned = plan[number * len(plan) // THREADS :] + plan[: number * len(plan) // THREADS]
        together.wait()
        for one, count in turned:
            one.call(count - count // 2, failures)
            made[number] += count - count // 2

    sys.setswitchinterval(1e-5)
    threads = [threading.Thread(target=work, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(json.dumps({"calls": made, "entries": len(plan), "failures": sorted(set(failures))}))
    return 0


if __name__ == "__main__":
    sys.exit(main())

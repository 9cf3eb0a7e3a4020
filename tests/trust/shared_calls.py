"""Threads that call every entry point with the same objects: a child of test_threads.py.

    python -m trust.shared_calls SECONDS

Each thread repeats each call for SECONDS; each result must be that of one thread alone, bit for
bit. Prints what was wrong, as JSON.
"""

import faulthandler
import json
import sys
import threading
import time
import warnings

from threads import at_once

from trust.calls import Call, calls

THREADS = 8
WAIT = 60  # seconds after which a thread stands still
LEAST = 1


def main(seconds: float) -> None:
    warnings.simplefilter("ignore")
    shared = [(call, call.outcome()) for call in calls(libraries=True) if not call.entry.alone]
    faulthandler.dump_traceback_later(WAIT + 20 * seconds * len(shared) * THREADS, exit=True)
    failures: set[str] = set()
    together = threading.Barrier(THREADS)

    def repeat(call: Call, expected: object) -> None:
        stop, made = time.monotonic() + seconds / 2, 0
        while made < LEAST or time.monotonic() < stop:
            made += 1
            found = call.outcome()
            if found != expected:
                failures.add(f"{call.name}: {found!r}, alone {expected!r}"[:500])
                return

    def work(number: int) -> None:
        for call, expected in shared:  # all threads make the same call
            together.wait(WAIT)
            repeat(call, expected)
        turn = number * len(shared) // THREADS
        for call, expected in shared[turn:] + shared[:turn]:  # each thread makes another one
            repeat(call, expected)

    sys.setswitchinterval(1e-5)
    at_once(work, THREADS, timeout=None)
    print(json.dumps(sorted(failures)))


if __name__ == "__main__":
    main(float(sys.argv[1]))

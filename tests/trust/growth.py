"""Repeated calls do not make the process grow: a child of test_memory.py.

    python -m trust.growth NUMBER COUNT CALLS

It measures every COUNT-th entry point from NUMBER on, and prints what was wrong, as JSON: the
number of bytes from malloc() that CALLS calls did not free, a tenth of that of one that takes long,
as those of 100,000 calls; if that is too much, more calls are made, because memory that is kept
once is not a leak.
"""

import ctypes
import gc
import json
import os
import sys
import time
import warnings
from collections.abc import Callable
from contextlib import suppress

from trust import calls as inputs

CALLS = 100_000
LIMIT = 1 << 20
# All that Python allocates by malloc() itself, which keeps back nothing for a thread.
ENVIRONMENT = {
    "PYTHONMALLOC": "malloc",
    "GLIBC_TUNABLES": "glibc.malloc.tcache_count=0",
    "PYTHONHASHSEED": "0",
}
MOST = 5_000
SLOW = 0.05  # seconds of processor time: of calls that take longer, a tenth is made
# What calls are given or return again and again: nobody may keep a reference to it at each call.
SHARED = [
    *(None, True, False, NotImplemented, (), "", 0, 1, inputs.IDS),
    *(inputs.TEXTS, *inputs.TEXTS, inputs.REFERENCES, *inputs.REFERENCES[0]),
    *(inputs.TOKENS, *inputs.TOKENS, inputs.TOKEN_REFERENCES, *inputs.TOKEN_REFERENCES),
]


class Mallinfo(ctypes.Structure):
    """glibc's struct mallinfo2."""

    _fields_ = [
        *((name, ctypes.c_size_t) for name in ("arena", "ordblks", "smblks", "hblks", "hblkhd")),
        *((name, ctypes.c_size_t) for name in ("usmblks", "fsmblks", "uordblks", "fordblks")),
        ("keepcost", ctypes.c_size_t),
    ]


def allocated() -> int:
    """Bytes that malloc() has given out."""
    mallinfo = ctypes.CDLL(None).mallinfo2
    mallinfo.restype = Mallinfo
    gc.collect()
    found = mallinfo()
    return found.uordblks + found.hblkhd


def repeat(call: Callable[[], object], times: int) -> None:
    for _ in range(times):
        with suppress(Exception):
            call()


def measured(call: Callable[[], object], calls: int) -> tuple[int, str]:
    """The bytes that 100,000 calls would keep, and to what references are kept."""
    begin, first = time.process_time(), calls // 10 + 30
    repeat(call, first)
    if time.process_time() - begin > SLOW * first:
        calls //= 10
    made = times = calls
    references = [sys.getrefcount(thing) for thing in SHARED]
    while True:
        before = allocated()
        repeat(call, times)
        grown = max(allocated() - before, 0) * CALLS // times
        if grown <= LIMIT or times > MOST:
            break
        times *= 4
        made += times
    after = [sys.getrefcount(thing) for thing in SHARED]
    kept = [
        repr(thing)[:30]
        for thing, before, now in zip(SHARED, references, after, strict=True)
        if now - before > made // 4
    ]
    return grown, ", ".join(kept)


def main(number: int, count: int, calls: int) -> None:
    warnings.simplefilter("ignore")
    os.fsync = lambda _: None  # it takes long, and no memory
    wrong, out = [], sys.stdout
    for call in [*inputs.calls()][number::count]:
        grown, kept = measured(call, calls)
        if grown > LIMIT:
            each = f"{grown / CALLS:.0f} bytes for each"
            wrong.append(f"{call.name}: {CALLS:,} calls keep {grown:,} bytes, {each}")
        if kept:
            wrong.append(f"{call.name}: each call keeps a reference to {kept}")
    print(json.dumps(wrong), file=out)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))

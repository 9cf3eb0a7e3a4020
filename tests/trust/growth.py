"""Repeated calls do not make the process grow: a child of test_memory.py.

    python -m trust.growth NUMBER COUNT LONG [NAME]

It measures every COUNT-th entry point from NUMBER on, or the one of that name, and prints what was
wrong, as JSON. The long form measures resident memory over 100,000 calls. The short form measures
the exact number of bytes from malloc() that were not freed, over few calls, fewer of one that takes
long, and multiplies the growth per call by 100,000; if that is too much, more calls are made,
because memory that is kept once is not a leak.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import sys
import time
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any

from hostile import resident_kilobytes

from trust import calls as inputs
from trust.children import environment, python

CALLS = 100_000
LIMIT = 1 << 20
FEW, MOST = 300, 20_000
SLOW = 0.05  # seconds of processor time: of calls that take longer, a tenth of the few is made
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


def resident() -> int:
    """Bytes of this process in memory."""
    gc.collect()
    return resident_kilobytes() * 1024


def repeat(call: inputs.Call, times: int) -> None:
    for _ in range(times):
        with suppress(Exception):
            call()


def measured(call: inputs.Call, long: bool) -> tuple[int, str]:
    """The bytes that 100,000 calls would keep, and to what references are kept."""
    measure = resident if long else allocated
    made = times = CALLS if long else FEW
    begin, first = time.process_time(), times // 10 + 30
    repeat(call, first)
    if not long and time.process_time() - begin > SLOW * first:
        made = times = FEW // 10
    references = [sys.getrefcount(thing) for thing in SHARED]
    while True:
        before = measure()
        repeat(call, times)
        grown = max(measure() - before, 0) * CALLS // times
        if grown <= LIMIT or times * 4 > MOST:
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


def main(number: str, count: str, long: str, name: str = "") -> None:
    warnings.simplefilter("ignore")
    os.fsync = lambda _: None  # 100,000 times it takes most of an hour, and no memory
    failures, out = [], sys.stdout
    chosen = [call for call in inputs.calls() if name in ("", call.name)]
    for call in chosen[int(number) :: int(count)]:
        grown, kept = measured(call, long == "1")
        if grown > LIMIT:
            each = f"{grown / CALLS:.0f} bytes for each"
            failures.append(f"{call.name}: {CALLS:,} calls keep {grown:,} bytes, {each}")
        if kept:
            failures.append(f"{call.name}: each call keeps a reference to {kept}")
    print(json.dumps(failures), file=out)


def failures(*share: int, long: bool, build: Path | None = None, name: str = "") -> list[str]:
    """What grew of the entry points of a share, or of the one of this name."""
    changes: dict[str, Any] = {"PYTHONHASHSEED": "0"}
    if not long:
        # All that Python allocates by malloc() itself, which keeps back nothing for a thread.
        changes |= {"PYTHONMALLOC": "malloc", "GLIBC_TUNABLES": "glibc.malloc.tcache_count=0"}
    arguments = [*share, int(long), *([name] if name else [])]
    done = python("growth", *arguments, env=environment(build, **changes), timeout=4 * 3600)
    return json.loads(done.output.splitlines()[-1]) if done.status == 0 else [done.why()]


if __name__ == "__main__":
    main(*sys.argv[1:])

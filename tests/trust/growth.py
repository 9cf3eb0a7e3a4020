"""Repeated calls do not make the process grow: a child of test_memory.py.

    python -m trust.growth NUMBER COUNT LONG [NAME]

It measures every COUNT-th entry point from NUMBER on, or the one of that name, and prints a line of
JSON for each call. The long form measures resident memory over 100,000 calls. The short form
measures the exact number of bytes from malloc() that were not freed, over few calls, fewer of one
that takes long, and multiplies the growth per call by 100,000; if that is too much, more calls are
made, because memory that is kept once is not a leak.
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
    pages = Path("/proc/self/statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def repeat(call: inputs.Call, times: int) -> None:
    for _ in range(times):
        with suppress(Exception):
            call()


def growth(call: inputs.Call, long: bool) -> tuple[int, int, str]:
    """Calls made, the bytes that 100,000 would keep, and what else is wrong."""
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
    kept = [
        f"{type(thing).__name__} {str(thing)[:30]!r}"
        for thing, count in zip(SHARED, references, strict=True)
        if sys.getrefcount(thing) - count > made // 4
    ]
    return made, grown, f"references to {', '.join(kept)} are kept" if kept else ""


def main(number: str, count: str, long: str, name: str = "") -> None:
    warnings.simplefilter("ignore")
    os.fsync = lambda _: None  # 100,000 times it takes most of an hour, and no memory
    out = sys.stdout
    chosen = [call for call in inputs.calls() if name in ("", call.name)]
    for call in chosen[int(number) :: int(count)]:
        print(json.dumps([call.name, *growth(call, long == "1")]), file=out, flush=True)


def check(cases: Any, *share: int, long: bool, build: Path | None = None, name: str = "") -> None:
    """Measure the entry points of a share, or the one of this name; what grew is a failure."""
    changes = {"PYTHONHASHSEED": "0"}
    if not long:
        # All that Python allocates by malloc() itself, which keeps back nothing for a thread.
        changes |= {"PYTHONMALLOC": "malloc", "GLIBC_TUNABLES": "glibc.malloc.tcache_count=0"}
    arguments = [*share, int(long), *([name] if name else [])]
    done = python("growth", *arguments, env=environment(build, **changes), timeout=4 * 3600)
    for line in done.output.splitlines():
        what, made, grown, wrong = json.loads(line)
        cases.count += made
        if grown > LIMIT:
            each = f"{grown / CALLS:.0f} bytes for each"
            cases.failures.append(f"{what}: {CALLS:,} calls keep {grown:,} bytes, {each}")
        if wrong:
            cases.failures.append(f"{what}: after each call {wrong}")
    if done.status:
        cases.failures.append(done.why())


if __name__ == "__main__":
    main(*sys.argv[1:])

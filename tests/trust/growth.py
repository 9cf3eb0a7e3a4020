"""Calls that are made over and over again must not make the process grow.

A child process goes through its share of the entry points: each call and each error of each is
made CALLS times after a warm-up. In the long form what grows is resident memory, over 100,000
calls. So many do not fit into the short form: there it is the bytes that malloc() has given out
and not got back, exactly, over few calls, and the growth of a call is taken 100,000 times; where
that is too much more calls are made, because what is kept once is no leak.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from trust import entry as inputs
from trust.entries import ENTRIES
from trust.part import Outcome, end, environment, measured, say

CALLS = 100_000
LIMIT = 1 << 20
FEW, MOST = 300, 20_000
SECONDS = 4 * 3600
# What calls are given or return again and again: nobody may keep a reference to it at each call.
SHARED = [
    *(None, True, False, NotImplemented, (), "", 0, 1),
    *(inputs.TEXTS, *inputs.TEXTS, inputs.TEXT_REFERENCES, *inputs.TEXT_REFERENCES[0]),
    *(inputs.HYPOTHESIS, *inputs.HYPOTHESIS, inputs.REFERENCES, *inputs.REFERENCES),
    *(inputs.HYPOTHESES, inputs.LIST_OF_REFERENCES, inputs.IDS, inputs.REFERENCE_IDS, inputs.MASK),
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
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def repeat(call: Callable[[object], object], state: object, times: int) -> None:
    for _ in range(times):
        with suppress(Exception):
            call(state)


def growth(call: Callable[[object], object], state: object, long: bool) -> tuple[int, int, str]:
    """Calls made, the bytes that 100,000 would keep, and what else is wrong."""
    measure = resident if long else allocated
    made = times = CALLS if long else FEW
    repeat(call, state, times // 10 + 30)
    references = [sys.getrefcount(thing) for thing in SHARED]
    while True:
        before = measure()
        repeat(call, state, times)
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


def child(number: int, count: int, long: bool, name: str) -> None:
    """Measure every `count`-th entry point from `number` on, or one; a line of JSON for each."""
    warnings.simplefilter("ignore")
    os.fsync = lambda _: None  # 100,000 times it takes most of an hour, and no memory
    out = sys.stdout
    entries = [entry for entry in ENTRIES if name in ("", entry.name)]
    for entry in entries[number::count]:
        print(json.dumps(["begin", entry.name]), file=out, flush=True)
        state = entry.setup()
        for kind, call in [("call", entry.call), *(("error", error) for error in entry.errors)]:
            found = growth(call, state, long)
            print(json.dumps([kind, *found]), file=out, flush=True)
        entry.call(state)  # what did not work all the time has shown nothing


def run(long: bool) -> Iterator[Outcome]:
    form = f"{CALLS:,} calls each" if long else "few calls each, times 100,000"
    with measured(f"memory of every entry point and error, {form}") as outcome:
        check(outcome, long)
    yield outcome


def check(outcome: Outcome, long: bool = False, build: Path | None = None, name: str = "") -> None:
    """Measure all entry points, or the one of this name, in as many processes as there can be."""
    processes = 1 if name else min(os.cpu_count() or 1, 8)
    changes = {"PYTHONHASHSEED": "0"}
    if not long:
        # All that Python allocates by malloc() itself, which keeps back nothing for a thread.
        changes |= {"PYTHONMALLOC": "malloc", "GLIBC_TUNABLES": "glibc.malloc.tcache_count=0"}
    children = [
        subprocess.Popen(
            [sys.executable, __file__, str(number), str(processes), str(int(long)), name],
            env=environment(build, changes),
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        for number in range(processes)
    ]
    try:
        for process in children:
            read(process, outcome, long)
    finally:
        for process in children:
            end(process)


def read(process: subprocess.Popen[str], outcome: Outcome, long: bool) -> None:
    """Take what a child has found."""
    name = "nothing yet"
    assert process.stdout is not None
    for line in process.stdout:
        kind, *found = json.loads(line)
        if kind == "begin":
            name = found[0]
            if long:
                say(f"    {name}")
            continue
        made, grown, wrong = found
        outcome.cases += made
        if grown > LIMIT:
            each = f"{grown / CALLS:.0f} bytes for each {kind}"
            outcome.failures.append(f"{name}: {CALLS:,} calls keep {grown:,} bytes, {each}")
        if wrong:
            outcome.failures.append(f"{name}: after each {kind} {wrong}")
    if process.wait() != 0:
        outcome.failures.append(f"the process ended with status {process.returncode} at {name}")


if __name__ == "__main__":
    child(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3] == "1", sys.argv[4])

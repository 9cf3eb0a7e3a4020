"""The k-th allocation fails, for k = 1 to 200, at every entry point: MemoryError and nothing else.

Nothing crashes, no result is wrong, and the next call is right. Two kinds of allocations fail by
turns: those of Python's allocators, by CPython's own _testcapi, and those of the C library where a
compiled module calls it, by failing_malloc.c. That the two are counted apart reaches further: there
are few of the second kind, and 200 of the first may not come to them.

Python itself, and numpy, have some places that report another error where there is no memory.
allocation_trials.py lists these, and they are counted here.
"""

from __future__ import annotations

import importlib.util
import json
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from trust.allocation_trials import NOTE_BYTES
from trust.part import TESTS, WORK, Finished, Outcome, Part, environment, finish, measured, skip

SOURCE = TESTS / "trust" / "failing_malloc.c"
PROCESSES = 2
WHAT = {"python": "Python's allocators", "kernel": "malloc of compiled modules"}


def compiled(compiler: str) -> tuple[Path, str]:
    """The library for LD_PRELOAD, or why there is none."""
    WORK.mkdir(parents=True, exist_ok=True)
    library = WORK / "failing_malloc.so"
    flags = ["-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror"]
    done = finish([compiler, *flags, "-o", library, SOURCE], 60)
    return library, "" if done.status == 0 else done.why()


def trial(kind: str, number: int, changes: dict[str, str | None]) -> tuple[Finished, str]:
    """One process with its share of the entries; how it ended, and what it tried last."""
    with tempfile.NamedTemporaryFile() as notes:
        notes.truncate(NOTE_BYTES)
        options: Sequence[object] = ["-X", "faulthandler", "-m", "trust.allocation_trials"]
        share = [kind, number, PROCESSES, 1, notes.name]
        env = environment(changes=changes)
        done = finish([sys.executable, *options, *share], 1800, env=env)
        return done, Path(notes.name).read_text().strip()


def trials(kind: str, changes: dict[str, str | None]) -> Iterator[Outcome]:
    failed = excused = 0
    with measured(WHAT[kind]) as outcome:
        with ThreadPoolExecutor(PROCESSES) as pool:
            ended = list(pool.map(lambda number: trial(kind, number, changes), range(PROCESSES)))
        for done, last in ended:
            try:
                found = json.loads(done.output.strip().splitlines()[-1])
            except (ValueError, IndexError):
                outcome.check(False, f"{last}: the process {done.why()}")
                continue
            outcome.cases += found[0]
            failed += found[1]
            excused += found[2]
            outcome.failures += found[3]
    outcome.what += f"; {failed:,} calls ended in MemoryError"
    if excused:
        outcome.what += f" or, {excused:,} of them, in an error of Python's or numpy's own"
    if not failed:
        outcome.check(False, "no allocation has failed")
    yield outcome


def run(long: bool) -> Iterator[Outcome]:
    if importlib.util.find_spec("_testcapi") is None:
        yield skip(WHAT["python"], "this Python has no _testcapi")
    else:
        yield from trials("python", {})
    compiler = shutil.which(os.environ.get("CC", "cc"))
    if platform.libc_ver()[0] != "glibc" or not compiler:
        yield skip(WHAT["kernel"], "needs the GNU C library and a C compiler")
        return
    library, problem = compiled(compiler)
    if problem:
        yield Outcome(WHAT["kernel"], failures=[f"failing_malloc.c: {problem}"])
        return
    preloaded = " ".join(filter(None, [str(library), os.environ.get("LD_PRELOAD", "")]))
    yield from trials("kernel", {"LD_PRELOAD": preloaded})


PART = Part("allocation", "MemoryError, and nothing else, where the k-th allocation fails", run)

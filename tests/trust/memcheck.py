"""Valgrind's memcheck, on the ordinary build.

It detects what AddressSanitizer does not: the use of uninitialized memory. CPython 3.11 causes a
false alarm for each integer 0 that is created from bytes or text: its first digit, which is not
initialized, is multiplied by 0, and every later use of that 0 is reported, even for `python -c
pass`. So uninitialized memory and leaks count only if a module of this package is in the stack,
below the garbage collector, which may start anywhere and visits every 0. Invalid reads and writes
always count.
"""

from __future__ import annotations

import os
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path

from trust.children import WORK, Finished, environment, finish

HERE = Path(__file__).resolve().parent
# CPython's own rules, as Debian installs them.
CPYTHON = Path("/usr/lib/valgrind/python3.supp")
OF_ANYBODY = ("InvalidRead", "InvalidWrite", "InvalidFree", "InvalidJump", "MismatchedFree")


def check(*code: object, build: Path | None = None) -> tuple[Finished, list[str]]:
    """Run Python code, with its arguments, and return the errors that count."""
    WORK.mkdir(parents=True, exist_ok=True)
    descriptor, report = tempfile.mkstemp(".xml", "memcheck-", WORK)
    os.close(descriptor)
    rules = [HERE / "valgrind.supp", *([CPYTHON] if CPYTHON.exists() else [])]
    options = ["--quiet", "--num-callers=60", "--leak-check=full", "--show-leak-kinds=definite"]
    options += ["--xml=yes", f"--xml-file={report}"]
    options += [f"--suppressions={rule}" for rule in rules]
    command = ["valgrind", *options, sys.executable, "-c", *code]
    done = finish(command, 7200, env=environment(build, PYTHONMALLOC="malloc"))
    errors = list(_errors(report))
    os.unlink(report)
    return done, errors


def _errors(report: str) -> Iterator[str]:
    """The errors of a report that count, each with its stack."""
    for error in ElementTree.parse(report).iter("error"):
        kind = error.findtext("kind", "")
        frames = list(error.iter("frame"))
        if kind in OF_ANYBODY or _ours(frames):
            text = error.findtext("what") or error.findtext("xwhat/text") or ""
            stack = [f"{frame.findtext('fn')} ({frame.findtext('obj')})" for frame in frames]
            yield "\n    ".join([f"{kind}: {text}", *stack[:30]])


def _ours(frames: list[ElementTree.Element]) -> bool:
    """Whether a module of this package is in a stack, nearer than the collector of garbage."""
    for frame in frames:
        if frame.findtext("fn") == "gc_collect_main":
            return False
        if "/fastbleu/" in frame.findtext("obj", ""):
            return True
    return False

"""Valgrind's memcheck, on the ordinary build.

It detects what AddressSanitizer does not: the use of uninitialized memory. CPython 3.11 causes a
false alarm for each integer 0 that is created from bytes or text: its first digit, which is not
initialized, is multiplied by 0, and every later use of that 0 is reported, even for `python -c
pass`. So uninitialized memory and leaks count only if a module of this package is in the stack,
nearer than the garbage collector, which may start anywhere and visits every 0, and uninitialized
memory only if it is nearer than Python code, such as that of imports. Invalid reads and writes
always count.
"""

import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path

from trust.children import Finished, environment, finish

# Our rules, and CPython's own, as Debian installs them.
RULES = [Path(__file__).with_name("valgrind.supp"), Path("/usr/lib/valgrind/python3.supp")]
OF_ANYBODY = ("InvalidRead", "InvalidWrite", "InvalidFree", "InvalidJump", "MismatchedFree")


def check(directory: Path, code: str, build: Path | None = None) -> tuple[Finished, list[str]]:
    """Run Python code and return the errors that count; the report lies in the directory."""
    report = directory / "memcheck.xml"
    options = ["--quiet", "--num-callers=60", "--leak-check=full", "--show-leak-kinds=definite"]
    options += ["--xml=yes", f"--xml-file={report}"]
    options += [f"--suppressions={rule}" for rule in RULES if rule.exists()]
    command = ["valgrind", *options, sys.executable, "-c", code]
    done = finish(command, 7200, env=environment(build, PYTHONMALLOC="malloc"))
    return done, list(_errors(report))


def _errors(report: Path) -> Iterator[str]:
    """The errors of a report that count, each with its stack."""
    for error in ElementTree.parse(report).iter("error"):
        kind = error.findtext("kind", "")
        frames = list(error.iter("frame"))
        others = {"gc_collect_main"}
        if kind.startswith("Uninit"):
            others.add("_PyEval_EvalFrameDefault")
        if kind in OF_ANYBODY or _is_ours(frames, others):
            text = error.findtext("what") or error.findtext("xwhat/text") or ""
            stack = [f"{frame.findtext('fn')} ({frame.findtext('obj')})" for frame in frames]
            yield "\n    ".join([f"{kind}: {text}", *stack[:30]])


def _is_ours(frames: list[ElementTree.Element], others: set[str]) -> bool:
    """Whether a module of this package is in a stack, nearer than the functions of others."""
    for frame in frames:
        if frame.findtext("fn") in others:
            return False
        if "/fastbleu/" in frame.findtext("obj", ""):
            return True
    return False

"""AddressSanitizer, LeakSanitizer and UndefinedBehaviorSanitizer: the build, and what runs on it.

Every process is checked for leaks (at_exit/sitecustomize.py). Stacks of allocations are unwound
in one of two ways: by frame pointers, which this build has but CPython does not, so that a stack
ends at the interpreter; or by tables (fast_unwind_on_malloc=0), which makes everything 4 times
slower for the first frames of a stack and 19 times for all frames. The findings are the same. So
the short form unwinds whole stacks only for the entry points; the long form the first frames for
all tests, and whole stacks for those tests that the short form runs.
"""

import os
import re
from pathlib import Path

from trust.children import WORK, Finished, build_into, environment, finish, python, tool

HERE = Path(__file__).resolve().parent
BUILD = WORK / "sanitized"
REPORT = re.compile(r"runtime error:|ERROR: \w+Sanitizer|SUMMARY: \w+Sanitizer")
ALL_FRAMES = 30  # what the run-time keeps unless told otherwise


def missing() -> str:
    """Why nothing can be built with sanitizers here; "" where it can."""
    if not tool("gcc"):
        return "there is no gcc"
    absent = [library for library in libraries() if not os.path.isabs(library)]
    return f"gcc has no {', '.join(absent)}" if absent else ""


def libraries() -> list[str]:
    """What has to be loaded before Python, which is not built with sanitizers."""
    names = ("libasan.so", "libubsan.so", "libstdc++.so")
    return [finish(["gcc", f"-print-file-name={name}"]).output.strip() for name in names]


def sanitized(
    build: Path = BUILD, frames: int | None = None, **changes: str | None
) -> dict[str, str]:
    """The environment of a Python process with the sanitizers' run-time and a build for it.

    `frames` of each stack are unwound by tables; without it, by frame pointers.
    """
    asan = "detect_leaks=1:leak_check_at_exit=0:allocator_may_return_null=1"
    asan += f":fast_unwind_on_malloc={int(frames is None)}"
    asan += f":malloc_context_size={frames or ALL_FRAMES}"
    settings = {
        "PYTHONMALLOC": "malloc",
        "FASTBLEU_SANITIZED": "1",
        "LD_PRELOAD": " ".join(libraries()),
        "ASAN_OPTIONS": asan,
        "LSAN_OPTIONS": f"suppressions={HERE / 'leaks.supp'}:print_suppressions=0",
        "UBSAN_OPTIONS": "print_stacktrace=1",
    }
    found = environment(build, **{**settings, **changes})
    found["PYTHONPATH"] += os.pathsep + str(HERE / "at_exit")
    return found


def make() -> None:
    """The build, and a look at whether it is what is imported and whether leaks are looked for."""
    build_into(BUILD, FASTBLEU_SANITIZE="1")
    code = "import fastbleu, sitecustomize; print(fastbleu.__file__, sitecustomize.check)"
    seen = python("-c", code, env=sanitized())
    assert seen.status == 0, seen.why()
    assert str(BUILD) in seen.output


def worst(done: Finished) -> str:
    """The reports of sanitizers, or what pytest says at the end."""
    lines = (done.output + done.errors).splitlines()
    first = next((i for i, line in enumerate(lines) if REPORT.search(line)), None)
    return "\n".join(lines[-60:] if first is None else lines[first : first + 60])

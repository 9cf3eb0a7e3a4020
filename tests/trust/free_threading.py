"""CPython without the GIL: shared calls, lists that change meanwhile, ThreadSanitizer.

The long form builds two such CPythons the first time (free_threading_build.py), and fastbleu for
both. The GIL is off in all of it, whether or not the compiled modules say that they can do without.
"""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from trust.free_threading_build import (
    PACKAGES,
    SUPPRESSIONS,
    BuildError,
    build_fastbleu,
    free_threaded,
    missing,
)
from trust.part import (
    LONG_ONLY,
    TESTS,
    WORK,
    Finished,
    Outcome,
    Part,
    environment,
    finish,
    measured,
    say,
    skip,
)
from trust.threads import ORDERS, THREADS, report

HERE = Path(__file__).parent
CALLS, CHANGES = 10_000, 1000
# Under ThreadSanitizer all is 10 to 50 times slower.
SANITIZED_CALLS, SANITIZED_CHANGES = 300, 30
CHILD_CHANGES = 250
DECLARED = "import sys, fastbleu, fastbleu.sacrebleu, fastbleu.matrix; print(sys._is_gil_enabled())"
BOUNDARY = re.compile(r"^={18}$", re.MULTILINE)
# What a thread does at that moment: #1 where #0 is the sanitizer's own memmove, for instance.
OURS = re.compile(r"^ +#[01] .*src/fastbleu/", re.MULTILINE)


class Target:
    """A CPython without the GIL, and a build of fastbleu for it."""

    def __init__(self, sanitized: bool) -> None:
        self.sanitized = sanitized
        self.what = "CPython without the GIL" + (", ThreadSanitizer" if sanitized else "")
        self.build = WORK / ("free-threaded-tsan" if sanitized else "free-threaded")
        self.python = Path()

    def prepare(self) -> Outcome:
        with measured(f"{self.what}: builds") as outcome:
            try:
                self.python = free_threaded(self.sanitized)
                problem = build_fastbleu(self.build, self.sanitized)
            except BuildError as error:
                problem = str(error)
            outcome.check(not problem, problem)
        return outcome

    def run(self, *arguments: object, timeout: float = 3600, **changes: str | None) -> Finished:
        tsan = f"suppressions={SUPPRESSIONS}:history_size=4:exitcode=0"
        settings = {"PYTHON_GIL": "0", "TSAN_OPTIONS": tsan, "PYTHONHASHSEED": "0", **changes}
        names = [argument.stem for argument in arguments if isinstance(argument, Path)]
        log = f"{self.build.name}.{''.join(names) or 'import'}.log"
        env = environment(self.build, settings)
        env["PYTHONPATH"] += os.pathsep + str(PACKAGES)
        return finish([self.python, *arguments], timeout, env=env, log=log)

    def regressions(self) -> Outcome:
        tests = TESTS / "test_free_threading.py"
        options = ["-m", "pytest", "-q", "-s", "-p", "no:cacheprovider", "--noconftest"]
        with measured(f"{self.what}: what went wrong before") as outcome:
            child = self.run(*options, tests)
            outcome.check(child.status == 0, child.why())
            outcome.cases = sum(map(int, re.findall(r"(\d+) passed", child.output)))
            outcome.failures += races(child)
        return outcome

    def shared(self) -> Outcome:
        calls = SANITIZED_CALLS if self.sanitized else CALLS
        with measured(f"{self.what}: {THREADS} threads on shared objects, bit-equal") as outcome:
            child = self.run(HERE / "shared_calls.py", calls)
            said = report(child, outcome)
            made: list[int] = said.get("calls", [0])  # type: ignore[assignment]
            outcome.check(min(made) >= calls, f"a thread made {min(made)} calls")
            outcome.cases = sum(made)
            outcome.failures += races(child)
        return outcome

    def changes(self) -> Outcome:
        """Lists that other threads change; many children, so that a crash ends one of them only."""
        count = SANITIZED_CHANGES if self.sanitized else CHANGES
        notes = Counter[str]()
        with measured(f"{self.what}: lists changed by other threads during calls") as outcome:
            for first in range(0, count, CHILD_CHANGES):
                its = min(CHILD_CHANGES, count - first)
                child = self.run(HERE / "free_threading_changes.py", first, its)
                said = report(child, outcome)
                outcome.cases += said.get("cases", 0)  # type: ignore[operator]
                notes += Counter(said.get("notes"))  # type: ignore[arg-type]
                outcome.failures += races(child)
        say(f"free_threading: {outcome.what}: {dict(notes)}")
        return outcome

    def sub_interpreters(self) -> Outcome:
        with measured(f"{self.what}: sub-interpreters refused") as outcome:
            for order in ORDERS:
                child = self.run(HERE / "subinterpreters.py", order, timeout=300)
                outcome.check(child.status == 0, f"{order}: {child.why()}")
                outcome.check(child.output.count("ImportError: ") == 2, f"{order}: {child.output}")
        return outcome

    def declaration(self) -> Outcome:
        """Importing leaves the GIL off: every compiled module declares that it needs none."""
        with measured(f"{self.what}: importing leaves the GIL off") as outcome:
            command = ["-W", "error", "-c", DECLARED]
            child = self.run(*command, PYTHON_GIL=None)
            outcome.check(child.output.strip() == "False", child.why())
        return outcome


def races(child: Finished) -> list[str]:
    """ThreadSanitizer's reports of what fastbleu does; a report of each pair of places.

    CPython reads lists without their locks and looks again afterwards, which is reported, too.
    """
    found: dict[str, str] = {}
    others = 0
    for part in BOUNDARY.split(child.errors):
        if "WARNING: ThreadSanitizer" not in part:
            continue
        if OURS.search(part):
            found.setdefault("".join(re.findall(r"#[01] \S+", part)), part.strip()[:4000])
        else:
            others += 1
    if others:
        say(f"free_threading: {others} reports of ThreadSanitizer of CPython and numpy")
    return list(found.values())


def run(long: bool) -> Iterator[Outcome]:
    for target in (Target(False), Target(True)):
        problem = missing(target.sanitized) if long else LONG_ONLY
        if not sys.platform.startswith("linux"):
            problem = "needs Linux"
        if problem:
            yield skip(target.what, problem)
            continue
        made = target.prepare()
        yield made
        if made.failures:
            continue
        if not target.sanitized:
            yield target.declaration()
            yield target.sub_interpreters()
        yield target.regressions()
        yield target.shared()
        yield target.changes()


PART = Part("free_threading", "CPython without the GIL, and ThreadSanitizer", run)

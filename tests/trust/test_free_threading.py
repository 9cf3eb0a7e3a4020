"""CPython without the GIL: shared calls, lists that change meanwhile, ThreadSanitizer.

The long form builds two such CPythons the first time (free_threading_build.py), and fastbleu for
both. The GIL is off in all of it, whether or not the compiled modules say that they can do without.
"""

import os
import re
import sys

import pytest

from trust.children import TESTS, WORK, environment, finish
from trust.free_threading_build import (
    PACKAGES,
    SUPPRESSIONS,
    build_fastbleu,
    free_threaded,
    missing,
)
from trust.test_threads import SUB_INTERPRETERS, no_failures

pytestmark = pytest.mark.long_only

CHILD_CHANGES = 250
DECLARED = "import sys, fastbleu, fastbleu.sacrebleu, fastbleu.matrix; print(sys._is_gil_enabled())"
BOUNDARY = re.compile(r"^={18}$", re.MULTILINE)
# What a thread does at that moment: #1 where #0 is the sanitizer's own memmove, for instance.
OURS = re.compile(r"^ +#[01] .*src/fastbleu/", re.MULTILINE)


class Target:
    """A CPython without the GIL, and a build of fastbleu for it."""

    def __init__(self, sanitized):
        self.sanitized = sanitized
        self.build = WORK / ("free-threaded-tsan" if sanitized else "free-threaded")
        self.python = free_threaded(sanitized)
        build_fastbleu(self.build, sanitized)

    def run(self, *arguments, **changes):
        tsan = f"suppressions={SUPPRESSIONS}:history_size=4:exitcode=0"
        settings = {"PYTHON_GIL": "0", "TSAN_OPTIONS": tsan, "PYTHONHASHSEED": "0", **changes}
        env = environment(self.build, **settings)
        env["PYTHONPATH"] += os.pathsep + str(PACKAGES)
        name = re.sub(r"\W+", "-", str(arguments[1]))[-40:]
        log = f"{self.build.name}.{name}.log"
        child = finish([self.python, *arguments], 3600, env=env, log=log)
        assert not races(child)
        return child

    def module(self, name, *arguments):
        return self.run("-m", f"trust.{name}", *arguments)


@pytest.fixture(scope="module", params=[False, True], ids=["plain", "ThreadSanitizer"])
def target(request):
    if not sys.platform.startswith("linux"):
        pytest.skip("needs Linux")
    if reason := missing(request.param):
        pytest.skip(reason)
    return Target(request.param)


without_sanitizer = pytest.mark.parametrize("target", [False], ids=["plain"], indirect=True)


@without_sanitizer
def test_importing_leaves_the_gil_off(target):
    """Every compiled module declares that it needs none."""
    child = target.run("-W", "error", "-c", DECLARED, PYTHON_GIL=None)
    assert child.output.strip() == "False", child.why()


@without_sanitizer
@pytest.mark.parametrize("order", ["main first", "main last"])
def test_sub_interpreters_are_refused(target, order):
    child = target.run(SUB_INTERPRETERS, order)
    assert child.status == 0, child.why()
    assert child.output.count("ImportError: ") == 2, child.output


def test_threads_and_former_races(target):
    tests = TESTS / "core" / "runtime" / "test_threads.py"
    options = ["-q", "-s", "-p", "no:cacheprovider", "--noconftest"]
    child = target.run("-m", "pytest", *options, tests)
    assert child.status == 0, child.why()


def test_eight_threads_on_shared_objects(target):
    no_failures(target.module("shared_calls", 0.05))


def test_lists_changed_by_other_threads_during_calls(target):
    """Many children, so that a crash ends one of them only."""
    count = 30 if target.sanitized else 1000
    for first in range(0, count, CHILD_CHANGES):
        trials = first, min(CHILD_CHANGES, count - first)
        child = target.module("hostile_trial", "changed", *trials)
        assert child.status == 0, child.why()


def races(child):
    """ThreadSanitizer's reports of what fastbleu does; a report of each pair of places.

    CPython reads lists without their locks and looks again afterwards, which is reported, too.
    """
    found = {}
    for part in BOUNDARY.split(child.errors):
        if "WARNING: ThreadSanitizer" in part and OURS.search(part):
            found.setdefault("".join(re.findall(r"#[01] \S+", part)), part.strip()[:4000])
    return list(found.values())

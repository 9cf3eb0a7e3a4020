"""Threads on shared objects, processes made meanwhile, and sub-interpreters."""

from __future__ import annotations

import glob
import json
import os
import random
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from first_call_fork import CALLS

from trust.children import WORK, build_into, environment, finish, python

SHARED_CALLS, LONG_SHARED_CALLS = 10_000, 1_000_000
FIRST_CALLS, LONG_FIRST_CALLS = 50, 1000
VERSIONS = ["3.10", "3.11", "3.12", "3.13", "3.14"]
MINE = f"{sys.version_info[0]}.{sys.version_info[1]}"
SUB_INTERPRETERS = Path(__file__).with_name("subinterpreters.py")


def said_by(child, cases):
    """What a child says in its last line; its failures become those of the test."""
    assert child.status == 0, child.why()
    said = json.loads(child.output.splitlines()[-1])
    cases.failures += said["failures"]
    return said


def shared_calls(cases, calls, run):
    """Eight threads on shared objects; `run` starts the child."""
    said = said_by(run("shared_calls", calls), cases)
    cases.count = sum(said["calls"])
    cases.note = f"{said['entries']} entry points"
    assert min(said["calls"]) >= calls


def test_eight_threads_on_shared_objects(cases, long):
    timeout = 14_400 if long else 600
    calls = LONG_SHARED_CALLS if long else SHARED_CALLS
    shared_calls(cases, calls, lambda *child: python(*child, timeout=timeout))


def test_fork_spawn_and_forkserver_while_threads_count(cases, long):
    forks, spawns = (1000, 50) if long else (50, 4)
    said = said_by(python("forking", forks, spawns, timeout=3600), cases)
    cases.count = forks + 2 * spawns
    cases.note = f"{said['rounds']} rounds"


def test_forks_while_another_thread_is_in_its_first_call(cases, long):
    """At random moments; the modules that a call imports were locked for ever in the child."""
    moments = random.Random(os.environ["FASTBLEU_TEST_SEED"])
    count = LONG_FIRST_CALLS if long else FIRST_CALLS
    forks = [(moments.choice(sorted(CALLS)), moments.uniform(0, 0.2)) for _ in range(count)]

    def fork(name, delay):
        command = sys.executable, "-m", "first_call_fork", name, delay
        child = finish(command, 300, env=environment())
        return "" if child.status == 0 else f"{name} after {delay:.4f} s: {child.why()}"

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        cases.failures += filter(None, pool.map(fork, *zip(*forks, strict=True)))
    cases.count = len(forks)


def python_of(version):
    """Another CPython, where tests/pythons.sh finds it."""
    root = os.environ.get("PYENV_ROOT", str(Path.home() / ".pyenv"))
    found = sorted(glob.glob(f"{root}/versions/{version}.*/bin/python3"))
    return found[-1] if found else shutil.which(f"python{version}")


@pytest.mark.parametrize("order", ["main first", "main last"])
@pytest.mark.parametrize(
    "version",
    [pytest.param(v, marks=[] if v == MINE else [pytest.mark.long_only]) for v in VERSIONS],
)
def test_sub_interpreters(cases, version, order):
    python, build = sys.executable, None
    if version != MINE:
        python, build = python_of(version), WORK / f"python-{version}"
        if not python:
            pytest.skip(f"there is no CPython {version}")
        build_into(build, python)
    child = finish([python, SUB_INTERPRETERS, order], 120, env=environment(build))
    assert child.status == 0, child.why()
    if child.output.startswith("not here"):
        pytest.skip("this Python has none")
    cases.count = len(child.output.splitlines())

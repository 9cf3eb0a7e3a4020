"""Threads on shared objects, processes made meanwhile, and sub-interpreters."""

from __future__ import annotations

import glob
import json
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from trust.part import (
    LONG_ONLY,
    WORK,
    Finished,
    Outcome,
    Part,
    build_into,
    environment,
    finish,
    measured,
    skip,
)

HERE = Path(__file__).parent
THREADS = 8
CALLS = 10_000
LONG_CALLS = 1_000_000
FORKS, SPAWNS = 50, 4
LONG_FORKS, LONG_SPAWNS = 1000, 50
VERSIONS = ["3.10", "3.11", "3.12", "3.13", "3.14"]
ORDERS = ["main first", "main last"]


def report(child: Finished, outcome: Outcome) -> dict[str, object]:
    """What a child says in its last line; its failures become the outcome's."""
    if child.status:
        outcome.failures.append(child.why())
        return {}
    said: dict[str, object] = json.loads(child.output.splitlines()[-1])
    outcome.failures += said["failures"]  # type: ignore[arg-type]
    return said


def shared(long: bool) -> Outcome:
    calls = LONG_CALLS if long else CALLS
    with measured(f"{THREADS} threads on shared objects, bit-equal") as outcome:
        child = finish([sys.executable, HERE / "shared_calls.py", calls], 14_400 if long else 600)
        said = report(child, outcome)
        made = said.get("calls", [0])
        outcome.cases = sum(made)  # type: ignore[arg-type]
        outcome.check(min(made) >= calls, f"a thread made {min(made)} calls")  # type: ignore[call-overload]
        outcome.cases -= 1
        outcome.what += f" over {said.get('entries')} entry points"
    return outcome


def processes(long: bool) -> Outcome:
    forks, spawns = (LONG_FORKS, LONG_SPAWNS) if long else (FORKS, SPAWNS)
    with measured("fork, spawn and forkserver while threads count") as outcome:
        command = [sys.executable, HERE / "forking.py", forks, spawns]
        said = report(finish(command, 3600 if long else 600), outcome)
        outcome.cases = forks + 2 * spawns
        outcome.what += f", {said.get('rounds')} rounds"
    return outcome


def pythons() -> Iterator[tuple[str, str]]:
    """Every other CPython that is found, as tests/pythons.sh does: version and path."""
    root = os.environ.get("PYENV_ROOT", str(Path.home() / ".pyenv"))
    for version in VERSIONS:
        if version == f"{sys.version_info[0]}.{sys.version_info[1]}":
            continue
        found = sorted(glob.glob(f"{root}/versions/{version}.*/bin/python3"))
        python = found[-1] if found else shutil.which(f"python{version}")
        if python:
            yield version, python


def sub_interpreters(what: str, python: str, build: Path | None) -> Outcome:
    said = []
    with measured(f"sub-interpreters of CPython {what}") as outcome:
        for order in ORDERS:
            command = [python, HERE / "subinterpreters.py", order]
            child = finish(command, 120, env=environment(build))
            said += child.output.splitlines()
            if child.output.startswith("not here"):
                return skip(outcome.what, "this Python has none")
            if child.status:
                outcome.failures.append(f"{order}: {child.why()}")
        outcome.cases = len(said)
        refused = any("ImportError: " in line for line in said)
        outcome.what += ": a clean ImportError" if refused else ": work"
    return outcome


def run(long: bool) -> Iterator[Outcome]:
    yield shared(long)
    yield processes(long)
    mine = f"{sys.version_info[0]}.{sys.version_info[1]}"
    yield sub_interpreters(mine, sys.executable, None)
    for version, python in pythons():
        build = WORK / f"python-{version}"
        what = f"sub-interpreters of CPython {version}"
        if not long and not build.exists():
            yield skip(what, LONG_ONLY)
            continue
        if long:
            problem = build_into(build, python)
            if problem:
                yield Outcome(what, failures=[problem])
                continue
        yield sub_interpreters(version, python, build)


PART = Part("threads", "threads, processes made meanwhile, sub-interpreters", run)

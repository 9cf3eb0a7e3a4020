"""What a part of the gate is, and how its parts run commands and children of Python.

A part is a module of this directory with a `PART`. Modules are imported as `trust.NAME`, with
`tests` on the path: `from trust.part import ...` here, in children (see `environment`), in tests.
"""

from __future__ import annotations

import os
import queue
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")
TESTS = Path(__file__).resolve().parent.parent
ROOT = TESTS.parent
# Logs, builds and whatever else a part leaves behind.
WORK = ROOT / "build" / "trust"
LONG_ONLY = "in the long form only"
CLANGS = ("clang", "clang-19", "clang-16", "clang-15", "clang-14")
# What seeds every random trial: printed with each failure, and `run.py --seed` sets it.
SEED = "FASTBLEU_TEST_SEED"


@dataclass
class Outcome:
    """A line of the table: what was tried, how often, what went wrong, or why it was not tried."""

    what: str
    cases: int = 0
    seconds: float = 0.0
    failures: list[str] = field(default_factory=list)
    skipped: str = ""

    def check(self, right: object, message: str) -> None:
        """Count a case, which has failed unless `right`."""
        self.cases += 1
        if not right:
            self.failures.append(message)


@dataclass(frozen=True)
class Part:
    """`run` gets whether it is the long form; every outcome is shown as soon as it is there."""

    name: str
    title: str
    run: Callable[[bool], Iterator[Outcome]]


@dataclass(frozen=True)
class Finished:
    """A command that has ended; a `status` below 0 is a signal's. `errors` is standard error."""

    status: int
    output: str
    errors: str
    seconds: float
    timed_out: bool = False

    def why(self, lines: int = 40) -> str:
        """How it ended, with the last lines that it said."""
        said = (self.output + self.errors).strip().splitlines()
        reason = "took too long" if self.timed_out else f"ended with status {self.status}"
        return "\n    ".join([f"{reason} after {self.seconds:.1f} s", *said[-lines:]])


@contextmanager
def measured(what: str) -> Iterator[Outcome]:
    """An outcome that is timed; an exception in the block is a failure of it, not of the gate."""
    outcome = Outcome(what)
    start = time.perf_counter()
    try:
        yield outcome
    except Exception as error:
        import traceback

        trace = "".join(traceback.format_exception(type(error), error, error.__traceback__))
        outcome.failures.append(f"the part itself failed\n{trace}")
    finally:
        outcome.seconds = time.perf_counter() - start


def skip(what: str, reason: str) -> Outcome:
    """An outcome of something that cannot be tried here, or is LONG_ONLY."""
    return Outcome(what, skipped=reason)


def say(message: str) -> None:
    """Progress, for whoever waits."""
    print(message, flush=True)


def environment(
    build: str | Path | None = None, changes: Mapping[str, str | None] | None = None
) -> dict[str, str]:
    """The environment of a child that can import `trust.*` and the helpers of the tests.

    `build` is a directory with another build of fastbleu (see `build_into`); without one a child
    has the package of this very Python. None as a value removes a variable.
    """
    found = dict(os.environ)
    paths = [str(build)] if build else []
    found["PYTHONPATH"] = os.pathsep.join([*paths, str(TESTS)])
    for name, value in (changes or {}).items():
        if value is None:
            found.pop(name, None)
        else:
            found[name] = value
    return found


# Commands under way, and whether there are to be no more because somebody pressed Ctrl-C.
_running: set[subprocess.Popen[bytes]] = set()
_stopped = threading.Event()


def together(*runs: Callable[[], Iterator[T]]) -> Iterator[T]:
    """Try several things side by side, each of which keeps one processor busy."""
    outcomes: queue.SimpleQueue[T | None] = queue.SimpleQueue()

    def go_through(run: Callable[[], Iterator[T]]) -> None:
        try:
            for outcome in run():
                outcomes.put(outcome)
        finally:
            outcomes.put(None)

    threads = [threading.Thread(target=go_through, args=(run,)) for run in runs]
    for thread in threads:
        thread.start()
    try:
        left = len(threads)
        while left:
            outcome = outcomes.get()
            if outcome is None:
                left -= 1
            else:
                yield outcome
    except BaseException:
        _stopped.set()
        for process in list(_running):
            end(process)
        raise
    finally:
        for thread in threads:
            thread.join()


def end(process: subprocess.Popen[bytes]) -> None:
    """Kill a process that was started as the head of a session, and all that it has started."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def finish(
    command: Sequence[object],
    timeout: float = 600,
    *,
    env: Mapping[str, str] | None = None,
    stdin: bytes | None = None,
    log: str = "",
) -> Finished:
    """Run a command in the root of the project to its end, which comes after `timeout` at last.

    It is the head of a session of its own, so that neither Ctrl-C nor a timeout leaves any of its
    children behind. With `log` all that it says is written to WORK/log too.
    """
    if _stopped.is_set():
        raise InterruptedError("the gate was stopped")
    start = time.perf_counter()
    process = subprocess.Popen(
        [str(word) for word in command],
        cwd=ROOT,
        env=dict(environment() if env is None else env),
        stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    timed_out = False
    _running.add(process)
    try:
        out, err = process.communicate(stdin, timeout)
    except subprocess.TimeoutExpired:
        end(process)
        out, err = process.communicate()
        timed_out = True
    finally:
        end(process)
        _running.discard(process)
    if log:
        WORK.mkdir(parents=True, exist_ok=True)
        (WORK / log).write_bytes(out + err)
    seconds = time.perf_counter() - start
    texts = (out.decode(errors="replace"), err.decode(errors="replace"))
    return Finished(process.returncode, *texts, seconds, timed_out)


def child(
    code: str,
    *arguments: object,
    timeout: float = 600,
    options: Sequence[str] = (),
    env: Mapping[str, str] | None = None,
    stdin: bytes | None = None,
    log: str = "",
) -> Finished:
    """Run Python code in a process of its own; `arguments` are its sys.argv[1:]."""
    command = [sys.executable, *options, "-c", code, *arguments]
    return finish(command, timeout, env=env, stdin=stdin, log=log)


def install(
    directory: Path,
    *arguments: str,
    python: str = sys.executable,
    timeout: float = 600,
    env: Mapping[str, str] | None = None,
) -> str:
    """Install packages into a directory of their own by pip; "" or why that failed."""
    pip = [python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    done = finish([*pip, "--target", directory, *arguments], timeout, env=env)
    return f"installing {' '.join(arguments)} {done.why()}" if done.status else ""


def build_into(directory: Path, python: str = sys.executable, **switches: str) -> str:
    """Build the package with switches of setup.py into a directory; "" or why that failed.

    Only these switches: none of the environment's own has a say.
    """
    shutil.rmtree(directory, ignore_errors=True)
    names = [name for name in os.environ if name.startswith("FASTBLEU_")]
    env = environment(changes={**dict.fromkeys(names), "PYTHONPATH": None, **switches})
    failure = install(directory, "--no-deps", ".", python=python, timeout=1800, env=env)
    return f"the build {switches}: {failure}" if failure else ""


def tool(name: str) -> str:
    """The path of a program, or "" where it is not installed."""
    return shutil.which(name) or ""


def clang() -> str:
    """The path of clang, or "" where it is not installed."""
    return next(filter(None, map(tool, CLANGS)), "")

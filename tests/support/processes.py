"""Processes that tests start."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
# Where all is that the trust gate leaves behind.
WORK = ROOT / "build" / "trust"
POSIX = os.name == "posix"
# Seconds after which a process hangs; those that train models may take TRAINS.
HANGS, TRAINS = 60, 300


def python(*words: Any, noisy: bool = False, seconds: float = HANGS, **environment: str) -> str:
    """What a Python process prints that ends well; it can import the helpers of the tests.

    Only one that is `noisy` may write to standard error.
    """
    status, out, err = python_ends(*words, seconds=seconds, **environment)
    assert status == 0, out + err
    assert noisy or not err, err
    return out


def python_ends(*words: Any, seconds: float = HANGS, **environment: str) -> tuple[int, str, str]:
    """Exit status, standard output and standard error of a Python process."""
    paths = os.pathsep.join([str(ROOT / "tests" / "support"), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, *map(str, words)],
        env={**os.environ, "PYTHONPATH": paths, **environment},
        capture_output=True,
        text=True,
        timeout=seconds,
    )
    return done.returncode, done.stdout, done.stderr


class Finished(NamedTuple):
    """A command that has ended; a `status` below 0 is a signal's. `errors` is standard error."""

    status: int
    output: str
    errors: str
    hung: bool

    def why(self, lines: int = 40) -> str:
        """How it ended, with the last lines that it printed."""
        printed = (self.output + self.errors).strip().splitlines()
        return "\n    ".join([f"ended with status {self.status}", *printed[-lines:]])


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
    log: str = "",
) -> Finished:
    """Run a command in the root of the project to its end, or until `timeout`.

    It is the head of a session of its own, so that neither Ctrl-C nor a timeout leaves any of its
    children behind. With `log` its output is written to WORK/log, too.
    """
    process = subprocess.Popen(
        [str(word) for word in command],
        cwd=ROOT,
        env=None if env is None else dict(env),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    hung = False
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        end(process)
        out, err = process.communicate()
        err, hung = err + f"\nit was killed after {timeout} s".encode(), True
    finally:
        end(process)
    if log:
        WORK.mkdir(parents=True, exist_ok=True)
        (WORK / log).write_bytes(out + err)
    texts = (printed.decode(errors="replace") for printed in (out, err))
    return Finished(process.returncode, *texts, hung)

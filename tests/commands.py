"""Running the commands `fastbleu` and `sacrebleu` as users do."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from fastbleu.dialects._sacrebleu import VERSION

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"
R1, R2 = EXAMPLES / "reference.1.txt", EXAMPLES / "reference.2.txt"
A, B = EXAMPLES / "system-a.txt", EXAMPLES / "system-b.txt"
THEIR_VERSION = VERSION.partition("+")[0]
POSIX = os.name == "posix"


def start(*arguments: Any, command: str = "fastbleu", **options: Any) -> subprocess.Popen[bytes]:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    if "env" in options:
        options["env"] = {**os.environ, **options["env"]}
    words = [sys.executable, "-m", command, *map(str, arguments)]
    return subprocess.Popen(words, **{**pipes, **options})


def python(*words: Any, noisy: bool = False, **environment: str) -> str:
    """What a Python process prints that ends well; it can import the helpers of the tests.

    Only one that is `noisy` may write to standard error.
    """
    status, out, err = python_ends(*words, **environment)
    assert status == 0, out + err
    assert noisy or not err, err
    return out


def python_ends(*words: Any, **environment: str) -> tuple[int, str, str]:
    """Exit status, standard output and standard error of a Python process."""
    paths = os.pathsep.join([str(ROOT / "tests"), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, *map(str, words)],
        env={**os.environ, "PYTHONPATH": paths, **environment},
        capture_output=True,
        text=True,
        timeout=300,
    )
    return done.returncode, done.stdout, done.stderr


def run(*arguments: Any, stdin: bytes = b"", **options: Any) -> tuple[int, str, str]:
    """Exit status, standard output and standard error."""
    process = start(*arguments, **options)
    out, err = process.communicate(stdin, timeout=300)
    return process.returncode, (out or b"").decode(), err.decode()


def output(*arguments: Any, **options: Any) -> str:
    """What a run prints that has nothing to complain about."""
    status, out, err = run(*arguments, **options)
    assert (status, err) == (0, "")
    return out


def error(*arguments: Any, status: int = 1, **options: Any) -> str:
    """The one line of a run that fails; nothing else is printed."""
    code, out, err = run(*arguments, **options)
    assert (code, out) == (status, ""), err
    assert err.startswith("fastbleu: error: ")
    assert err.count("\n") == 1
    assert err.endswith("\n")
    return err[len("fastbleu: error: ") : -1]


def interrupt(process: subprocess.Popen[bytes]) -> None:
    """Send SIGINT to a process that reads a pipe, until it ends."""
    for _ in range(10):  # a signal just before read() blocks is noticed with the next one
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            process.wait(3)
            return
    process.kill()


def usage_error(*arguments: Any, **options: Any) -> str:
    status, out, err = run(*arguments, **options)
    assert (status, out) == (2, "")
    usage, message = err.splitlines()
    assert usage == "usage: fastbleu REF [REF ...] -i HYP [HYP ...] [options]"
    return message


def same(*arguments: Any, stdin: bytes = b"", **options: Any) -> tuple[int, str]:
    """Status and text of both commands, which must agree except for the version."""
    theirs = start(*arguments, command="sacrebleu", **options)  # at work while ours is
    status, out, err = run(*arguments, stdin=stdin, **options)
    their_out, their_err = theirs.communicate(stdin, timeout=300)
    assert out.replace(VERSION, THEIR_VERSION) == their_out.decode(), err
    assert status == theirs.returncode, (err, their_err.decode())
    if status:
        assert err.splitlines()[-1].startswith("fastbleu: error: ")
        assert "Traceback" not in err
    return status, out

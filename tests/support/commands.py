"""Running the commands `fastbleu` and `sacrebleu` as users do."""

import functools
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import Any
from unittest import mock

from processes import HANGS, POSIX, ROOT

from fastbleu import BLEU
from fastbleu.cli.command import main

EXAMPLES = ROOT / "examples"
R1, R2 = EXAMPLES / "reference.1.txt", EXAMPLES / "reference.2.txt"
A, B = EXAMPLES / "system-a.txt", EXAMPLES / "system-b.txt"
VERSION = BLEU().score(["a b c d"], ["a b c d"]).signature.rpartition(":")[2]
THEIR_VERSION = VERSION.partition("+")[0]


def start(*arguments: Any, command: str = "fastbleu", **options: Any) -> subprocess.Popen[bytes]:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    if "env" in options:
        options["env"] = {**os.environ, **options["env"]}
    words = [sys.executable, "-m", command, *map(str, arguments)]
    return subprocess.Popen(words, **{**pipes, **options})


def run(*arguments: Any, **options: Any) -> tuple[int, str, str]:
    """Exit status, standard output and standard error."""
    status, out, err = run_for_bytes(*arguments, **options)
    return status, out.decode(), err


def run_for_bytes(
    *arguments: Any, stdin: bytes = b"", env: Any = None, cwd: Any = None, **options: Any
) -> tuple[int, bytes, str]:
    """In this process, which takes milliseconds, unless something needs another one."""
    environment = env or {}
    if options or any(name in environment for name in OF_PROCESS):
        process = start(*arguments, env=environment, cwd=cwd, **options)
        out, said = process.communicate(stdin, timeout=HANGS)
        if process.returncode:
            print(said.decode(), file=sys.stderr)  # pytest shows it if the test fails
        return process.returncode, out or b"", said.decode()
    if POSIX and "SACREBLEU" in os.environ:
        status, text, said = run_forked("fastbleu", *arguments, stdin=stdin, env=environment)
        return status, text.encode(), said
    printed, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    with (
        mock.patch.dict(os.environ, {"COLUMNS": "80", **environment}),
        mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), "utf-8")),
        redirect_stdout(printed),
        redirect_stderr(err),
        directory(cwd),
    ):
        try:
            status = main(list(map(str, arguments)))
        except SystemExit as ended:
            status = int(ended.code or 0)
        printed.flush()
    return status, printed.buffer.getvalue(), err.getvalue()


OF_PROCESS = ("SACREBLEU", "PYTHONPATH", "PYTHONIOENCODING", "PYTHONUNBUFFERED")


@contextmanager
def directory(path: Any) -> Iterator[None]:
    before = os.getcwd()
    try:
        os.chdir(path or before)
        yield
    finally:
        os.chdir(before)


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
    assert usage == "usage: fastbleu REF ... -i HYP ... [options]"
    return message


@functools.cache
def server(data: str | None) -> subprocess.Popen[str]:
    """A process that runs commands; where sacreBLEU's data are is decided when it is imported."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    words = [sys.executable, Path(__file__).with_name("command_server.py")]
    return subprocess.Popen(words, text=True, **pipes)


def run_forked(
    command: str, *arguments: Any, stdin: bytes = b"", terminal: str = "", **options: Any
) -> tuple[int, str, str]:
    """What `run` returns, by a process of its own; it prints to the `terminal`, if named."""
    environment = {**os.environ, **options.pop("env", {})}
    place = str(options.pop("cwd", os.getcwd()))
    assert not options
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, name) for name in "012"]
        for file, content in zip(files, (stdin, b"", b""), strict=True):
            file.write_bytes(content)
        process = server(os.environ.get("SACREBLEU"))
        assert process.stdin is not None
        assert process.stdout is not None
        its_files = [str(files[0]), terminal or str(files[1]), str(files[2])]
        request = [command, its_files, list(map(str, arguments)), environment, place]
        print(json.dumps(request), file=process.stdin, flush=True)
        status = int(process.stdout.readline())
        return status, files[1].read_bytes().decode(), files[2].read_bytes().decode()


def run_sacrebleu(*arguments: Any, **options: Any) -> tuple[int, str, str]:
    """What `run` returns, of the command `sacrebleu`."""
    if not POSIX:
        return run(*arguments, command="sacrebleu", **options)
    return run_forked("sacrebleu", *arguments, **options)


def same(*arguments: Any, stdin: bytes = b"", **options: Any) -> tuple[int, str]:
    """Status and text of both commands, which must agree except for the version."""
    status, out, err = run(*arguments, stdin=stdin, **options)
    their_status, their_out, their_err = run_sacrebleu(*arguments, stdin=stdin, **options)
    assert out.replace(VERSION, THEIR_VERSION) == their_out, err
    assert status == their_status, (err, their_err)
    if status:
        assert err.splitlines()[-1].startswith("fastbleu: error: ")
        assert "Traceback" not in err
    return status, out

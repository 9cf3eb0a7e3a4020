"""Ctrl-C while the command line is at work: exit status 130, and nothing is printed."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from trust.part import SEED, Outcome, end, environment, measured, skip
from trust.watch import POLL, Watch

# A run is interrupted within so many seconds after it has opened its files.
SPAN = 0.4


def command_lines(directory: Path) -> dict[str, list[str]]:
    """Runs of the command line that take long."""
    line = " ".join(f"word{n % 700}" for n in range(30)) + "\n"
    texts = {
        "text": line * 600_000,
        "short": line * 5_000,
        "other": line.replace("9", "8") * 5_000,
        "line": line.replace("\n", " ") * 200_000,
        "table.jsonl": f'{{"mt": "{line.strip()}"}}\n' * 600_000,
    }
    segments = "".join(f"<seg id='{n}'>{line}</seg>" for n in range(50_000))
    texts["markup.sgm"] = f"<tstset sysid='s'><doc docid='d'>{segments}</doc></tstset>"
    for name, text in texts.items():
        (directory / name).write_text(text)
    text, short, other, one, table, markup = (str(directory / name) for name in texts)
    return {
        "a score": [text, "-i", text],
        "sentence by sentence": [text, "-i", text, "-sl"],
        "two threads": [text, "-i", text, "--threads", "2"],
        "an interval": [short, "-i", short, "-ci", "-cin", "1000000"],
        "a paired bootstrap": [short, "-i", short, other, "-pbs", "-pbsn", "1000000"],
        "a long line": [one, "-i", one, "-lc"],
        "JSON": [text, "-i", f"{table}::mt"],
        "SGML": [markup, "-i", markup],
    }


def is_open(pid: int, directory: Path) -> bool:
    """Whether a process has opened a file of this directory, so that it is at work."""
    for descriptor in Path(f"/proc/{pid}/fd").glob("*"):
        with suppress(OSError):
            if os.readlink(descriptor).startswith(str(directory)):
                return True
    return False


def interrupted_command(arguments: list[str], directory: Path, delay: float) -> tuple[float, str]:
    """How long a run took to end that was interrupted, and what is wrong."""
    process = subprocess.Popen(
        [sys.executable, "-m", "fastbleu", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
        start_new_session=True,
    )
    try:
        stop = time.monotonic() + 60
        while not is_open(process.pid, directory):
            if time.monotonic() > stop or process.poll() is not None:
                return 0.0, f"it opens no file; status {process.poll()}"
            time.sleep(POLL)
        time.sleep(delay)
        if process.poll() is not None:
            return 0.0, "it was over before"
        watch = Watch(process.pid)
        while process.poll() is None and time.monotonic() < stop:
            watch.look()
            time.sleep(POLL)
        latency = watch.latency(time.monotonic())
        out, err = process.communicate(timeout=60)
    finally:
        end(process)
    problem = "" if (process.returncode, out, err) == (130, b"", b"") else (
        f"status {process.returncode}, {len(out)} bytes printed, {err.decode()!r}"
    )  # fmt: skip
    return latency, problem


def outcomes(limit: float, repetitions: int) -> Iterator[Outcome]:
    chance = random.Random(int(os.environ.get(SEED, "0")))
    longest = 0.0
    what = "the command line: status 130, nothing printed"
    if not Path("/proc/self/fd").exists():
        yield skip(what, "needs /proc to see when it is at work")
        return
    with (
        measured(what) as outcome,
        tempfile.TemporaryDirectory(prefix="fastbleu-trust-") as name,
    ):
        directory = Path(name)
        for form, arguments in command_lines(directory).items():
            for _ in range(repetitions):
                delay = SPAN * chance.random()
                latency, problem = interrupted_command(arguments, directory, delay)
                if latency > limit:
                    problem += f"; it went on for {latency:.3f} s"
                longest = max(longest, latency)
                outcome.check(not problem, f"{form}, after {delay:.3f} s: {problem}")
    outcome.what += f"; the longest took {longest:.3f} s"
    yield outcome

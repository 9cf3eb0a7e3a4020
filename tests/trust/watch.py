"""How long a process took after a signal, whatever else the machine had to do.

The time for which the interrupted threads were runnable but other processes had the processor is
subtracted: the kernel reports it (/proc/PID/task/TID/schedstat). So a busy machine does not fail a
test, but time in which a thread computes, waits for a lock or sleeps counts. On other systems it is
wall-clock time.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from trust.children import end, environment

# The seconds within which a call that was interrupted has to end.
LIMIT = 0.2
# Seconds between two looks.
POLL = 0.004


def delays_of_threads(pid: int) -> dict[str, float]:
    """For how many seconds each thread of a process stood ready without a processor."""
    found = {}
    with suppress(OSError, ValueError, IndexError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with suppress(OSError):
                text = Path(f"/proc/{pid}/task/{thread}/schedstat").read_text()
                found[thread] = int(text.split()[1]) / 1e9
    return found


class Watch:
    """Measures from a signal on what a process was kept from doing."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._before = delays_of_threads(pid)
        self._last = dict(self._before)
        os.kill(pid, signal.SIGINT)
        self.sent = time.monotonic()

    def look(self) -> None:
        self._last |= delays_of_threads(self._pid)

    def latency(self, at: float) -> float:
        """How long the process itself needed up to `at`; of several threads the latest is waited
        for, so that the delay that counts is the longest."""
        delays = [last - self._before.get(name, 0.0) for name, last in self._last.items()]
        return at - self.sent - max(delays, default=0.0)


class Child:
    """A process that makes the one of CALLS that was prepared each time that it is told to."""

    def __init__(self, directory: Path) -> None:
        self.process: Any = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", "trust.long_calls"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment(TMPDIR=str(directory)),
            start_new_session=True,
        )
        self._unread = b""

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *raised: object) -> None:
        end(self.process)
        with self.process:  # closes the pipes
            pass

    def line(self, timeout: float, watch: Watch | None = None) -> str | None:
        """The next line that it prints; None where there is none in time."""
        stop = time.monotonic() + timeout
        output = self.process.stdout
        while b"\n" not in self._unread:
            left = stop - time.monotonic()
            if left <= 0:
                return None
            wait = left if watch is None else min(left, POLL)
            if select.select([output], [], [], wait)[0]:
                more = os.read(output.fileno(), 1 << 16)
                assert more, f"the process has ended: {self._unread.decode()}"
                self._unread += more
            elif watch is not None:
                watch.look()
        line, _, self._unread = self._unread.partition(b"\n")
        return line.decode(errors="replace")

    def tell(self, words: str) -> None:
        self.process.stdin.write(f"{words}\n".encode())
        self.process.stdin.flush()

    def prepare(self, name: str) -> None:
        self.tell(f"prepare {name}")
        assert self.line(120) == "ready"

    def interrupted(self, delay: float) -> tuple[float | None, str]:
        """How long a call took that was interrupted `delay` after its start, and what is wrong;
        None: it was over before."""
        self.tell("go")
        assert self.line(60) == "started"
        early = self.line(delay)
        if early is not None:
            return None, "" if early.startswith("finished\t") else early
        watch = Watch(self.process.pid)
        answer = self.line(60, watch)
        if answer is None:
            return 60.0, "it did not end within 60 s"
        ended, at, verdict = answer.split("\t")
        latency = watch.latency(float(at))
        problem = "" if verdict == "'right'" else verdict
        if ended == "finished":  # in the same moment, or the signal was lost
            return (None if latency < LIMIT else latency), problem
        return latency, problem if ended == "interrupted" else f"{ended}; {problem}"

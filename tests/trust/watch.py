"""How long a process took after a signal, whatever else the machine had to do.

The time for which the interrupted threads were runnable but other processes had the processor is
subtracted: the kernel reports it (/proc/PID/task/TID/schedstat). So a busy machine does not fail a
test, but time in which a thread computes, waits for a lock or sleeps counts. On other systems it is
wall-clock time.
"""

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

POLL = 0.004  # seconds between two looks


def delays_of_threads(pid: int) -> dict[str, float]:
    """For how many seconds each thread of a process stood ready without a processor."""
    found = {}
    with suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with suppress(OSError, ValueError, IndexError):
                text = Path(f"/proc/{pid}/task/{thread}/schedstat").read_text()
                found[thread] = int(text.split()[1]) / 1e9
    return found


class Watch:
    """Sends Ctrl-C, and measures from then on what the process was kept from doing."""

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

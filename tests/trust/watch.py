"""How long a process took after a signal, whatever else the machine had to do.

What counts is less the time for which the interrupted threads stood ready and other processes had
the processor: the kernel tells that (/proc/PID/task/TID/schedstat). So a machine that is busy fails
nothing, and a thread that computes, waits for a lock or sleeps is not excused. Elsewhere it is the
time by the clock.
"""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

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

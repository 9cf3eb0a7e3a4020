"""Processes that measure themselves: memory at its peak, time from start to end."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

from cases import NotAvailable


def run_child(script: str, *arguments: str) -> dict:
    """Run ``python SCRIPT ARGUMENTS``, which prints one line of JSON, and return what it says.

    Raises
    ------
    NotAvailable
        It failed; with the last line of its complaint.
    """
    return json.loads(_run([sys.executable, str(Path(script).resolve()), *arguments]))


def time_python(*arguments: str) -> tuple[float, str]:
    """Run ``python ARGUMENTS``; return the seconds it took and what it printed."""
    start = time.perf_counter()
    printed = _run([sys.executable, *arguments])
    return time.perf_counter() - start, printed.strip()


def _run(command: list[str]) -> str:
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        raise NotAvailable((done.stderr.strip() or "failed in silence").splitlines()[-1])
    return done.stdout


def bytes_available() -> float:
    """Return the available memory in bytes; infinity if it is unknown."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return float("inf")
    return next(float(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable"))


class PeakMemory:
    """The growth of this process's resident memory, at its highest, since this was made."""

    def __init__(self) -> None:
        try:
            Path("/proc/self/clear_refs").write_text("5")  # VmHWM starts again from here
        except OSError as error:
            raise NotAvailable("peak memory needs Linux's /proc/self/clear_refs") from error
        self._before = self._kilobytes("VmRSS")

    def megabytes(self) -> float:
        """Return the growth so far, in units of 2**20 bytes."""
        return max(0, self._kilobytes("VmHWM") - self._before) / 1024

    @classmethod
    def of_process(cls) -> float:
        """Return the most that the whole process has had, in units of 2**20 bytes."""
        return cls._kilobytes("VmHWM") / 1024

    @staticmethod
    def _kilobytes(field: str) -> int:
        try:
            lines = Path("/proc/self/status").read_text().splitlines()
        except OSError as error:
            raise NotAvailable("peak memory needs Linux's /proc/self/status") from error
        return next(int(line.split()[1]) for line in lines if line.startswith(field))

"""Ctrl-C, sent by another process, stops every long call within 0.2 s and changes nothing.

What counts is the time until the caller goes on, that of giving memory back among it, less what
other processes took (watch.py). The long form also lets every call run for a while with a signal
every 5 ms, and measures the longest time, in seconds of the processor, for which none was heard: no
phase of a call is left to chance.
"""

from __future__ import annotations

import os
import random
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from typing import Any

from trust import interrupted_commands
from trust.long_calls import CALLS
from trust.part import ROOT, SEED, Outcome, Part, end, environment, measured, say, skip
from trust.watch import POLL, Watch

LIMIT = 0.2
REPETITIONS = 20
# The short form stops after so many seconds, and takes another selection of calls with each seed.
BUDGET = 33.0
# A call that is over before it can be interrupted is too short to be one of these.
SHORTEST_SPAN = 0.01
# For so long the long form looks at a call for the longest time without a look for signals.
GAP_SECONDS = 10.0


class Child:
    """A process that calls one of CALLS each time that it is told to."""

    def __init__(self, name: str) -> None:
        # Its files: it is killed in the end, and removes none.
        self._directory = tempfile.TemporaryDirectory(prefix="fastbleu-trust-")
        self._process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", "trust.long_calls", name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment(changes={"TMPDIR": self._directory.name}),
            cwd=ROOT,
            start_new_session=True,
        )
        self._unread = b""

    def __enter__(self) -> Child:
        self.expect("ready", 120)
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        end(self._process)
        self._directory.cleanup()

    def line(self, timeout: float, watch: Watch | None = None) -> str | None:
        """The next line that it prints; None where there is none in time."""
        stop = time.monotonic() + timeout
        output: Any = self._process.stdout
        while b"\n" not in self._unread:
            left = stop - time.monotonic()
            if left <= 0:
                return None
            wait = left if watch is None else min(left, POLL)
            if select.select([output], [], [], wait)[0]:
                more = os.read(output.fileno(), 1 << 16)
                if not more:
                    raise EOFError(f"the process has ended: {self._unread.decode()}")
                self._unread += more
            elif watch is not None:
                watch.look()
        line, _, self._unread = self._unread.partition(b"\n")
        return line.decode(errors="replace")

    def expect(self, word: str, timeout: float = 60) -> None:
        line = self.line(timeout)
        if line != word:
            rest = self.line(0.5)
            raise ValueError(f"expected {word!r}, the process says {line!r} {rest!r}")

    def longest_gap(self, seconds: float) -> float:
        self._process.stdin.write(f"gap {seconds}\n".encode())  # type: ignore[union-attr]
        self._process.stdin.flush()  # type: ignore[union-attr]
        return float(self.line(seconds + 120) or "inf")

    def interrupted(self, delay: float) -> tuple[float | None, str]:
        """How long a call took that was interrupted `delay` after its start, and what is wrong;
        None: it was over before."""
        stdin: Any = self._process.stdin
        stdin.write(b"go\n")
        stdin.flush()
        self.expect("started")
        early = self.line(delay)
        if early is not None:
            return None, "" if early.startswith("finished\t") else early
        watch = Watch(self._process.pid)
        answer = self.line(60, watch)
        if answer is None:
            return 60.0, "it did not end within 60 s"
        ended, at, verdict = answer.split("\t")
        latency = watch.latency(float(at))
        problem = "" if verdict == "'right'" else verdict
        if ended == "finished":  # in the same moment, or the signal was lost
            return (None if latency < LIMIT else latency), problem
        return latency, problem if ended == "interrupted" else f"{ended}; {problem}"


def repeat(name: str, child: Child, count: int, chance: random.Random, outcome: Outcome) -> float:
    """Interrupt a call again and again; the longest latency."""
    span = CALLS[name].span
    longest = 0.0
    done = 0
    # The short form runs beside much else, and looks again at what was late: a fault stays.
    again = 2 if count == 1 else 0
    place = chance.random()
    while done < count:
        # One in each part of the span, so that no phase of the call is left out.
        delay = span * (done + place) / count
        latency, problem = child.interrupted(delay)
        if latency is None and not problem:
            span *= 0.7
            if span < SHORTEST_SPAN:
                outcome.check(False, f"{name}: it is over within {span:.3f} s")
                return longest
            continue
        late = latency is not None and latency > LIMIT
        if late and again and not problem:
            again -= 1
            continue
        if late:
            problem = f"it went on for {latency:.3f} s {problem}"
        outcome.check(not problem, f"{name}: interrupted {delay:.3f} s after its start: {problem}")
        longest = max(longest, latency or 0.0)
        done += 1
        place = chance.random()
    return longest


def calls(long: bool) -> Iterator[Outcome]:
    chance = random.Random(int(os.environ.get(SEED, "0")))
    names = list(CALLS)
    chance.shuffle(names)
    count = REPETITIONS if long else 1
    start = time.monotonic()
    longest, latest, left_out = 0.0, "", 0
    with measured("calls of Python") as outcome:
        for name, child in prepared(names):
            if not long and time.monotonic() - start > BUDGET:
                left_out += 1
                continue
            try:
                with child:
                    latency = repeat(name, child, count, chance, outcome)
                    if long:
                        gap = child.longest_gap(GAP_SECONDS)
                        outcome.check(gap < LIMIT, f"{name}: it heard nothing for {gap:.3f} s")
                        latency = max(latency, gap)
            except (EOFError, ValueError) as error:
                outcome.check(False, f"{name}: {error}")
                continue
            if long:
                say(f"    {latency:.3f} s at most: {name}")
            if latency > longest:
                longest, latest = latency, name
    outcome.what += f", {len(names) - left_out} of {len(names)}, {count} times each"
    outcome.what += f"; the longest took {longest:.3f} s ({latest})"
    yield outcome


def prepared(names: list[str]) -> Iterator[tuple[str, Child]]:
    """Children, the next of which prepares itself while one is at work."""
    waiting: list[tuple[str, Child]] = []
    try:
        for name in names:
            waiting.append((name, Child(name)))
            if len(waiting) > 1:
                yield waiting[0]
                waiting.pop(0)[1].close()
        yield waiting[0]
    finally:
        for _, child in waiting:
            child.close()


def run(long: bool) -> Iterator[Outcome]:
    if os.name == "nt":
        yield skip("Ctrl-C", "Windows sends no SIGINT to one process")
        return
    yield from calls(long)
    yield from interrupted_commands.outcomes(LIMIT, REPETITIONS if long else 1)


PART = Part("interrupts", "Ctrl-C stops every long call within 0.2 s, state unchanged", run)

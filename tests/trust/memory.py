"""Memory: sanitizers, memcheck, planted faults, and calls that must not make the process grow."""

from __future__ import annotations

from collections.abc import Iterator

from trust import canaries, growth, memcheck, sanitizers
from trust.part import Outcome, Part, skip, together


def run(long: bool) -> Iterator[Outcome]:
    yield from growth.run(long)
    why = sanitizers.missing()
    if why:
        yield from memcheck.run(long)
        yield skip("the tests under the sanitizers, and the canaries", why)
        return
    for outcome in sanitizers.build():
        yield outcome
        if outcome.failures:
            return
    yield from together(lambda: one_process(long), lambda: canaries.run(long))
    yield from sanitizers.suite(long)


def one_process(long: bool) -> Iterator[Outcome]:
    yield from memcheck.run(long)
    yield from sanitizers.entry_points(long)


PART = Part("memory", "sanitizers, memcheck, canaries, and growth", run)

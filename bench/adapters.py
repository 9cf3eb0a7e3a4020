"""Adapters: one library and one way to call it.

An adapter imports its library and returns the function to time, ``run(hypotheses, references)``,
or a `Prepared` run. It raises `ImportError` or `NotAvailable` if the library is missing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

Run = Callable[..., object]


class NotAvailable(Exception):
    """A library, a compiler or memory that a case needs is missing."""


@dataclass(frozen=True)
class Prepared:
    """A run after a preparation that is not timed.

    Parameters
    ----------
    prepare
        Hypotheses and references -> the arguments of `run`: in another layout, or the same after
        emptying caches that would not know a new text.
    run
        The function to time.
    part
        Number of evenly spread segments to run if all would take too long. The time is
        extrapolated to all of them; the result is a `Part`.
    """

    prepare: Callable[[list, list], tuple]
    run: Run
    part: int | None = None


class Part(NamedTuple):
    """Scores of some segments: ``scores[i]`` is the score of segment ``indices[i]``."""

    indices: list[int]
    scores: Any


def spread(segments: int, part: int) -> list[int]:
    """Return the indices of `part` evenly spread segments, or of all if there are fewer."""
    return list(range(0, segments, max(1, segments // part)))[:part]


Adapter = Callable[[], Run | Prepared]

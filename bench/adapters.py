"""What an adapter is: one library and one way of calling it.

An adapter imports its library and returns what is timed, ``run(hypotheses, references)``, or a
`Prepared` run. It raises `ImportError` or `NotAvailable` where the library is not there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

Run = Callable[..., object]


class NotAvailable(Exception):
    """A library, compiler or amount of memory that a case needs is missing here."""


@dataclass(frozen=True)
class Prepared:
    """A run with something before it that is not timed.

    Parameters
    ----------
    prepare
        Hypotheses and references -> what `run` gets: another layout, or the same after something
        was forgotten that a new text would not find remembered.
    run
        What is timed.
    part
        So many segments are run, spread evenly, where all would take too long: `spread`. The time
        is scaled up to all of them; the result is a `Part`.
    """

    prepare: Callable[[list, list], tuple]
    run: Run
    part: int | None = None


class Part(NamedTuple):
    """The scores of some segments: ``scores[i]`` is that of segment ``indices[i]``."""

    indices: list[int]
    scores: Any


def spread(segments: int, part: int) -> list[int]:
    """Return the numbers of `part` of the segments, or of all where there are fewer."""
    return list(range(0, segments, max(1, segments // part)))[:part]


Adapter = Callable[[], Run | Prepared]

"""Benchmark cases as data.

A case is a workload, an adapter per library, the library whose result is the truth, the peer that
the ratio is computed against, and goals. An adapter is one way to call a library: it imports it and
returns a `Prepared` run, or raises `ImportError` or `NotAvailable`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from checks import differing
from workloads import Corpus, Work

SUBJECT = "fastbleu"
#: The sections of the tables, in this order, with their titles.
SECTIONS = {
    "text": "Raw text, against sacreBLEU",
    "tokens": "Token lists, against nltk",
    "training": "Training loops",
    "matrix": "Many against many",
    "significance": "Comparing systems, against sacreBLEU's paired tests",
    "cost": "Long inputs, memory, start-up",
}


class NotAvailable(Exception):
    """A library, a compiler or memory that a case needs is missing."""


@dataclass(frozen=True)
class Prepared:
    """A run, and what is done before it and not timed.

    Parameters
    ----------
    run
        The function to time.
    prepare
        Hypotheses and references -> the arguments of `run`: in another layout, or the same after
        emptying caches that would not know a new text.
    part
        Number of evenly spread segments to run if all would take too long. The time is
        extrapolated to all of them; the result is a `Part`.
    """

    run: Callable[..., Any]
    prepare: Callable[[Any, Any], tuple] = lambda *work: work
    part: int | None = None


Adapter = Callable[[], Prepared]


def imported(
    adapter: Callable[..., Prepared], module: str, *arguments: Any, **options: Any
) -> Adapter:
    """Return an adapter of a module: a drop-in shares that of its original."""
    return lambda: adapter(import_module(module), *arguments, **options)


@dataclass(frozen=True)
class Goal:
    """A required and a target value of one quantity: at least, or (``at_most``) at most.

    ``quantity`` is a key of the values that a case reached: ``ratio`` (peer's time / fastbleu's),
    ``slowdown`` (fastbleu's / peer's), that of the case's `Per` (fastbleu's time),
    ``milliseconds``, ``megabytes``. ``peer`` is the library to compare with, by default the
    case's.
    """

    quantity: str
    required: float
    target: float | None = None
    at_most: bool = False
    peer: str | None = None

    def verdict(self, value: float) -> str:
        """Return ``target met``, ``met`` (the required value) or ``missed``."""

        def reaches(limit: float) -> bool:
            return value <= limit if self.at_most else value >= limit

        if self.target is not None and reaches(self.target):
            return "target met"
        return "met" if reaches(self.required) else "missed"


@dataclass(frozen=True)
class Per:
    """The unit in which a time is reported, if not for the whole run.

    Parameters
    ----------
    unit
        As in the tables: "us per call".
    quantity
        The name of fastbleu's time in a `Goal`.
    scale
        Units in a second.
    count
        Number of segments -> number of units in a run.
    """

    unit: str
    quantity: str
    scale: float
    count: Callable[[int], int] = lambda segments: segments


PER_CALL = Per("us per call", "microseconds", 1e6)
PER_SOURCE = Per("us per source", "microseconds", 1e6)
#: For as many references as hypotheses.
PER_PAIR = Per("ns per pair", "nanoseconds", 1e9, lambda segments: segments * segments)


@dataclass(frozen=True)
class Case:
    """One workload and the libraries that run it.

    Parameters
    ----------
    select
        Number of segments -> the corpus of this case, made once.
    fresh
        That corpus -> new hypotheses and references for each run of a library, not timed.
    adapters
        Name of a library -> its adapter. The ratio is `peer` against ``fastbleu``.
    truth
        A library of `adapters`, or a function of the two arguments that computes the expected
        result slowly.
    equal
        ``equal(result, expected)`` -> "" if they are equal, else a description of the difference.
    unchecked
        Library -> why its result is not compared, or for a result that is known to differ a
        function ``(result, expected)`` -> description. Its time is shown.
    per
        Report the time of one call, pair or source.
    measured_in
        Unit of the length of a segment: "tokens" or "characters".
    section
        A key of `SECTIONS`.
    """

    name: str
    title: str
    segments: int
    select: Callable[[int], Corpus]
    fresh: Callable[[Corpus], Work]
    adapters: dict[str, Adapter]
    peer: str
    truth: str | Callable[[list, list], object]
    goals: tuple[Goal, ...] = ()
    equal: Callable[..., str] = differing
    unchecked: dict[str, str | Callable[..., str]] = field(default_factory=dict)
    per: Per | None = None
    measured_in: str = "tokens"
    section: str = "tokens"
    rounds: int = 7

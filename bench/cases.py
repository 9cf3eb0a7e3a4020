"""What a benchmark case is: a workload x libraries, as data.

A case is a workload, one adapter per library, the library whose result is the truth, the library
that the ratio is against, and its goals: the floor bar and the aim.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from adapters import Adapter
from checks import differing
from workloads import Corpus, Work

SUBJECT = "fastbleu"
#: The parts of the tables, in this order, with their titles.
SECTIONS = {
    "text": "Raw text, against sacreBLEU",
    "tokens": "Token lists, against nltk",
    "training": "Training loops",
    "matrix": "Many against many",
    "significance": "Comparing systems, against sacreBLEU's paired tests",
    "cost": "Long inputs, memory, start-up",
}


@dataclass(frozen=True)
class Goal:
    """A bar and an aim for one quantity: at least, or (``at_most``) at most.

    ``quantity`` is a key of what a case reached: ``ratio`` (peer's time / fastbleu's),
    ``slowdown`` (fastbleu's / peer's), that of the case's `Per` (fastbleu's time),
    ``milliseconds``, ``megabytes``. ``peer`` is the library it is reached against, by default the
    case's.
    """

    quantity: str
    bar: float
    aim: float | None = None
    at_most: bool = False
    peer: str | None = None

    def verdict(self, value: float) -> str:
        """Say how `value` stands to the goal: ``aim reached``, ``bar met`` or ``missed``."""

        def reaches(limit: float) -> bool:
            return value <= limit if self.at_most else value >= limit

        if self.aim is not None and reaches(self.aim):
            return "aim reached"
        return "bar met" if reaches(self.bar) else "missed"


@dataclass(frozen=True)
class Per:
    """What a time is given for, where it is not the whole run.

    Parameters
    ----------
    unit
        As in the tables: "us per call".
    quantity
        The name of fastbleu's time in a `Goal`.
    scale
        Of that unit in a second.
    count
        Number of segments -> number of those that a run does.
    """

    unit: str
    quantity: str
    scale: float
    count: Callable[[int], int] = lambda segments: segments


PER_CALL = Per("us per call", "microseconds", 1e6)
PER_SOURCE = Per("us per source", "microseconds", 1e6)
#: Of as many references as hypotheses.
PER_PAIR = Per("ns per pair", "nanoseconds", 1e9, lambda segments: segments * segments)


@dataclass(frozen=True)
class Case:
    """One workload and the libraries that run it.

    Parameters
    ----------
    select
        Number of segments -> the corpus of this case, made once.
    fresh
        That corpus -> the hypotheses and references that every library runs on. Made anew for
        each timed run, and not timed.
    adapters
        Name of a library -> its adapter. The ratio is `peer` against ``fastbleu``.
    truth
        A library of `adapters`, or a function of the two arguments that computes the expected
        result slowly.
    equal
        ``equal(result, expected)`` -> empty text if they are the same, else what differs.
    unchecked
        Library -> why its result is not compared; or what to say of a result that is known to be
        another, ``say(result, expected)``. Its time is shown.
    per
        Report the time of one call, pair or source.
    measured_in
        What the length of a segment is reported in: "tokens" or "characters".
    section
        A key of `SECTIONS`.
    headline
        Whether it belongs into the README.
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
    headline: bool = False
    rounds: int = 7

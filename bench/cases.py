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
    "significance": "Comparing systems, against sacreBLEU's paired tests",
    "cost": "Long inputs, memory, start-up",
}


@dataclass(frozen=True)
class Goal:
    """A bar and an aim for one quantity: at least, or (``at_most``) at most.

    ``quantity`` is a key of what a case reached: ``ratio`` (peer's time / fastbleu's),
    ``slowdown`` (fastbleu's / peer's), ``microseconds`` (fastbleu's, a call), ``milliseconds``,
    ``megabytes``. ``peer`` is the library it is reached against, by default the case's.
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
        Library -> why its result is not compared.
    per_call
        The result is a list with one score per call: report the time of one call.
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
    unchecked: dict[str, str] = field(default_factory=dict)
    per_call: bool = False
    measured_in: str = "tokens"
    section: str = "tokens"
    headline: bool = False
    rounds: int = 7

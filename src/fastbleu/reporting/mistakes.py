"""Likely mistakes in the input: of which systems, and what each system's score would gain."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..diagnosis.findings import find, rewrite_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .report_input import Segments

# In points on 0-100: mistakes that gain less are not shown; those of all systems that gain as much
# stand above everything.
_LEAST_POINTS, SERIOUS_POINTS = 0.1, 0.5
_NUMBER = re.compile(r"\d[\d.,]*\d|\d")


@dataclass
class Mistake:
    """A likely mistake.

    Attributes
    ----------
    name : str
        As of a finding of `fastbleu.explain`.
    message : str
        What was found, and where; with ranges of numbers where those of the systems differ.
    systems : list of int
        The systems in which it was found.
    points : list of float
        By how many points, on 0-100, the score of each of all systems would rise without it.
    """

    name: str
    message: str
    systems: list[int]
    points: list[float]

    @property
    def is_serious_in_all(self) -> bool:
        """Whether it is in all systems, and matters in each."""
        return len(self.systems) == len(self.points) and min(self.points) >= SERIOUS_POINTS

    @property
    def effect(self) -> str:
        """The gain of the systems that have it: "+0.51 to +0.83"."""
        gains = sorted(self.points[system] for system in self.systems)
        return " to ".join(dict.fromkeys(f"{gain:+.2f}" for gain in (gains[0], gains[-1])))


def find_mistakes(segments: Segments) -> list[Mistake]:
    """The likely mistakes of all systems, those with the largest effect first."""
    corpora = segments.corpora
    sources = segments.labels.sources if segments.is_text else None
    messages: dict[tuple[str, str], dict[int, str]] = {}
    points: dict[tuple[str, str], dict[int, float]] = {}
    for system, corpus in enumerate(corpora):
        for finding in find(corpus, sources):
            key = finding.name, _NUMBER.sub("#", finding.message)  # equal except for the numbers
            messages.setdefault(key, {})[system] = finding.message
            points.setdefault(key, {})[system] = finding.points
    mistakes = []
    for key, gains in points.items():
        if max(gains.values()) < _LEAST_POINTS:
            continue
        if rewrite := rewrite_of(key[0]):
            # What is rewritten in the references can change the score of any system.
            for system, corpus in enumerate(corpora):
                if system not in gains:
                    gains[system] = corpus.rewritten(rewrite).points() - corpus.points()
        of_all = [gains.get(system, 0.0) for system in range(len(corpora))]
        message = _merged([*messages[key].values()])
        mistakes.append(Mistake(key[0], message, [*messages[key]], of_all))
    return sorted(mistakes, key=lambda mistake: -max(mistake.points))


def _merged(messages: Sequence[str]) -> str:
    """Messages that differ only in numbers as one, with ranges."""
    columns = zip(*map(_NUMBER.findall, messages), strict=True)
    ranges = [sorted({*column}, key=lambda number: float(number.strip(".,"))) for column in columns]
    shown = iter([" to ".join(dict.fromkeys((numbers[0], numbers[-1]))) for numbers in ranges])
    return _NUMBER.sub(lambda _: next(shown), messages[0])

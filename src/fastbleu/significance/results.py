"""What the significance tests return: intervals and comparisons."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

from ..plots.tables import Table, Tables

Name = TypeVar("Name", bound=Hashable)


class NumberTable(Tables):
    """Base class of results that print as a table of numbers, also in notebooks."""

    @abstractmethod
    def _rows(self) -> list[list[str]]:
        """The cells, the head first."""

    @abstractmethod
    def _caption(self) -> str:
        """How the numbers were found."""

    def __str__(self) -> str:
        widths = [max(map(len, column)) for column in zip(*self._rows(), strict=True)]
        lines = []
        for name, *cells in self._rows():
            numbers = [cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True)]
            lines.append("  ".join([name.ljust(widths[0]), *numbers]).rstrip())
        return "\n".join([*lines, self._caption()])

    def _tables(self) -> list[Table]:
        head, *rows = self._rows()
        return [Table(self._caption(), head, rows)]


@dataclass(frozen=True)
class Interval(NumberTable):
    """A confidence interval of a score, from bootstrap samples.

    The samples' scores are sorted, floor(samples * (1 - confidence) / 2) are left out at each end,
    and `low` and `high` are the first and the last of the others: a percentile interval, as in
    Koehn (2004) and sacreBLEU.

    Attributes
    ----------
    score : float
        The score of the whole corpus; like `mean`, `low` and `high` on the dialect's scale.
    mean, low, high : float
        The mean of the samples' scores, and the bounds.
    confidence : float
        0-1.
    samples : int
    seed : int or None
        None: unseeded.
    """

    score: float
    mean: float
    low: float
    high: float
    confidence: float
    samples: int
    seed: int | None

    @property
    def half_width(self) -> float:
        """Half the distance between the bounds, the number after a plus-minus sign."""
        return 0.5 * (self.high - self.low)

    def to_dict(self) -> dict[str, Any]:
        """The attributes by name, for `json.dumps`, and `half_width`."""
        return {**asdict(self), "half_width": self.half_width}

    def _rows(self) -> list[list[str]]:
        head = ["score", "mean", f"{100 * self.confidence:g} % interval"]
        return [head, [f"{self.score:#.4g}", f"{self.mean:#.4g}", _bounds(self)]]

    def _caption(self) -> str:
        return f"bootstrap, {self.samples} samples, seed {self.seed}"


@dataclass(frozen=True)
class Comparison(NumberTable):
    """A system against a baseline.

    Attributes
    ----------
    score, baseline_score : float
        Scores of the whole corpora, on the dialect's scale: 0-100 for sacreBLEU's, 0-1 for nltk's.
    p_value : float
        Two-sided, 0-1: the probability of a difference at least this large if the systems were
        equally good.
    wins : float or None
        Share of the bootstrap samples in which the system scores higher than the baseline, 0-1; a
        tie counts half. None for approximate randomization.
    interval, baseline_interval, difference_interval : Interval or None
        Intervals of `score`, `baseline_score` and `difference`; None without samples.
    test : str
        "bootstrap" or "approximate randomization".
    trials : int
        Number of bootstrap samples or of shuffles behind the p-value.
    seed : int or None
        None: unseeded.
    """

    score: float
    baseline_score: float
    p_value: float
    wins: float | None
    interval: Interval | None
    baseline_interval: Interval | None
    difference_interval: Interval | None
    test: str
    trials: int
    seed: int | None

    @property
    def difference(self) -> float:
        """Score of the system minus that of the baseline."""
        return self.score - self.baseline_score

    def to_dict(self) -> dict[str, Any]:
        """The attributes by name, for `json.dumps`, and `difference`."""
        return {**asdict(self), "difference": self.difference}

    def _rows(self) -> list[list[str]]:
        return Comparisons({"system": self})._rows()

    def _caption(self) -> str:
        kind = "samples" if self.test == "bootstrap" else "trials"
        return f"paired {self.test}, {self.trials} {kind}, seed {self.seed}"


class Comparisons(dict[Name, Comparison], NumberTable):
    """The comparisons of systems with one baseline, by name: a dict that prints as a table.

    `baseline` is the baseline's name in the table.
    """

    baseline: Hashable = "baseline"

    def to_dict(self) -> dict[Name, dict[str, Any]]:
        """`Comparison.to_dict` of each system, by name."""
        return {name: comparison.to_dict() for name, comparison in self.items()}

    def _rows(self) -> list[list[str]]:
        if not self:
            return [["no systems"]]
        first = next(iter(self.values()))
        of_baseline = f"{first.baseline_score:#.4g}", _bounds(first.baseline_interval)
        rows = [[str(self.baseline), *of_baseline, "", "", "", ""]]
        for name, found in self.items():
            wins = "" if found.wins is None else f"{100 * found.wins:.1f} %"
            cells = f"{found.score:#.4g}", _bounds(found.interval), f"{found.difference:+#.3g}"
            of_difference = _bounds(found.difference_interval)
            rows.append([str(name), *cells, of_difference, f"{found.p_value:.4f}", wins])
        interval = first.interval
        percent = f"{100 * interval.confidence:g} % interval" if interval else ""
        head = ["system", "score", percent, "difference", percent, "p-value", "wins"]
        # Without columns that have no values.
        filled = [any(cells) for cells in zip(*rows, strict=True)]
        return [[c for c, kept in zip(row, filled, strict=True) if kept] for row in [head, *rows]]

    def _caption(self) -> str:
        return next(iter(self.values()))._caption() if self else ""


def _bounds(interval: Interval | None) -> str:
    return "" if interval is None else f"{interval.low:#.4g} to {interval.high:#.4g}"

"""What the significance tests return: intervals and comparisons."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import asdict, dataclass, replace
from math import isnan
from textwrap import wrap
from typing import Any, TypeVar

from ..plots.tables import Table, Tables

Name = TypeVar("Name", bound=Hashable)

_LEVEL = 0.05  # of significance
_P_STEP = 0.001  # of printed bounds of p-values
_WIDTH = 80  # of captions, in characters


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
        return "\n".join([*lines, *wrap(self._caption(), _WIDTH)])

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
        The mean of the samples' scores, and the bounds; NaN if some samples have no score.
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
        digits = _decimals(self.score)
        cells = f"{self.score:.{digits}f}", f"{self.mean:.{digits}f}", shown_bounds(self, digits)
        return [head, [*cells]]

    def _caption(self) -> str:
        without = ", of which some have no score" if isnan(self.mean) else ""
        return f"bootstrap, {self.samples} samples{without}, seed {self.seed}"


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
    adjusted_p_value : float
        `p_value` corrected for the number of comparisons that were made together, by Holm's method.
    wins : float or None
        Share of the bootstrap samples in which the system scores higher than the baseline, 0-1; a
        tie counts half. None if `difference_interval` is.
    interval, baseline_interval, difference_interval : Interval or None
        Intervals of `score`, `baseline_score` and `difference`, not adjusted for the number of
        comparisons; None without samples, or if some samples have no score.
    test : str
        "bootstrap" or "approximate randomization".
    compared : int
        Number of comparisons that `adjusted_p_value` is corrected for.
    trials : int
        Number of bootstrap samples or of shuffles behind the p-value.
    seed : int or None
        None: unseeded.
    """

    score: float
    baseline_score: float
    p_value: float
    adjusted_p_value: float
    wins: float | None
    interval: Interval | None
    baseline_interval: Interval | None
    difference_interval: Interval | None
    test: str
    compared: int
    trials: int
    seed: int | None

    @property
    def difference(self) -> float:
        """Score of the system minus that of the baseline."""
        return self.score - self.baseline_score

    @property
    def is_significant(self) -> bool:
        """Whether `adjusted_p_value` is below 0.05, and 0 outside `difference_interval` if any."""
        interval = self.difference_interval
        excluded = interval is None or not interval.low <= 0 <= interval.high
        return self.adjusted_p_value < _LEVEL and excluded

    def to_dict(self) -> dict[str, Any]:
        """The attributes by name, for `json.dumps`, `difference` and `is_significant`."""
        derived = {"difference": self.difference, "is_significant": self.is_significant}
        return {**asdict(self), **derived}

    def _printed(self, p_value: float) -> str:
        """A p-value with four decimals, or a bound: "< 0.001".

        Also if no trial exceeded the difference: then more trials would give less.
        """
        is_least = self.p_value <= 1 / (self.trials + 1) and p_value < _LEVEL
        if is_least or p_value < _P_STEP:
            return f"< {_P_STEP * (p_value // _P_STEP + 1):.3f}"
        return f"{p_value:.4f}"

    @property
    def _printed_p_values(self) -> list[str]:
        """`p_value`, and the adjusted one if there are several comparisons."""
        several = [self.adjusted_p_value] if self.compared > 1 else []
        return [self._printed(p_value) for p_value in (self.p_value, *several)]

    @property
    def _p_statement(self) -> str:
        """The printed p-values with a sign: "p = 0.0421", "p < 0.001, adjusted < 0.002"."""
        shown = [p if p.startswith("<") else f"= {p}" for p in self._printed_p_values]
        return "p " + ", adjusted ".join(shown)

    def _rows(self) -> list[list[str]]:
        return Comparisons({"system": self})._rows()

    def _caption(self, mark: str = "*") -> str:
        kind = "samples" if self.test == "bootstrap" else "trials"
        parts = [f"paired {self.test}, {self.trials} {kind}"]
        if self.interval and self.test != "bootstrap":
            parts.append(f"intervals by bootstrap, {self.interval.samples} samples")
        meaning = f"{mark}: p < 0.05"
        if self.compared > 1:
            adjusted_for = f"{self.compared} comparisons (Holm)"
            parts.append(f"p adjusted for {adjusted_for}, intervals not adjusted")
            meaning = f"{mark}: adjusted p < 0.05"
        if self.difference_interval:
            meaning += ", and 0 outside the interval. Wins: samples in which the system is ahead"
        return f"{'; '.join(parts)}; seed {self.seed}. {meaning}"


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
        comparisons = list(self.values())
        first = comparisons[0]
        digits = _decimals(*[comparison.score for comparison in comparisons], first.baseline_score)

        def score_and_bounds(score: float, interval: Interval | None, sign: str = "") -> list[str]:
            return [f"{score:{sign}.{digits}f}", shown_bounds(interval, digits)]

        baseline = score_and_bounds(first.baseline_score, first.baseline_interval)
        rows = [[str(self.baseline), *baseline, "", "", "", "", ""]]
        for name, comparison in self.items():
            score = score_and_bounds(comparison.score, comparison.interval)
            interval = comparison.difference_interval
            difference = score_and_bounds(comparison.difference, interval, "+")
            p_values = comparison._printed_p_values
            p_values[-1] += "*" if comparison.is_significant else " "
            p_values += [""] * (2 - len(p_values))
            wins = "" if comparison.wins is None else f"{100 * comparison.wins:.1f} %"
            rows.append([str(name), *score, *difference, *p_values, wins])
        intervals = [comparison.interval for comparison in comparisons if comparison.interval]
        percent = f"{100 * intervals[0].confidence:g} % interval" if intervals else ""
        head = ["system", "score", percent, "difference", percent, "p-value", "adjusted p", "wins"]
        # Without columns that have no values.
        filled = [any(cells) for cells in zip(*rows, strict=True)]
        return [[c for c, kept in zip(row, filled, strict=True) if kept] for row in [head, *rows]]

    def _caption(self) -> str:
        return next(iter(self.values()))._caption() if self else ""


def _decimals(*scores: float) -> int:
    """How many decimals scores have: 2 on 0-100, 4 on 0-1."""
    return 2 if max(scores) > 1 else 4


def known(interval: Interval) -> Interval | None:
    """The interval; None if some of its samples have no score."""
    return None if isnan(interval.mean) else interval


def shown_bounds(interval: Interval | None, digits: int) -> str:
    """An interval as text: "25.18 to 31.02"; nothing if there is none."""
    return "" if interval is None else f"{interval.low:.{digits}f} to {interval.high:.{digits}f}"


def adjusted(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """The same comparisons with p-values corrected for their number by Holm's method.

    References
    ----------
    Holm (1979), A simple sequentially rejective multiple test procedure.
    """
    p_values = holm([comparison.p_value for comparison in comparisons])
    return [
        replace(comparison, adjusted_p_value=p_value, compared=len(comparisons))
        for comparison, p_value in zip(comparisons, p_values, strict=True)
    ]


def holm(p_values: Sequence[float]) -> list[float]:
    """Each p-value times the number of those that are not smaller, at most 1, in their order."""
    corrected, largest = [0.0] * len(p_values), 0.0
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    for rank, number in enumerate(order):
        largest = max(largest, min(1.0, (len(order) - rank) * p_values[number]))
        corrected[number] = largest
    return corrected

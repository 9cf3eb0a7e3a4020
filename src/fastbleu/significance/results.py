"""What the significance tests return: intervals and comparisons."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import ceil, floor, isnan, log10
from typing import Any, TypeVar

from ..core.inputs.arguments import number_of
from ..core.scoring.score import decimals
from ..plots.text import Table, Tables

Name = TypeVar("Name", bound=Hashable)

_LEVEL = 0.05  # significance level


@dataclass(frozen=True)
class Interval(Tables):
    """A confidence interval of a score, from bootstrap samples.

    This is a percentile interval, as in Koehn (2004) and sacreBLEU: of the samples' sorted scores,
    floor(samples * (1 - confidence) / 2) are left out at each end; `low` and `high` are the first
    and the last of the others.

    Attributes
    ----------
    score : float
        The score of the whole corpus; like `mean`, `low` and `high`, on the dialect's scale.
    mean, low, high : float
        The mean of the samples' scores, and the bounds; NaN if some samples have no score.
    confidence : float
        0-1.
    samples : int
    seed : int or None
        None if unseeded.
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
        """Half the distance between the bounds: the number to print after ±."""
        return 0.5 * (self.high - self.low)

    def to_dict(self) -> dict[str, Any]:
        """The attributes by name, for `json.dumps`, and `half_width`."""
        return {**asdict(self), "half_width": self.half_width}

    def _tables(self) -> list[Table]:
        head = "score", "mean", f"{100 * self.confidence:g} % interval"
        digits = decimals(self.score)
        cells = f"{self.score:.{digits}f}", f"{self.mean:.{digits}f}", shown_bounds(self, digits)
        without = ", of which some have no score" if isnan(self.mean) else ""
        note = f"bootstrap, {number_of(self.samples, 'sample')}{without}, seed {self.seed}"
        return [Table("", head, [cells], [note])]


@dataclass(frozen=True)
class Comparison(Tables):
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
        Share, 0-1, of the bootstrap samples in which the system scores higher than the baseline;
        ties count half. None if `difference_interval` is None.
    interval, baseline_interval, difference_interval : Interval or None
        Intervals of `score`, `baseline_score` and `difference`, not adjusted for the number of
        comparisons; None without samples, or if some samples have no score.
    test : str
        "bootstrap", "approximate randomization" or, if few segments differ, "exact randomization".
    compared : int
        Number of comparisons that `adjusted_p_value` is corrected for.
    trials : int
        Number of bootstrap samples or of shuffles behind the p-value.
    differing : int
        Number of segments whose counts differ. With k of them no p-value is below 2/2^k, so that
        up to 5 are too few for a test.
    seed : int or None
        None if unseeded.
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
    differing: int
    seed: int | None

    @property
    def difference(self) -> float:
        """Score of the system minus that of the baseline."""
        return self.score - self.baseline_score

    @property
    def is_significant(self) -> bool:
        """Whether `adjusted_p_value` < 0.05, and 0 is outside `difference_interval`, if any."""
        interval = self.difference_interval
        excluded = interval is None or not interval.low <= 0 <= interval.high
        return self.adjusted_p_value < _LEVEL and excluded

    def to_dict(self) -> dict[str, Any]:
        """The attributes by name, for `json.dumps`, `difference` and `is_significant`."""
        derived = {"difference": self.difference, "is_significant": self.is_significant}
        return {**asdict(self), **derived}

    def _printed(self, p_value: float) -> str:
        """A p-value as text: "0.0421".

        A bound, "< 0.001", if no trial exceeded the difference: more trials would lower it.
        """
        digits = max(4, ceil(-log10(p_value)))
        if self.p_value <= 1 / (self.trials + 1) and p_value < _LEVEL:
            bound = (floor(p_value * 10**digits) + 1) / 10**digits
            return f"< {bound:.{digits}f}".rstrip("0")
        return f"{p_value:.{digits}f}"

    @property
    def _printed_p_values(self) -> list[str]:
        """`p_value`, followed by the adjusted one if there are several comparisons."""
        several = [self.adjusted_p_value] if self.compared > 1 else []
        return [self._printed(p_value) for p_value in (self.p_value, *several)]

    @property
    def _p_statement(self) -> str:
        """The printed p-values with a sign: "p = 0.0421", "p < 0.001, adjusted < 0.012"."""
        shown = [p if p.startswith("<") else f"= {p}" for p in self._printed_p_values]
        return "p " + f", adjusted for {self.compared} comparisons ".join(shown)

    @property
    def _too_few(self) -> str:
        """Why no test can find a difference: "4 segments differ: too few for a test"; or ""."""
        if not self.differing or 2.0 ** (1 - self.differing) < _LEVEL:
            return ""
        differing = number_of(self.differing, "segment differs", "segments differ")
        return f"{differing}: too few for a test"

    @property
    def _verdict(self) -> str:
        """Whether the difference is significant, and why: "not significant: p = 0.0821"."""
        if self.is_significant:
            return f"significant: {self._p_statement}"
        reason = ", but 0 inside the interval of the difference"
        reason = reason if self.adjusted_p_value < _LEVEL else ""
        return self._too_few or f"not significant: {self._p_statement}{reason}"

    @property
    def _alone(self) -> Comparison:
        """The comparison as if no other one had been made together with it."""
        return replace(self, adjusted_p_value=self.p_value, compared=1)

    def _cells(self, digits: int) -> list[str]:
        """The cells of a table: the difference, its interval, p-values with a mark, and wins."""
        p_values = self._printed_p_values
        p_values[-1] += "*" if self.is_significant else " "
        wins = "" if self.wins is None else f"{100 * self.wins:.1f} %"
        bounds = shown_bounds(self.difference_interval, digits)
        return [f"{self.difference:+.{digits}f}", bounds, *p_values, wins]

    def _tables(self) -> list[Table]:
        return Comparisons({"system": self})._tables()

    @property
    def _test(self) -> str:
        """The test, with its number of samples or trials."""
        if self.test == "exact randomization":
            return "exact randomization (at most 12 segments differ)"
        kind = "sample" if self.test == "bootstrap" else "trial"
        return f"{self.test}, {number_of(self.trials, kind)}"


class Comparisons(dict[Name, Comparison], Tables):
    """The comparisons of systems with one baseline, by name: a dict that prints as a table.

    `baseline` is the baseline's name in the table.
    """

    baseline: Hashable = "baseline"

    def to_dict(self) -> dict[Name, dict[str, Any]]:
        """`Comparison.to_dict` of each system, by name."""
        return {name: comparison.to_dict() for name, comparison in self.items()}

    def to_latex(self) -> str:
        """The table for a paper, with p-values adjusted by Holm's method if there are several.

        It needs the LaTeX package booktabs; how the systems were compared is a comment above it.
        """
        [table] = self._tables()
        return table.latex()

    def _tables(self, digits: int | None = None) -> list[Table]:
        if not self:
            return [Table("", ["no systems"], [])]
        first = next(iter(self.values()))
        if digits is None:
            scores = [comparison.score for comparison in self.values()]
            digits = decimals(first.baseline_score, *scores)
        several = first.compared > 1
        rows = [[str(self.baseline), f"{first.baseline_score:.{digits}f}", *[""] * (4 + several)]]
        for name, comparison in self.items():
            score = f"{comparison.score:.{digits}f}"
            rows.append([str(name), score, *comparison._cells(digits)])
        intervals = [comparison.interval for comparison in self.values() if comparison.interval]
        percent = f"{100 * intervals[0].confidence:g} %" if intervals else ""
        percent += ", unadjusted" if several else " interval"
        head = ["system", "score", "difference", percent, "p-value"]
        head += [*["adjusted p"] * several, "wins"]
        # Leave out empty columns.
        kept = [at for at, cells in enumerate(zip(*rows, strict=True)) if any(cells)]
        shown = [[row[at] for at in kept] for row in [head, *rows]]
        return [Table("", shown[0], shown[1:], notes_of(self))]


def notes_of(comparisons: Mapping[Any, Comparison], mark: str = "*") -> list[str]:
    """How comparisons were made, and in which of them too few segments differ for a test."""
    first = next(iter(comparisons.values()))
    tests = dict.fromkeys([comparison._test for comparison in comparisons.values()])
    parts = [f"paired {', or '.join(tests)}"]
    if first.interval and all(result.test != "bootstrap" for result in comparisons.values()):
        parts.append(f"intervals by bootstrap, {number_of(first.interval.samples, 'sample')}")
    meaning = f"{mark}: p < 0.05"
    if first.compared > 1:
        adjusted_for = f"{first.compared} comparisons (Holm)"
        parts.append(f"p adjusted for {adjusted_for}, intervals not adjusted")
        meaning = f"{mark}: adjusted p < 0.05"
    if first.difference_interval:
        meaning += ", and 0 outside the interval. Wins: samples in which the system is ahead"
    reasons = {name: comparison._too_few for name, comparison in comparisons.items()}
    too_few = [f"{name}: {reason}" for name, reason in reasons.items() if reason]
    return [f"{'; '.join(parts)}; seed {first.seed}. {meaning}", *too_few]


def known(interval: Interval) -> Interval | None:
    """The interval; None if some of its samples have no score."""
    return None if isnan(interval.mean) else interval


def shown_bounds(interval: Interval | None, digits: int) -> str:
    """An interval as text: "25.18 to 31.02"; "" if there is none."""
    return "" if interval is None else f"{interval.low:.{digits}f} to {interval.high:.{digits}f}"


def adjusted(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """The comparisons, with p-values corrected for their number by Holm's method.

    References
    ----------
    Holm (1979), A simple sequentially rejective multiple test procedure.
    """
    corrected, largest = list(comparisons), 0.0
    order = sorted(range(len(comparisons)), key=lambda number: comparisons[number].p_value)
    for rank, number in enumerate(order):
        comparison, compared = comparisons[number], len(order)
        # Each p-value is multiplied by the number of p-values that are not smaller.
        largest = max(largest, min(1.0, (compared - rank) * comparison.p_value))
        corrected[number] = replace(comparison, adjusted_p_value=largest, compared=compared)
    return corrected

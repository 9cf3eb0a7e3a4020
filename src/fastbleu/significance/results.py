"""What the significance tests return: intervals and comparisons."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Interval:
    """A confidence interval of a score, from bootstrap samples.

    The samples' scores are sorted, floor(samples * (1 - confidence) / 2) are left out at each end,
    and `low` and `high` are the first and the last of the others: a percentile interval, as
    Koehn (2004) and sacreBLEU take it.

    Attributes
    ----------
    score : float
        Of the whole corpus; on the scale of the dialect, as `mean`, `low` and `high` are.
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
        """Half the distance of the bounds: what is written after a plus-minus sign."""
        return 0.5 * (self.high - self.low)


@dataclass(frozen=True)
class Comparison:
    """A system against a baseline.

    Attributes
    ----------
    score, baseline_score : float
        Of the whole corpora, on the scale of the dialect: 0-100 for sacreBLEU's, 0-1 for nltk's.
    p_value : float
        Two-sided, 0-1: the probability of a difference at least this large if the systems were
        equally good.
    wins : float or None
        Share of the bootstrap samples in which the system scores higher than the baseline, 0-1; a
        tie counts half. None for approximate randomization.
    interval, baseline_interval, difference_interval : Interval or None
        Of `score`, `baseline_score` and `difference`; None where no samples were drawn for it.
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
        """Score of the system less that of the baseline."""
        return self.score - self.baseline_score

"""Confidence intervals of scores and tests of differences, from sufficient statistics.

The score of a sample is computed from the summed rows of randomly drawn segments, so no text is
read again. A result depends on the rows, the number of samples, the seed and numpy's default
generator, and samples are drawn as sacreBLEU 2.6.0 draws them. A sample's score is the dialect's
score of a corpus with its sums, which are integers; by sacreBLEU's dialect it is the one of
sacreBLEU's tests, in float32, so that intervals and p-values equal (``==``) sacreBLEU's. With
weights, which sacreBLEU does not have, it is the exact one.

References
----------
Koehn (2004), Statistical significance tests for machine translation evaluation: intervals, `wins`.
Riezler and Maxwell (2005), On some pitfalls in automatic evaluation and significance testing for
MT: both p-values. Noreen (1989), Computer-intensive methods for testing hypotheses: approximate
randomization. Phipson and Smyth (2010), Permutation p-values should never be zero: the 1 that is
added to both sides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict, overload

import numpy as np

from ..counting.stats import Stats
from ..dialects.base import Dialect
from ..dialects.sacrebleu import SACREBLEU
from .experiment import Experiment, at_least, name_systems
from .results import Comparison, Comparisons, Interval, Name, known
from .scoring import ScoringOptions, scoring_of

if TYPE_CHECKING:
    from typing import Unpack

    from numpy.typing import NDArray

    from ..dialects.scorer import Scorer


class ResamplingOptions(TypedDict, total=False):
    """Options of both tests that do not change a score."""

    samples: int
    confidence: float
    seed: int | str | None
    progress: bool


class PairedOptions(ResamplingOptions, ScoringOptions, total=False):
    """Options of `paired_bootstrap`."""

    dialect: Dialect | str


class RandomizationOptions(PairedOptions, total=False):
    """Options of `paired_approximate_randomization`."""

    trials: int


def bootstrap(
    stats: Stats,
    *,
    samples: int = 1000,
    confidence: float = 0.95,
    seed: int | str | None = None,
    dialect: Dialect | str = SACREBLEU,
    progress: bool = False,
    **scoring: Unpack[ScoringOptions],
) -> Interval:
    """Confidence interval of a system's score, by bootstrap resampling of its segments.

    Parameters
    ----------
    stats : Stats, S rows
        As `fastbleu.count` returns them.
    samples : int, default 1000
        Each draws S segments with replacement.
    confidence : float, default 0.95
        Between 0 and 1.
    seed : int, "none" or None
        None: the environment variable SACREBLEU_SEED, or 12345 if it is not set; "none": a
        different seed each time.
    dialect : str, default "sacrebleu"
        Turns rows into scores.
    progress : bool, default False
        Show a progress bar on standard error.
    **scoring
        Passed on to the dialect's `sentence_scores`: `weights`, `smoothing`, `smoothing_value`, and
        for sacreBLEU's dialect `effective_order`.

    Returns
    -------
    Interval

    Raises
    ------
    ValueError
        There are fewer than 2 rows, a number in them is negative, or an argument is out of its
        range.
    OverflowError
        The sums of a sample may not fit into int64.

    Warns
    -----
    InputWarning
        Some samples have no score in this dialect: mean and bounds are NaN.

    Examples
    --------
    >>> from fastbleu import count
    >>> stats = count(["a b c d e".split(), "a b d".split()], [["a b c d e".split()]] * 2)
    >>> bootstrap(stats, samples=100).high
    100.00000000000004
    """
    samples = at_least(1, "samples", samples)
    experiment = Experiment.checked(
        [("stats", stats)], dialect, scoring, confidence=confidence, seed=seed, progress=progress
    )
    [scores] = experiment.draw(samples)
    return experiment.interval(experiment.scores[0], scores)


def interval_of(
    table: NDArray[Any],
    scorer: Scorer,
    confidence: float,
    samples: int,
    seed: int | str | None,
    threads: int,
) -> Interval | None:
    """The interval of `bootstrap` for rows as the scorer's dialect adds them up.

    `table` has two rows or more, of uint16 or int64. None, and a warning: samples have no score.
    """
    samples, totals = at_least(1, "samples", samples), table.sum(0, np.int64)
    scoring = scoring_of(scorer)
    experiment = Experiment([table], [totals], scoring, confidence, seed, threads=threads)
    [scores] = experiment.draw(samples)
    return known(experiment.interval(experiment.scores[0], scores))


@overload
def paired_bootstrap(
    baseline: Stats, systems: Stats, **options: Unpack[PairedOptions]
) -> Comparison: ...
@overload
def paired_bootstrap(
    baseline: Stats, systems: Mapping[Name, Stats], **options: Unpack[PairedOptions]
) -> Comparisons[Name]: ...
@overload
def paired_bootstrap(
    baseline: Stats, systems: Sequence[Stats], **options: Unpack[PairedOptions]
) -> list[Comparison]: ...
def paired_bootstrap(
    baseline: Stats,
    systems: Stats | Mapping[Name, Stats] | Sequence[Stats],
    *,
    samples: int = 1000,
    confidence: float = 0.95,
    seed: int | str | None = None,
    dialect: Dialect | str = SACREBLEU,
    progress: bool = False,
    **scoring: Unpack[ScoringOptions],
) -> Any:
    """Compare systems with a baseline by bootstrap resampling of the segments.

    The p-value is the share of the samples (c + 1 of samples + 1) whose absolute difference, minus
    the mean of the samples' absolute differences, is larger than the observed one, as in
    sacreBLEU; Riezler and Maxwell (2005) count equal ones, too. For systems that no sample tells
    apart it is 1, for which sacreBLEU prints 1 / (samples + 1). For an observed difference close to
    0 the p-value is too small, because absolute values are centred: then use
    `difference_interval` or `paired_approximate_randomization`.

    Parameters
    ----------
    baseline : Stats, S rows
    systems : Stats, sequence or mapping of Stats
        The other systems, each with S rows for the same segments in the same order.
    samples : int, default 1000
        The same segments are drawn for all systems.
    confidence, seed, dialect, progress, **scoring
        As in `bootstrap`.

    Returns
    -------
    Comparison, or a list or `Comparisons`, a dict of them, as `systems` is

    Raises
    ------
    ValueError
        As in `bootstrap`; or the numbers of rows differ, or their max_order.

    Examples
    --------
    >>> from fastbleu import Stats
    >>> one, other = Stats([[5, 5, 4, 4]] * 9), Stats([[5, 5, 3, 4]] * 8 + [[5, 5, 4, 4]])
    >>> found = paired_bootstrap(one, {"other": other})
    >>> round(found["other"].difference, 2), found["other"].wins
    (-22.22, 0.0)
    """
    named, restore = name_systems(baseline, systems)
    samples = at_least(1, "samples", samples)
    experiment = Experiment.checked(
        named, dialect, scoring, confidence=confidence, seed=seed, progress=progress
    )
    return restore(experiment.bootstrap(samples))


@overload
def paired_approximate_randomization(
    baseline: Stats, systems: Stats, **options: Unpack[RandomizationOptions]
) -> Comparison: ...
@overload
def paired_approximate_randomization(
    baseline: Stats, systems: Mapping[Name, Stats], **options: Unpack[RandomizationOptions]
) -> Comparisons[Name]: ...
@overload
def paired_approximate_randomization(
    baseline: Stats, systems: Sequence[Stats], **options: Unpack[RandomizationOptions]
) -> list[Comparison]: ...
def paired_approximate_randomization(
    baseline: Stats,
    systems: Stats | Mapping[Name, Stats] | Sequence[Stats],
    *,
    trials: int = 10_000,
    samples: int = 0,
    confidence: float = 0.95,
    seed: int | str | None = None,
    dialect: Dialect | str = SACREBLEU,
    progress: bool = False,
    **scoring: Unpack[ScoringOptions],
) -> Any:
    """Compare systems with a baseline by exchanging their segments at random.

    The p-value is the share of the trials (c + 1 of trials + 1) in which the two shuffled corpora
    differ in score by more than the systems do, as in sacreBLEU: if systems differ in few segments,
    many trials differ as much as they do, and it is too small. For systems that no trial tells
    apart it is 1, for which sacreBLEU prints 1 / (trials + 1).

    Parameters
    ----------
    baseline : Stats, S rows
    systems : Stats, sequence or mapping of Stats
        As in `paired_bootstrap`.
    trials : int, default 10_000
        Each trial tosses a coin for each segment, the same for all systems: on heads, system and
        baseline exchange their hypotheses.
    samples : int, default 0
        Number of bootstrap samples for the intervals; 0 for no intervals.
    confidence, seed, dialect, progress, **scoring
        As in `bootstrap`.

    Returns
    -------
    Comparison, or a list or `Comparisons`, a dict of them, as `systems` is

    Raises
    ------
    ValueError
        As in `paired_bootstrap`.

    Examples
    --------
    >>> from fastbleu import Stats
    >>> one, other = Stats([[5, 5, 4, 4]] * 9), Stats([[5, 5, 3, 4]] * 8 + [[5, 5, 4, 4]])
    >>> found = paired_approximate_randomization(one, [other, one])
    >>> found[0].p_value < 0.05, found[1].p_value
    (True, 1.0)
    """
    named, restore = name_systems(baseline, systems)
    trials, samples = at_least(1, "trials", trials), at_least(0, "samples", samples)
    experiment = Experiment.checked(
        named, dialect, scoring, confidence=confidence, seed=seed, progress=progress
    )
    return restore(experiment.randomize(trials, samples))

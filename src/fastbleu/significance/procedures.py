"""Confidence intervals of scores and tests of differences, from sufficient statistics.

The score of a sample is computed from the summed rows of randomly drawn segments, so no text is
read again. A result depends on the rows, the number of samples, the seed and numpy's default
generator. Sums are integers, and a sample's score is the dialect's score of a corpus with these
sums; with ``compatible="sacrebleu"`` every float is the one that sacreBLEU 2.6.0 returns instead.

References
----------
Koehn (2004), Statistical significance tests for machine translation evaluation: intervals, `wins`.
Riezler and Maxwell (2005), On some pitfalls in automatic evaluation and significance testing for
MT: both p-values. Noreen (1989), Computer-intensive methods for testing hypotheses: approximate
randomization. Phipson and Smyth (2010), Permutation p-values should never be zero: the 1 that is
added to both sides.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict, overload

import numpy as np

from ..counting.stats import Stats
from ..dialects import SACREBLEU, Dialect
from .experiment import Experiment, at_least, name_systems
from .results import Comparison, Comparisons, Interval, Name
from .scoring import DialectScoring, ScoringOptions

if TYPE_CHECKING:
    from typing import Unpack

    from numpy.typing import NDArray

    from ..dialects.scorer import Scorer


class ResamplingOptions(TypedDict, total=False):
    """Options of both tests that do not change a score."""

    samples: int
    confidence: float
    seed: int | str | None
    compatible: str | None
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
    compatible: str | None = None,
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
    dialect : {"sacrebleu", "nltk"} or Dialect, default `fastbleu.dialects.SACREBLEU`
        Turns rows into scores.
    compatible : "sacrebleu" or None
        "sacrebleu": `score`, `mean` and `half_width` equal (``==``) those of sacreBLEU's
        ``BLEU.corpus_score(..., n_bootstrap=samples)`` on the running Python and numpy, which
        scores samples in float32.
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
        There are fewer than 2 rows (1 if compatible), a number in them is negative, or an argument
        is out of its range.
    OverflowError
        The sums of a sample may not fit into int64.

    Examples
    --------
    >>> from fastbleu import count
    >>> stats = count(["a b c d e".split(), "a b d".split()], [["a b c d e".split()]] * 2)
    >>> bootstrap(stats, samples=100).high
    100.00000000000004
    """
    samples = at_least(1, "samples", samples)
    experiment = Experiment.checked(
        [("stats", stats)], confidence, seed, dialect, compatible, progress, scoring
    )
    [scores] = experiment.draw(samples, experiment.generator())
    # Only here sacreBLEU computes the mean with Python's exact arithmetic.
    mean = statistics.mean(scores.tolist()) if compatible else None
    return experiment.interval(experiment.scores[0], scores, mean)


def interval_of(
    table: NDArray[Any],
    scorer: Scorer,
    confidence: float,
    samples: int,
    seed: int | str | None,
    threads: int,
) -> Interval:
    """The interval of `bootstrap` for rows as the scorer's dialect adds them up.

    `table` has two rows or more, of uint16 or int64.
    """
    samples, totals = at_least(1, "samples", samples), table.sum(0, np.int64)
    experiment = Experiment([table], [totals], DialectScoring(scorer, threads), confidence, seed)
    [scores] = experiment.draw(samples, experiment.generator())
    return experiment.interval(experiment.scores[0], scores)


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
    compatible: str | None = None,
    progress: bool = False,
    **scoring: Unpack[ScoringOptions],
) -> Any:
    """Compare systems with a baseline by bootstrap resampling of the segments.

    The p-value is the share of the samples (c + 1 of samples + 1) whose absolute difference, minus
    the mean of the samples' absolute differences, is at least the observed one. This is the
    definition of Riezler and Maxwell (2005), Moses and sacreBLEU; but sacreBLEU counts only larger
    ones, and so finds identical systems different (p = 1 / (samples + 1), here 1). For an observed
    difference close to 0 the p-value is too small, because absolute values are centred: then use
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
    compatible : "sacrebleu" or None
        "sacrebleu": `score`, `p_value`, and `mean` and `half_width` of `interval` and
        `baseline_interval` equal (``==``) those of sacreBLEU's ``PairedTest(..., "bs")``. There
        the seed 0 means no seed, except for `baseline_interval`.

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
    experiment = Experiment.checked(named, confidence, seed, dialect, compatible, progress, scoring)
    scores = experiment.draw(samples, experiment.paired_generator())
    differences = scores[1:] - scores[0]
    distances = abs(differences)
    shifted = [of_system - experiment.mean(of_system) for of_system in distances]
    of_baseline = scores[0]
    if experiment.forgets_seed:
        [of_baseline] = experiment.draw(samples, experiment.generator(), slice(1))
    return restore(experiment.compare("bootstrap", shifted, of_baseline, scores[1:], differences))


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
    compatible: str | None = None,
    progress: bool = False,
    **scoring: Unpack[ScoringOptions],
) -> Any:
    """Compare systems with a baseline by exchanging their segments at random.

    The p-value is the share of the trials (c + 1 of trials + 1) in which the two shuffled corpora
    differ in score by at least as much as the systems do. sacreBLEU counts only larger differences,
    and so finds identical systems different (p = 1 / (trials + 1), here 1).

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
    compatible : "sacrebleu" or None
        "sacrebleu": as in `paired_bootstrap`, here like sacreBLEU's
        ``PairedTest(..., "ar", n_ar_confidence=samples)``, in which add-k adds an integer,
        truncated from its value; without `difference_interval`.

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
    experiment = Experiment.checked(named, confidence, seed, dialect, compatible, progress, scoring)
    generator = experiment.paired_generator()
    distances = experiment.shuffle(trials, generator)
    drawn: tuple[Any, ...] = ()
    if samples and compatible:
        # sacreBLEU draws different samples for the baseline and for the systems.
        [of_baseline] = experiment.draw(samples, experiment.generator(), slice(1))
        drawn = of_baseline, experiment.draw(samples, generator, slice(1, None))
    elif samples:
        scores = experiment.draw(samples, experiment.generator())
        drawn = scores[0], scores[1:], scores[1:] - scores[0]
    return restore(experiment.compare("approximate randomization", distances, *drawn))

"""Confidence intervals of scores and tests of differences, from sufficient statistics.

The score of a sample is computed from the summed rows of randomly drawn segments, so no text is
read again. A result depends on the rows, the number of samples, the seed and numpy's default
generator. Samples are drawn as in sacreBLEU 2.6.0. With weights, which sacreBLEU does not have,
samples in its dialect get exact scores.

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
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

import numpy

from ..core.counting.stats import Stats
from ..core.inputs.arguments import a_type, check_choice, check_integer, number_of, shown
from ..core.inputs.errors import InputError, InputTypeError, restated
from ..core.metric.argument import as_metric, scorer_of
from ..core.scoring.base import SIGNIFICANCE
from .experiment import Experiment, scoring_of
from .results import Comparison, Comparisons, Interval, Name, known

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..core.inputs.types import Hypotheses, References
    from ..core.metric.argument import Metric
    from ..core.metric.bleu import BLEU
    from ..core.scoring.scorer import Scorer

TRIALS = 10_000  # of approximate randomization


def bootstrap(
    hypotheses: Hypotheses | Stats,
    references: References | None = None,
    *,
    metric: Metric | None = None,
    confidence: float = 0.95,
    samples: int = 1000,
    seed: int | None = 12345,
    progress: bool = False,
) -> Interval:
    """Confidence interval of a system's score, by bootstrap resampling of its segments.

    Parameters
    ----------
    hypotheses : hypotheses of S segments, or Stats of S rows
        As for `fastbleu.BLEU.score`; or what `fastbleu.BLEU.count` returned for hypotheses
        and references.
    references : references of S segments, optional
        As for `fastbleu.BLEU.score`; omit with Stats.
    metric : BLEU or str, optional
        The BLEU to compute, or the name of a dialect; by default ``fastbleu.BLEU()``. Its
        smoothing and weights apply to Stats, too.
    confidence : float, default 0.95
        Between 0 and 1.
    samples : int, default 1000
        Number of samples; each draws S segments with replacement.
    seed : int or None, default 12345
        An integer from 0; None for a new one each time.
    progress : bool, default False
        Show a progress bar on standard error.

    Returns
    -------
    Interval

    Raises
    ------
    TypeError
        An argument is of the wrong type, or references are missing.
    ValueError
        There are fewer than 2 segments, the texts cannot be scored, the Stats were counted with
        other options than the metric's or hold numbers that no text can have, an argument is out of
        range, or the dialect's score does not follow from sums.
    OverflowError
        The sums of a sample may not fit into int64.

    Warns
    -----
    InputWarning
        There are fewer than 20 segments, so that the interval is too narrow; some samples have no
        score in this dialect: mean and bounds are NaN; or as for `fastbleu.BLEU.count`.

    Examples
    --------
    >>> hypotheses, references = ["a b c d e"] * 29 + ["a b d"], ["a b c d e"] * 30
    >>> bootstrap(hypotheses, references, samples=100).high
    100.00000000000004
    """
    metric = _resampled_metric(metric)
    samples = check_integer("samples", samples, 1)
    rows = {"hypotheses": _rows(metric, hypotheses, references)}
    experiment = _experiment(metric, rows, confidence, seed, progress)
    [scores] = experiment.draw(samples)
    return experiment.interval(experiment.scores[0], scores)


def compare(
    systems: Mapping[Name, Hypotheses | Stats],
    references: References | None = None,
    *,
    method: Literal["approximate_randomization", "bootstrap"] = "approximate_randomization",
    metric: Metric | None = None,
    samples: int = 1000,
    trials: int = TRIALS,
    confidence: float = 0.95,
    seed: int | None = 12345,
    progress: bool = False,
) -> Comparisons[Name]:
    """Compare systems with the first one, the baseline.

    The p-values are those of sacreBLEU's ``--paired-ar`` and ``--paired-bs``, except that, by both
    methods, those of systems that differ in 12 segments or fewer are exact: the share of all
    exchanges of hypotheses after which the scores differ at least as much. With k differing
    segments none is below 2/2^k: up to 5 are too few for a test. Systems that no trial and no
    sample tells apart have 1.

    Parameters
    ----------
    systems : mapping of hypotheses or Stats by name, two or more
        Hypotheses of the same S segments in the same order, or their Stats, as in `bootstrap`.
    references : references of S segments, optional
        As for `fastbleu.BLEU.score`; omit if all systems are Stats.
    method : {"approximate_randomization", "bootstrap"}, default "approximate_randomization"
        How p-values are computed; intervals are by bootstrap in both cases.

        "approximate_randomization": each trial tosses a coin for each segment, the same for all
        systems; on heads, system and baseline exchange their hypotheses. The p-value is the share
        of the trials (c + 1 of trials + 1) in which the two shuffled corpora differ in score by
        more than the systems do, as in sacreBLEU.

        "bootstrap": the p-value is the share of the samples (c + 1 of samples + 1) whose absolute
        difference, minus the mean of the samples' absolute differences, is larger than the observed
        one, as in sacreBLEU; Riezler and Maxwell (2005) count equal ones, too. If the observed
        difference is close to 0, the p-value is too small, because absolute values are centred:
        then use `difference_interval` or the other method.
    metric : BLEU or str, optional
        As in `bootstrap`.
    samples : int, default 1000
        Number of bootstrap samples, the same segments for all systems; with approximate
        randomization, 0 for no intervals.
    trials : int, default 10_000
        Number of trials of approximate randomization.
    confidence, seed, progress
        As in `bootstrap`.

    Returns
    -------
    Comparisons
        Comparisons of all systems except the first, by name; `adjusted_p_value` is corrected for
        their number.

    Raises
    ------
    TypeError, ValueError, OverflowError
        There are fewer than two systems, or their numbers of segments differ; or as for
        `bootstrap`, with the system's name in the message.

    Examples
    --------
    >>> references = ["the cat sat on the mat", "it rained all night", "a dog barked at us"] * 9
    >>> new = ["the cat sat on a mat", "it rained all night", "a dog barked at us"] * 9
    >>> compared = compare({"baseline": references, "new": new}, references, samples=100, seed=1)
    >>> round(compared["new"].difference, 2)
    -20.31
    """
    metric = _resampled_metric(metric)
    check_choice("method", method, ("approximate_randomization", "bootstrap"))
    if not isinstance(systems, Mapping):
        expected = "expected hypotheses by name: {'old': hypotheses, 'new': others}"
        raise InputTypeError(f"systems is {a_type(systems)}, {expected}")
    if len(systems) < 2:
        expected = "expected two or more: the first one is the baseline"
        raise InputError(f"systems has {number_of(len(systems), 'entry', 'entries')}, {expected}")
    trials = check_integer("trials", trials, 1)
    samples = check_integer("samples", samples, int(method == "bootstrap"))
    experiment = _experiment_of(metric, systems, references, confidence, seed, progress)
    if method == "bootstrap":
        comparisons = experiment.bootstrap(samples)
    else:
        comparisons = experiment.randomize(trials, samples)
    baseline, *others = systems
    compared = Comparisons(zip(others, comparisons, strict=True))
    compared.baseline = baseline
    return compared


def compare_pairs(
    systems: Sequence[Stats], metric: BLEU, samples: int, seed: int | None, progress: bool
) -> dict[tuple[int, int], Comparison]:
    """Compare each system with all after it, as `compare` does; keys are pairs of their numbers.

    `adjusted_p_value` is corrected for the number of pairs.
    """
    named = dict(enumerate(systems))
    experiment = _experiment_of(_resampled_metric(metric), named, None, 0.95, seed, progress)
    comparisons = experiment.randomize(TRIALS, samples, baselines=len(systems) - 1)
    return dict(zip(combinations(named, 2), comparisons, strict=True))


def difference_intervals(
    systems: Sequence[Stats], metric: BLEU, samples: int, seed: int | None
) -> dict[tuple[int, int], Interval | None]:
    """The intervals of `compare_pairs`, by the same keys, without a test.

    Of a single system, that of its score, by (0, 0).
    """
    metric, named = _resampled_metric(metric), dict(enumerate(systems))
    experiment = _experiment_of(metric, named, None, 0.95, seed, False)
    scores, drawn = experiment.scores, experiment.draw(samples)
    if len(systems) == 1:
        return {(0, 0): known(experiment.interval(scores[0], drawn[0]))}
    return {
        (a, b): known(experiment.interval(scores[b] - scores[a], drawn[b] - drawn[a]))
        for a, b in combinations(range(len(systems)), 2)
    }


def leave_one_out(stats: Stats, metric: BLEU) -> NDArray[numpy.float64]:
    """By how much a corpus scores higher than without each of its segments, shape (S,).

    NaN where the rest has no score; ValueError if the score does not follow from sums.
    """
    scorer = scorer_of(_resampled_metric(metric))
    rows = numpy.asarray(scorer.adapted(stats))
    total, scoring = rows.sum(0, numpy.int64), scoring_of(scorer)
    return scoring.score_sums(total[numpy.newaxis]) - scoring.score_sums(total - rows)


def _experiment_of(
    metric: BLEU,
    systems: Mapping[Name, Hypotheses | Stats],
    references: References | None,
    confidence: float,
    seed: int | None,
    progress: bool,
) -> Experiment:
    """The experiment of `compare`; errors name the system."""
    has_texts = any(not isinstance(system, Stats) for system in systems.values())
    rows = {}
    for name, hypotheses in systems.items():
        label = f"systems[{shown(name)}]"
        stands_for_both = has_texts and isinstance(hypotheses, Stats)
        try:
            rows[label] = _rows(metric, hypotheses, None if stands_for_both else references)
        except (TypeError, ValueError) as error:
            raise restated(error, f"{label}: {error}") from error
    return _experiment(metric, rows, confidence, seed, progress)


def intervals_of(
    tables: Sequence[NDArray[Any]],
    scorer: Scorer,
    confidence: float,
    samples: int,
    seed: int | None,
    threads: int,
) -> list[Interval | None]:
    """The interval of `bootstrap` for each table of rows, as the scorer's dialect adds them up.

    All tables have equally many rows, two or more, of uint16 or int64, and share their draws. An
    interval is None, with a warning, if some samples have no score.
    """
    samples = check_integer("samples", samples, 1)
    experiment = Experiment(tables, scoring_of(scorer), confidence, seed, threads=threads)
    drawn = zip(experiment.scores, experiment.draw(samples), strict=True)
    return [known(experiment.interval(score, scores)) for score, scores in drawn]


def _resampled_metric(metric: Metric | None) -> BLEU:
    """The metric; ValueError if samples of segments have no score in its dialect."""
    metric = as_metric(metric)
    scorer_of(metric).require(SIGNIFICANCE)
    return metric


def _rows(metric: BLEU, hypotheses: Any, references: Any) -> Stats:
    """The counts of a system's segments; Stats are taken if the metric counts in the same way."""
    if references is None and not isinstance(hypotheses, Stats):
        problem = f"references is None, and hypotheses is {a_type(hypotheses)}"
        raise InputTypeError(f"{problem}; only Stats, from count, stand for both")
    counted = metric.count(hypotheses, references)
    # Checked, and not changed here: a copy of a million rows has 80 MB.
    return hypotheses if isinstance(hypotheses, Stats) else counted


def _experiment(
    metric: BLEU, rows: Mapping[str, Stats], confidence: float, seed: int | None, progress: bool
) -> Experiment:
    """An experiment with the rows of systems, by the names used in messages."""
    _check_rows(rows)
    scorer = scorer_of(metric)
    adapted = [scorer.adapted(stats) for stats in rows.values()]
    return Experiment(adapted, scoring_of(scorer), confidence, seed, progress, metric.threads)


def _check_rows(rows: Mapping[str, Stats]) -> None:
    """Raise an error unless all have the same number of rows, at least two."""
    first, baseline = next(iter(rows.items()))
    for name, stats in rows.items():
        if len(stats) != len(baseline):
            lengths = f"{name} has {number_of(len(stats), 'row')}, {first} has {len(baseline)}"
            fix = "compare systems on the same segments, in the same order"
            raise InputError(f"{lengths}; {fix}")
        if len(stats) < 2:
            raise InputError(
                f"{name} has {number_of(len(stats), 'row')}, but at least 2 segments "
                "are needed to draw from; pass the rows of all segments, not their sum"
            )

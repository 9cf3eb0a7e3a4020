"""Confidence intervals of scores and tests of differences, from sufficient statistics.

The score of a sample is computed from the summed rows of randomly drawn segments, so no text is
read again. A result depends on the rows, the number of samples, the seed and numpy's default
generator, and samples are drawn as sacreBLEU 2.6.0 draws them. With weights, which sacreBLEU does
not have, samples of its dialect get exact scores.

References
----------
Koehn (2004), Statistical significance tests for machine translation evaluation: intervals, `wins`.
Riezler and Maxwell (2005), On some pitfalls in automatic evaluation and significance testing for
MT: both p-values. Noreen (1989), Computer-intensive methods for testing hypotheses: approximate
randomization. Phipson and Smyth (2010), Permutation p-values should never be zero: the 1 that is
added to both sides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, SupportsIndex, TypedDict, overload

import numpy as np

from ..counting.stats import Stats
from ..dialects.base import Dialect
from ..dialects.names import get
from ..dialects.sacrebleu import SACREBLEU
from ..dialects.scorer import Scorer
from ..inputs.arguments import a_type, check_choice, closest, refuse_options, shown
from ..metric.bleu import BLEU
from .experiment import Experiment, scoring_of
from .results import Comparison, Comparisons, Interval, Name, known

if TYPE_CHECKING:
    from typing import Unpack

    from numpy.typing import NDArray

    from ..inputs.types import Hypotheses, References

_OPTIONS = ("samples", "trials", "confidence", "seed", "dialect", "progress")


class ScoringOptions(TypedDict, total=False):
    """Options of a dialect's scores, as a `Scorer` takes them."""

    weights: Sequence[float] | None
    smooth_method: str
    smooth_value: float | None
    effective_order: bool


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


class CompareOptions(ResamplingOptions, total=False):
    """Options of `compare` for its method; `trials` are those of approximate randomization."""

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
        Passed on to the dialect's `sentence_scores`: `weights`, `smooth_method`, `smooth_value`,
        and for sacreBLEU's dialect `effective_order`.

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
    samples = _at_least(1, "samples", samples)
    experiment = _experiment([("stats", stats)], dialect, scoring, confidence, seed, progress)
    [scores] = experiment.draw(samples)
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
        As in `bootstrap`; or the numbers of rows differ, or their max_ngram_order.

    Examples
    --------
    >>> from fastbleu import Stats
    >>> good, bad = Stats([[5, 5, 4, 4]] * 9), Stats([[5, 5, 3, 4]] * 8 + [[5, 5, 4, 4]])
    >>> compared = paired_bootstrap(good, {"bad": bad})
    >>> round(compared["bad"].difference, 2), compared["bad"].wins
    (-22.22, 0.0)
    """
    named = _named(baseline, systems)
    samples = _at_least(1, "samples", samples)
    experiment = _experiment(named, dialect, scoring, confidence, seed, progress)
    return _as_systems(systems, experiment.bootstrap(samples))


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
    >>> good, bad = Stats([[5, 5, 4, 4]] * 9), Stats([[5, 5, 3, 4]] * 8 + [[5, 5, 4, 4]])
    >>> compared = paired_approximate_randomization(good, [bad, good])
    >>> compared[0].p_value < 0.05, compared[1].p_value
    (True, 1.0)
    """
    named = _named(baseline, systems)
    trials, samples = _at_least(1, "trials", trials), _at_least(0, "samples", samples)
    experiment = _experiment(named, dialect, scoring, confidence, seed, progress)
    return _as_systems(systems, experiment.randomize(trials, samples))


_METHODS: dict[str, Callable[..., Any]] = {
    "approximate_randomization": paired_approximate_randomization,
    "bootstrap": paired_bootstrap,
}


def compare(
    systems: Mapping[Name, Hypotheses],
    references: References,
    *,
    method: Literal["approximate_randomization", "bootstrap"] = "approximate_randomization",
    metric: BLEU | None = None,
    **options: Unpack[CompareOptions],
) -> Comparisons[Name]:
    """Compare the hypotheses of systems with those of the first one, the baseline.

    Parameters
    ----------
    systems : mapping of hypotheses by name, two or more
        Hypotheses of S segments each, as for `fastbleu.BLEU.score`.
    references : references of S segments
        As for `fastbleu.BLEU.score`.
    method : {"approximate_randomization", "bootstrap"}, default "approximate_randomization"
        How p-values are found: `paired_approximate_randomization` or `paired_bootstrap`, as by
        sacreBLEU's ``--paired-ar`` and ``--paired-bs``. Intervals are those of the bootstrap.
    metric : BLEU, optional
        The BLEU to compute; by default ``fastbleu.BLEU()``.
    **options
        Options of the method: `samples` (1000 by default), `trials`, `confidence`, `seed`,
        `progress`.

    Returns
    -------
    Comparisons
        Comparisons of all systems except the first, by name; `adjusted_p_value` is corrected for
        their number.

    Raises
    ------
    TypeError
        An argument is of the wrong type, or `options` has one that belongs to the metric.
    ValueError
        There are fewer than two systems, or the texts of one cannot be scored (the message names
        it); or as for `paired_bootstrap`.

    Examples
    --------
    >>> references = ["the cat sat on the mat", "it rained all night", "a dog barked at us"]
    >>> new = ["the cat sat on a mat", "it rained all night", "a dog barked at us"]
    >>> compared = compare({"baseline": references, "new": new}, references, samples=100, seed=1)
    >>> round(compared["new"].difference, 2)
    -20.31
    """
    metric = BLEU() if metric is None else metric
    if not isinstance(metric, BLEU):
        raise TypeError(f"metric is {a_type(metric)}, expected a fastbleu.BLEU")
    check_choice("method", method, tuple(_METHODS))
    if not isinstance(systems, Mapping):
        expected = "expected hypotheses by name: {'new': hypotheses}"
        raise TypeError(f"systems is {a_type(systems)}, {expected}")
    if len(systems) < 2:
        expected = "expected two or more: the first one is the baseline"
        raise ValueError(f"systems has {len(systems)} entries, {expected}")
    refuse_options("compare", options, CompareOptions.__optional_keys__)
    rows = {}
    for name, hypotheses in systems.items():
        try:
            rows[name] = metric.count(hypotheses, references)
        except (TypeError, ValueError) as error:
            kind = TypeError if isinstance(error, TypeError) else ValueError
            raise kind(f"systems[{shown(name)}]: {error}") from error
    options.setdefault("samples", 1000)
    baseline = next(iter(rows))
    baseline_rows = rows.pop(baseline)
    scoring = {"dialect": metric.scorer.dialect, **scoring_options(metric)}
    compared: Comparisons[Name] = _METHODS[method](baseline_rows, rows, **scoring, **options)
    compared.baseline = baseline
    return compared


def scoring_options(metric: BLEU) -> dict[str, Any]:
    """The options of the tests that give a metric's scores."""
    return {option: getattr(metric, option) for option in metric.scorer.dialect.options}


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
    samples = _at_least(1, "samples", samples)
    experiment = Experiment([table], scoring_of(scorer), confidence, seed, threads=threads)
    [scores] = experiment.draw(samples)
    return known(experiment.interval(experiment.scores[0], scores))


def _experiment(
    named: list[tuple[str, Stats]],
    dialect: Dialect | str,
    scoring: ScoringOptions,
    confidence: float,
    seed: int | str | None,
    progress: bool,
) -> Experiment:
    """An experiment with rows of systems as they were counted; errors have their names."""
    dialect = _checked_dialect(dialect, scoring)
    _check_rows(named)
    scorer = Scorer(dialect, named[0][1].max_ngram_order, **scoring)
    rows = [scorer.dialect.adapt(stats) for _, stats in named]
    return Experiment(rows, scoring_of(scorer), confidence, seed, progress)


def _check_rows(named: list[tuple[str, Stats]]) -> None:
    """Raise an error unless these are rows of the same segments, two or more."""
    first, baseline = named[0]
    for name, stats in named:
        if not isinstance(stats, Stats):
            raise TypeError(f"{name} is {a_type(stats)}, expected Stats; fastbleu.count makes them")
        if len(stats) != len(baseline):
            lengths = f"{name} has {len(stats)} rows, {first} has {len(baseline)}"
            fix = "compare systems on the same segments, in the same order"
            raise ValueError(f"{lengths}; {fix}")
        if stats.max_ngram_order != baseline.max_ngram_order:
            raise ValueError(
                f"{name} has max_ngram_order={stats.max_ngram_order}, {first} has "
                f"max_ngram_order={baseline.max_ngram_order}; count both with the same"
            )
        if len(stats) < 2:
            raise ValueError(
                f"{name} has {len(stats)} row{'s' * (len(stats) != 1)}, but at least 2 segments "
                "are needed to draw from; pass the rows of all segments and not their sum"
            )
        rows = np.asarray(stats)
        if rows.min() < 0:
            row = int((rows < 0).any(axis=1).argmax())
            raise ValueError(f"row {row} of {name} has a negative number: {rows[row].tolist()}")
        impossible = stats.matches > stats.totals
        if impossible.any():
            row = int(impossible.any(axis=1).argmax())
            numbers = rows[row].tolist()
            raise ValueError(f"row {row} of {name} has more matches than n-grams: {numbers}")


def _checked_dialect(dialect: Dialect | str, scoring: Iterable[str]) -> Dialect:
    """The dialect given as an object or a name; an error if it does not support the options."""
    if isinstance(dialect, str):
        dialect = get(dialect)
    if not isinstance(dialect, Dialect):
        raise TypeError(f"dialect is {shown(dialect)}, expected a name or a Dialect")
    dialect.require("significance")
    for name in scoring:
        if name not in dialect.options:
            meant = closest(name, [*_OPTIONS, *dialect.options])
            hint = f"; did you mean {meant!r}?" if meant else ""
            raise TypeError(f"there is no option {shown(name)}{hint}")
    return dialect


def _at_least(least: int, name: str, value: SupportsIndex) -> int:
    """An argument as an integer; an error that names it if it is not one, or too small."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} is {shown(value)}, expected an integer")
    number = value.__index__()
    if number < least:
        raise ValueError(f"{name} is {number}, but must be at least {least}")
    return number


def _named(
    baseline: Stats, systems: Stats | Mapping[Name, Stats] | Sequence[Stats]
) -> list[tuple[str, Stats]]:
    """The rows of all systems, the baseline first, and what errors call them."""
    if isinstance(systems, Stats):
        return [("baseline", baseline), ("systems", systems)]
    by_name: Any = systems if isinstance(systems, Mapping) else dict(enumerate(systems))
    if not by_name:
        raise ValueError("systems is empty: there is nothing to compare with the baseline")
    labelled = [(f"systems[{shown(name)}]", stats) for name, stats in by_name.items()]
    return [("baseline", baseline), *labelled]


def _as_systems(systems: Any, comparisons: list[Comparison]) -> Any:
    """The comparisons as `systems` are: one, a list, or by name."""
    if isinstance(systems, Stats):
        return comparisons[0]
    if isinstance(systems, Mapping):
        return Comparisons(zip(systems, comparisons, strict=True))
    return comparisons

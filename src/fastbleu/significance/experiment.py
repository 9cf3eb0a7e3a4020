"""Shared by the significance tests: checked arguments, samples, intervals and p-values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from math import isnan
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np
from numpy.random import default_rng

from ..counting.stats import AdaptedRows, Stats
from ..dialects.base import Dialect
from ..dialects.names import get
from ..dialects.scorer import Scorer
from ..inputs.arguments import a_type, closest, shown
from ..inputs.warnings import warn_input
from ..runtime.progress import ProgressBar
from .resampling import Columns, draw_sums, read_seed, toss_coins
from .results import Comparison, Comparisons, Interval, adjusted, known
from .scoring import scoring_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .resampling import Integers
    from .results import Name
    from .scoring import DialectScoring, Floats, ScoringOptions

_OPTIONS = ("samples", "trials", "confidence", "seed", "dialect", "progress")


class Experiment:
    """A baseline and systems, to be scored on random samples.

    `systems` are tables of the rows that a dialect adds up, and `totals` their sums; `scores` are
    those of the whole corpora. With `tells_identical_apart` two systems that no sample tells apart
    get sacreBLEU's p-value, the least one, and otherwise 1. Other arguments are as in
    `fastbleu.significance`.
    """

    def __init__(
        self,
        systems: Sequence[NDArray[Any]],
        totals: Sequence[Integers],
        scoring: DialectScoring,
        confidence: float = 0.95,
        seed: int | str | None = None,
        progress: bool = False,
        threads: int = 1,
        tells_identical_apart: bool = False,
    ) -> None:
        if not 0 < confidence < 1:
            raise ValueError(f"confidence is {shown(confidence)}, but must lie between 0 and 1")
        self._confidence = float(confidence)
        self._progress, self._threads = progress, threads
        self._tells_identical_apart = tells_identical_apart
        self.seed = read_seed(seed)
        self._systems, self._scoring = systems, scoring
        self._totals = np.stack(totals)
        self.scores: list[float] = self._scoring.score_corpora(self._totals).tolist()

    @classmethod
    def of_rows(
        cls, rows: Sequence[AdaptedRows], scoring: DialectScoring, **options: Any
    ) -> Experiment:
        """An experiment with rows as a dialect adds them up."""
        totals = [np.asarray(system.sum())[0] for system in rows]
        return cls([np.asarray(system) for system in rows], totals, scoring, **options)

    @classmethod
    def checked(
        cls,
        named: list[tuple[str, Stats]],
        dialect: Dialect | str,
        scoring: ScoringOptions,
        **options: Any,
    ) -> Experiment:
        """An experiment with rows as they were counted, and their names in error messages."""
        dialect = checked_dialect(dialect, scoring)
        check_systems(named)
        scorer = Scorer(dialect, named[0][1].max_order, **scoring)
        rows = [scorer.dialect.adapt(stats) for _, stats in named]
        return cls.of_rows(rows, scoring_of(scorer), **options)

    def draw(self, samples: int) -> Floats:
        """Scores of bootstrap samples, shape (systems, samples): the same segments for all.

        Those without a score are NaN, and there is a warning.
        """
        columns = Columns(self._systems, repeated=True)
        scores = np.empty((len(columns.rows), samples))
        done = 0
        with ProgressBar(self._progress, samples, " samples", leave=False) as bar:
            drawn = draw_sums(default_rng(self.seed), columns, samples, self._threads)
            for sums, indices in drawn:
                count = sums.shape[1]
                scores[:, done : done + count] = self._scoring.score_drawn(sums, columns, indices)
                done += count
                bar.update(count)
        _warn_without_score(scores, "samples", "the score has no interval")
        return scores

    def shuffle(self, trials: int) -> Floats:
        """The distances between the scores of shuffled corpora, shape (systems - 1, trials).

        NaN and a warning where a corpus has no score.
        """
        columns = Columns(self._systems, repeated=False)
        baseline, others = self._totals[0], self._totals[1:, np.newaxis]
        distances = np.empty((len(others), trials))
        done = 0
        with ProgressBar(self._progress, trials, " trials", leave=False) as bar:
            tossed = toss_coins(default_rng(self.seed), columns.segments, trials)
            for words, first_bit, count in tossed:
                heads = columns.add_tossed(words, first_bit, count)
                one, other = others - heads[1:] + heads[0], baseline - heads[0] + heads[1:]
                scores = self._scoring.score_shuffled(np.stack([one, other]))
                distances[:, done : done + count] = abs(scores[0] - scores[1])
                done += count
                bar.update(count)
        _warn_without_score(distances, "trials", "they count as larger differences")
        return distances

    def interval(self, score: float, scores: Floats) -> Interval:
        """The confidence interval from the samples' scores, shape (samples,)."""
        ordered = np.sort(scores)
        samples = len(ordered)
        # With the intended decimal fraction: in floats (1 - 0.9) / 2 * 1000 is less than 50.
        left_out = int(samples * (1 - Fraction(str(self._confidence))) / 2)
        mean = float(ordered.mean())
        low, high = ordered[[left_out, samples - left_out - 1]].tolist()
        if isnan(mean):
            low = high = mean
        return Interval(score, mean, low, high, self._confidence, samples, self.seed)

    def bootstrap(self, samples: int) -> list[Comparison]:
        """The comparisons of `fastbleu.significance.paired_bootstrap`."""
        scores = self.draw(samples)
        distances = abs(scores[1:] - scores[0])
        shifted = [of_system - of_system.mean() for of_system in distances]
        return self._compared("bootstrap", shifted, scores)

    def randomize(self, trials: int, samples: int) -> list[Comparison]:
        """The comparisons of `fastbleu.significance.paired_approximate_randomization`."""
        distances = self.shuffle(trials)
        return self._compared(
            "approximate randomization", distances, self.draw(samples) if samples else None
        )

    def _compared(
        self, test: str, statistics: Sequence[Floats] | Floats, drawn: Floats | None
    ) -> list[Comparison]:
        """Compare the observed distances with `statistics`, shape (systems - 1, trials).

        `drawn` are scores on bootstrap samples, shape (systems, samples).
        """
        baseline = self.scores[0]
        comparisons = []
        for number, statistic in enumerate(statistics, 1):
            score = self.scores[number]
            observed = abs(baseline - score)
            # NaN counts as larger.
            p_value = (int((~(statistic <= observed)).sum()) + 1) / (len(statistic) + 1)
            if not (observed or statistic.any() or self._tells_identical_apart):
                p_value = 1.0
            interval = baseline_interval = difference_interval = wins = None
            if drawn is not None:
                above = drawn[number] - drawn[0]
                interval = known(self.interval(score, drawn[number]))
                baseline_interval = known(self.interval(baseline, drawn[0]))
                difference_interval = known(self.interval(score - baseline, above))
                if difference_interval:
                    wins = float(2 * (above > 0).sum() + (above == 0).sum()) / (2 * len(above))
            comparisons.append(
                Comparison(
                    score=score,
                    baseline_score=baseline,
                    p_value=p_value,
                    adjusted_p_value=p_value,
                    wins=wins,
                    interval=interval,
                    baseline_interval=baseline_interval,
                    difference_interval=difference_interval,
                    test=test,
                    compared=1,
                    trials=len(statistic),
                    seed=self.seed,
                )
            )
        return adjusted(comparisons)


def _warn_without_score(scores: Floats, kind: str, consequence: str) -> None:
    """Warn of samples, shape (systems, samples), in which a system has no score."""
    if without := int(np.isnan(scores).any(axis=0).sum()):
        warn_input(f"{without} of {scores.shape[1]} {kind} have no score: {consequence}")


def check_systems(named: list[tuple[str, Stats]]) -> None:
    """Raise an error unless these are rows of the same segments, two or more."""
    first, baseline = named[0]
    for name, stats in named:
        if not isinstance(stats, Stats):
            raise TypeError(f"{name} is {a_type(stats)}, expected Stats; fastbleu.count makes them")
        if len(stats) != len(baseline):
            lengths = f"{name} has {len(stats)} rows, {first} has {len(baseline)}"
            fix = "compare systems on the same segments, in the same order"
            raise ValueError(f"{lengths}; {fix}")
        if stats.max_order != baseline.max_order:
            raise ValueError(
                f"{name} has max_order={stats.max_order}, {first} has "
                f"max_order={baseline.max_order}; count both with the same max_order"
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
            found = rows[row].tolist()
            raise ValueError(f"row {row} of {name} has more matches than n-grams: {found}")


def checked_dialect(dialect: Dialect | str, scoring: Iterable[str]) -> Dialect:
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


def at_least(least: int, name: str, value: SupportsIndex) -> int:
    """An argument as an integer; an error that names it if it is not one, or too small."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} is {shown(value)}, expected an integer")
    number = value.__index__()
    if number < least:
        raise ValueError(f"{name} is {number}, but must be at least {least}")
    return number


def name_systems(
    baseline: Stats, systems: Stats | Mapping[Name, Stats] | Sequence[Stats]
) -> tuple[list[tuple[str, Stats]], Callable[[list[Comparison]], Any]]:
    """Baseline and systems with their names for errors, and a function to return comparisons."""
    if isinstance(systems, Stats):
        return [("baseline", baseline), ("systems", systems)], lambda found: found[0]
    given = systems if isinstance(systems, Mapping) else dict(enumerate(systems))
    if not given:
        raise ValueError("systems is empty: there is nothing to compare with the baseline")

    def restore(found: list[Comparison]) -> Any:
        return Comparisons(zip(given, found, strict=True)) if given is systems else found

    labelled = [(f"systems[{shown(name)}]", stats) for name, stats in given.items()]
    return [("baseline", baseline), *labelled], restore

"""Shared by the significance tests: checked arguments, samples, intervals and p-values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from math import fsum
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np
from numpy.random import default_rng

from ..counting.stats import Rows, Stats
from ..dialects import SACREBLEU, Dialect, get, names
from ..dialects.scorer import Scorer
from ..inputs.arguments import closest
from ..runtime.progress import ProgressBar
from .resampling import Columns, read_seed, toss_coins
from .results import Comparison, Comparisons, Interval, adjusted
from .scoring import DialectScoring, SacrebleuScoring

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .resampling import Integers
    from .results import Name
    from .scoring import Floats, ScoringOptions

_OPTIONS = ("samples", "trials", "confidence", "seed", "dialect", "compatible", "progress")


class Experiment:
    """A baseline and systems, to be scored on random samples.

    `systems` are tables of the rows that a dialect adds up, and `totals` their sums; `scores` are
    those of the whole corpora. Other arguments are as in `fastbleu.significance`.
    """

    def __init__(
        self,
        systems: Sequence[NDArray[Any]],
        totals: Sequence[Integers],
        scoring: DialectScoring | SacrebleuScoring,
        confidence: float,
        seed: int | str | None,
        compatible: bool = False,
        progress: bool = False,
    ) -> None:
        if not 0 < confidence < 1:
            raise ValueError(f"confidence is {confidence!r}, but must lie between 0 and 1 (0.95)")
        self._confidence = float(confidence)
        self._compatible = compatible
        self._progress = progress
        self.seed = read_seed(seed)
        self._systems, self._scoring = systems, scoring
        self._totals = np.stack(totals)
        self.scores: list[float] = self._scoring.score_corpora(self._totals).tolist()

    @classmethod
    def checked(
        cls,
        named: list[tuple[str, Stats]],
        confidence: float,
        seed: int | str | None,
        dialect: Dialect | str,
        compatible: str | None,
        progress: bool,
        scoring: ScoringOptions,
    ) -> Experiment:
        """An experiment with rows as they were counted, and their names in error messages."""
        dialect = checked_dialect(dialect, scoring)
        if compatible not in (None, "sacrebleu"):
            raise ValueError(f"compatible is {compatible!r}, expected 'sacrebleu' or None")
        check_systems(named, fewest=1 if compatible else 2)
        systems: list[Rows] = [stats for _, stats in named]
        max_order = systems[0].max_order
        of_samples: DialectScoring | SacrebleuScoring
        if compatible:
            check_sacrebleu(dialect, scoring)
            of_samples = SacrebleuScoring(
                max_order,
                scoring.get("smoothing", "exp"),
                scoring.get("smoothing_value"),
                scoring.get("effective_order", False),
            )
        else:
            scorer = Scorer(dialect, max_order, **scoring)
            systems = [scorer.dialect.adapt(stats) for _, stats in named]
            of_samples = DialectScoring(scorer)
        tables = [np.asarray(system) for system in systems]
        totals = [np.asarray(system.sum())[0] for system in systems]
        is_compatible = compatible is not None
        return cls(tables, totals, of_samples, confidence, seed, is_compatible, progress)

    def generator(self) -> np.random.Generator:
        """A new generator of the seed."""
        return default_rng(self.seed)

    @property
    def forgets_seed(self) -> bool:
        """Whether `paired_generator` is unseeded although there is a seed."""
        return self._compatible and self.seed == 0

    def paired_generator(self) -> np.random.Generator:
        """A new generator for the comparisons, for which sacreBLEU treats the seed 0 as none."""
        return default_rng(None if self.forgets_seed else self.seed)

    def draw(
        self, samples: int, generator: np.random.Generator, systems: slice = slice(None)
    ) -> Floats:
        """Scores of bootstrap samples, shape (systems, samples): the same segments for all."""
        columns = Columns(self._systems[systems], repeated=True)
        scores = np.empty((len(columns.rows), samples))
        done = 0
        with ProgressBar(self._progress, samples, " samples", leave=False) as bar:
            for found in self._scoring.score_drawn(columns, generator, samples):
                count = found.shape[1]
                scores[:, done : done + count] = found
                done += count
                bar.update(count)
        return scores

    def shuffle(self, trials: int, generator: np.random.Generator) -> Floats:
        """The distances between the scores of shuffled corpora, shape (systems - 1, trials)."""
        columns = Columns(self._systems, repeated=False)
        baseline, others = self._totals[0], self._totals[1:, np.newaxis]
        distances = np.empty((len(others), trials))
        done = 0
        with ProgressBar(self._progress, trials, " trials", leave=False) as bar:
            for words, first_bit, count in toss_coins(generator, columns.segments, trials):
                heads = columns.add_tossed(words, first_bit, count)
                one, other = others - heads[1:] + heads[0], baseline - heads[0] + heads[1:]
                scores = self._scoring.score_shuffled(np.stack([one, other]))
                distances[:, done : done + count] = abs(scores[0] - scores[1])
                done += count
                bar.update(count)
        return distances

    def mean(self, numbers: Floats) -> float:
        """The mean of a vector: numpy's if compatible with sacreBLEU, else from an exact sum."""
        return float(numbers.mean()) if self._compatible else fsum(numbers) / len(numbers)

    def interval(self, score: float, scores: Floats, mean: float | None = None) -> Interval:
        """The confidence interval from the samples' scores, shape (samples,)."""
        ordered = np.sort(scores)
        samples = len(ordered)
        # With the intended decimal fraction: in floats (1 - 0.9) / 2 * 1000 is less than 50.
        left_out = int(samples * (1 - Fraction(str(self._confidence))) / 2)
        return Interval(
            score=score,
            mean=self.mean(ordered) if mean is None else mean,
            low=float(ordered[left_out]),
            high=float(ordered[samples - left_out - 1]),
            confidence=self._confidence,
            samples=samples,
            seed=self.seed,
        )

    def compare(
        self,
        test: str,
        statistics: Sequence[Floats] | Floats,
        of_baseline: Floats | None = None,
        scores: Floats | None = None,
        differences: Floats | None = None,
    ) -> list[Comparison]:
        """Compare the observed distances with `statistics`, shape (systems - 1, trials).

        Scores on bootstrap samples are optional: `of_baseline`, shape (samples,), `scores` of the
        systems and their `differences` from the baseline's, shape (systems - 1, samples).
        """
        baseline = self.scores[0]
        baseline_interval = None if of_baseline is None else self.interval(baseline, of_baseline)
        found = []
        for number, (score, statistic) in enumerate(zip(self.scores[1:], statistics, strict=True)):
            observed = abs(baseline - score)
            beyond = statistic > observed if self._compatible else statistic >= observed
            difference_interval = wins = None
            if differences is not None:
                above = differences[number]
                difference_interval = self.interval(score - baseline, above)
                wins = float(2 * (above > 0).sum() + (above == 0).sum()) / (2 * len(above))
            p_value = (int(beyond.sum()) + 1) / (len(statistic) + 1)
            found.append(
                Comparison(
                    score=score,
                    baseline_score=baseline,
                    p_value=p_value,
                    adjusted_p_value=p_value,
                    wins=wins,
                    interval=None if scores is None else self.interval(score, scores[number]),
                    baseline_interval=baseline_interval,
                    difference_interval=difference_interval,
                    test=test,
                    compared=1,
                    trials=len(statistic),
                    seed=self.seed,
                )
            )
        return adjusted(found)


def check_systems(named: list[tuple[str, Stats]], fewest: int) -> None:
    """Raise an error unless these are rows of the same segments, `fewest` or more."""
    first, baseline = named[0]
    for name, stats in named:
        if not isinstance(stats, Stats):
            given = type(stats).__name__
            raise TypeError(f"{name} is a {given}, expected Stats; fastbleu.count makes them")
        if len(stats) != len(baseline):
            lengths = f"{name} has {len(stats)} rows, {first} has {len(baseline)}"
            fix = "compare systems on the same segments, in the same order"
            raise ValueError(f"{lengths}; {fix}")
        if stats.max_order != baseline.max_order:
            raise ValueError(
                f"{name} has max_order={stats.max_order}, {first} has "
                f"max_order={baseline.max_order}; count both with the same max_order"
            )
        if len(stats) < fewest:
            raise ValueError(
                f"{name} has {len(stats)} row{'s' * (len(stats) != 1)}, but at least {fewest} "
                "segments are needed to draw from; pass the rows of all segments and not their sum"
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
        with suppress(ValueError):
            dialect = get(dialect)
    if not isinstance(dialect, Dialect):
        known = ", ".join(map(repr, names()))
        raise TypeError(f"dialect is {dialect!r}, expected one of {known}, or a Dialect")
    dialect.require("significance")
    for name in scoring:
        if name not in dialect.options:
            meant = closest(name, [*_OPTIONS, *dialect.options])
            hint = f"; did you mean {meant!r}?" if meant else ""
            raise TypeError(f"there is no option {name!r}{hint}")
    return dialect


def check_sacrebleu(dialect: Dialect, scoring: Iterable[str]) -> None:
    """Raise an error for a dialect or an option that sacreBLEU's tests do not have."""
    if dialect is not SACREBLEU:
        problem = "compatible='sacrebleu' scores as sacreBLEU does"
        raise ValueError(f"{problem}; leave out dialect, or compatible")
    if unknown := set(scoring) - {"smoothing", "smoothing_value", "effective_order"}:
        raise TypeError(
            f"{', '.join(sorted(unknown))}: sacreBLEU knows smoothing, smoothing_value and "
            "effective_order only; leave out compatible='sacrebleu'"
        )


def at_least(least: int, name: str, value: SupportsIndex) -> int:
    """An argument as an integer; an error that names it if it is not one, or too small."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} is {value!r}, expected an integer")
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

    labelled = [(f"systems[{name!r}]", stats) for name, stats in given.items()]
    return [("baseline", baseline), *labelled], restore

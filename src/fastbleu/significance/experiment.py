"""Systems scored on random samples: intervals of their scores, and p-values of differences.

A sample's score is the dialect's score of a corpus with the same sums, which are integers. In
sacreBLEU's dialect it is computed as in sacreBLEU's tests, so that intervals and p-values equal
(``==``) theirs: the bootstrap adds up rows as float32, one after the other, and scores the sums as
float32; approximate randomization scores int64 arrays, in which add-k adds a truncated integer.

With k differing segments there are 2^k exchanges, and no two-sided p-value is below 2/2^k. Of few
differing segments all exchanges are scored, because sampled p-values, which count only strictly
larger differences, are then far too small.

References
----------
``sacrebleu.significance`` of sacreBLEU 2.6.0.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache, partial
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import default_rng

from ..core.counting.stats import AdaptedRows
from ..core.inputs.arguments import as_double, shown
from ..core.inputs.errors import warn_input
from ..core.runtime.terminal import ProgressBar
from ..core.scoring import _sacrebleu
from ..core.scoring.sacrebleu import SacrebleuDialect
from ..core.scoring.scorer import Scorer
from .resampling import Columns, check_seed, draw_sums, toss_coins
from .results import Comparison, Interval, adjusted, known

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from .resampling import Integers

    Floats = NDArray[np.float64]

# float32 holds every integer up to here, so that the order of additions does not matter.
EXACT_IN_FLOAT32 = 1 << 24
# Up to this many differing segments p-values are exact.
EXACT_SEGMENTS = 12
# Intervals of fewer segments cover the score less often than they should: of WMT22's outputs 50 %
# (2 segments) to 90 % (10) instead of 95 %.
FEWEST_SEGMENTS = 20


class DialectScoring:
    """A dialect's scores of integer sums of shape (..., columns), as arrays of shape (...).

    The score of a sample without one is NaN.
    """

    def __init__(self, scorer: Scorer) -> None:
        self._scorer = scorer

    def score_corpora(self, sums: Integers) -> Floats:
        """Scores of whole corpora, shape (systems,); ValueError if one has none."""
        scorer = self._scorer
        return np.array([scorer.value(scorer.restore(row)) for row in sums.tolist()])

    def _score_samples(self, sums: Integers) -> Floats:
        rows = AdaptedRows.of_table(sums.reshape(-1, sums.shape[-1]))
        scores = self._scorer.scores_of_sums(rows)
        return np.asarray(scores, np.float64).reshape(sums.shape[:-1])

    def score_sums(self, sums: Integers) -> Floats:
        """Scores of any sums."""
        return _nan_without_score(self._score_samples, sums)

    def score_shuffled(self, sums: Integers) -> Floats:
        """Scores of shuffled corpora."""
        return self.score_sums(sums)

    def score_drawn(self, sums: Integers, columns: Columns, indices: Integers | None) -> Floats:
        """Scores of the bootstrap samples of `draw_sums`, shape (systems, samples)."""
        return self.score_sums(sums)


class SacrebleuScoring(DialectScoring):
    """Scores, 0-100, as in sacreBLEU's significance tests; options as in its dialect."""

    def __init__(
        self,
        max_ngram_order: int,
        smoothing: str,
        smooth_value: float | None,
        effective_order: bool,
    ) -> None:
        self._options = max_ngram_order, smoothing, smooth_value, effective_order

    def _score(self, arithmetic: str, sums: NDArray[Any]) -> Floats:
        scores = _sacrebleu.score_rows(np.ascontiguousarray(sums), *self._options, arithmetic)
        return np.asarray(scores, np.float64).reshape(sums.shape[:-1])

    def score_corpora(self, sums: Integers) -> Floats:
        """Scores of whole corpora, computed in Python's int and float."""
        return self._score_samples(sums)

    def _score_samples(self, sums: Integers) -> Floats:
        return self._score("float64", sums)

    def score_shuffled(self, sums: Integers) -> Floats:
        """Scores of shuffled corpora."""
        return _nan_without_score(partial(self._score, "int64-in-place"), sums)

    def score_drawn(self, sums: Integers, columns: Columns, indices: Integers | None) -> Floats:
        """Scores of bootstrap samples, shape (systems, samples).

        Without indices (for many segments) the sums stay exact, because small counts would vanish
        in float32 additions.
        """
        singles = sums.astype(np.float32)
        if indices is not None and sums.max() > EXACT_IN_FLOAT32:
            # The order of the float32 additions matters.
            rounded = (sums > EXACT_IN_FLOAT32).any(axis=(0, 2))
            for system, rows in enumerate(columns.rows):
                # numpy converts Python's int to float32 through a double.
                doubles = rows if rows.max() < 1 << 53 else rows.astype(np.float64)
                table = doubles.astype(np.float32)
                for sample in np.flatnonzero(rounded):
                    singles[system, sample] = table[indices[sample]].sum(0)
        return _nan_without_score(partial(self._score, "float32"), singles)


def scoring_of(scorer: Scorer) -> DialectScoring:
    """The scoring of samples: sacreBLEU's if it has the dialect and the options."""
    if isinstance(scorer.dialect, SacrebleuDialect) and scorer.weights is None:
        smoothing = scorer.smooth_method, scorer.smooth_value
        return SacrebleuScoring(scorer.max_ngram_order, *smoothing, scorer.effective_order)
    return DialectScoring(scorer)


def _nan_without_score(score: Callable[[NDArray[Any]], Floats], sums: NDArray[Any]) -> Floats:
    """The scores of sums; NaN for sums without one."""
    try:
        return score(sums)
    except ValueError:
        if sums.ndim == 1:
            return np.array(np.nan)
        return np.array([_nan_without_score(score, part) for part in sums])


class Experiment:
    """A baseline and systems, to be scored on random samples.

    Each of `systems` holds the rows that a dialect adds up, of shape (segments, columns); arrays
    are uint16 or int64. `scores` are those of the whole corpora. `sacrebleu_p_values` are those of
    the comparisons made last, before any correction. Other arguments are as in
    `fastbleu.significance`.
    """

    def __init__(
        self,
        systems: Sequence[AdaptedRows | NDArray[Any]],
        scoring: DialectScoring,
        confidence: float,
        seed: int | None,
        progress: bool = False,
        threads: int = 1,
    ) -> None:
        self._confidence = as_double("confidence", confidence)
        if not 0 < self._confidence < 1:
            raise ValueError(f"confidence is {shown(confidence)}, but must lie between 0 and 1")
        self._progress, self._threads = progress, threads
        self.seed = check_seed(seed)
        self._systems = [np.asarray(system) for system in systems]
        self._totals = np.stack([_total(system) for system in systems])
        self._scoring = scoring
        self.scores: list[float] = self._scoring.score_corpora(self._totals).tolist()
        self.sacrebleu_p_values: list[float] = []

    def draw(self, samples: int) -> Floats:
        """Scores of bootstrap samples, shape (systems, samples), of the same segments for all.

        Samples without a score are NaN and cause a warning.
        """
        columns = Columns(self._systems, repeated=True)
        if columns.segments < FEWEST_SEGMENTS:
            few = f"95 % intervals of fewer than {FEWEST_SEGMENTS} segments are too narrow"
            warn_input(f"{few}: they cover the score in 50 to 90 % of the cases only")
        parts = []
        with ProgressBar(self._progress, samples, " samples", leave=False) as bar:
            drawn = draw_sums(default_rng(self.seed), columns, samples, self._threads)
            for sums, indices in drawn:
                parts.append(self._scoring.score_drawn(sums, columns, indices))
                bar.update(parts[-1].shape[1])
        scores = np.concatenate(parts, axis=1)
        if without := int(np.isnan(scores).any(axis=0).sum()):
            warn_input(f"{without} of {samples} samples have no score: the score has no interval")
        return scores

    def _shuffle(self, trials: int, baselines: int) -> list[tuple[Integers, NDArray[np.bool_]]]:
        """Score shuffled corpora of each of the first `baselines` systems with those after it.

        Returns for each pair in how many trials the scores are further apart than the observed ones
        or there is no score (with a warning), and whether they are apart in any trial.
        """
        columns = Columns(self._systems, repeated=False)
        counts = [
            (np.zeros(len(self.scores) - after, np.int64), np.zeros(len(self.scores) - after, bool))
            for after in range(1, baselines + 1)
        ]
        without = 0
        with ProgressBar(self._progress, trials, " trials", leave=False) as bar:
            for coins in toss_coins(default_rng(self.seed), columns.segments, trials):
                heads = columns.add_tossed(*coins)
                has_score = np.ones(heads.shape[1], bool)
                for first, (larger, moved) in enumerate(counts):
                    distances = self._distances(heads, first)
                    larger += _larger(distances, self._observed(first))
                    moved |= distances.any(axis=1)
                    has_score &= ~np.isnan(distances).any(axis=0)
                without += int((~has_score).sum())
                bar.update(len(has_score))
        if without:
            warn_input(
                f"{without} of {trials} trials have no score: they count as larger differences"
            )
        return counts

    def _distances(self, heads: Integers, first: int) -> Floats:
        """The distances of the `first` system's scores from those after it, one column per trial.

        `heads` are the sums of the segments that are exchanged, shape (systems, trials, columns).
        """
        gained = heads[first + 1 :] - heads[first]
        exchanged = np.empty((2, *gained.shape), np.int64)
        np.subtract(self._totals[first + 1 :, np.newaxis], gained, out=exchanged[0])
        np.add(self._totals[first], gained, out=exchanged[1])
        scores = self._scoring.score_shuffled(exchanged)
        return abs(scores[0] - scores[1])

    def _observed(self, first: int) -> Floats:
        """The observed distances of a system's score from those of the systems after it."""
        return abs(np.array(self.scores[first + 1 :]) - self.scores[first])

    def interval(self, score: float, scores: Floats) -> Interval:
        """The confidence interval of `score` from the samples' scores, shape (samples,)."""
        ordered = np.sort(scores)
        samples = len(ordered)
        left_out = _left_out(samples, self._confidence)
        mean = float(ordered.mean())
        low, high = ordered[[left_out, samples - left_out - 1]].tolist()
        if isnan(mean):
            low = high = mean
        return Interval(score, mean, low, high, self._confidence, samples, self.seed)

    def bootstrap(self, samples: int) -> list[Comparison]:
        """The comparisons of `fastbleu.significance.compare` by bootstrap."""
        scores = self.draw(samples)
        distances = abs(scores[1:] - scores[0])
        shifted = np.stack([differences - differences.mean() for differences in distances])
        moved: NDArray[np.bool_] = np.any(shifted, axis=1)
        counts = _larger(shifted, self._observed(0)), moved
        return adjusted([*self._compared("bootstrap", samples, [counts], scores)])

    def randomize(self, trials: int, samples: int, baselines: int = 1) -> list[Comparison]:
        """The comparisons of `fastbleu.significance.compare` by approximate randomization.

        Each of the first `baselines` systems is compared with all after it.
        """
        counts = self._shuffle(trials, baselines)
        drawn = self.draw(samples) if samples else None
        return adjusted([*self._compared("approximate randomization", trials, counts, drawn)])

    def _compared(
        self,
        test: str,
        trials: int,
        counts: Sequence[tuple[Integers, NDArray[np.bool_]]],
        drawn: Floats | None,
    ) -> Iterator[Comparison]:
        """Compare systems with those after them; `counts` as from `_shuffle`.

        `drawn` are scores on bootstrap samples, shape (systems, samples).
        """
        self.sacrebleu_p_values = []
        intervals: list[Interval | None] = [None] * len(self.scores)
        if drawn is not None:
            intervals = [*map(known, map(self.interval, self.scores, drawn))]
        for first, (larger, moved) in enumerate(counts):
            baseline = self.scores[first]
            for number, score in enumerate(self.scores[first + 1 :], first + 1):
                p_value = (int(larger[number - first - 1]) + 1) / (trials + 1)
                self.sacrebleu_p_values.append(p_value)
                apart = (self._systems[first] != self._systems[number]).any(axis=1)
                differing = np.flatnonzero(apart)
                is_exact = len(differing) <= EXACT_SEGMENTS
                if is_exact:
                    p_value = self._exact_p_value(first, number, differing)
                elif score == baseline and not moved[number - first - 1]:
                    p_value = 1.0
                else:
                    p_value = max(p_value, 2.0 ** (1 - len(differing)))
                difference = wins = None
                if drawn is not None:
                    above = drawn[number] - drawn[first]
                    difference = known(self.interval(score - baseline, above))
                    if difference:
                        wins = float(2 * (above > 0).sum() + (above == 0).sum()) / (2 * len(above))
                yield Comparison(
                    score=score,
                    baseline_score=baseline,
                    p_value=p_value,
                    adjusted_p_value=p_value,
                    wins=wins,
                    interval=intervals[number],
                    baseline_interval=intervals[first],
                    difference_interval=difference,
                    test="exact randomization" if is_exact else test,
                    compared=1,
                    trials=1 << len(differing) if is_exact else trials,
                    differing=len(differing),
                    seed=self.seed,
                )

    def _exact_p_value(self, first: int, second: int, differing: Integers) -> float:
        """The share of all exchanges that differ in score at least as much as the systems do.

        `differing` are the numbers of the segments in which the systems differ.
        """
        rows = [self._systems[system][differing].astype(np.int64) for system in (first, second)]
        # If the others are exchanged, the same two corpora arise: the last one never is.
        exchanges = np.arange(1 << max(len(differing) - 1, 0))
        gained = (exchanges[:, np.newaxis] >> np.arange(len(differing)) & 1) @ (rows[1] - rows[0])
        exchanged = [self._totals[first] + gained, self._totals[second] - gained]
        scores = self._scoring.score_sums(np.stack(exchanged))
        distances = abs(scores[0] - scores[1])
        # Different sums may have the same score but for rounding; no score counts as larger.
        smaller = distances < distances[0] - 1e-12 * scores[:, 0].max()
        return float(1 - smaller.mean())


def _larger(distances: Floats, observed: Floats) -> Integers:
    """How many distances of each row are larger than observed; NaN counts as larger."""
    # In sacreBLEU numpy compares distances of float32 with Python's float, as a float32.
    limits = observed.astype(distances.dtype)[:, np.newaxis]
    larger: Integers = (~(distances <= limits)).sum(axis=1)
    return larger


@lru_cache  # bounded, because users choose the numbers
def _left_out(samples: int, confidence: float) -> int:
    """How many of the sorted samples lie outside an interval at each end."""
    # As a decimal fraction, because in floats (1 - 0.9) / 2 * 1000 is less than 50.
    return int(samples * (1 - Fraction(str(confidence))) / 2)


def _total(system: AdaptedRows | NDArray[Any]) -> Integers:
    """The sum of all rows, shape (columns,)."""
    if isinstance(system, AdaptedRows):
        system = np.asarray(system.sum())  # OverflowError if it does not fit into int64
    total: Integers = system.sum(0, np.int64)
    return total

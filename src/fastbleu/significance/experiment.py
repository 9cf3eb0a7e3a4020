"""Systems scored on random samples: intervals of their scores, and p-values of differences.

A sample's score is the dialect's score of a corpus with its sums, which are integers. In
sacreBLEU's dialect it is that of sacreBLEU's tests, so that intervals and p-values equal (``==``)
sacreBLEU's: its bootstrap adds up rows as float32, one after the other, and scores the sums as
float32; its approximate randomization scores int64 arrays, in which add-k adds a truncated integer.

References
----------
``sacrebleu.significance`` of sacreBLEU 2.6.0.
"""

from __future__ import annotations

from array import array
from fractions import Fraction
from functools import partial
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import default_rng

from ..counting.stats import AdaptedRows
from ..dialects import _sacrebleu
from ..dialects.sacrebleu import SacrebleuDialect
from ..dialects.scorer import Scorer
from ..inputs.arguments import as_double, shown
from ..inputs.warnings import warn_input
from ..runtime.terminal import ProgressBar
from .resampling import Columns, check_seed, draw_sums, toss_coins
from .results import Comparison, Interval, adjusted, known

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from .resampling import Integers

    Floats = NDArray[np.float64]

# float32 holds every integer up to here, so that the order of additions does not matter.
EXACT_IN_FLOAT32 = 1 << 24


class DialectScoring:
    """Scores of integer sums of shape (..., columns) by a dialect, as arrays of shape (...).

    A sample without a score is NaN.
    """

    def __init__(self, scorer: Scorer) -> None:
        self._scorer = scorer

    def score_corpora(self, sums: Integers) -> Floats:
        """Scores of whole corpora, shape (systems,); ValueError if one has none."""
        scorer = self._scorer
        return np.array([scorer.value(scorer.restore(row)) for row in sums.tolist()])

    def _score_samples(self, sums: Integers) -> Floats:
        rows = AdaptedRows._own(array("q", sums.tobytes()), self._scorer.max_ngram_order)
        scores = self._scorer.scores_of_sums(rows)
        return np.asarray(scores, np.float64).reshape(sums.shape[:-1])

    def score_shuffled(self, sums: Integers) -> Floats:
        """Scores of shuffled corpora."""
        return _nan_without_score(self._score_samples, sums)

    def score_drawn(self, sums: Integers, columns: Columns, indices: Integers | None) -> Floats:
        """Scores of bootstrap samples, shape (systems, samples), as `draw_sums` draws them."""
        return _nan_without_score(self._score_samples, sums)


class SacrebleuScoring(DialectScoring):
    """Scores as sacreBLEU's significance tests compute them, 0-100; options as of its dialect."""

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
        """Scores of whole corpora: Python's int and float."""
        return self._score("float64", sums)

    def score_shuffled(self, sums: Integers) -> Floats:
        """Scores of shuffled corpora."""
        return _nan_without_score(partial(self._score, "int64-in-place"), sums)

    def score_drawn(self, sums: Integers, columns: Columns, indices: Integers | None) -> Floats:
        """Scores of bootstrap samples, shape (systems, samples).

        Sums of many segments, of which there are no indices, are exact: added up as float32, small
        counts would vanish.
        """
        singles = sums.astype(np.float32)
        rounded = (sums > EXACT_IN_FLOAT32).any(axis=(0, 2))
        if indices is not None and rounded.any():  # the order of the float32 additions matters
            for system, rows in enumerate(columns.rows):
                # numpy converts Python's int to float32 through a double.
                doubles = rows if rows.max() < 1 << 53 else rows.astype(np.float64)
                table = doubles.astype(np.float32)
                for sample in np.flatnonzero(rounded):
                    singles[system, sample] = table[indices[sample]].sum(0)
        return _nan_without_score(partial(self._score, "float32"), singles)


def scoring_of(scorer: Scorer) -> DialectScoring:
    """How samples are scored: as sacreBLEU scores them where it has the dialect and the options."""
    if isinstance(scorer.dialect, SacrebleuDialect) and scorer.weights is None:
        smoothing = scorer.smooth_method, scorer.smooth_value
        return SacrebleuScoring(scorer.max_ngram_order, *smoothing, scorer.effective_order)
    return DialectScoring(scorer)


def _nan_without_score(score: Callable[[NDArray[Any]], Floats], sums: NDArray[Any]) -> Floats:
    """The scores of sums, and NaN for those that have none."""
    try:
        return score(sums)
    except ValueError:
        if sums.ndim == 1:
            return np.array(np.nan)
        return np.array([_nan_without_score(score, part) for part in sums])


class Experiment:
    """A baseline and systems, to be scored on random samples.

    `systems` have the rows that a dialect adds up, of shape (segments, columns); as arrays they are
    of uint16 or int64. `scores` are those of the whole corpora. With `tells_identical_apart` two
    systems that no sample tells apart get sacreBLEU's p-value, the least one, and otherwise 1.
    Other arguments are as in `fastbleu.significance`.
    """

    def __init__(
        self,
        systems: Sequence[AdaptedRows | NDArray[Any]],
        scoring: DialectScoring,
        confidence: float,
        seed: int | None,
        progress: bool = False,
        threads: int = 1,
        tells_identical_apart: bool = False,
    ) -> None:
        self._confidence = as_double("confidence", confidence)
        if not 0 < self._confidence < 1:
            raise ValueError(f"confidence is {shown(confidence)}, but must lie between 0 and 1")
        self._progress, self._threads = progress, threads
        self._tells_identical_apart = tells_identical_apart
        self.seed = check_seed(seed)
        self._systems = [np.asarray(system) for system in systems]
        self._totals = np.stack([_total(system) for system in systems])
        self._scoring = scoring
        self.scores: list[float] = self._scoring.score_corpora(self._totals).tolist()

    def draw(self, samples: int) -> Floats:
        """Scores of bootstrap samples, shape (systems, samples): the same segments for all.

        Those without a score are NaN, and there is a warning.
        """
        columns = Columns(self._systems, repeated=True)
        drawn = draw_sums(default_rng(self.seed), columns, samples, self._threads)
        blocks = (self._scoring.score_drawn(sums, columns, indices) for sums, indices in drawn)
        return self._side_by_side(blocks, samples, "samples", "the score has no interval")

    def shuffle(self, trials: int) -> Floats:
        """The distances between the scores of shuffled corpora, shape (systems - 1, trials).

        NaN and a warning where a corpus has no score.
        """
        columns = Columns(self._systems, repeated=False)
        baseline, others = self._totals[0], self._totals[1:, np.newaxis]

        def distances() -> Iterator[Floats]:
            for coins in toss_coins(default_rng(self.seed), columns.segments, trials):
                heads = columns.add_tossed(*coins)
                exchanged = others - heads[1:] + heads[0], baseline - heads[0] + heads[1:]
                scores = self._scoring.score_shuffled(np.stack(exchanged))
                yield abs(scores[0] - scores[1])

        consequence = "they count as larger differences"
        return self._side_by_side(distances(), trials, "trials", consequence)

    def _side_by_side(
        self, blocks: Iterable[Floats], count: int, kind: str, consequence: str
    ) -> Floats:
        """Blocks of samples, shape (systems, samples), in one array; a warning if it has NaN."""
        parts = []
        with ProgressBar(self._progress, count, f" {kind}", leave=False) as bar:
            for block in blocks:
                parts.append(block)
                bar.update(block.shape[1])
        numbers = np.concatenate(parts, axis=1)
        if without := int(np.isnan(numbers).any(axis=0).sum()):
            warn_input(f"{without} of {count} {kind} have no score: {consequence}")
        return numbers

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
        """The comparisons of `fastbleu.significance.compare` by bootstrap."""
        scores = self.draw(samples)
        distances = abs(scores[1:] - scores[0])
        shifted = [differences - differences.mean() for differences in distances]
        return self._compared("bootstrap", shifted, scores)

    def randomize(self, trials: int, samples: int) -> list[Comparison]:
        """The comparisons of `fastbleu.significance.compare` by approximate randomization."""
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


def _total(system: AdaptedRows | NDArray[Any]) -> Integers:
    """The sum of all rows, shape (columns,)."""
    if isinstance(system, AdaptedRows):
        system = np.asarray(system.sum())  # OverflowError if it does not fit into int64
    total: Integers = system.sum(0, np.int64)
    return total

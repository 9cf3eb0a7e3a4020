"""The scores of samples: in a dialect's own exact arithmetic, or in that of sacreBLEU's tests.

sacreBLEU's bootstrap adds up rows as float32, one after the other, and scores the sums as float32;
its approximate randomization scores int64 arrays, in which add-k adds a truncated integer.

References
----------
``sacrebleu.significance`` of sacreBLEU 2.6.0.
"""

from __future__ import annotations

from array import array
from functools import partial
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np

from ..counting.stats import AdaptedRows
from ..dialects import _sacrebleu
from ..dialects.sacrebleu import SacrebleuDialect
from ..dialects.scorer import Scorer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from .resampling import Columns, Integers

    Floats = NDArray[np.float64]

# float32 holds every integer up to here, so that the order of additions does not matter.
EXACT_IN_FLOAT32 = 1 << 24


class ScoringOptions(TypedDict, total=False):
    """Options of a dialect's scores, as a `Scorer` takes them."""

    weights: Sequence[float] | None
    smoothing: str
    smoothing_value: float | None
    effective_order: bool


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
        rows = AdaptedRows._own(array("q", sums.tobytes()), self._scorer.max_order)
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
        self, max_order: int, smoothing: str, smoothing_value: float | None, effective_order: bool
    ) -> None:
        self._options = max_order, smoothing, smoothing_value, effective_order

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
        smoothing = scorer.smoothing, scorer.smoothing_value
        return SacrebleuScoring(scorer.max_order, *smoothing, scorer.effective_order)
    return DialectScoring(scorer)


def _nan_without_score(score: Callable[[NDArray[Any]], Floats], sums: NDArray[Any]) -> Floats:
    """The scores of sums, and NaN for those that have none."""
    try:
        return score(sums)
    except ValueError:
        if sums.ndim == 1:
            return np.array(np.nan)
        return np.array([_nan_without_score(score, part) for part in sums])

"""The scores of samples: in a dialect's own exact arithmetic, or in that of sacreBLEU's tests.

sacreBLEU's bootstrap adds up rows as float32, one after the other, and scores the sums as float32;
its approximate randomization scores int64 arrays, in which add-k adds a truncated integer.

References
----------
``sacrebleu.significance`` of sacreBLEU 2.6.0.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np

from ..counting.stats import AdaptedRows
from ..dialects import _sacrebleu
from ..dialects.scorer import Scorer
from .resampling import Columns, draw_indices, draw_sums

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from .resampling import Integers

    Floats = NDArray[np.float64]

# float32 holds every integer up to here, so that the order of additions does not matter.
EXACT_IN_FLOAT32 = 1 << 24


class ScoringOptions(TypedDict, total=False):
    """Options of a dialect's scores, as `fastbleu.dialects.Dialect.score` takes them."""

    weights: Sequence[float] | None
    smoothing: str
    smoothing_value: float | None
    effective_order: bool


class DialectScoring:
    """Corpus scores of integer sums by a dialect."""

    def __init__(self, scorer: Scorer, threads: int = 1) -> None:
        self._scorer, self._threads = scorer, threads

    def score_corpora(self, sums: Integers) -> Floats:
        """Scores of sums of shape (..., columns), as an array of shape (...)."""
        rows = AdaptedRows._own(array("q", sums.tobytes()), self._scorer.max_order)
        scores = self._scorer.scores_of_sums(rows)
        return np.asarray(scores, np.float64).reshape(sums.shape[:-1])

    score_shuffled = score_corpora

    def score_drawn(
        self, columns: Columns, generator: np.random.Generator, samples: int
    ) -> Iterator[Floats]:
        """Scores of bootstrap samples in blocks, shape (systems, samples)."""
        drawn = draw_sums(generator, columns, samples, self._threads)
        return map(self.score_corpora, drawn)


class SacrebleuScoring:
    """Scores as sacreBLEU's significance tests compute them, 0-100; options as of its dialect."""

    def __init__(
        self,
        max_order: int,
        smoothing: str = "exp",
        smoothing_value: float | None = None,
        effective_order: bool = False,
    ) -> None:
        self._options = max_order, smoothing, smoothing_value, effective_order

    def _score(self, sums: NDArray[Any], arithmetic: str) -> Floats:
        scores = _sacrebleu.score_rows(np.ascontiguousarray(sums), *self._options, arithmetic)
        return np.asarray(scores, np.float64).reshape(sums.shape[:-1])

    def score_corpora(self, sums: Integers) -> Floats:
        """Scores of whole corpora, of shape (..., columns): Python's int and float."""
        return self._score(sums, "float64")

    def score_shuffled(self, sums: Integers) -> Floats:
        """Scores of shuffled corpora, of shape (..., columns)."""
        return self._score(sums, "int64-in-place")

    def score_drawn(
        self, columns: Columns, generator: np.random.Generator, samples: int
    ) -> Iterator[Floats]:
        """Scores of bootstrap samples in blocks, shape (systems, samples)."""
        for indices in draw_indices(generator, columns.segments, samples):
            sums = columns.add_drawn(indices)
            singles = sums.astype(np.float32)
            rounded = (sums > EXACT_IN_FLOAT32).any(axis=(0, 2))
            if rounded.any():  # the order of the float32 additions matters
                for system, rows in enumerate(columns.rows):
                    # numpy converts Python's int to float32 through a double.
                    doubles = rows if rows.max() < 1 << 53 else rows.astype(np.float64)
                    table = doubles.astype(np.float32)
                    for sample in np.flatnonzero(rounded):
                        singles[system, sample] = table[indices[sample]].sum(0)
            yield self._score(singles, "float32")

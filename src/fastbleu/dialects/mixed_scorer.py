"""`MixedScorer`: the rules of two scorers, some of one and some of the other."""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum, isclose, nan

import numpy

from ..counting.stats import AdaptedRows, Stats
from ..counting.token_lists import TokenListCounter
from .scorer import Scorer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from .base import Dialect


@dataclass(frozen=True)
class MixedScorer:
    """Scores rows by rules that belong to different scorers; on 0-100.

    The score is precisions(counts) * brevity_penalty(lengths), of the sums or as a mean of the
    rows, where `precisions` is a scorer's own score for a hypothesis as long as its reference.

    Attributes
    ----------
    counts : Dialect
        Adapts the rows before they are added up.
    smoothing, orders : Scorer
        Smooths the precisions; has `max_order`, `effective_order`.
    weights : tuple of float or None
        Of the orders; None: equal ones.
    brevity_penalty : Dialect
    average : Dialect
        Scores a corpus as a whole, or as the mean of its sentences.
    is_divided : bool
        False for the rules of a single scorer, which then scores a corpus by itself.
    """

    counts: Dialect
    smoothing: Scorer
    orders: Scorer
    weights: Sequence[float] | None
    brevity_penalty: Dialect
    average: Dialect
    is_divided: bool = True

    @classmethod
    def of(cls, scorer: Scorer) -> MixedScorer:
        """The rules of a single scorer."""
        dialect = scorer.dialect
        rules = dialect._arithmetic
        return cls(rules, scorer, scorer, scorer.weights, rules, dialect)

    @property
    def averages_sentences(self) -> bool:
        """Whether the score is a mean of those of sentences."""
        return self.average.mean_of_sentences

    def is_average(self, rows: Stats) -> bool:
        """Whether a single scorer's mean of sentences, if it says so, is one."""
        scorer = self.smoothing
        if not self.averages_sentences or issubclass(self.average.counter, TokenListCounter):
            return True  # or does not follow from rows
        mean = fsum(scorer.row_scores(rows)) / len(rows)
        return isclose(mean, scorer.value(scorer.sums_of(rows)), rel_tol=1e-4)

    def points(self, rows: Stats) -> float:
        """The score of a corpus; nan if these rules cannot be combined."""
        scorer = self.smoothing
        try:
            if not self.is_divided:
                return scorer.value(scorer.sums_of(rows)) * 100 / scorer.dialect.scale
            adapted = self.counts.adapt(rows)
        except (ValueError, ImportError):  # without PyTorch
            return nan
        scores = self._scores_or_nan(adapted if self.averages_sentences else adapted.sum())
        return fsum(scores) / len(scores)

    def sentence_points(self, rows: Stats) -> NDArray[numpy.float64]:
        """The score of each segment; nan where these rules have none."""
        return numpy.array(self._scores_or_nan(self.counts.adapt(rows)))

    def _scores_or_nan(self, adapted: AdaptedRows) -> list[float]:
        try:
            return self._scores(adapted)
        except ImportError:  # without PyTorch
            return [nan] * len(adapted)
        except (ValueError, ZeroDivisionError):  # of scores, of brevity penalties
            if len(adapted) <= 1:
                return [nan]
            return [score for row in adapted for score in self._scores_or_nan(row)]

    def _scores(self, adapted: AdaptedRows) -> list[float]:
        owner, orders = self.smoothing, self.orders
        max_order = orders.max_order
        owner.dialect._arithmetic._check_order(max_order)
        weights = self.weights if self.weights and len(self.weights) == max_order else None
        if weights is None and owner.dialect.options.get("weights"):
            weights = (1 / max_order,) * max_order  # not the recipe's own
        smoothing = owner.smoothing, owner.smoothing_value
        scorer = Scorer(owner.dialect, max_order, weights, *smoothing, orders.effective_order)
        table = numpy.array(adapted)
        lengths = table[:, :2].tolist()
        table[:, 1] = table[:, 0]
        scale = 100 / owner.dialect.scale
        with numpy.errstate(all="ignore"):  # of counts that one dialect has and another has not
            precisions = scorer.scores_of_sums(AdaptedRows.of_table(table))
        penalty = self.brevity_penalty.brevity_penalty
        pairs = zip(precisions, lengths, strict=True)
        return [scale * precision * penalty(*of_row) for precision, of_row in pairs]

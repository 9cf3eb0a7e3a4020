"""nltk's rules over rows of sufficient statistics."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from . import _nltk, nltk
from ._core import floor_totals
from .nltk_precision import SmoothingFunction
from .result import Score
from .stats import Stats

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


# The names of nltk's smoothing methods, and whether each takes a value.
SMOOTHING_TAKES_VALUE = {
    "none": False,
    "floor": True,
    "add-k": False,
    "exp": False,
    "method4": True,
}

# What smoothing functions are told about the segment; those of this dialect do not look at it.
NO_SEGMENT = {"references": None, "hypothesis": None}


def least_positive(p_n: list[Any], **segment: Any) -> list[Any]:
    """nltk's method 0 without its warnings."""
    return [p if p.numerator else sys.float_info.min for p in p_n]


class NltkDialect:
    """nltk's rules: `nltk.translate.bleu_score` of nltk 3.10.4, for rows instead of tokens.

    Smoothing goes by the field's names: "none" (no smoothing function), "floor" (method 1, value
    epsilon, default 0.1), "add-k" (method 2, k = 1), "exp" (method 3) and "method4" (value k,
    default 5). Methods 5 to 7 look at the last segment's tokens and are no function of rows.
    """

    version = "nltk-3.10.4"

    def adapt(self, stats: Stats) -> Stats:
        """Rows as nltk counts them: every total is at least 1. Adapt first, then add up."""
        rows = stats[:]
        floor_totals(rows._rows, len(rows), rows.max_order)
        return rows

    def score(
        self,
        sums: Stats,
        weights: Sequence[float] = (0.25, 0.25, 0.25, 0.25),
        smoothing: str = "none",
        smoothing_value: float | None = None,
    ) -> Score:
        """The score of a corpus.

        Parameters
        ----------
        sums : Stats
            One row: the sum of adapted rows.
        weights : sequence of float, shape (max_order,)
            Weight of each order.
        smoothing : str, default "none"
            A key of `SMOOTHING_TAKES_VALUE`.
        smoothing_value : float, optional
            For "floor" and "method4".

        Returns
        -------
        Score
            `value` in 0-1.

        Raises
        ------
        ValueError
            There is not exactly one row, as many weights as orders, or no such smoothing; or the
            row has a total of 0, because there were no segments or they were not adapted.
        """
        if len(sums) != 1:
            raise ValueError(f"expected one row, the sum of all, but there are {len(sums)}")
        if 0 in sums._rows[2 + sums.max_order :]:
            raise ValueError(
                "the row has a total of 0: there are no segments, or they were not adapted; "
                "pass NLTK.adapt(stats).sum()"
            )
        value = self._values(sums, weights, smoothing, smoothing_value)[0]
        orders = sums.max_order
        hyp_len, ref_len, *counts = sums._rows
        matches, totals = tuple(counts[:orders]), tuple(counts[orders:])
        return Score(
            value=value,
            precisions=tuple(m / t if t else 0.0 for m, t in zip(matches, totals, strict=True)),
            bp=float(nltk.brevity_penalty(ref_len, hyp_len)),
            hyp_len=hyp_len,
            ref_len=ref_len,
            matches=matches,
            totals=totals,
            signature=self._signature(weights, smoothing, smoothing_value),
        )

    def sentence_scores(
        self,
        stats: Stats,
        weights: Sequence[float] = (0.25, 0.25, 0.25, 0.25),
        smoothing: str = "none",
        smoothing_value: float | None = None,
    ) -> list[float]:
        """The score of each adapted row by itself, in 0-1; parameters as in `score`."""
        return self._values(stats, weights, smoothing, smoothing_value)

    def _values(
        self, stats: Stats, weights: Sequence[float], smoothing: str, value: float | None
    ) -> list[float]:
        weights = tuple(weights)
        if len(weights) != stats.max_order:
            raise ValueError(f"there are {len(weights)} weights for max_order {stats.max_order}")
        if smoothing not in SMOOTHING_TAKES_VALUE:
            names = ", ".join(SMOOTHING_TAKES_VALUE)
            raise ValueError(f"smoothing {smoothing!r} is unknown; choose one of {names}")
        if value is not None and not SMOOTHING_TAKES_VALUE[smoothing]:
            raise ValueError(f"smoothing {smoothing!r} takes no value")
        function = self._smoothing_function(smoothing, value)
        scores = _nltk.score_rows(stats._rows, weights, function, warn=False)
        if scores is None:
            scores = [None] * len(stats)
        for i, score in enumerate(scores):
            if score is None:
                if 0 in stats[i]._rows[2 + stats.max_order :]:
                    raise ValueError(f"row {i} is not adapted: pass NLTK.adapt(stats)")
                scores[i] = nltk.score_in_python(
                    stats[i]._rows, [weights], function or least_positive, False, NO_SEGMENT
                )
        return [float(score) for score in scores]

    def _smoothing_function(self, smoothing: str, value: float | None) -> Any:
        if smoothing == "none":
            return None
        if smoothing == "floor":
            return SmoothingFunction(epsilon=0.1 if value is None else value).method1
        if smoothing == "add-k":
            return SmoothingFunction().method2
        if smoothing == "exp":
            return SmoothingFunction().method3
        return SmoothingFunction(k=5 if value is None else value).method4

    def signature(
        self,
        max_order: int,
        weights: Sequence[float],
        smoothing: str = "none",
        smoothing_value: float | None = None,
    ) -> str:
        """All that a score depends on besides the counts."""
        return self._signature(weights, smoothing, smoothing_value)

    def _signature(self, weights: Sequence[float], smoothing: str, value: float | None) -> str:
        uniform = all(weight == 1 / len(weights) for weight in weights)
        weighting = "" if uniform else f"|weights:{','.join(str(float(w)) for w in weights)}"
        amount = "" if value is None else f"[{value}]"
        return f"dialect:{self.version}|order:{len(weights)}{weighting}|smooth:{smoothing}{amount}"


NLTK = NltkDialect()

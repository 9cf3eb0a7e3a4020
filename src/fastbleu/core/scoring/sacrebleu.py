"""sacreBLEU's rules over rows of sufficient statistics."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from math import exp, fsum, log

from ..._core import REFERENCE_LENGTHS
from ..counting._counted import Sums
from ..counting._prefixes import RowScorer
from ..counting.stats import AdaptedRows
from . import _sacrebleu
from ._kept_logs import KeptScorer
from ._sacrebleu import corpus_score
from .base import Dialect, ScoreOptions, check_not_negative

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class SacrebleuDialect(Dialect):
    """``metrics.BLEU`` of sacreBLEU 2.6.0, 0-100.

    100 * BP * exp(mean of log p); 0 without any match, and if an order has no n-grams, unless
    `effective_order` leaves it out. The reference length is the closest one, the shorter of two
    equally close. BP is exp(1 - ref_len / hyp_len) if the hypotheses are shorter.

    Smoothing is "exp" (the default), "floor" (value 0.1 if not given), "add-k" (value 1 if not
    given) or "none". Weights, which sacreBLEU does not have, must be at least 0.
    """

    name = "sacrebleu"
    version = _sacrebleu.VERSION
    source = "mjpost/sacrebleu@2.6.0 sacrebleu/metrics/bleu.py"
    scale = 100.0
    tokenizer = "13a"
    smoothings = _sacrebleu.SMOOTH_DEFAULTS
    reference_lengths = REFERENCE_LENGTHS
    aggregation = "sum"
    separable = True
    options = {"weights": None, "smooth_method": "exp", "smooth_value": None}
    options |= {"effective_order": None}
    _printed = "%.2f"

    # sacreBLEU's results for a row, and for counts in any sequences of numbers.
    details = staticmethod(_sacrebleu.details)
    score_in_python = staticmethod(_sacrebleu.score_in_python)

    def _check_options(self, options: ScoreOptions) -> None:
        value = options.smooth_value
        if value is not None and not 0 <= value < float("inf"):
            raise ValueError(f"smooth_value is {value}, but must be finite and at least 0")
        check_not_negative(options.weights)

    def _scores(self, adapted: AdaptedRows, options: ScoreOptions) -> array[float]:
        rules = options.smooth_method, options.smooth_value, options.effective_order
        if options.weights is None:
            return _sacrebleu.score_rows(adapted._rows, adapted.max_ngram_order, *rules)
        scores = array("d")
        for row in adapted:
            _, precisions, bp, _, totals = self.details(row._rows, row.max_ngram_order, *rules)
            scores.append(_weighted(precisions, bp, totals, options))
        return scores

    def _row_scorer(self, options: ScoreOptions) -> RowScorer | None:
        if options.smooth_method != "exp" or options.weights is not None:
            return None
        return KeptScorer(options.max_ngram_order, options.effective_order)

    def _corpus_score(self, sums: Sums, options: ScoreOptions) -> dict[str, Any]:
        if options.weights is not None:
            return super()._corpus_score(sums, options)
        # fmt: off
        value = corpus_score(
            sums.row, options.max_ngram_order, options.smooth_method, options.smooth_value,
            options.effective_order,
        )
        # fmt: on
        return {"value": value}

    def _expected_scores(self, rows: Any, options: ScoreOptions) -> array[float]:
        rules = options.smooth_method, options.smooth_value, options.effective_order
        max_ngram_order = options.max_ngram_order
        if options.weights is None:
            return _sacrebleu.score_rows(rows, max_ngram_order, *rules, "expected")
        scores = array("d")
        for hyp_len, ref_len, *counts in rows.tolist():
            totals = counts[max_ngram_order:]
            _, precisions, bp = self.score_in_python(
                counts[:max_ngram_order], totals, hyp_len, ref_len, *rules, max_ngram_order
            )
            scores.append(_weighted(precisions, bp, totals, options))
        return scores

    def _signature_fields(self, fields: dict[str, Any], options: ScoreOptions) -> dict[str, Any]:
        smooth, value = options.smooth_method, options.smooth_value
        value = self.smoothings[smooth] if value is None else value
        if value is not None:
            rounded = f"{value:.2f}"
            smooth += f"[{rounded if float(rounded) == value else value}]"
        order = options.max_ngram_order
        own = {
            "eff": "yes" if options.effective_order else "no",
            "smooth": smooth,
            "order": None if order == self.max_ngram_order else order,
            "version": self.version,
        }
        names = "nrefs", "case", "eff", "tok", "smooth", "order", "weights", "reflen", "version"
        return {name: (fields | own)[name] for name in names}


def _weighted(
    precisions: Sequence[float], bp: float, totals: Sequence[float], options: ScoreOptions
) -> float:
    """The score of one row: bp * (100 * exp(sum of weight * log(precision))).

    If `effective_order` leaves out orders, the weights of the others are scaled up to the same sum.
    """
    if not any(precisions):
        return 0.0
    weights: Sequence[float] = options.weights or ()
    if options.effective_order:
        reached = [weight for weight, total in zip(weights, totals, strict=True) if total]
        if len(reached) < len(weights):
            if not any(reached):
                return 0.0
            scale = fsum(weights) / fsum(reached)
            weights = [weight * scale for weight in reached]
    terms = [(weight, p / 100) for weight, p in zip(weights, precisions, strict=False) if weight]
    if any(p == 0.0 for _, p in terms):
        return 0.0
    # In this order, because the matrix of pairs multiplies by bp last (_pairs.pyx).
    return bp * (100 * exp(fsum(weight * log(p) for weight, p in terms)))


SACREBLEU = SacrebleuDialect()

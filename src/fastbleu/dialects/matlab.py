"""MATLAB's bleuEvaluationScore, from its documentation."""

from __future__ import annotations

from math import exp, fsum, isfinite, log, nan

from .base import Options
from .plain import NO_AGGREGATION, PlainDialect, Row


class MatlabDialect(PlainDialect):
    """``bleuEvaluationScore`` of MATLAB's Text Analytics Toolbox, 0-1.

    Written from its documentation and NEVER RUN AGAINST THE ORIGINAL. BP * exp(sum of weight *
    log(matches / totals)); ``weights=`` are its NgramWeights, of any length, divided by their sum.
    0 if the hypothesis has fewer tokens than there are weights or an order has no match, NaN if
    both sides are empty. The closest reference's length counts. BP is 1 if the hypothesis is
    longer, else exp(1 - ref_len / hyp_len). ``lowercase=True`` is its IgnoreCase.

    The original scores one document, tokenized by tokenizedDocument; here text is split at
    whitespace, and a corpus is scored by its summed counts.

    References
    ----------
    MathWorks, documentation of bleuEvaluationScore, R2024b.
    """

    name = "matlab"
    version = "matlab-documentation"
    weights_set_order = True
    smoothings = {"none": None}
    options = {"weights": None, "smoothing": "none"}
    unsupported = {"effective_order=True": "its NgramWeights set the orders", **NO_AGGREGATION}

    def brevity_penalty(self, hyp_len: int, ref_len: int) -> float:
        """The factor for hypotheses that are not longer than their references, 0-1."""
        if hyp_len > ref_len:
            return 1.0
        return exp(1 - ref_len / hyp_len) if hyp_len else 0.0

    def _check(self, options: Options) -> None:
        weights = options.weights
        if weights and not (any(weights) and all(isfinite(w) and w >= 0 for w in weights)):
            raise ValueError(f"weights is {weights}, but must be finite, at least 0 and not all 0")

    def _score(self, row: Row, options: Options) -> float:
        hyp_len, ref_len, matches, totals = row
        if not hyp_len and not ref_len:
            return nan
        weights = options.weights or (1.0,) * len(totals)
        terms = list(zip(weights, matches, totals, strict=True))
        if any(not ngrams or (weight and not matched) for weight, matched, ngrams in terms):
            return 0.0
        whole = fsum(weights)
        mean = fsum([w / whole * log(matched / ngrams) for w, matched, ngrams in terms if w])
        return self.brevity_penalty(hyp_len, ref_len) * exp(mean)


MATLAB = MatlabDialect()

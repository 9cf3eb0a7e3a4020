"""MATLAB's bleuEvaluationScore, from its documentation."""

from __future__ import annotations

from math import exp, fsum, log, nan

from .plain import Row, SummedDialect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .scorer import Scorer


class MatlabDialect(SummedDialect):
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
    reasons = {"effective_order=True": "its NgramWeights set the orders"}

    def brevity_penalty(self, hyp_len: int, ref_len: int) -> float:
        if hyp_len > ref_len:
            return 1.0
        return exp(1 - ref_len / hyp_len) if hyp_len else 0.0

    def _check_options(self, scorer: Scorer) -> None:
        self._check_not_negative(scorer.weights)

    def _score(self, row: Row, scorer: Scorer) -> float:
        hyp_len, ref_len, matches, totals = row
        if not hyp_len and not ref_len:
            return nan
        weights = scorer.weights or (1.0,) * len(totals)
        terms = list(zip(weights, matches, totals, strict=True))
        if any(not ngrams or (weight and not matched) for weight, matched, ngrams in terms):
            return 0.0
        whole = fsum(weights)
        mean = fsum([w / whole * log(matched / ngrams) for w, matched, ngrams in terms if w])
        return self.brevity_penalty(hyp_len, ref_len) * exp(mean)


MATLAB = MatlabDialect()

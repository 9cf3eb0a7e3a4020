"""e2e-metrics' BLEU for data-to-text generation."""

from __future__ import annotations

from math import exp, log

from ..counting.stats import AdaptedRows, Stats
from .plain import Row, SummedDialect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .scorer import Scorer


class E2EDialect(SummedDialect):
    """``BLEUScore`` of e2e-metrics, which data-to-text papers report, 0-1.

    exp(mean of log(max(matches + k, 1e-15) / max(totals + k, 1e-9))) * BP, k = 0 by default;
    ``smoothing="add-k"`` is its ``smoothing``, with k as ``smoothing_value`` (1 if not given), for
    all orders. Totals are sums of hyp_len - n + 1, which is NEGATIVE for short segments, so that a
    score may exceed 1. The closest reference's length counts, of two equally close the shorter. BP
    is exp(1 - ref_len / hyp_len) unless the hypotheses are longer.

    Text is tokenized by 13a and lowercased afterwards (``lowercase=False`` is its
    ``case_sensitive``); an empty text is one empty token.

    References
    ----------
    tuetschek/e2e-metrics 1b9c4d8, metrics/pymteval.py.
    """

    name = "e2e"
    version = "e2e-metrics"
    tokenizer = "e2e"
    tokenizers = {"13a": "e2e"}
    lowercase = True
    smoothings = {"none": None, "add-k": 1.0}
    options = {"smoothing": "none", "smoothing_value": None}
    reasons = {"state": "its totals may be negative, which no state can have"}
    _printed = "%.4f"

    def adapt(self, stats: Stats) -> AdaptedRows:
        """Rows with totals that are not floored at 0."""
        numbers, order = stats._rows[:], stats.max_order
        width = 2 + 2 * order
        for at in range(0, len(numbers), width):
            if numbers[at] < order:
                for n in range(order):
                    numbers[at + 2 + order + n] = numbers[at] - n
        return AdaptedRows._own(numbers, order)

    def brevity_penalty(self, hyp_len: int, ref_len: int) -> float:
        return exp(1 - ref_len / (hyp_len or 1e-5)) if hyp_len <= ref_len else 1.0

    def _score(self, row: Row, scorer: Scorer) -> float:
        hyp_len, ref_len, matches, totals = row
        k: float = 0.0
        if scorer.smoothing == "add-k":
            k = 1.0 if scorer.smoothing_value is None else scorer.smoothing_value
        total = 0.0
        for matched, ngrams in zip(matches, totals, strict=True):
            total += log(max(matched + k, 1e-15) / max(ngrams + k, 1e-9))
        return self.brevity_penalty(hyp_len, ref_len) * exp(1.0 / len(totals) * total)


E2E = E2EDialect()

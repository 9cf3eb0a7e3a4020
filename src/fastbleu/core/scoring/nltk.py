"""nltk's rules over rows of sufficient statistics."""

from __future__ import annotations

from array import array
from functools import partial

from ..._core import REFERENCE_LENGTHS
from ..counting.stats import AdaptedRows
from ..runtime.import_lock import lazy
from . import _nltk
from .base import EFFECTIVE_ORDER, Dialect, ScoreOptions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..inputs.types import ReferenceLength
    from . import nltk_arithmetic
else:
    nltk_arithmetic = lazy("fastbleu.core.scoring.nltk_arithmetic")

_LAST_SEGMENT = (
    "it looks only at the last segment, so the score depends on the order of the segments "
    "and cannot be computed from summed counts; score a corpus by "
    "corpus_bleu(..., smoothing_function=SmoothingFunction().{0}), single pairs by "
    "sentence_bleu(...)"
)


class NltkDialect(Dialect):
    """``corpus_bleu`` of nltk 3.10.4, on whitespace tokens, 0-1.

    BP * exp(fsum(weight * log p)), totals at least 1 for each segment and order; 0 without a
    unigram match. The reference length is the closest one, the shorter of two equally close. BP is
    exp(1 - ref_len / hyp_len) unless the hypotheses are longer.

    Smoothing is "none" (the default: no smoothing function), "floor" (method 1, value epsilon,
    default 0.1), "add-k" (method 2, k = 1), "exp" (method 3) or "method4" (value k, default 5).
    Methods 5 to 7 need the last segment's tokens and cannot be computed from rows.
    """

    name = "nltk"
    version = "nltk-3.10.4"
    source = "nltk/nltk@3.10.4 nltk/translate/bleu_score.py"
    minimum_total = 1
    smoothings = {"none": None, "floor": 0.1, "add-k": None, "exp": None, "method4": 5}
    reference_lengths: Sequence[ReferenceLength] = REFERENCE_LENGTHS
    aggregation: str | None = "sum"
    separable: bool | None = True
    options = {"weights": None, "smooth_method": "none", "smooth_value": None}
    unsupported = {
        EFFECTIVE_ORDER: "effective_order is an option of sacreBLEU; nltk averages over all orders",
        **{name: _LAST_SEGMENT.format(name) for name in ("method5", "method6", "method7")},
    }

    def brevity_penalty(self, hyp_len: int, ref_len: int) -> float:
        return super().brevity_penalty(hyp_len, ref_len) if hyp_len else 0.0

    def _scores(self, adapted: AdaptedRows, options: ScoreOptions) -> array[float]:
        smoothing, value = options.smooth_method, options.smooth_value
        order = adapted.max_ngram_order
        weights = options.weights or (1 / order,) * order
        if value is None:
            value = self.smoothings[smoothing]
        scores = _nltk.score_rows(adapted._rows, weights, smoothing, value)
        for i, score in enumerate(scores):
            if score != score:
                smooth = partial(nltk_arithmetic.METHODS[smoothing], value)
                scores[i] = nltk_arithmetic.score_sums(adapted[i]._rows, [weights], smooth)
        return scores


NLTK = NltkDialect()

"""tensorflow/nmt's `compute_bleu`, and Evaluate's metric, which first tokenizes by 13a."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log

from .plain import SUM, Row, SummedDialect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .scorer import Scorer


class NmtDialect(SummedDialect):
    """``compute_bleu`` of tensorflow/nmt, on whitespace tokens, 0-1.

    exp(sum of log(matches / totals) / max_order) * BP; 0 if an order has no match. With
    ``smoothing="add-1"``, its ``smooth=True``, 1 is added to matches and totals of all orders. The
    SHORTEST reference's length counts. BP is 1 if the ratio of lengths is above 1, else
    exp(1 - 1 / ratio). The sum is the running Python's, which is compensated from 3.12 on.

    Without any token in the hypotheses, or in the references, it divides by zero.

    References
    ----------
    tensorflow/nmt 0be8642, nmt/scripts/bleu.py.
    """

    name = "tf-nmt"
    version = "tf-nmt"
    reference_length = "shortest"
    smoothings = {"none": None, "add-1": None}
    options = {"smoothing": "none"}

    def brevity_penalty(self, hyp_len: int, ref_len: int) -> float:
        """The factor for short hypotheses, 0-1; ZeroDivisionError if one of the lengths is 0."""
        if not hyp_len or not ref_len:
            empty = "references" if hyp_len else "hypotheses"
            problem = f"the {empty} have no tokens at all"
            raise ZeroDivisionError(f"{problem}, so that no ratio of lengths is defined")
        ratio = hyp_len / ref_len
        return 1.0 if ratio > 1.0 else exp(1 - 1.0 / ratio)

    def details(self, row: Sequence[int], smooth: bool) -> tuple[float, list[float], float]:
        """Score, smoothed precisions and brevity penalty of a row, all 0-1."""
        max_order = len(row) // 2 - 1
        hyp_len, ref_len, *counts = row
        precisions = [
            (matches + 1.0) / (total + 1.0) if smooth else matches / total if total else 0.0
            for matches, total in zip(counts[:max_order], counts[max_order:], strict=True)
        ]
        bp = self.brevity_penalty(hyp_len, ref_len)
        mean = 0.0
        if min(precisions) > 0:
            # Neither fsum nor a single division of the sum: they would round differently.
            mean = exp(sum(1.0 / max_order * log(p) for p in precisions))
        return mean * bp, precisions, bp

    def _further_fields(self) -> dict[str, str]:
        return SUM

    def _score(self, row: Row, scorer: Scorer) -> float:
        hyp_len, ref_len, matches, totals = row
        flat = [hyp_len, ref_len, *matches, *totals]
        return self.details(flat, scorer.smoothing == "add-1")[0]


class EvaluateDialect(NmtDialect):
    """The metric ``bleu`` of Hugging Face's Evaluate 0.4.6: tf-nmt's rules on 13a tokens, 0-1.

    Its 13a keeps whitespace at the end of a text; sacreBLEU's strips it first.

    References
    ----------
    huggingface/evaluate a7dd338, metrics/bleu.
    """

    name = "evaluate"
    version = "evaluate-0.4.6"
    tokenizer = "evaluate"


TF_NMT = NmtDialect()
EVALUATE = EvaluateDialect()

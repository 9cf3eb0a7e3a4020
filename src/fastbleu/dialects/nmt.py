"""The rules of tensorflow/nmt's `compute_bleu`, and of Evaluate, which tokenizes by 13a before."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from math import exp, log

from ..counting.stats import Stats
from .base import NO_AGGREGATION, Dialect, Options


class NmtDialect(Dialect):
    """The rules of `compute_bleu` of tensorflow/nmt.

    The shortest reference's length counts. The score is 0 if any order has no match; "add-k" adds 1
    to matches and totals of all orders. Without any token in the hypotheses, or in the references,
    it is an error.
    """

    name = "tf-nmt"
    version = "tf-nmt"
    reference_length = "shortest"
    smoothings = {"none": None, "add-k": None}
    options = {"smoothing": "none"}
    unsupported = {
        "effective_order=True": "tf-nmt averages over all orders",
        "weights": "its weights are equal",
        **NO_AGGREGATION,
    }

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
            # Neither fsum nor one division of the sum: they round otherwise.
            mean = exp(sum(1.0 / max_order * log(p) for p in precisions))
        return mean * bp, precisions, bp

    def _scores(self, stats: Stats, options: Options) -> array[float]:
        smooth = options.smoothing == "add-k"
        return array("d", [self.details(row._rows, smooth)[0] for row in stats])


class EvaluateDialect(NmtDialect):
    """The rules of the metric `bleu` of Hugging Face's Evaluate 0.4.6: tf-nmt's, with 13a."""

    name = "evaluate"
    version = "evaluate-0.4.6"
    tokenizer = "13a"


NMT = NmtDialect()
EVALUATE = EvaluateDialect()

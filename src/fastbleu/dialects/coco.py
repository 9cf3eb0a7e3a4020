"""pycocoevalcap's BLEU of image captions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp

from ..counting.stats import Stats
from .base import Dialect, Options
from .plain import NO_AGGREGATION, PlainDialect, Row, count_with_tokens, no_rows, plain_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..counting.batch import Segment

_TINY, _SMALL = 1e-15, 1e-9


class CocoDialect(PlainDialect):
    """``Bleu`` of pycocoevalcap, for tokenized captions, 0-1.

    BLEU-n is the n-th root of the product of (matches + 1e-15) / (totals + 1e-9) of orders 1 to n,
    times exp(1 - 1 / ratio) if ratio = (hyp_len + 1e-15) / (ref_len + 1e-9) is below 1. The score
    is BLEU-4, `Score.cumulative` has BLEU-1 to BLEU-4.

    The closest reference's length counts, of two equally close the shorter; or the shortest; or,
    with ``reference_length="average"``, their mean. This is not an integer, so there are no rows.
    Text is split at whitespace: pycocoevalcap's default PTB tokenizer is a Java program.

    References
    ----------
    salaniz/pycocoevalcap 1.2, bleu/bleu_scorer.py.
    """

    name = "coco"
    version = "pycocoevalcap-1.2"
    reference_lengths = ("closest", "shortest", "average")
    smoothings = {"tiny": None}
    options = {"smoothing": "tiny"}
    unsupported: Mapping[str, str] = {
        "effective_order=True": "it has a score for each order, `Score.cumulative`",
        "weights": "its weights are equal",
        **NO_AGGREGATION,
    }
    _printed = "%.3f"

    def _configured(
        self, settings: Mapping[str, Any], reference_length: str | None = None
    ) -> Dialect:
        """This dialect, or the one that counts mean reference lengths."""
        rules = COCO_AVERAGE if reference_length == "average" else self
        return Dialect._configured(rules, settings)

    def brevity_penalty(self, hyp_len: int, ref_len: float) -> float:
        """The factor for hypotheses that are shorter than their references, 0-1."""
        ratio = (hyp_len + _TINY) / (ref_len + _SMALL)
        return exp(1 - 1 / ratio) if ratio < 1 else 1.0

    def _all(
        self, hyp_len: int, ref_len: float, matches: Sequence[int], totals: Sequence[int]
    ) -> tuple[float, ...]:
        """BLEU-1 to BLEU-N."""
        product, scores = 1.0, []
        bp = self.brevity_penalty(hyp_len, ref_len)
        for order, (matched, ngrams) in enumerate(zip(matches, totals, strict=True), 1):
            product *= (float(matched) + _TINY) / (float(ngrams) + _SMALL)
            scores.append(product ** (1.0 / order) * bp)
        return tuple(scores)

    def _cumulative(self, sums: Stats, options: Options) -> tuple[float, ...]:
        [row] = plain_rows(sums)
        return self._all(*row)

    def _score(self, row: Row, options: Options) -> float:
        return self._all(*row)[-1]


class CocoAverageDialect(CocoDialect):
    """pycocoevalcap's ``option="average"``; see `CocoDialect`."""

    reference_length = "average"
    unsupported = {**CocoDialect.unsupported, **no_rows("a mean of lengths is not an integer")}
    _count = count_with_tokens

    def _counted_length(self, reference_length: str) -> str:
        """The reference length to store in rows."""
        return "closest"

    def _refine(self, tokens: list[Segment], sums: Stats, options: Options) -> dict[str, Any]:
        """The scores by the mean lengths of references."""
        [(hyp_len, _, matches, totals)] = plain_rows(sums)
        ref_len = 0.0
        for _, references in tokens:
            ref_len += float(sum(map(len, references))) / len(references)
        scores = self._all(hyp_len, ref_len, matches, totals)
        bp = self.brevity_penalty(hyp_len, ref_len)
        return {"value": scores[-1], "cumulative": scores, "bp": bp, "ref_len": ref_len}


COCO = CocoDialect()
COCO_AVERAGE = CocoAverageDialect()

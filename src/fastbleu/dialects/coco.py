"""pycocoevalcap's BLEU of image captions."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, pow

from ..counting._counted import Sums
from ..counting.stats import AdaptedRows
from .plain import Row, SummedDialect, TokenDialect, no_rows, plain_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..counting.token_lists import Segment
    from .scorer import Scorer

_TINY, _SMALL = 1e-15, 1e-9


class CocoDialect(SummedDialect):
    """``Bleu`` of pycocoevalcap, for tokenized captions, 0-1.

    BLEU-n is the n-th root of the product of (matches + 1e-15) / (totals + 1e-9) of orders 1 to n,
    times exp(1 - 1 / ratio) if ratio = (hyp_len + 1e-15) / (ref_len + 1e-9) is below 1. The score
    is BLEU-4, `Score.cumulative` has BLEU-1 to BLEU-4.

    The closest reference's length counts, of two equally close the shorter; or the shortest; or,
    with ``reference_length="average"``, their mean. This is not an integer, so there are no rows.
    Text is split at whitespace, as by pycocoevalcap's ``Bleu``; ``tokenize="ptb"`` also does what
    its ``PTBTokenizer`` does before, and ``tokenize="auto"`` takes the words of each image's
    language, by the script of its first reference.

    References
    ----------
    salaniz/pycocoevalcap 1.2, bleu/bleu_scorer.py.
    """

    name = "coco"
    version = "pycocoevalcap-1.2"
    tokenizer_by_script = "auto-captions"
    reference_lengths = ("closest", "shortest", "average")
    smoothings = {"tiny": None}
    options = {"smoothing": "tiny"}
    reasons = {"effective_order=True": "it has a score for each order, `Score.cumulative`"}
    _printed = "%.3f"

    def ratio(self, hyp_len: int, ref_len: float) -> float:
        """The ratio of lengths, which pycocoevalcap prints."""
        return (hyp_len + _TINY) / (ref_len + _SMALL)

    def brevity_penalty(self, hyp_len: int, ref_len: float) -> float:
        ratio = self.ratio(hyp_len, ref_len)
        return exp(1 - 1 / ratio) if ratio < 1 else 1.0

    def _all(
        self, hyp_len: int, ref_len: float, matches: Sequence[int], totals: Sequence[int]
    ) -> tuple[float, ...]:
        product, scores, order = 1.0, [], 1.0
        bp = self.brevity_penalty(hyp_len, ref_len)
        for matched, ngrams in zip(matches, totals, strict=True):
            product *= (matched + _TINY) / (ngrams + _SMALL)
            scores.append(pow(product, 1.0 / order) * bp)
            order += 1.0
        return tuple(scores)

    def _corpus_score(self, sums: Sums, scorer: Scorer) -> dict[str, Any]:
        [row] = plain_rows(sums.adapted())
        return self._attributes(*row)

    def _attributes(self, *row: Any) -> dict[str, Any]:
        scores, bp = self._all(*row), self.brevity_penalty(*row[:2])
        return {"value": scores[-1], "cumulative": scores, "bp": bp, "ref_len": row[1]}

    def _score(self, row: Row, scorer: Scorer) -> float:
        return self._all(*row)[-1]


class CocoAverageDialect(TokenDialect, CocoDialect):
    """pycocoevalcap's ``option="average"``; see `CocoDialect`."""

    reference_length = "average"
    reasons = {**CocoDialect.reasons, **no_rows("a mean of lengths is not an integer")}

    def _token_score(
        self, segments: list[Segment], sums: AdaptedRows, scorer: Scorer
    ) -> dict[str, Any]:
        [(hyp_len, _, matches, totals)] = plain_rows(sums)
        ref_len = 0.0
        for _, references in segments:
            ref_len += float(sum(map(len, references))) / len(references)
        return self._attributes(hyp_len, ref_len, matches, totals)


COCO = CocoDialect()
COCO_AVERAGE = CocoAverageDialect()

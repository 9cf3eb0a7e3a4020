"""NIST's mteval-v13a.pl and mteval-v14.pl."""

from __future__ import annotations

from math import exp

from ..counting._counted import Sums
from .plain import Row, SummedDialect, doubling_logarithms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .scorer import Scorer


class MtevalV14Dialect(SummedDialect):
    """``mteval-v14.pl``, 0-1.

    exp(mean of log p of orders 1 to 4) * BP. Where an order has no match p is 1 / (k * totals), k
    doubling from 2 with each such order (``smoothing="exp"``); an order without n-grams adds
    nothing to the sum, which is still divided by 4. ``smoothing="none"``, its
    ``--no-smoothing``, gives 0 without a 4-gram match. BP is exp(min(0, 1 - ref_len / hyp_len)), 0
    for no hypothesis token and 1 for no reference token.

    The closest reference's length counts, of two equally close the shorter; with
    ``reference_length="shortest"``, its ``--brevity-penalty``, the shortest. Text is tokenized by
    13a and A to Z are lowercased; ``lowercase=False`` is its ``-c``. ``tokenize="international"``
    is its ``--international-tokenization``, which lowercases all of Unicode; "international-e" is
    the same with ``-e``.

    References
    ----------
    moses-smt/mosesdecoder 34452895, scripts/generic/mteval-v14.pl.
    """

    name = "mteval-v14"
    version = "mteval-v14"
    tokenizer = "mteval"
    tokenizers = {
        "13a": "mteval",
        "international": "mteval-international",
        "international-e": "mteval-international-e",
    }
    lowercase = True
    reference_lengths = ("closest", "shortest")
    orders = (4,)
    smoothings = {"exp": None, "none": None}
    options = {"smoothing": "exp"}
    _printed = "%.4f"

    def brevity_penalty(self, hyp_len: int, ref_len: int) -> float:
        return exp(min(0.0, 1 - ref_len / hyp_len)) if hyp_len else 0.0

    def _score(self, row: Row, scorer: Scorer) -> float:
        hyp_len, ref_len, matches, totals = row
        smooth = scorer.smoothing == "exp"
        if not hyp_len or not (smooth or matches[-1]):
            return 0.0
        total = 0.0
        for logarithm in doubling_logarithms(matches, totals):
            total += logarithm
        mean = total / len(totals)
        if not smooth:
            return exp(mean + min(0.0, 1 - ref_len / hyp_len))
        return exp(mean) * self.brevity_penalty(hyp_len, ref_len)


class MtevalV13aDialect(MtevalV14Dialect):
    """``mteval-v13a.pl``, 0-1: the rules of mteval-v14, except for a corpus without tokens.

    It prints the ratio of lengths and the logarithm of BP, and so dies if the references or the
    hypotheses have no token, or if BP is 0: a ValueError. Documents and single
    sentences have the scores of mteval-v14.

    References
    ----------
    moses-smt/mosesdecoder 34452895, scripts/generic/mteval-v13a.pl.
    """

    name = "mteval-v13a"
    version = "mteval-v13a"

    def _corpus_score(self, sums: Sums, scorer: Scorer) -> dict[str, Any]:
        hyp_len, ref_len = sums.row[:2]
        if scorer.smoothing == "none":
            return super()._corpus_score(sums, scorer)
        if not ref_len:
            raise ValueError(
                "the closest references have no tokens: mteval-v13a.pl dies then, because it "
                "divides by their length; mteval-v14 has a score"
            )
        if not self.brevity_penalty(hyp_len, ref_len):
            raise ValueError(
                f"the brevity penalty of {hyp_len} tokens against {ref_len} is 0: mteval-v13a.pl "
                "dies then, because it prints its logarithm; mteval-v14 has a score"
            )
        return super()._corpus_score(sums, scorer)


MTEVAL_V14 = MtevalV14Dialect()
MTEVAL_V13A = MtevalV13aDialect()

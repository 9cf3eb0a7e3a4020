"""Moses' multi-bleu.perl and multi-bleu-detok.perl."""

from __future__ import annotations

from collections.abc import Mapping
from math import exp, log

from ..counting.stats import AdaptedRows, Stats
from .plain import Row, SummedDialect, printed_line
from .score import Score

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import ClassVar

    from ..tokenizers.table import TokenizerName
    from .scorer import Scorer

# The reference length of a segment whose references all differ by this many tokens or more.
_FARTHEST = 9999


class MultiBleuDialect(SummedDialect):
    """``multi-bleu.perl`` of Moses, for tokenized text, 0-100.

    BP * exp(mean of log(matches / totals) of orders 1 to 4); 0 if an order has no match. The
    closest reference's length counts, of two equally close the shorter; 9999 where all references
    differ from the hypothesis by 9999 tokens or more. BP is exp(1 - ref_len / hyp_len) if the
    hypotheses are shorter. Text is split at ASCII whitespace, which does not include the no-break
    space. ``lowercase=True`` is its ``-lc``, which lowercases A to Z.

    Without tokens in the references it prints "BLEU = 0" and exits with status 1, with tokens only
    in the references it dies: a ValueError.

    References
    ----------
    moses-smt/mosesdecoder 34452895, scripts/generic/multi-bleu.perl.
    """

    name = "multi-bleu"
    version = "multi-bleu"
    scale = 100.0
    tokenizer: ClassVar[TokenizerName] = "multi-bleu"
    tokenizers: ClassVar[Mapping[str, TokenizerName]] = {"multi-bleu": "multi-bleu"}
    of_tokenized_text = True
    orders = (4,)
    smoothings = {"none": None}
    options = {"smoothing": "none"}
    _printed = "%.2f"

    def adapt(self, stats: Stats) -> AdaptedRows:
        """Rows with the reference length that the script takes."""
        numbers, width = stats._rows[:], 2 + 2 * stats.max_order
        for at in range(0, len(numbers), width):
            if abs(numbers[at] - numbers[at + 1]) >= _FARTHEST:
                numbers[at + 1] = _FARTHEST
        return AdaptedRows._own(numbers, stats.max_order)

    def brevity_penalty(self, hyp_len: int, ref_len: int) -> float:
        if not ref_len:
            raise ValueError(
                f"the references have no tokens at all: {self.name}.perl prints BLEU = 0 then and "
                "exits with status 1"
            )
        if not hyp_len:
            raise ValueError(
                f"the hypotheses have no tokens at all: {self.name}.perl dies then, because it "
                "divides by their length"
            )
        return exp(1 - ref_len / hyp_len) if hyp_len < ref_len else 1.0

    def line(self, score: Score) -> str:
        return printed_line("BLEU", score, "hyp_len", "ref_len")

    def _score(self, row: Row, scorer: Scorer) -> float:
        hyp_len, ref_len, matches, totals = row
        bp, total = self.brevity_penalty(hyp_len, ref_len), 0.0
        for matched, ngrams in zip(matches, totals, strict=True):
            total += log(matched / ngrams) if matched and ngrams else -9999999999
        return 100 * (bp * exp(total / len(totals)))


class MultiBleuDetokDialect(MultiBleuDialect):
    """``multi-bleu-detok.perl`` of Moses: multi-bleu for raw text, tokenized by 13a, 0-100.

    Whitespace is Perl's, which excludes U+001C to U+001F. ``lowercase=True``, its ``-lc``,
    lowercases hypotheses before and references after tokenizing, each character by itself. The
    script drops the last character of a file without a final newline; that is not reproduced.

    References
    ----------
    moses-smt/mosesdecoder 34452895, scripts/generic/multi-bleu-detok.perl.
    """

    name = "multi-bleu-detok"
    version = "multi-bleu-detok"
    tokenizer = "multi-bleu-detok"
    tokenizers = {"13a": "multi-bleu-detok"}
    of_tokenized_text = False


MULTI_BLEU = MultiBleuDialect()
MULTI_BLEU_DETOK = MultiBleuDetokDialect()

"""The "smoothed BLEU-4" of papers on code summarization."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log
from sys import float_info

from ..counting.stats import Stats
from .base import Options
from .plain import EQUAL_WEIGHTS, PlainDialect, Row, plain_rows

_MEAN = "the score is a mean of sentences, which no sum of rows tells"


class CodeXGlueSummaryDialect(PlainDialect):
    """``bleuFromMaps`` of CodeXGLUE, CodeBERT and CodeT5: a MEAN OF SENTENCES, 0-100.

    Each sentence has exp(mean of log((matches + a + t) / (totals + a + t))) * BP, a = 1 for orders
    above 1, else 0, t = 2.2250738585072014e-308; BP is exp(min(0, 1 - (ref_len + 1) / (hyp_len +
    1))). The SHORTEST reference's length counts. Text is lowercased, split into runs of letters,
    digits and underscores and single other characters, and then split by 13a.

    References
    ----------
    microsoft/CodeXGLUE ac74a62, Code-Text/code-to-text/evaluator/evaluator.py.
    """

    name = "codexglue-summary"
    version = "codexglue-summary"
    scale = 100.0
    tokenizer = "codexglue-summary"
    tokenizers = {"codexglue-summary": "codexglue-summary"}
    lowercase = True
    cases = (True,)
    reference_length = "shortest"
    orders = (4,)
    smoothings = {"add-k": None}
    options = {"smoothing": "add-k"}
    mean_of_sentences = True
    unsupported = {**EQUAL_WEIGHTS, **dict.fromkeys(("sums", "state", "significance"), _MEAN)}

    def printed(self, value: float) -> str:
        """The score rounded to two digits, as it logs it."""
        return str(round(value, 2))

    def brevity_penalty(self, hyp_len: int, ref_len: int) -> float:
        """The factor for a hypothesis that is shorter than its reference, 0-1."""
        return exp(min(0.0, 1 - (ref_len + 1) / (hyp_len + 1)))

    def _score(self, row: Row, options: Options) -> float:
        return self._sentence(*row) * 100.0

    def _sentence(
        self, hyp_len: int, ref_len: int, matches: Sequence[int], totals: Sequence[int]
    ) -> float:
        """The score of a sentence, 0-1."""
        total = 0.0
        for order, (matched, ngrams) in enumerate(zip(matches, totals, strict=True)):
            added = float(order > 0)
            total += log(matched + added + float_info.min) - log(ngrams + added + float_info.min)
        return exp(total / 4.0 + min(0.0, 1 - (ref_len + 1) / (hyp_len + 1)))

    def _mean(self, stats: Stats, options: Options) -> float:
        total = 0.0
        for row in plain_rows(stats):
            total += self._sentence(*row)
        return total * 100.0 / len(stats)


CODEXGLUE_SUMMARY = CodeXGlueSummaryDialect()

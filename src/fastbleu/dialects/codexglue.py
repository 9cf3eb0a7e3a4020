"""The "smoothed BLEU-4" of papers on code summarization."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log
from sys import float_info

from ..counting._counted import Sums
from .plain import PlainDialect, Row, plain_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .scorer import Scorer

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
    of_tokenized_text = True
    lowercase = True
    cases = (True,)
    reference_length = "shortest"
    orders = (4,)
    smoothings = {"add-k": None}
    options = {"smoothing": "add-k"}
    mean_of_sentences = True
    separable = False
    reasons = dict.fromkeys(("sums", "state", "significance"), _MEAN)

    def printed(self, value: float) -> str:
        return str(round(value, 2))

    def brevity_penalty(self, hyp_len: int, ref_len: int) -> float:
        return exp(min(0.0, 1 - (ref_len + 1) / (hyp_len + 1)))

    def _score(self, row: Row, scorer: Scorer) -> float:
        return self._sentence(*row) * 100.0

    def _sentence(
        self, hyp_len: int, ref_len: int, matches: Sequence[int], totals: Sequence[int]
    ) -> float:
        total = 0.0
        for order, (matched, ngrams) in enumerate(zip(matches, totals, strict=True)):
            added = float(order > 0)
            total += log(matched + added + float_info.min) - log(ngrams + added + float_info.min)
        return exp(total / 4.0 + min(0.0, 1 - (ref_len + 1) / (hyp_len + 1)))

    def _corpus_score(self, sums: Sums, scorer: Scorer) -> dict[str, Any]:
        rows, total = sums.rows(), 0.0
        for row in plain_rows(rows):
            total += self._sentence(*row)
        value = total * 100.0 / len(rows)
        return {"value": value, "bp": self.brevity_penalty(*sums.row[:2])}


CODEXGLUE_SUMMARY = CodeXGlueSummaryDialect()

"""sacreBLEU's functions: `corpus_bleu`, `sentence_bleu`, `raw_corpus_bleu`."""

from __future__ import annotations

from collections.abc import Sequence

from ..counting._text import SegmentReader
from ..dialects.sacrebleu import SACREBLEU
from .bleu import BLEU
from .score import BLEUScore
from .tokenizer import reader_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_details, _smoothings = SACREBLEU.details, SACREBLEU.smoothings

# Readers by tokenizer: those of `reader_for`, whose key of three parts takes a tenth of a call.
_cased: dict[str, SegmentReader] = {}
_lowered: dict[str, SegmentReader] = {}


def corpus_bleu(
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str | None]],
    smooth_method: str = "exp",
    smooth_value: float | None = None,
    force: bool = False,
    lowercase: bool = False,
    tokenize: Any = "13a",
    use_effective_order: bool = False,
) -> BLEUScore:
    """BLEU of a corpus; parameters as for `BLEU` and `BLEU.corpus_score`.

    References
    ----------
    sacreBLEU 2.6.0, `sacrebleu.corpus_bleu`.

    Examples
    --------
    >>> corpus_bleu(["The dog bit the man.", "No."], [["The dog bit the man.", "No!"]])
    BLEU = 92.41 87.5/83.3/100.0/100.0 (BP = 1.000 ratio = 1.000 hyp_len = 8 ref_len = 8)
    """
    smoothing = smooth_method, smooth_value
    metric = BLEU(lowercase, force, tokenize, *smoothing, effective_order=use_effective_order)
    return metric.corpus_score(hypotheses, references)


def raw_corpus_bleu(
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str | None]],
    smooth_value: float | None = 0.1,
) -> BLEUScore:
    """BLEU of text as it is: no tokenizer, "floor" smoothing, effective order.

    References
    ----------
    sacreBLEU 2.6.0, `sacrebleu.raw_corpus_bleu`.
    """
    style: dict[str, Any] = {"force": True, "tokenize": "none", "use_effective_order": True}
    return corpus_bleu(hypotheses, references, "floor", smooth_value, **style)


def sentence_bleu(
    hypothesis: str,
    references: Sequence[str | None],
    smooth_method: str = "exp",
    smooth_value: float | None = None,
    lowercase: bool = False,
    tokenize: Any = "13a",
    use_effective_order: bool = True,
) -> BLEUScore:
    """BLEU of one segment; parameters as for `BLEU` and `BLEU.sentence_score`.

    References
    ----------
    sacreBLEU 2.6.0, `sacrebleu.sentence_bleu`.

    Examples
    --------
    >>> sentence_bleu("The dog bit a man.", ["The dog bit the man."]).format(score_only=True)
    '37.99'
    """
    if use_effective_order and type(tokenize) is str:
        # As BLEU(...).sentence_score(...), without making the object, which takes as long again.
        reader = (_lowered if lowercase else _cased).get(tokenize)
        row = None if reader is None else reader.row(hypothesis, references)
        if row is not None and smooth_method in _smoothings:
            score, precisions, bp, counts, totals = _details(
                row, 4, smooth_method, smooth_value, True
            )
            return BLEUScore(score, counts, totals, precisions, bp, row[0], row[1])
    smoothing = smooth_method, smooth_value
    metric = BLEU(lowercase, False, tokenize, *smoothing, effective_order=use_effective_order)
    name = metric.tokenizer.tokenizer.compiled
    if name is not None:
        (_lowered if lowercase else _cased)[name] = reader_for(name, bool(lowercase), 4)
    return metric.sentence_score(hypothesis, references)

"""sacreBLEU's functions of a corpus: `corpus_bleu`, `raw_corpus_bleu`."""

from __future__ import annotations

from collections.abc import Sequence

from .bleu import BLEU
from .bleu_score import BLEUScore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..tokenizers.loaded import TokenFunction, Tokenizer


def corpus_bleu(
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str | None]],
    smooth_method: str = "exp",
    smooth_value: float | None = None,
    force: bool = False,
    lowercase: bool = False,
    tokenize: str | TokenFunction | Tokenizer | None = "13a",
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
    return corpus_bleu(hypotheses, references, "floor", smooth_value, True, False, "none", True)

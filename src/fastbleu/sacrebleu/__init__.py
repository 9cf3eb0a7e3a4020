"""sacreBLEU's BLEU: that of sacreBLEU 2.6.0, same signatures, same results, faster.

    from fastbleu.sacrebleu import BLEU, corpus_bleu, sentence_bleu

References are stream-major here, as in sacreBLEU: ``references[k][segment]``. Deliberate
differences are listed in DIFFERENCES.md.
"""

from .bleu import BLEU
from .functions import corpus_bleu, raw_corpus_bleu, sentence_bleu
from .patching import patch, unpatch
from .score import VERSION, BLEUScore, BLEUSignature

__all__ = [
    "BLEU",
    "VERSION",
    "BLEUScore",
    "BLEUSignature",
    "corpus_bleu",
    "patch",
    "raw_corpus_bleu",
    "sentence_bleu",
    "unpatch",
]


def __getattr__(name: str) -> object:
    where = f"module {__name__!r} has no attribute {name!r}"
    if "chrf" in name.lower() or "ter" in name.lower().split("_"):
        where += "; only BLEU is here: take the other metrics from sacrebleu itself"
    raise AttributeError(where)

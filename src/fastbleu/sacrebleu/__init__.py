"""sacreBLEU's BLEU (2.6.0): same signatures, same results, faster.

    from fastbleu.sacrebleu import BLEU, corpus_bleu, sentence_bleu

References are stream-major here, as in sacreBLEU: ``references[k][segment]``. Deliberate
differences are listed in DIFFERENCES.md.
"""

from sys import _getframe

from ._sentence_score import sentence_bleu
from .bleu_score import VERSION, BLEUScore, BLEUSignature
from .metrics.bleu import BLEU, corpus_bleu, raw_corpus_bleu

__all__ = [
    "BLEU",
    "VERSION",
    "BLEUScore",
    "BLEUSignature",
    "corpus_bleu",
    "raw_corpus_bleu",
    "sentence_bleu",
]


def __getattr__(name: str) -> object:
    elsewhere = None
    if "chrf" in name.lower() or "ter" in name.lower().split("_"):
        elsewhere = "take the other metrics from sacrebleu itself"
    elif name == "significance":
        elsewhere = "take the significance tests from fastbleu.significance"
    what = f"module {__name__!r} has no attribute {name!r}"
    if elsewhere is None:
        raise AttributeError(what)
    # `from ... import name` calls this function, and hides the text of an AttributeError.
    imported = _getframe(1).f_code.co_name == "_handle_fromlist"
    raise (ImportError if imported else AttributeError)(f"{what}; only BLEU is here: {elsewhere}")

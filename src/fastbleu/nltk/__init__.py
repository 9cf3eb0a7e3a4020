"""nltk's BLEU: the names of `nltk.translate.bleu_score` (nltk 3.10.4), with the same results.

    from fastbleu.nltk import corpus_bleu, sentence_bleu, SmoothingFunction

DIFFERENCES.md lists every deliberate difference.
"""

from ..dialects.nltk_arithmetic import brevity_penalty
from ..runtime.import_lock import import_lock
from ._sentence_bleu import modified_precision, sentence_bleu
from .functions import closest_ref_length, corpus_bleu
from .precision import SmoothingFunction

__all__ = [
    "Fraction",
    "SmoothingFunction",
    "brevity_penalty",
    "closest_ref_length",
    "corpus_bleu",
    "modified_precision",
    "sentence_bleu",
]


def __getattr__(name: str) -> object:
    if name == "Fraction":
        with import_lock:
            from ..dialects.fraction import Fraction

        return Fraction
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

"""nltk's BLEU: the names of `nltk.translate.bleu_score` (nltk 3.10.4), with the same results.

    from fastbleu.nltk import corpus_bleu, sentence_bleu, SmoothingFunction

DIFFERENCES.md lists every deliberate difference.
"""

from ._segments import modified_precision as modified_precision
from ._segments import sentence_bleu as sentence_bleu
from .functions import brevity_penalty as brevity_penalty
from .functions import closest_ref_length as closest_ref_length
from .functions import corpus_bleu as corpus_bleu
from .functions import patch as patch
from .functions import unpatch as unpatch
from .precision import SmoothingFunction as SmoothingFunction

__all__ = [
    "Fraction",
    "SmoothingFunction",
    "brevity_penalty",
    "closest_ref_length",
    "corpus_bleu",
    "modified_precision",
    "patch",
    "sentence_bleu",
    "unpatch",
]


def __getattr__(name: str) -> object:
    if name == "Fraction":
        from ..dialects.fraction import Fraction

        return Fraction
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

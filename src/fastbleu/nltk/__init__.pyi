from ..dialects.fraction import Fraction as Fraction
from .functions import brevity_penalty as brevity_penalty
from .functions import closest_ref_length as closest_ref_length
from .functions import corpus_bleu as corpus_bleu
from .functions import patch as patch
from .functions import sentence_bleu as sentence_bleu
from .functions import unpatch as unpatch
from .precision import SmoothingFunction as SmoothingFunction
from .precision import modified_precision as modified_precision

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

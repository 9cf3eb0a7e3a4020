"""nltk's BLEU: the names of `nltk.translate.bleu_score` (nltk 3.10.4), with the same results.

    from fastbleu.nltk import corpus_bleu, sentence_bleu, SmoothingFunction

DIFFERENCES.md lists every deliberate difference.
"""

import math
import sys
import warnings
from collections import Counter

from ..core.runtime.import_lock import late_names
from ._sentence_bleu import modified_precision, sentence_bleu
from .functions import SmoothingFunction, closest_ref_length, corpus_bleu, ngrams

# What `from nltk.translate.bleu_score import *` imports.
__all__ = ["Counter", "Fraction", "SmoothingFunction", "brevity_penalty", "closest_ref_length"]
__all__ += ["corpus_bleu", "math", "modified_precision", "ngrams", "sentence_bleu", "sys"]
__all__ += ["warnings"]


_ARITHMETIC = dict.fromkeys(("Fraction", "brevity_penalty"), "core.scoring.nltk_arithmetic")
__getattr__ = late_names(__name__, _ARITHMETIC)

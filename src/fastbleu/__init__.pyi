from . import dialects as dialects
from . import integrations as integrations
from . import matrix as matrix
from . import nltk as nltk
from . import sacrebleu as sacrebleu
from . import significance as significance
from . import tokenizers as tokenizers
from .counting.input import count as count
from .counting.stats import Stats as Stats
from .dialects.score import Score as Score
from .inputs.warnings import InputWarning as InputWarning
from .metric.bleu import BLEU as BLEU
from .nltk import SmoothingFunction as SmoothingFunction
from .nltk import brevity_penalty as brevity_penalty
from .nltk import closest_ref_length as closest_ref_length
from .nltk import corpus_bleu as corpus_bleu
from .nltk import modified_precision as modified_precision
from .nltk import sentence_bleu as sentence_bleu
from .tokenizers import tokenize as tokenize

__version__: str
__all__ = [
    "BLEU",
    "InputWarning",
    "Score",
    "SmoothingFunction",
    "Stats",
    "__version__",
    "brevity_penalty",
    "closest_ref_length",
    "corpus_bleu",
    "count",
    "modified_precision",
    "sentence_bleu",
    "tokenize",
]

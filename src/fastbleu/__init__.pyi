from . import counting as counting
from . import nltk as nltk
from . import score as score
from . import stats as stats
from .counting import count as count
from .errors import InputWarning as InputWarning
from .nltk import SmoothingFunction as SmoothingFunction
from .nltk import brevity_penalty as brevity_penalty
from .nltk import closest_ref_length as closest_ref_length
from .nltk import corpus_bleu as corpus_bleu
from .nltk import modified_precision as modified_precision
from .nltk import sentence_bleu as sentence_bleu
from .stats import Stats as Stats

__version__: str
__all__ = [
    "InputWarning",
    "SmoothingFunction",
    "Stats",
    "__version__",
    "brevity_penalty",
    "closest_ref_length",
    "corpus_bleu",
    "count",
    "modified_precision",
    "sentence_bleu",
]

"""Fast BLEU scores, identical to those of sacreBLEU and nltk."""

import os as _os

from .core.runtime.import_lock import PROVIDERS as _PROVIDERS
from .core.runtime.import_lock import late_names as _late_names
from .core.runtime.import_lock import refuse_sub_interpreters as _refuse_sub_interpreters

__version__ = "0.1.0"

_refuse_sub_interpreters()

# What the core knows by name only. Without the folder, there are no such names.
_PROVIDERS.update(
    {"originals": "fastbleu.originals.names", "likely mistakes": "fastbleu.diagnosis.samples"}
)

# Where each public name is defined, for lazy loading; the imports below are for type checkers.
_HOMES = {
    "BLEU": "core.metric.bleu",
    **dict.fromkeys(("InputError", "InputWarning"), "core.inputs.errors"),
    "Score": "core.scoring.score",
    "Stats": "core.counting.stats",
    **dict.fromkeys(("explain", "Explanation"), "diagnosis.explanation"),
    **dict.fromkeys(("identify", "Identification"), "diagnosis.identification"),
    **dict.fromkeys(("report", "Report"), "reporting.report"),
    **dict.fromkeys(("SmoothingFunction", "brevity_penalty", "closest_ref_length"), "nltk"),
    **dict.fromkeys(("corpus_bleu", "modified_precision", "sentence_bleu"), "nltk"),
    **dict.fromkeys(("patch", "unpatch", "Patched"), "patching.hosts"),
}
_MODULES = [
    *("dialects", "integrations", "matrix", "nltk", "plots", "sacrebleu"),
    *("significance", "tables", "tokenizers", "types"),
]
TYPE_CHECKING = False
if TYPE_CHECKING:
    from . import dialects as dialects
    from . import integrations as integrations
    from . import matrix as matrix
    from . import nltk as nltk
    from . import plots as plots
    from . import sacrebleu as sacrebleu
    from . import significance as significance
    from . import tables as tables
    from . import tokenizers as tokenizers
    from . import types as types
    from .core.counting.stats import Stats as Stats
    from .core.inputs.errors import InputError as InputError
    from .core.inputs.errors import InputWarning as InputWarning
    from .core.metric.bleu import BLEU as BLEU
    from .core.scoring.score import Score as Score
    from .diagnosis.explanation import Explanation as Explanation
    from .diagnosis.explanation import explain as explain
    from .diagnosis.identification import Identification as Identification
    from .diagnosis.identification import identify as identify
    from .nltk import SmoothingFunction as SmoothingFunction
    from .nltk import brevity_penalty as brevity_penalty
    from .nltk import closest_ref_length as closest_ref_length
    from .nltk import corpus_bleu as corpus_bleu
    from .nltk import modified_precision as modified_precision
    from .nltk import sentence_bleu as sentence_bleu
    from .patching.hosts import Patched as Patched
    from .patching.hosts import patch as patch
    from .patching.hosts import unpatch as unpatch
    from .reporting.report import Report as Report
    from .reporting.report import report as report
else:
    __all__ = sorted(["__version__", *_HOMES])
    __getattr__ = _late_names(__name__, _HOMES | dict.fromkeys(_MODULES, ""))

    def __dir__():
        return sorted([*__all__, *_MODULES])

    if _os.environ.get("FASTBLEU_PATCH", "0") not in ("", "0"):
        __getattr__("patch")()

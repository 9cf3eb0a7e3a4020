"""sacreBLEU's BLEU and chrF (2.6.0): same signatures, same results, faster.

    from fastbleu.sacrebleu import BLEU, CHRF, corpus_bleu, sentence_chrf

References are stream-major here, as in sacreBLEU: ``references[k][segment]``. TER, the modules
`tokenizers` and `utils`, and test sets are an installed sacreBLEU's own. Deliberate differences are
listed in DIFFERENCES.md.
"""

from sys import _getframe

from ..core.runtime.import_lock import import_locked as _import_locked
from ._sentence_score import sentence_bleu
from .base import ORIGINALS as _ORIGINALS
from .base import VERSION
from .base import original as _original
from .metrics.bleu import BLEU, BLEUScore, BLEUSignature, corpus_bleu, raw_corpus_bleu
from .metrics.chrf import CHRF, CHRFScore, CHRFSignature, corpus_chrf, sentence_chrf

__all__ = [
    "BLEU",
    "CHRF",
    "VERSION",
    "BLEUScore",
    "BLEUSignature",
    "CHRFScore",
    "CHRFSignature",
    "__version__",
    "corpus_bleu",
    "corpus_chrf",
    "raw_corpus_bleu",
    "sentence_bleu",
    "sentence_chrf",
]


__version__ = VERSION


def __getattr__(name: str) -> object:
    if name in _ORIGINALS:
        return _original(name)
    if name in ("tokenizers", "utils"):
        return _import_locked(f"{__name__}.{name}")
    what = f"module {__name__!r} has no attribute {name!r}"
    if name != "significance":
        raise AttributeError(what)
    # `from ... import name` calls this function, and hides the text of an AttributeError.
    imported = _getframe(1).f_code.co_name == "_handle_fromlist"
    fix = "take the significance tests from fastbleu.significance"
    raise (ImportError if imported else AttributeError)(f"{what}: {fix}")

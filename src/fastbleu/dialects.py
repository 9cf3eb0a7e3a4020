"""Dialects, the BLEU of other implementations, and recipes, the BLEU of evaluation tools.

``fastbleu.BLEU("multi-bleu")``, ``fastbleu.BLEU("llamafactory")``.
"""

from .core.runtime.import_lock import import_locked
from .core.scoring.names import names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .diagnosis.explanation import Overview, overview
    from .originals.description import Description, describe

__all__ = ["Description", "Overview", "describe", "names", "overview"]


def __getattr__(name: str):  # type: ignore[no-untyped-def]
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    is_scored = name in ("Overview", "overview")
    home = "fastbleu.diagnosis.explanation" if is_scored else "fastbleu.originals.description"
    globals()[name] = value = getattr(import_locked(home), name)
    return value


def __dir__() -> list[str]:
    return __all__

"""Dialects: the BLEUs of other implementations, by name; recipes are those of evaluation tools.

``fastbleu.BLEU(dialect="multi-bleu")``, ``fastbleu.BLEU(dialect="llamafactory")``.
"""

from ..runtime.import_lock import import_locked
from .names import names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .description import Description, describe

__all__ = ["Description", "describe", "names"]


def __getattr__(name: str):  # type: ignore[no-untyped-def]
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value = getattr(import_locked(f"{__name__}.description"), name)
    return value


def __dir__() -> list[str]:
    return __all__

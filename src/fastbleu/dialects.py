"""Dialects, the BLEU of other implementations, and recipes, the BLEU of evaluation tools.

``fastbleu.BLEU("multi-bleu")``, ``fastbleu.BLEU("llamafactory")``.
"""

from .core.runtime.import_lock import late_names
from .core.scoring.names import names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .diagnosis.explanation import Overview, overview
    from .originals.description import Description, describe

__all__ = ["Description", "Overview", "describe", "names", "overview"]


_HOMES = {
    **dict.fromkeys(("Description", "describe"), "originals.description"),
    **dict.fromkeys(("Overview", "overview"), "diagnosis.explanation"),
}
__getattr__ = late_names(__name__, _HOMES)


def __dir__() -> list[str]:
    return __all__

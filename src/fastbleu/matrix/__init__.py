"""Many against many: all pairs, nearest references, MBR decoding, self-BLEU, fixed references.

The functions take a BLEU, or a dialect's name, as `metric=`. Modules are imported when one of their
names is first used.
"""

from ..core.runtime.import_lock import import_locked

_HOMES = {
    "MBRResult": "decoding",
    "NearestIndex": "nearest_index",
    "ReferenceIndex": "index",
    "SelfBLEUResult": "diversity",
    "duplicates": "nearest_index",
    "mbr": "decoding",
    "nearest": "nearest_index",
    "pairwise": "all_pairs",
    "pairwise_chunked": "all_pairs",
    "self_bleu": "diversity",
}
TYPE_CHECKING = False
if TYPE_CHECKING:
    from .all_pairs import pairwise as pairwise
    from .all_pairs import pairwise_chunked as pairwise_chunked
    from .decoding import MBRResult as MBRResult
    from .decoding import mbr as mbr
    from .diversity import SelfBLEUResult as SelfBLEUResult
    from .diversity import self_bleu as self_bleu
    from .index import ReferenceIndex as ReferenceIndex
    from .nearest_index import NearestIndex as NearestIndex
    from .nearest_index import duplicates as duplicates
    from .nearest_index import nearest as nearest
else:
    __all__ = sorted(_HOMES)

    def __getattr__(name):
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_locked(f"{__name__}.{_HOMES[name]}"), name)
        globals()[name] = value
        return value

    def __dir__():
        return sorted({*globals(), *__all__})

"""Many against many: all pairs, nearest references, MBR decoding, self-BLEU, fixed references.

The functions take a BLEU, or a dialect's name, as `metric=`. Modules are imported when one of their
names is first used.
"""

from ..core.runtime.import_lock import late_names

_HOMES = {
    "MBRResult": "matrix.decoding",
    "NearestIndex": "matrix.nearest_index",
    "ReferenceIndex": "matrix.index",
    "SelfBLEUResult": "matrix.diversity",
    "duplicates": "matrix.nearest_index",
    "mbr": "matrix.decoding",
    "nearest": "matrix.nearest_index",
    "pairwise": "matrix.all_pairs",
    "pairwise_chunked": "matrix.all_pairs",
    "self_bleu": "matrix.diversity",
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
    __getattr__ = late_names(__name__, _HOMES)

    def __dir__():
        return sorted({*globals(), *__all__})

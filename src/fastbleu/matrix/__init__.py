"""Many against many: all pairs, nearest references, MBR decoding, self-BLEU, fixed references.

The functions take a BLEU, or a dialect's name, as `metric=`.
"""

from .all_pairs import pairwise, pairwise_chunked
from .decoding import MBRResult, mbr
from .diversity import SelfBLEUResult, self_bleu
from .index import ReferenceIndex
from .nearest_index import NearestIndex, duplicates, nearest

__all__ = [
    "MBRResult",
    "NearestIndex",
    "ReferenceIndex",
    "SelfBLEUResult",
    "duplicates",
    "mbr",
    "nearest",
    "pairwise",
    "pairwise_chunked",
    "self_bleu",
]

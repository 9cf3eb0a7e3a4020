from .all_pairs import iter_blocks as iter_blocks
from .all_pairs import pairwise as pairwise
from .decoding import MBRResult as MBRResult
from .decoding import mbr as mbr
from .diversity import SelfBLEU as SelfBLEU
from .diversity import self_bleu as self_bleu
from .index import ReferenceIndex as ReferenceIndex

__all__ = [
    "MBRResult",
    "ReferenceIndex",
    "SelfBLEU",
    "iter_blocks",
    "mbr",
    "pairwise",
    "self_bleu",
]

from .decoding import MBRResult as MBRResult
from .diversity import SelfBLEU as SelfBLEU
from .functions import iter_blocks as iter_blocks
from .functions import mbr as mbr
from .functions import pairwise as pairwise
from .functions import self_bleu as self_bleu
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

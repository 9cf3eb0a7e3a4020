"""Many against many: pairs, the nearest, MBR decoding, self-BLEU, a fixed set of references.

The functions take a metric or the parameters of `fastbleu.BLEU`. Modules are loaded when one of
their names is first used.
"""

from ..runtime.import_lock import import_locked

_HOMES = {
    "MBRResult": "decoding",
    "PairIndex": "pair_index",
    "ReferenceIndex": "index",
    "SelfBLEU": "diversity",
    "duplicates": "pair_index",
    "iter_blocks": "all_pairs",
    "mbr": "decoding",
    "nearest": "pair_index",
    "pairwise": "all_pairs",
    "self_bleu": "diversity",
}
TYPE_CHECKING = False
if TYPE_CHECKING:
    from .all_pairs import iter_blocks as iter_blocks
    from .all_pairs import pairwise as pairwise
    from .decoding import MBRResult as MBRResult
    from .decoding import mbr as mbr
    from .diversity import SelfBLEU as SelfBLEU
    from .diversity import self_bleu as self_bleu
    from .index import ReferenceIndex as ReferenceIndex
    from .pair_index import PairIndex as PairIndex
    from .pair_index import duplicates as duplicates
    from .pair_index import nearest as nearest
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

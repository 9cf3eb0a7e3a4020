"""Many against many: pairs of sentences, MBR decoding, self-BLEU, a fixed set of references.

The functions take a metric or the parameters of `fastbleu.BLEU`, which has methods of the same
names. Modules are loaded when one of their names is first used.
"""

_HOMES = {
    "MBRResult": "decoding",
    "ReferenceIndex": "index",
    "SelfBLEU": "diversity",
    "iter_blocks": "all_pairs",
    "mbr": "decoding",
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
else:
    __all__ = sorted(_HOMES)

    def __getattr__(name):
        from importlib import import_module

        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
        globals()[name] = value
        return value

    def __dir__():
        return sorted({*globals(), *__all__})

"""The names of `sacrebleu.metrics`; TER is an installed sacreBLEU's own."""

from ..base import original as _original
from .bleu import BLEU, BLEUScore, BLEUSignature
from .chrf import CHRF, CHRFScore, CHRFSignature

__all__ = ["BLEU", "CHRF", "BLEUScore", "BLEUSignature", "CHRFScore", "CHRFSignature"]


def __getattr__(name: str) -> object:
    if name in ("TER", "TERScore"):
        return _original(name)
    if name == "METRICS":
        return {"BLEU": BLEU, "CHRF": CHRF, "TER": _original("TER")}
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

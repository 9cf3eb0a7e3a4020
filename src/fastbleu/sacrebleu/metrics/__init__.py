"""The BLEU classes of `sacrebleu.metrics`."""

from .bleu import BLEU, BLEUScore, BLEUSignature

__all__ = ["BLEU", "BLEUScore", "BLEUSignature"]

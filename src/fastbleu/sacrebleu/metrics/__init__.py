"""The names of `sacrebleu.metrics` that are BLEU's."""

from .bleu import BLEU, BLEUScore, BLEUSignature

__all__ = ["BLEU", "BLEUScore", "BLEUSignature"]

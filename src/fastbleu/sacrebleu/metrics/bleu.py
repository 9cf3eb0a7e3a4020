"""The names of `sacrebleu.metrics.bleu` that are BLEU's."""

from ..bleu import BLEU
from ..bleu_score import BLEUScore, BLEUSignature

__all__ = ["BLEU", "BLEUScore", "BLEUSignature"]

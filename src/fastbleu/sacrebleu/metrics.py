"""The names of `sacrebleu.metrics` that are BLEU's."""

from .bleu import BLEU as BLEU
from .score import BLEUScore as BLEUScore
from .score import BLEUSignature as BLEUSignature

__all__ = ["BLEU", "BLEUScore", "BLEUSignature"]

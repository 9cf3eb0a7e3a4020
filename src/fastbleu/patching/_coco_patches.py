"""What `fastbleu.patch` replaces in pycocoevalcap."""

from __future__ import annotations

from types import ModuleType

from ..integrations.coco import _compute_score, _tokenize
from .replacing import PatchTarget


def targets(module: ModuleType) -> list[PatchTarget]:
    """The functions of a module."""
    if module.__name__.endswith(".bleu"):
        return [PatchTarget(module.Bleu, "compute_score", _compute_score)]
    return [PatchTarget(module.PTBTokenizer, "tokenize", _tokenize)]

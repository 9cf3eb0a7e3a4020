"""Replacements for pycocoevalcap's tokenizer and `Bleu`."""

from __future__ import annotations

from itertools import chain
from types import ModuleType
from typing import Any

from ..core.inputs.errors import without_input_warnings
from ..integrations.coco import Bleu, PTBTokenizer
from ._internals import is_nested
from .replacing import PatchTarget


def targets(module: ModuleType) -> list[PatchTarget]:
    """What `fastbleu.patch` replaces in a module of pycocoevalcap."""
    if module.__name__.endswith(".bleu"):
        return [PatchTarget(module.Bleu, "compute_score", compute_score)]
    return [PatchTarget(module.PTBTokenizer, "tokenize", tokenize)]


def tokenize(_: Any, captions_for_image: Any) -> Any:
    """Replaces ``PTBTokenizer.tokenize``; leaves some line breaks to Java."""
    if type(captions_for_image) is not dict:
        return NotImplemented
    if not {*map(type, captions_for_image.values())} <= {list, tuple}:
        return NotImplemented
    captions = list(chain(*captions_for_image.values()))
    if not {*map(type, captions)} <= {dict} or not is_nested([c["caption"] for c in captions], 1):
        return NotImplemented
    return PTBTokenizer(compatible=True).tokenize(captions_for_image)


@without_input_warnings
def compute_score(metric: Any, gts: Any, res: Any, verbose: Any) -> Any:
    """Replaces ``Bleu.compute_score``; NotImplemented if types are unusual."""
    # With verbose=2 pycocoevalcap prints every image as it is scored, with its own types.
    if metric._n not in (1, 2, 3, 4) or verbose not in (0, 1):
        return NotImplemented
    if not type(gts) is type(res) is dict or not is_nested([*gts.values(), *res.values()], 2):
        return NotImplemented
    return Bleu(metric._n).compute_score(gts, res, verbose)

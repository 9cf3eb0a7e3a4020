"""Replacements for the metrics `bleu` and `sacrebleu` of Hugging Face's `evaluate`.

evaluate makes modules from the scripts that it downloads. Scripts have no versions, so they are
recognized by digests of their code, without comments and docstrings.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Callable
from hashlib import sha256
from itertools import chain, filterfalse
from textwrap import dedent
from types import ModuleType
from typing import Any

from ..core.inputs.errors import without_input_warnings
from ..integrations.evaluate import Bleu
from ._internals import is_like, is_nested
from .replacing import PatchTarget, ReplacedError

# The hub's `bleu`: its method `_compute`, the file of its tokenizer, and tensorflow/nmt's bleu.py,
# whose three versions differ only if there are no tokens.
METHODS = {"125d8e6e9a07"}
TOKENIZERS = {"d39a72a15edd"}
COUNTING = {"984fae1d4b9f", "499b4a19327e", "7205d86cfdcb"}

_DOCUMENTED = ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef


def digest(code: str) -> str:
    """The first digits of a digest of Python code without its comments and docstrings."""
    tree = ast.parse(dedent(code))
    for node in ast.walk(tree):
        has_docstring = isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False)
        if has_docstring:
            del node.body[0]  # type: ignore[attr-defined]
    parts = []
    for node in ast.walk(tree):
        fields = [(name, getattr(node, name, None)) for name in node._fields]
        plain = [pair for pair in fields if not isinstance(pair[1], (ast.AST, list, type(None)))]
        parts.append(f"{type(node).__name__}{plain}")
    return sha256("\n".join(parts).encode()).hexdigest()[:12]


def metrics(module: ModuleType) -> list[type]:
    """The BLEU metrics that the module of a script defines."""
    values, sacrebleu = list(vars(module).values()), sys.modules.get("sacrebleu", metrics)
    if not (hasattr(module, "compute_bleu") or any(value is sacrebleu for value in values)):
        return []
    base = sys.modules["evaluate"].EvaluationModule
    classes = [value for value in values if isinstance(value, type)]
    own = [cls for cls in classes if issubclass(cls, base) and cls.__module__ == module.__name__]
    return [metric for metric in own if metric.__name__ in ("Bleu", "Sacrebleu")]


def check_known(module: ModuleType) -> None:
    """Raise `ReplacedError` unless the code of the script `bleu` is that of a known version."""
    method = module.Bleu._compute
    parts = [(method, METHODS), (sys.modules[module.compute_bleu.__module__], COUNTING)]
    tokenizer = type(_default_tokenizer(module.Bleu))
    parts.append((sys.modules[tokenizer.__module__], TOKENIZERS))
    for part, known in parts:
        if digest(inspect.getsource(part)) not in known:
            raise ReplacedError(f"the code of {part.__name__} is not that of a known version")


def targets(module: ModuleType) -> list[PatchTarget]:
    """What to replace in the module of a script; nothing if it does not compute BLEU."""
    targets = []
    found = metrics(module)
    if found and hasattr(module, "compute_bleu"):
        check_known(module)
    for metric in found:
        # Each metric copies its methods when it is created.
        targets.append(PatchTarget(metric, "compute", _compute_in_memory, copied=True))
        if metric.__name__ == "Bleu":
            tokenizer = type(_default_tokenizer(metric))
            own = [(sys.modules[tokenizer.__module__], tokenizer.__name__)]
            targets.append(PatchTarget(metric, "_compute", _counted(tokenizer), own))
    return targets


def _default_tokenizer(metric: Any) -> Any:
    return inspect.signature(metric._compute).parameters["tokenizer"].default


def _compute_in_memory(metric: Any, *, predictions: Any, references: Any, **options: Any) -> Any:
    """Replaces ``compute``: no files if all segments are passed in one call."""
    if metric.writer is not None or metric.num_process != 1:
        return NotImplemented
    # A tokenizer is the caller's code; sacreBLEU may fail after it has logged advice.
    if not options.keys().isdisjoint({"tokenizer", "smooth_value"}):
        return NotImplemented
    if not _are_texts(predictions, references):
        return NotImplemented
    return metric._compute(predictions=predictions, references=references, **options)


def _counted(own: type) -> Callable[..., Any]:
    """Replaces ``_compute`` of the hub's `bleu`, whose tokenizer is of the class `own`."""
    model = own()

    @without_input_warnings
    def _compute(
        _: Any, predictions: Any, references: Any, tokenizer: Any, max_order: Any, smooth: Any
    ) -> Any:
        if not is_like(tokenizer, model) or (type(max_order), type(smooth)) != (int, bool):
            return NotImplemented
        if not _are_texts(predictions, references):
            return NotImplemented
        texts = {"predictions": predictions, "references": references}
        return Bleu().compute(**texts, max_order=max_order, smooth=smooth)

    return _compute


def _are_texts(predictions: Any, references: Any) -> bool:
    """Whether these are lists of text that Arrow can hold, with one or several references each."""
    is_flat = is_nested(references, 1)
    if type(references) is not list or not (is_flat or is_nested(references, 2)):
        return False
    groups = [references] if is_flat else references
    sides = [predictions, *groups]
    if {*map(type, sides)} != {list} or not all(sides):
        return False
    texts = list(chain(*sides))
    if len(predictions) != len(references) or {*map(type, texts)} != {str}:
        return False
    "".join(filterfalse(str.isascii, texts)).encode()  # raises an error for surrogates
    return True

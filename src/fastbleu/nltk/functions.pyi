from collections.abc import Callable, Hashable, Iterable, Sequence, Sized
from typing import Any, overload

from ..dialects.fraction import Fraction as Fraction
from ..runtime.patching import Restore
from .precision import SmoothingFunction as SmoothingFunction
from .precision import modified_precision as modified_precision

_Tokens = Sequence[Hashable]
_Smoothing = Callable[..., Any] | None

__all__ = [
    "Fraction",
    "SmoothingFunction",
    "brevity_penalty",
    "closest_ref_length",
    "corpus_bleu",
    "modified_precision",
    "patch",
    "sentence_bleu",
    "unpatch",
]

@overload
def sentence_bleu(
    references: Iterable[_Tokens],
    hypothesis: _Tokens,
    weights: Sequence[float] = (0.25, 0.25, 0.25, 0.25),
    smoothing_function: _Smoothing = None,
    auto_reweigh: bool = False,
) -> float: ...
@overload
def sentence_bleu(
    references: Iterable[_Tokens],
    hypothesis: _Tokens,
    weights: Sequence[Sequence[float]],
    smoothing_function: _Smoothing = None,
    auto_reweigh: bool = False,
) -> float | list[float]: ...
@overload
def corpus_bleu(
    list_of_references: Sequence[Iterable[_Tokens]],
    hypotheses: Sequence[_Tokens],
    weights: Sequence[float] = (0.25, 0.25, 0.25, 0.25),
    smoothing_function: _Smoothing = None,
    auto_reweigh: bool = False,
) -> float: ...
@overload
def corpus_bleu(
    list_of_references: Sequence[Iterable[_Tokens]],
    hypotheses: Sequence[_Tokens],
    weights: Sequence[Sequence[float]],
    smoothing_function: _Smoothing = None,
    auto_reweigh: bool = False,
) -> float | list[float]: ...
def closest_ref_length(references: Iterable[Sized], hyp_len: int) -> int: ...
def brevity_penalty(closest_ref_len: int, hyp_len: int) -> float: ...
def patch() -> Restore: ...
def unpatch() -> None: ...

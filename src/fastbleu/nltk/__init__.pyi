import math as math
import sys as sys
import warnings as warnings
from collections import Counter as Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence, Sized
from fractions import Fraction as _BaseFraction
from typing import Any, overload

from ..core.scoring.nltk_arithmetic import Fraction as Fraction

_Tokens = Sequence[Hashable]
_Smoothing = Callable[..., Any] | None
_Precisions = list[_BaseFraction | float]

__all__ = ["Counter", "Fraction", "SmoothingFunction", "brevity_penalty", "closest_ref_length"]
__all__ += ["corpus_bleu", "math", "modified_precision", "ngrams", "sentence_bleu", "sys"]
__all__ += ["warnings"]

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
def ngrams(sequence: Iterable[Any], n: int, **kwargs: Any) -> Iterator[tuple[Any, ...]]: ...
def closest_ref_length(references: Iterable[Sized], hyp_len: int) -> int: ...
def brevity_penalty(closest_ref_len: int, hyp_len: int) -> float: ...
def modified_precision(
    references: Iterable[Sequence[Hashable]], hypothesis: Sequence[Hashable], n: int
) -> Fraction: ...

class SmoothingFunction:
    epsilon: float
    alpha: float
    k: float
    def __init__(self, epsilon: float = 0.1, alpha: float = 5, k: float = 5) -> None: ...
    def method0(self, p_n: list[Any], *args: Any, **kwargs: Any) -> _Precisions: ...
    def method1(self, p_n: list[Any], *args: Any, **kwargs: Any) -> _Precisions: ...
    def method2(self, p_n: list[Any], *args: Any, **kwargs: Any) -> _Precisions: ...
    def method3(self, p_n: list[Any], *args: Any, **kwargs: Any) -> _Precisions: ...
    def method4(
        self,
        p_n: list[Any],
        references: object,
        hypothesis: object,
        hyp_len: int | None = None,
        *args: Any,
        **kwargs: Any,
    ) -> _Precisions: ...
    # These have the signature of method4.
    method5 = method4
    method6 = method4
    method7 = method4

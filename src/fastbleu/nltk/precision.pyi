from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction as _BaseFraction
from typing import Any

from ..dialects.fraction import Fraction

def no_overlap_message(order: int) -> str: ...
def modified_precision(
    references: Iterable[Sequence[Hashable]], hypothesis: Sequence[Hashable], n: int
) -> Fraction: ...

_Precisions = list[_BaseFraction | float]

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
        references: Any,
        hypothesis: Any,
        hyp_len: int | None = None,
        *args: Any,
        **kwargs: Any,
    ) -> _Precisions: ...
    def method5(
        self,
        p_n: list[Any],
        references: Any,
        hypothesis: Any,
        hyp_len: int | None = None,
        *args: Any,
        **kwargs: Any,
    ) -> _Precisions: ...
    def method6(
        self,
        p_n: list[Any],
        references: Any,
        hypothesis: Any,
        hyp_len: int | None = None,
        *args: Any,
        **kwargs: Any,
    ) -> _Precisions: ...
    def method7(
        self,
        p_n: list[Any],
        references: Any,
        hypothesis: Any,
        hyp_len: int | None = None,
        *args: Any,
        **kwargs: Any,
    ) -> _Precisions: ...

from array import array
from collections.abc import Callable
from typing import Any

from ..dialects.fraction import Fraction

def use_smoothing(cls: type[Any], no_overlap_message: Callable[[int], str]) -> None: ...
def sentence_bleu(
    references: Any,
    hypothesis: Any,
    weights: Any = (0.25, 0.25, 0.25, 0.25),
    smoothing_function: Any = None,
    auto_reweigh: bool = False,
) -> Any: ...
def corpus_score(
    sums: array[int], weights: Any, smoothing_function: Any
) -> float | list[float] | None: ...
def modified_precision(references: Any, hypothesis: Any, n: int) -> Fraction: ...

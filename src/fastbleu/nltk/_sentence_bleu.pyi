from array import array
from collections.abc import Callable
from typing import Any

from ..core.scoring.nltk_arithmetic import Fraction

class NltkMethods:
    def __init__(
        self,
        owner: type[Any],
        filename: str,
        line: int,
        namespace: dict[str, Any],
        checks: object = None,
    ) -> None: ...
    def sentence_bleu(
        self,
        references: object,
        hypothesis: object,
        weights: object,
        smoothing_function: object,
        auto_reweigh: object,
    ) -> Any: ...

def use(
    function: Callable[..., Any], cls: type[Any], no_overlap_message: Callable[[int], str]
) -> None: ...
def sentence_bleu(
    references: object,
    hypothesis: object,
    weights: object = (0.25, 0.25, 0.25, 0.25),
    smoothing_function: object = None,
    auto_reweigh: bool = False,
) -> Any: ...
def corpus_score(
    sums: array[int],
    weights: object,
    smoothing_function: object,
    known: NltkMethods | None = None,
) -> float | list[float] | None: ...
def modified_precision(references: object, hypothesis: object, n: int) -> Fraction: ...

from array import array
from collections.abc import Callable
from typing import Any

from ._counted import Counted, CounterBase
from .stats import Stats

class RowScorer: ...

def count_prefixes(
    counter: CounterBase,
    hypotheses: object,
    references: object,
    length: int,
    take: Callable[[int, Stats, array[int]], None],
    scorer: RowScorer | None = None,
    scores: Any = None,
) -> Counted: ...

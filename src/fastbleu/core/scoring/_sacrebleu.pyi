from array import array
from typing import Final, TypeVar

REPRODUCED: Final[str]
VERSION: Final[str]
SMOOTH_DEFAULTS: dict[str, float | None]
LOG_OF_ZERO: Final[int]

def score_in_python(
    correct: object,
    total: object,
    sys_len: float,
    ref_len: float,
    smooth_method: str,
    smooth_value: float | None,
    effective_order: bool,
    max_ngram_order: int,
) -> tuple[float, list[float], float]: ...
def score_rows(
    rows: object,
    max_order: int,
    smoothing: str = "exp",
    value: float | None = None,
    effective_order: bool = False,
    arithmetic: str = "float64",
) -> array[float]: ...
def corpus_score(
    row: array[int],
    max_order: int,
    smoothing: str,
    value: float | None,
    effective_order: bool,
) -> float: ...
def details(
    row: array[int],
    max_order: int,
    smoothing: str = "exp",
    value: float | None = None,
    effective_order: bool = False,
) -> tuple[float, list[float], float, list[float], list[float]]: ...

_Kind = TypeVar("_Kind", bound="LazyScore")

class LazyScore:
    def _assign(
        self,
        score: float,
        counts: list[float],
        totals: list[float],
        precisions: list[float],
        bp: float,
        sys_len: int,
        ref_len: int,
    ) -> None: ...

def score_of_row(
    cls: type[_Kind],
    row: array[int],
    max_order: int,
    smoothing: str,
    value: float | None,
    effective_order: bool,
) -> _Kind: ...

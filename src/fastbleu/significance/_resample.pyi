from typing import Any, Final

from numpy import int64, uint8, uint32
from numpy.typing import NDArray

NARROW: Final[int]

def add_drawn(rows: NDArray[Any], indices: NDArray[int64], sums: NDArray[Any]) -> None: ...
def count_drawn_rows(
    state: int, increment: int, position: int, end: int, draws: int, times: NDArray[uint8]
) -> tuple[int, int]: ...
def add_counted(rows: NDArray[Any], times: NDArray[uint8], sums: NDArray[int64]) -> None: ...
def add_tossed(
    rows: NDArray[Any], words: NDArray[uint32], first_bit: int, sums: NDArray[Any]
) -> None: ...

from typing import Any, Final

from numpy import int64, uint32
from numpy.typing import NDArray

NARROW: Final[int]

def add_drawn(rows: NDArray[Any], indices: NDArray[int64], sums: NDArray[Any]) -> None: ...
def add_tossed(
    rows: NDArray[Any], words: NDArray[uint32], first_bit: int, sums: NDArray[Any]
) -> None: ...

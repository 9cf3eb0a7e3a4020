from typing import TypeAlias

from numpy import int32, int64, uint32
from numpy.typing import NDArray

_Rows: TypeAlias = NDArray[int32] | NDArray[int64]

def add_drawn(rows: _Rows, indices: NDArray[int64], sums: _Rows) -> None: ...
def add_tossed(rows: _Rows, words: NDArray[uint32], first_bit: int, sums: _Rows) -> None: ...

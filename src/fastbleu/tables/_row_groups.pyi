from array import array
from typing import Any

from numpy.typing import NDArray

from ..core.inputs.columns import Column

class RowGroups:
    groups: array[int]
    totals: array[int] | None
    def __new__(cls, rows: int, width: int) -> RowGroups: ...
    def split(self, keys: Column | NDArray[Any]) -> None: ...
    def add(
        self, rows: slice | NDArray[Any], counts: array[int], nrefs: int | NDArray[Any]
    ) -> None: ...

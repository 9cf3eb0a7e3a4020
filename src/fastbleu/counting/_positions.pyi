from array import array
from typing import Final

from .._core import SegmentCounter
from .._packed import PackedSegments

POSITION_ORDERS: Final = 8

class PositionCounter(SegmentCounter):
    def mark(self, packed: PackedSegments) -> tuple[bytes, array[int]]: ...

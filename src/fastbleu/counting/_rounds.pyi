from array import array
from collections.abc import Sequence
from typing import Any

from .._core import SegmentCounter
from .._packed import PackedSegments

class PlainPacker(PackedSegments): ...

class Rounds:
    possible: bool
    def __new__(
        cls,
        workers: list[tuple[PlainPacker, SegmentCounter]],
        hypotheses: Sequence[Any],
        references: Sequence[Any],
        rows: array[int],
        keep_rows: bool,
        at_least_one: bool,
        before: int,
    ) -> Rounds: ...
    def follow(self, number: int) -> None: ...
    def lead(self) -> int: ...
    def end(self) -> None: ...
    def close(self) -> None: ...

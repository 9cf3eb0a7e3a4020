from array import array
from collections.abc import Sequence
from typing import Any

from .._core import SegmentCounter
from .._packed import PackedSegments
from ..inputs.segments import TokenChecks

class TokenPacker(PackedSegments):
    chunk_segments: int
    def __new__(cls, checks: TokenChecks) -> TokenPacker: ...
    @property
    def last_hypothesis(self) -> Any: ...
    @property
    def last_references(self) -> Any: ...
    def fill(
        self,
        hypotheses: list[Any] | tuple[Any, ...],
        references: list[Any] | tuple[Any, ...],
        start: int,
        before: int = 0,
    ) -> int: ...

class TokenRounds:
    possible: bool
    def __new__(
        cls,
        hypotheses: Sequence[Any],
        references: Sequence[Any],
        rows: array[int],
        max_order: int,
        keep_rows: bool,
        at_least_one: bool,
        before: int,
    ) -> TokenRounds: ...
    def follow(self, packer: TokenPacker, counter: SegmentCounter) -> None: ...
    def lead(self, packer: TokenPacker, counter: SegmentCounter) -> int: ...
    def end(self) -> None: ...
    def add_sums(self) -> None: ...

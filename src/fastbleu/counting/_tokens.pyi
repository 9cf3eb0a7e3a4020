from typing import Any

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

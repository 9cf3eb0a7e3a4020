from typing import Any

from .._packed import PackedSegments
from ..inputs.segments import TokenChecks
from ..inputs.types import Listed

class TokenPacker(PackedSegments):
    chunk_segments: int
    def __new__(cls, checks: TokenChecks) -> TokenPacker: ...
    @property
    def last_hypothesis(self) -> Any: ...
    @property
    def last_references(self) -> Any: ...
    def fill(self, hypotheses: Listed, references: Listed, start: int, before: int = 0) -> int: ...

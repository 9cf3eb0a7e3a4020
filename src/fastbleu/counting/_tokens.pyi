from typing import Any

from ..inputs.segments import TokenChecks
from ..inputs.types import Listed
from ._rounds import PlainPacker

class TokenPacker(PlainPacker):
    chunk_segments: int
    def __new__(cls, checks: TokenChecks) -> TokenPacker: ...
    @property
    def last_hypothesis(self) -> Any: ...
    @property
    def last_references(self) -> Any: ...
    def fill(self, hypotheses: Listed, references: Listed, start: int, before: int = 0) -> int: ...

from array import array
from typing import Any

from ..inputs.segments import TextChecks
from ..inputs.types import Listed
from ._rounds import PlainPacker

class TextPacker(PlainPacker):
    chunk_segments: int
    def __new__(
        cls, checks: TextChecks, tokenizer: str, lowercase: bool = False, missing: bool = False
    ) -> TextPacker: ...
    def fill(self, hypotheses: Listed, references: Listed, start: int, before: int = 0) -> int: ...

class SegmentReader:
    def __new__(cls, tokenizer: str, lowercase: bool, max_order: int) -> SegmentReader: ...
    def row(self, hypothesis: Any, references: Any) -> array[int] | None: ...

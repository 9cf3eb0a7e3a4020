from array import array

from ..inputs.checks import TextChecks
from ._packed import PackedSegments
from .counter import PreparedLines

class TextPacker(PackedSegments):
    def __new__(
        cls,
        checks: TextChecks,
        tokenizer: str,
        lowercase: bool = False,
        missing: bool = False,
        *,
        prepared: PreparedLines | None = None,
        line_writer: object = None,
    ) -> TextPacker: ...

class SegmentReader:
    def __new__(cls, tokenizer: str, lowercase: bool, max_order: int) -> SegmentReader: ...
    def row(self, hypothesis: object, references: object) -> array[int] | None: ...

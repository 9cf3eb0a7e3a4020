from ..inputs._utf8 import Utf8Rows
from ._text import TextPacker

class Utf8Packer(TextPacker):
    def fill(  # type: ignore[override]
        self, hypotheses: Utf8Rows, references: Utf8Rows, start: int, before: int = 0
    ) -> int: ...

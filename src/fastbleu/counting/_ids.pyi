from typing import Any, Final

from .._packed import PackedSegments
from ..inputs._ids import IdRows

CHUNK_IDS: Final[int]

class IdPacker(PackedSegments):
    def __new__(cls, ignored: Any = (), skipped: Any = (), stops: Any = ()) -> IdPacker: ...
    def fill(self, hypotheses: IdRows, references: IdRows, start: int, before: int = 0) -> int: ...

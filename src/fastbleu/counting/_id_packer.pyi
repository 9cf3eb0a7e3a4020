from typing import Any

from .._packed import PackedSegments
from ..inputs._id_rows import IdRows

class IdPacker(PackedSegments):
    def __new__(cls, ignored: Any = (), skipped: Any = (), stops: Any = ()) -> IdPacker: ...

from typing import Any

from ._packed import PackedSegments

class IdPacker(PackedSegments):
    def __new__(cls, ignored: Any = (), skipped: Any = (), stops: Any = ()) -> IdPacker: ...

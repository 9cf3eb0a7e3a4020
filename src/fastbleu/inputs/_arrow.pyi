from typing import Any

from ._ids import IdRows
from ._utf8 import Utf8Rows

class Schema: ...
class Chunk: ...

class ArrowColumn:
    name: str
    before: int
    is_text: bool
    levels: int
    def __new__(cls, column: Any, name: str) -> ArrowColumn: ...
    def read(
        self, limit: int, most_bytes: int = ...
    ) -> tuple[Utf8Rows | IdRows, list[tuple[int, int | None]]]: ...

from typing import Any, final

from ._id_rows import IdRows
from ._utf8_rows import Utf8Rows

@final
class ArrowColumn:
    name: str
    before: int
    is_text: bool
    levels: int
    copies: bool
    def __new__(cls, column: Any, name: str) -> ArrowColumn: ...
    def read(
        self, limit: int, most_bytes: int = ...
    ) -> tuple[Utf8Rows | IdRows, list[tuple[int, int | None]]]: ...

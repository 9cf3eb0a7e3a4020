from typing import Any

from ._utf8 import Utf8Rows

class Copies: ...

class StringColumn:
    name: str
    before: int
    is_text: bool
    levels: int
    def __new__(cls, array: Any, name: str) -> StringColumn: ...
    def read(
        self, limit: int, most_bytes: int = ...
    ) -> tuple[Utf8Rows, list[tuple[int, int | None]]]: ...

from collections.abc import Iterator
from typing import Any

from .ids import IdFilter

class InputKind:
    is_text: bool
    reads_utf8: bool
    id_filter: IdFilter | None

class Batch:
    hypotheses: Any
    references: Any
    before: int
    present: list[bool] | None
    warns: bool
    def __init__(
        self,
        hypotheses: Any,
        references: Any,
        before: int = 0,
        present: list[bool] | None = None,
        warns: bool = False,
    ) -> None: ...
    @property
    def segments(self) -> int | None: ...
    def blocks(self, threads: int = 1, most: int = 0) -> Iterator[Batch]: ...
    def lists(self) -> tuple[Any, Any]: ...
    def warn_of_missing(self) -> None: ...

def count_blank(texts: object) -> int: ...

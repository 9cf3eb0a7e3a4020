from array import array
from collections.abc import Sequence
from typing import Any

from ._counted import Worker

class Rounds:
    possible: bool
    def __new__(
        cls,
        workers: list[Worker],
        hypotheses: Sequence[Any],
        references: Sequence[Any],
        rows: array[int],
        keep_rows: bool,
        least_total: int,
        before: int,
    ) -> Rounds: ...
    def follow(self, number: int) -> None: ...
    def lead(self) -> int: ...
    def end(self) -> None: ...
    def close(self) -> None: ...

from array import array
from collections.abc import Callable, Hashable, Sequence
from typing import Any

from ..._core import SegmentCounter
from ..inputs._batch import Batch, InputKind
from ..inputs.mistakes import MistakeWatch
from ..inputs.types import Mask
from ..runtime._process import Cell
from ..runtime.terminal import ProgressBar
from ..tokenizers.tokenizer import Tokenizer
from ._packed import Signs
from .stats import AdaptedRows, Stats

class Counted:
    stats: Stats
    @property
    def rows(self) -> array[int]: ...
    @property
    def reference_counts(self) -> array[int]: ...
    @property
    def max_order(self) -> int: ...
    segments: int
    nrefs: int
    last_segment: tuple[Any, Any]
    present: list[bool] | None
    extra: list[Any] | None
    tokenizers: frozenset[str | None] | None
    @property
    def signs(self) -> Signs: ...
    @property
    def keep_rows(self) -> bool: ...
    def __init__(self, segments: int, max_order: int, keep_rows: bool = True) -> None: ...
    def look_unrelated(self, most: int, times: int = 10) -> bool: ...
    def add(self, other: Counted) -> None: ...

def joint_nrefs(one: int, other: int) -> int: ...

class Worker:
    cancelled: bool
    def __new__(cls, packer: Any, counter: SegmentCounter) -> Worker: ...
    @property
    def packer(self) -> Any: ...
    @property
    def counter(self) -> SegmentCounter: ...

class CounterBase(InputKind):
    watch: MistakeWatch
    choose: Callable[[str], Tokenizer] | None
    was_examined: bool
    is_due: bool
    unlooked: int
    threads: int
    def read(
        self,
        hypotheses: Any,
        references: Any,
        hypothesis_mask: Mask | None = None,
        reference_mask: Mask | None = None,
        missing: str = "error",
        join: Sequence[Hashable] | None = None,
    ) -> Batch: ...
    def count(
        self,
        batch: Batch,
        keep_rows: bool = True,
        progress: bool = False,
        meanwhile: Callable[[], None] | None = None,
    ) -> Counted: ...

def count_segments(
    counter: CounterBase,
    batch: Batch,
    keep_rows: bool,
    bar: ProgressBar | None = None,
    meanwhile: Callable[[], None] | None = None,
) -> Counted: ...

class Sums:
    extra: list[Any] | None
    def __init__(
        self,
        row: array[int],
        segments: int | None = 0,
        nrefs: int | None = 0,
        tokenized_periods: int = 0,
        rows: Stats | None = None,
        tokenizers: frozenset[str | None] | None = None,
    ) -> None: ...
    @property
    def row(self) -> array[int]: ...
    @property
    def segments(self) -> int | None: ...
    @property
    def nrefs(self) -> int | None: ...
    @property
    def signs(self) -> Signs: ...
    @property
    def tokenizers(self) -> frozenset[str | None] | None: ...
    @staticmethod
    def zero(max_order: int) -> Sums: ...
    @staticmethod
    def from_counts(
        counted: Counted, keep_rows: bool = False, adapted: array[int] | None = None
    ) -> Sums: ...
    def __add__(self, other: Sums, /) -> Sums: ...
    def __radd__(self, other: Sums, /) -> Sums: ...
    @property
    def noted(self) -> tuple[array[int], int | None, int | None, frozenset[str | None] | None]: ...
    @property
    def are_unusual(self) -> bool: ...
    def adapted(self) -> AdaptedRows: ...
    def rows(self) -> Stats: ...

class RunningSums(Cell):
    @property
    def value(self) -> Sums: ...
    def add(self, other: Sums) -> None: ...

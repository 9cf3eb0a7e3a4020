"""`ColumnBatch`: a column of hypotheses with its references, read block by block."""

from __future__ import annotations

from ._id_rows import IdRows
from ._utf8_rows import Utf8Rows
from .arrays import list_or_tuple
from .batch import Batch
from .checks import check_lengths, check_segments, place
from .columns import (
    LISTED_SEGMENTS,
    check_type,
    is_query,
    kind_of,
    opened,
    read_all,
    table_of_query,
)
from .errors import Place
from .missing import refuse_missing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from .columns import Column, Missing

# Segments in a block, and bytes of its hypotheses: enough that starting threads is negligible.
_BLOCK_SEGMENTS = 1 << 16
_BLOCK_BYTES = 1 << 24
# Segments in a block that is a copy: few, so that it is still in the cache when it is counted; more
# if several threads share the block, because they are started for each block.
_COPIED_SEGMENTS = 1 << 10
_SHARED_SEGMENTS = 1 << 13


class _ListSide:
    """The side of a pair that is not a column."""

    copies = False

    def __init__(self, name: str, values: Any) -> None:
        check_segments(name, values)
        self.values = list_or_tuple(values)
        self.before = 0

    def read(self, limit: int, most_bytes: int = 0) -> tuple[Any, Missing]:
        part = self.values[self.before : self.before + limit]
        self.before += len(part)
        return part, []


class _SeveralColumns:
    """A list of columns, one for each reference number."""

    is_text = True
    levels = 1

    def __init__(self, columns: list[Column]) -> None:
        self._columns = columns
        self.copies = any(column.copies for column in columns)

    @property
    def before(self) -> int:
        return min(column.before for column in self._columns)

    def read(self, limit: int, most_bytes: int = 0) -> tuple[Any, Missing]:
        parts: list[Any] = []
        missing: Missing = []
        for k, column in enumerate(self._columns):
            lines, found_missing = column.read(limit)
            parts.append(lines)
            missing += [(segment, k) for segment, _ in found_missing]
            if len(lines) != len(parts[0]):
                raise ValueError(
                    f"references[{k}] has {column.before} rows, references[0] has "
                    f"{self._columns[0].before}; the columns of references must be equally long"
                )
        return Utf8Rows.side_by_side(parts), sorted(missing)


class ColumnBatch(Batch):
    """Hypotheses and references, at least one of which is a column. It can be read once.

    Parameters
    ----------
    hypotheses, references : ArrowColumn, StringColumn, _SeveralColumns or _ListSide
    is_text : bool
        Whether a tokenizer splits the lines; else columns hold tokens or ids.
    in_place : bool
        Whether text can be counted in place; else it becomes Python strings.
    missing : {"error", "empty", "skip"}
        What to do with segments in which something is null.
    """

    __slots__ = ("_in_place", "_is_text", "_left_out", "_missing", "is_mixed")

    segments = None

    def __init__(
        self,
        hypotheses: Any,
        references: Any,
        is_text: bool,
        in_place: bool,
        missing: str = "error",
    ) -> None:
        super().__init__(hypotheses, references, warns=True)
        self._is_text = is_text
        # Whether one side is not a column.
        self.is_mixed = _ListSide in (type(hypotheses), type(references))
        self._in_place = not self.is_mixed and (in_place if is_text else not hypotheses.is_text)
        self._missing = missing
        self._left_out: list[int] = []

    def blocks(self, threads: int = 1, most: int = 0) -> Iterator[Batch]:
        """Yield batches of at most `most` segments, if given: Utf8Rows, IdRows, or lists."""
        copied = _SHARED_SEGMENTS if threads > 1 else _COPIED_SEGMENTS
        limit = copied if self.hypotheses.copies or self.references.copies else _BLOCK_SEGMENTS
        limit = limit if self._in_place else LISTED_SEGMENTS
        limit = min(limit, most or limit)
        while True:
            before = self.hypotheses.before
            hypotheses, missing = self.hypotheses.read(limit, _BLOCK_BYTES)
            references, missing_references = self.references.read(len(hypotheses) or 1)
            if len(hypotheses) != len(references):
                for side in (self.hypotheses, self.references):
                    while len(side.read(_BLOCK_SEGMENTS)[0]):
                        pass
                check_lengths(self.hypotheses.before, self.references.before)
            if not len(hypotheses):
                break
            present = None
            if self._missing == "ragged":
                missing_references = []
            if missing or missing_references:
                if self._missing in ("error", "ragged"):
                    _refuse_first(missing, missing_references, before)
                if self._missing == "skip":
                    present = [True] * len(hypotheses)
                    for segment, _ in missing + missing_references:
                        present[segment] = False
            if not self._in_place:
                hypotheses = self._listed(hypotheses, before, False)
                references = self._listed(references, before, True)
            if present is not None:
                left_out = {segment for segment, kept in enumerate(present) if not kept}
                self._left_out += [before + segment for segment in sorted(left_out)]
                hypotheses, references = (_without(s, left_out) for s in (hypotheses, references))
            # The first rows nearly always tell whether there is a mistake.
            yield Batch(hypotheses, references, before, present, not before)
        if self._left_out:
            self.present = [True] * self.hypotheses.before
            for segment in self._left_out:
                self.present[segment] = False

    def lists(self) -> tuple[Any, Any]:
        """Both sides as whole lists; if one side is a list, nulls of the other become None."""
        if self.is_mixed:
            return self._whole(self.hypotheses, False), self._whole(self.references, True)
        self._in_place = False
        hypotheses: list[Any] = []
        references: list[Any] = []
        for block in self.blocks():
            hypotheses += block.hypotheses
            references += block.references
        return hypotheses, references

    def _whole(self, side: Any, is_reference: bool) -> Any:
        if type(side) is _ListSide:
            return side.values
        listed, missing = read_all(side, lambda rows, n: self._listed(rows, n, is_reference))
        if missing and not self._is_text:
            _refuse_first(*([], missing) if is_reference else (missing, []), 0)
        for segment, k in missing:
            if is_reference and k is not None:
                listed[segment][k] = None
            else:
                listed[segment] = None
        return listed

    def _listed(self, rows: Any, before: int, is_reference: bool) -> Any:
        """Rows as a list, in which nulls are empty texts or lists."""
        if type(rows) is IdRows:
            return rows.as_lists(is_reference)
        if type(rows) is not Utf8Rows:
            return rows

        def place_of(segment: int, k: int | None) -> str:
            return place(before + segment, (k or 0) if is_reference else None)

        return rows.as_lists(place_of, not self._is_text)


def _without(rows: Any, left_out: set[int]) -> Any:
    if type(rows) in (list, tuple):
        return [value for number, value in enumerate(rows) if number not in left_out]
    return rows.without(left_out)


def _refuse_first(hypotheses: Missing, references: Missing, before: int) -> None:
    """Raise the error for the first missing value, of hypotheses or of references."""
    if hypotheses and (not references or hypotheses[0][0] <= references[0][0]):
        refuse_missing(place(before + hypotheses[0][0], None), None)
    segment, k = references[0]
    where = Place(before + segment, "the reference", 0)
    refuse_missing(where if k is None else place(before + segment, k), None)


def columns_of(
    hypotheses: object, references: Any, is_text: bool, in_place: bool, missing: str = "error"
) -> ColumnBatch | None:
    """Both sides, to be read in blocks, or None if neither is a column; see `ColumnBatch`.

    References may be one column, of texts or of lists, or a list with a column of texts for each
    reference.

    Raises
    ------
    TypeError, ValueError
        A column has the wrong type for the tokenizer, or the columns differ in length.
    """
    # A connection of DuckDB's has one open result, that of the hypotheses; others are read before.
    several = type(references) in (list, tuple)
    if several and references and is_query(references[0]):
        references = [table_of_query(column) for column in references]
    elif is_query(hypotheses) and is_query(references):
        references = table_of_query(references)
    first: Any = opened(hypotheses, "hypotheses")
    second: Any = opened(references, "references")
    if first is not None and several and is_text:
        opened_columns = [opened(column, f"references[{k}]") for k, column in enumerate(references)]
        columns = [column for column in opened_columns if column is not None]
        if columns and len(columns) == len(references):
            for k, column in enumerate(columns):
                check_type(column, f"references[{k}]", is_text, (0,))
            second = _SeveralColumns(columns)
    if first is None and second is None:
        return None
    any_references = references[0] if type(second) is _SeveralColumns else references
    segments, others = _length(hypotheses), _length(any_references)
    if segments is not None and others is not None:
        check_lengths(segments, others)
    if first is not None:
        check_type(first, "hypotheses", is_text, (0,) if is_text else (1,))
    if second is not None and type(second) is not _SeveralColumns:
        levels = (0, 1) if is_text else (1, 2)
        check_type(second, "references", is_text, levels)
    if first is not None and second is not None and first.is_text != second.is_text:
        kinds = [f"{side.name} holds {kind_of(side)}" for side in (first, second)]
        raise TypeError(f"{' and '.join(kinds)}; both must hold tokens, or both token ids")
    first = _ListSide("hypotheses", hypotheses) if first is None else first
    second = _ListSide("references", references) if second is None else second
    return ColumnBatch(first, second, is_text, in_place, missing)


def _length(value: Any) -> int | None:
    """The number of segments of a side; None if len() would read it, as DuckDB runs its query."""
    return len(value) if hasattr(type(value), "__len__") and not is_query(value) else None

"""Columns with the Arrow interface, numpy's arrays of strings, and batches of both.

Libraries with this interface, such as pyarrow, polars, pandas and DuckDB, are not imported.
"""

from __future__ import annotations

from ._arrow import ArrowColumn
from ._batch import Batch
from ._id_rows import IdRows
from ._utf8_rows import StringColumn, Utf8Rows
from .arguments import is_array, list_or_tuple, number_of
from .checks import check_lengths, check_segments
from .errors import InputError, InputTypeError, Place, place
from .missing import left_out_rows, refuse_missing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from .missing import Missing

    Column = ArrowColumn | StringColumn

# Segments that are converted to Python strings at a time.
LISTED_SEGMENTS = 1 << 12
# Segments in a block, and bytes of its hypotheses: enough that starting threads is negligible.
_BLOCK_SEGMENTS = 1 << 16
_BLOCK_BYTES = 1 << 24
# Segments in a block that is a copy: few, so that it is still in the cache when it is counted; more
# if several threads share the block, because they are started for each block.
_COPIED_SEGMENTS = 1 << 10
_SHARED_SEGMENTS = 1 << 13


def is_column(value: object) -> bool:
    """Whether a value is a column to be read through the Arrow interface."""
    kind = type(value)
    if kind in (list, tuple):
        return False
    if not (hasattr(kind, "__arrow_c_stream__") or hasattr(kind, "__arrow_c_array__")):
        return False
    if hasattr(kind, "columns") and hasattr(kind, "values"):  # pandas' data frame
        return False
    # pandas' columns of Python objects are faster as lists.
    dtype = getattr(value, "dtype", None)
    return getattr(dtype, "storage", None) != "python" and str(dtype) != "object"


def is_query(value: object) -> bool:
    """Whether a value is a DuckDB relation, which runs its query whenever it is read."""
    return hasattr(type(value), "fetchall") and hasattr(type(value), "to_arrow_table")


def table_of_query(value: Any) -> Any:
    """The result of a DuckDB relation as a pyarrow table; any other value as it is."""
    return value.to_arrow_table() if is_query(value) else value


def _is_string_array(value: Any) -> bool:
    """Whether a value is an array of StringDType whose missing value is not a string."""
    if type(value).__module__ != "numpy" or getattr(value, "ndim", 0) != 1:
        return False
    return bool(value.dtype.kind == "T") and not isinstance(
        getattr(value.dtype, "na_object", None), str
    )


def opened(value: Any, name: str) -> Column | None:
    """The value as a column, or None if it must be read as a list or an array."""
    kind = type(value)
    if kind in (list, tuple):
        return None
    if _is_string_array(value):
        return StringColumn(value, name)
    if kind.__name__ == "Column" and kind.__module__.startswith("datasets."):
        source = value.source
        if getattr(source, "_format_type", "custom") == "custom" or not hasattr(source, "data"):
            return None
        value = source.with_format("arrow")[value.column_name]
        value = value if is_column(value) else value[:]
    if not is_column(value):
        return None
    try:
        return ArrowColumn(value, name)
    except ImportError:  # pandas without pyarrow
        return None
    except TypeError:
        if is_array(value):  # a column of numbers: one sequence of ids
            return None
        raise


def kind_of(column: Column) -> str:
    kind = "strings" if column.is_text else "integers"
    return "lists of " * column.levels + kind


def _parts(column: Any) -> Iterator[tuple[int, Any, Missing]]:
    """Yield parts of a column: the number of rows before it, its rows, and the nulls among them."""
    while True:
        before = column.before
        rows, nulls = column.read(LISTED_SEGMENTS)
        if not len(rows):
            return
        yield before, rows, nulls


def listed_column(value: object, name: str) -> Any:
    """A column as a list, for code that needs all sentences at once; anything else as it is."""
    column = None if type(value) in (list, tuple) else opened(value, name)
    if column is None:
        return value
    values: list[Any] = []
    for before, rows, nulls in _parts(column):
        for number, _ in nulls[:1]:
            refuse_missing(f"{name}[{before + number}]", None)
        if type(rows) is IdRows:
            values += rows.as_lists(column.levels > 1)
        else:
            values += rows.as_lists(lambda number, _, before=before: f"{name}[{before + number}]")
    return values


def _as_lists(rows: Any, before: int, are_references: bool, is_text: bool) -> Any:
    """Rows as a list, in which nulls are empty texts or lists."""
    if type(rows) is IdRows:
        return rows.as_lists(are_references)
    if type(rows) is not Utf8Rows:
        return rows

    def place_of(segment: int, k: int | None) -> Place:
        return place(before + segment, (k or 0) if are_references else None)

    return rows.as_lists(place_of, not is_text)


def _listed(side: Any, are_references: bool, is_text: bool) -> Any:
    """A side as a list, in which nulls of a column are None."""
    if type(side) is _ListSide:
        return side.values
    are_several = side.levels == (1 if is_text else 2)
    values: list[Any] = []
    for before, rows, nulls in _parts(side):
        listed = _as_lists(rows, before, are_references, is_text)
        for segment, k in nulls:
            if are_several and k is not None:
                listed[segment][k] = None
            else:
                listed[segment] = None
        values += listed
    return values


class _ListSide:
    """A side that is a list, read in the same blocks as the other side, a column."""

    copies = False
    before = 0

    def __init__(self, name: str, values: Any) -> None:
        check_segments(name, values)
        self.values = list_or_tuple(values)

    def read(self, limit: int, most_bytes: int = 0) -> tuple[Any, Missing]:
        part = self.values[self.before : self.before + limit]
        self.before += len(part)
        return part, []


class _SeveralColumns:
    """A list of columns of texts, one for each reference number."""

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
                raise InputError(
                    f"references[{k}] has {number_of(column.before, 'row')}, references[0] has "
                    f"{self._columns[0].before}; the columns of references must be equally long"
                )
        return Utf8Rows.side_by_side(parts), sorted(missing)


class ColumnBatch(Batch):
    """Columns of hypotheses and references, or a column of texts and a list; can be read only once.

    Parameters
    ----------
    hypotheses, references : ArrowColumn, StringColumn, _SeveralColumns or _ListSide
    is_text : bool
        Whether a tokenizer splits the lines; otherwise columns hold tokens or ids.
    in_place : bool
        Whether columns can be counted in place; otherwise they become Python objects.
    missing : {"error", "empty", "skip"}
        What to do with segments that contain a null.
    """

    __slots__ = ("_in_place", "_is_text", "_left_out", "_missing")

    segments = None

    def __init__(
        self, hypotheses: Any, references: Any, is_text: bool, in_place: bool, missing: str
    ) -> None:
        self.hypotheses, self.references = hypotheses, references
        self.before, self.warns = 0, True
        self._is_text = is_text
        self._in_place = in_place
        self._missing = missing
        self._left_out: list[int] = []

    @property
    def present(self) -> list[bool] | None:  # type: ignore[override]
        """Whether each segment read so far counts; None if all do."""
        if not self._left_out:
            return None
        present = [True] * self.hypotheses.before
        for segment in self._left_out:
            present[segment] = False
        return present

    def blocks(self, threads: int = 1, most: int = 0) -> Iterator[Batch]:
        """Yield batches of at most `most` segments, if given, as Utf8Rows, IdRows or lists."""
        copied = _SHARED_SEGMENTS if threads > 1 else _COPIED_SEGMENTS
        limit = copied if self.hypotheses.copies or self.references.copies else _BLOCK_SEGMENTS
        limit = limit if self._in_place else LISTED_SEGMENTS
        limit = min(limit, most or limit)
        while True:
            before = self.hypotheses.before
            hypotheses, missing = self.hypotheses.read(limit, _BLOCK_BYTES)
            references, missing_references = self.references.read(len(hypotheses) or 1)
            segments = len(hypotheses)
            if segments != len(references):
                self._refuse_lengths()
            if not segments:
                return
            left_out = left_out_rows(missing, missing_references, before, self._missing)
            if not self._in_place:
                hypotheses = _as_lists(hypotheses, before, False, self._is_text)
                references = _as_lists(references, before, True, self._is_text)
            present = None
            if left_out:
                present = [segment not in left_out for segment in range(segments)]
                self._left_out += [before + segment for segment in left_out]
                hypotheses, references = (_without(s, left_out) for s in (hypotheses, references))
            # The first rows nearly always tell whether there is a mistake.
            yield Batch(hypotheses, references, before, present, self.warns and not before)

    def _refuse_lengths(self) -> None:
        """Read both sides to their ends, and raise the error for their different lengths."""
        for side in (self.hypotheses, self.references):
            while len(side.read(_BLOCK_SEGMENTS)[0]):
                pass
        check_lengths(self.hypotheses.before, self.references.before)

    def lists(self) -> tuple[Any, Any]:
        """Both sides as whole lists, without the segments that are left out."""
        self._in_place = False
        hypotheses: list[Any] = []
        references: list[Any] = []
        for block in self.blocks():
            hypotheses += block.hypotheses
            references += block.references
        return hypotheses, references


def _without(rows: Any, left_out: set[int]) -> Any:
    if type(rows) in (list, tuple):
        return [value for number, value in enumerate(rows) if number not in left_out]
    return rows.without(left_out)


def columns_of(
    hypotheses: Any, references: Any, is_text: bool, in_place: bool, missing: str, masked: bool
) -> ColumnBatch | tuple[Any, Any]:
    """Both sides as a `ColumnBatch`, to be read in blocks.

    If neither side is a column, or lists are needed, both are returned instead: columns as lists
    with None for nulls, anything else as it is. References may be one column, of texts or of lists,
    or a list with a column of texts for each reference. Raises TypeError if a column has the wrong
    type for the tokenizer, and ValueError if columns differ in length.
    """
    # A DuckDB connection has one open result, that of the hypotheses; others are read first.
    several = type(references) in (list, tuple)
    if several and references and is_query(references[0]):
        references = [table_of_query(column) for column in references]
    elif is_query(hypotheses) and is_query(references):
        references = table_of_query(references)
    second: Any
    first: Any = _checked(hypotheses, "hypotheses", is_text, (0,) if is_text else (1,))
    if several and is_text and first is not None:
        second, first_references = _side_by_side(references), next(iter(references), None)
    else:
        second = _checked(references, "references", is_text, (0, 1) if is_text else (1, 2))
        first_references = references
    if first is None and second is None:
        return hypotheses, references
    if first is None or second is None:
        first = _ListSide("hypotheses", hypotheses) if first is None else first
        second = _ListSide("references", references) if second is None else second
        blocks_suffice, in_place = is_text and missing == "error", False
    else:
        segments, others = _length(hypotheses), _length(first_references)
        if segments is not None and others is not None:
            check_lengths(segments, others)
        if first.is_text != second.is_text:
            kinds = [f"{side.name} holds {kind_of(side)}" for side in (first, second)]
            raise InputTypeError(f"{' and '.join(kinds)}; both must hold tokens, or both token ids")
        blocks_suffice = missing != "ragged"
        in_place = in_place if is_text else not first.is_text
    if blocks_suffice and not masked:
        return ColumnBatch(first, second, is_text, in_place, missing)
    return _listed(first, False, is_text), _listed(second, True, is_text)


def _checked(value: Any, name: str, is_text: bool, levels: tuple[int, ...]) -> Column | None:
    """The value as a column of the right type, or None if it is no column."""
    column = opened(value, name)
    if column is None:
        return None
    if is_text and not column.is_text:
        expected = "strings; for token ids pass tokenize=False"
    elif is_text and column.levels not in levels:
        expected = "one string for each segment; for lists of tokens pass tokenize=False"
    elif column.levels not in levels:
        expected = 'lists of tokens or of token ids; for text pass tokenize="13a"'
    elif not is_text and column.is_text and column.levels != levels[-1]:
        expected = "lists of references, each a list of tokens"
    else:
        return column
    raise InputTypeError(f"{name} is a column of {kind_of(column)}, expected {expected}")


def _side_by_side(references: Any) -> _SeveralColumns | None:
    """A column of texts for each reference number; None if not all are columns."""
    columns = []
    for k, value in enumerate(references):
        column = _checked(value, f"references[{k}]", True, (0,))
        if column is None:
            return None
        columns.append(column)
    return _SeveralColumns(columns) if columns else None


def _length(value: Any) -> int | None:
    """The number of segments of a side; None if len() would read it, such as a DuckDB query."""
    return len(value) if hasattr(type(value), "__len__") and not is_query(value) else None

"""Recognize, open and read columns with the Arrow interface, and numpy's arrays of strings.

Libraries with this interface, such as pyarrow, polars, pandas and DuckDB, are not imported.
"""

from __future__ import annotations

from ._arrow import ArrowColumn
from ._id_rows import IdRows
from ._utf8_rows import StringColumn
from .arrays import is_array
from .missing import refuse_missing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Column = ArrowColumn | StringColumn
    Missing = list[tuple[int, int | None]]

# Segments that become Python strings at a time.
LISTED_SEGMENTS = 1 << 12


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
    """Whether a value is a relation of DuckDB's: each look at it runs a query."""
    return hasattr(type(value), "fetchall") and hasattr(type(value), "to_arrow_table")


def table_of_query(value: Any) -> Any:
    """The result of a relation of DuckDB's as a table of pyarrow; any other value as it is."""
    return value.to_arrow_table() if is_query(value) else value


def _is_dataset_column(value: Any) -> bool:
    kind = type(value)
    return kind.__name__ == "Column" and kind.__module__.startswith("datasets.")


def _is_string_array(value: Any) -> bool:
    """Whether a value is an array of StringDType whose missing value is not a string."""
    if type(value).__module__ != "numpy" or getattr(value, "ndim", 0) != 1:
        return False
    return bool(value.dtype.kind == "T") and not isinstance(
        getattr(value.dtype, "na_object", None), str
    )


def opened(value: Any, name: str) -> Column | None:
    """The value as a column, or None if it must be read as a list or an array."""
    if type(value) in (list, tuple):
        return None
    if _is_string_array(value):
        return StringColumn(value, name)
    if _is_dataset_column(value):
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


def check_type(column: Column, name: str, is_text: bool, levels: tuple[int, ...]) -> None:
    """Raise TypeError if a column has the wrong type, for a tokenizer or without one."""
    if is_text and not column.is_text:
        fix = "expected strings; for token ids pass tokenize=False"
    elif column.levels in levels and (column.is_text or not is_text):
        if is_text or not column.is_text or column.levels == levels[-1]:
            return
        fix = "expected lists of references, each a list of tokens"
    elif is_text:
        fix = "expected one string for each segment; for lists of tokens pass tokenize=False"
    else:
        fix = 'expected lists of tokens or of token ids; for text pass tokenize="13a"'
    raise TypeError(f"{name} is a column of {kind_of(column)}, {fix}")


def read_all(column: Column, listed: Callable[[Any, int], list[Any]]) -> tuple[list[Any], Missing]:
    """A whole column as a list, and the numbers of null rows and of rows with null elements."""
    values: list[Any] = []
    missing: Missing = []
    while True:
        before = column.before
        rows, found_missing = column.read(LISTED_SEGMENTS)
        if not len(rows):
            return values, missing
        values += listed(rows, before)
        missing += [(before + segment, k) for segment, k in found_missing]


def listed_column(value: object, name: str) -> Any:
    """A column as a list, for code that needs all sentences at once; anything else as it is."""
    column = None if type(value) in (list, tuple) else opened(value, name)
    if column is None:
        return value

    def listed(rows: Any, before: int) -> list[Any]:
        if type(rows) is IdRows:
            return rows.as_lists(column.levels > 1)
        made: list[Any] = rows.as_lists(lambda number, _: f"{name}[{before + number}]")
        return made

    values, missing = read_all(column, listed)
    for number, _ in missing[:1]:
        refuse_missing(f"{name}[{number}]", None)
    return values

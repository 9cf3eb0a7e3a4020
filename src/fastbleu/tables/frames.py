"""Frames: the operations on a table in memory that counting by group needs.

A `LibraryFrame` is a table of pandas, polars, pyarrow or any other library that narwhals supports;
a `DictFrame` is a dict of columns, which needs no library.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ..inputs.columns import opened
from ..runtime.extras import install_command
from ._row_groups import RowGroups

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..inputs.columns import Column

    Indices = NDArray[np.int64]
    # How to reduce each column of a frame within a group.
    Reductions = Mapping[str, str]

_PYTHON_REDUCTIONS: dict[str, Callable[..., int]] = {"sum": sum, "min": min, "max": max}


class LibraryFrame:
    """A data frame of a library, by narwhals."""

    def __init__(self, frame: Any) -> None:
        self._narwhals = load_narwhals()
        self._frame = self._narwhals.maybe_reset_index(frame)

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._frame.columns)

    def __len__(self) -> int:
        return len(self._frame)

    def column(self, name: str) -> Any:
        """A column as the library has it."""
        return self._frame[name].to_native()

    def values(self, name: str) -> list[Any]:
        """A column as a list of Python's objects."""
        return list(self._frame[name].to_list())

    def counts(self, names: Sequence[str]) -> Indices:
        """Columns of integers, shape (rows, columns)."""
        parts = [self._frame[name].to_numpy() for name in names]
        return np.stack(parts, axis=1).astype(np.int64, copy=False)

    def nulls(self, name: str) -> NDArray[np.bool_]:
        """For each row, whether the column is null."""
        return np.asarray(self._frame[name].is_null().to_numpy(), bool)

    def lengths(self, name: str) -> Indices:
        """The number of references of each row, in a column of references."""
        if self._frame[name].dtype == self._narwhals.List:
            return np.asarray(self._frame[name].list.len().to_numpy()).astype(np.int64)
        return _lengths(self.values(name))

    def select(self, names: Sequence[str]) -> LibraryFrame:
        """The frame with these columns only."""
        return LibraryFrame(self._frame.select(*names))

    def __getitem__(self, rows: slice | Indices) -> LibraryFrame:
        """The frame with these rows only."""
        return LibraryFrame(self._frame[rows if isinstance(rows, slice) else rows.tolist()])

    def with_columns(self, columns: Mapping[str, Any]) -> LibraryFrame:
        """The frame and further columns: arrays, or lists with None for null."""
        new, backend = self._narwhals.new_series, self._frame.implementation
        floats = self._narwhals.Float64()
        added = [
            new(name, values, _type_of(values, floats), backend=backend)
            for name, values in columns.items()
        ]
        return LibraryFrame(self._frame.with_columns(*added))

    def reduce(self, by: Sequence[str], how: Reductions) -> LibraryFrame:
        """A row for each group, in any order; null is a group's key as any other value."""
        column = self._narwhals.col
        parts = [getattr(column(name), reduction)() for name, reduction in how.items()]
        frame = self._frame
        if frame.implementation.is_pyarrow():
            # Copies in its own memory: its threads may free their data only when Python exits,
            # which aborts the process if the memory belongs to a Python object.
            frame = frame.with_columns(*(column(name) + 0 for name in how))
        grouped = frame.group_by(*by, drop_null_keys=False)
        return LibraryFrame(grouped.agg(*parts))

    def groups(self, by: Sequence[str]) -> Iterator[tuple[tuple[Any, ...], Indices]]:
        """The key and the rows of each group, in any order."""
        keys = self._frame.select(*by).with_row_index(ROW)
        for key, rows in keys.group_by(*by, drop_null_keys=False):
            yield tuple(key), rows[ROW].to_numpy().astype(np.int64)

    def row_groups(self, width: int) -> RowGroups:
        """Rows of which all columns are equal, with `width` counts; one key may have several."""
        groups = RowGroups(len(self), width)
        for name in self.columns:
            groups.split(_text(self.column(name)) or _numbers(self._frame[name].to_numpy()))
        return groups

    def sort(self, name: str) -> LibraryFrame:
        """The frame in the order of a column of integers."""
        return LibraryFrame(self._frame.sort(name))

    def joined(self, others: Sequence[LibraryFrame]) -> LibraryFrame:
        """This frame's rows and those of others."""
        frames = [self._frame, *(other._frame for other in others)]
        return LibraryFrame(self._narwhals.concat(frames, how="vertical"))

    def to_native(self) -> Any:
        """The frame as its library has it."""
        return self._frame.to_native()


class DictFrame:
    """A dict of columns, which are sequences of the same length."""

    def __init__(self, columns: Mapping[str, Any]) -> None:
        self._columns = dict(columns)
        lengths = {name: len(values) for name, values in self._columns.items()}
        if len(set(lengths.values())) > 1:
            (one, its), *others = lengths.items()
            other, differs = next(pair for pair in others if pair[1] != its)
            raise ValueError(
                f"column {one!r} has {its} rows, but column {other!r} has {differs}: row "
                f"{min(its, differs)} is in one of them only; columns must be of the same length"
            )
        self._rows = next(iter(lengths.values()), 0)

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._columns)

    def __len__(self) -> int:
        return self._rows

    def column(self, name: str) -> Any:
        """A column as it was passed in."""
        return self._columns[name]

    def values(self, name: str) -> list[Any]:
        """A column as a list."""
        return list(self._columns[name])

    def counts(self, names: Sequence[str]) -> Indices:
        """Columns of integers, shape (rows, columns)."""
        return np.array([self._columns[name] for name in names], np.int64).T

    def nulls(self, name: str) -> NDArray[np.bool_]:
        """None of the rows: what is missing is found among Python's objects."""
        return np.zeros(self._rows, bool)

    def lengths(self, name: str) -> Indices:
        """The number of references of each row, in a column of references."""
        return _lengths(self._columns[name])

    def select(self, names: Sequence[str]) -> DictFrame:
        """The frame with these columns only."""
        return DictFrame({name: self._columns[name] for name in names})

    def __getitem__(self, rows: slice | Indices) -> DictFrame:
        """The frame with these rows only."""
        if isinstance(rows, slice):
            return DictFrame({name: values[rows] for name, values in self._columns.items()})
        taken = {name: [its[row] for row in rows] for name, its in self._columns.items()}
        return DictFrame(taken)

    def with_columns(self, columns: Mapping[str, Any]) -> DictFrame:
        """The frame and further columns."""
        added = {name: _list(values) for name, values in columns.items()}
        return DictFrame(self._columns | added)

    def reduce(self, by: Sequence[str], how: Reductions) -> DictFrame:
        """A row for each group."""
        reduced: dict[str, list[Any]] = {name: [] for name in (*by, *how)}
        for key, rows in self.groups(by):
            for name, value in zip(by, key, strict=True):
                reduced[name].append(value)
            for name, reduction in how.items():
                values = self._columns[name]
                reduced[name].append(_PYTHON_REDUCTIONS[reduction](values[row] for row in rows))
        return DictFrame(reduced)

    def groups(self, by: Sequence[str]) -> Iterator[tuple[tuple[Any, ...], Indices]]:
        """The key and the rows of each group, in the order of their first rows."""
        rows: dict[tuple[Any, ...], list[int]] = {}
        keys = zip(*(self._columns[name] for name in by), strict=True)
        for row, key in enumerate(keys):
            rows.setdefault(key, []).append(row)
        yield from ((key, np.array(its, np.int64)) for key, its in rows.items())

    def row_groups(self, width: int) -> RowGroups:
        """Rows of which all columns are equal, with `width` counts."""
        groups = RowGroups(len(self), width)
        for name in self.columns:
            groups.split(_numbers_of_objects(self.values(name)))
        return groups

    def sort(self, name: str) -> DictFrame:
        """The frame in the order of a column of integers."""
        return self[np.argsort(self._columns[name], kind="stable")]

    def joined(self, others: Sequence[DictFrame]) -> DictFrame:
        """This frame's rows and those of others."""
        frames = [self, *others]
        names = self.columns
        return DictFrame({n: [*chain.from_iterable(f.values(n) for f in frames)] for n in names})

    def to_native(self) -> dict[str, Any]:
        """The dict."""
        return self._columns


Frame: TypeAlias = "LibraryFrame | DictFrame"

# The column of row numbers in frames that this package creates.
ROW = "_fastbleu_row"


def load_narwhals() -> Any:
    """The library narwhals; ImportError that names the extra if it is not installed."""
    try:
        import narwhals
    except ImportError:
        raise ImportError(
            f"tables of other libraries need narwhals: {install_command('tables')}; a dict of "
            "columns needs nothing"
        ) from None
    return narwhals


def joined(frames: Iterable[Frame]) -> Frame:
    """The concatenated rows of frames of one kind, at least one frame."""
    first, *others = frames
    return first.joined(others) if others else first  # type: ignore[arg-type]


def _type_of(values: Any, floats: Any) -> Any:
    """The type of a column of scores, which a library cannot infer if all values are None."""
    is_list = isinstance(values, list)
    return floats if is_list and all(v is None or isinstance(v, float) for v in values) else None


def _lengths(references: Iterable[Any]) -> Indices:
    return np.array([1 if isinstance(its, str) else len(its) for its in references], np.int64)


def _text(column: Any) -> Column | None:
    """A text column with the Arrow interface, to be read line by line; None for any other."""
    try:
        lines = opened(column, "keys")
    except TypeError:
        return None
    return lines if lines is not None and lines.is_text and not lines.levels else None


def _numbers(values: NDArray[Any]) -> Indices:
    """Numbers for the values of a library's column, different for different values."""
    if values.dtype.kind in "iubmM":
        return values.astype(np.int64)
    if values.dtype.kind == "O":
        try:
            return _numbers_of_objects(values.tolist())
        except TypeError:  # unhashable
            pass
    return np.arange(len(values))


def _numbers_of_objects(values: list[Any]) -> Indices:
    numbers = {value: number for number, value in enumerate(dict.fromkeys(values))}
    return np.fromiter(map(numbers.__getitem__, values), np.int64, len(values))


def _list(values: Any) -> list[Any]:
    return values.tolist() if isinstance(values, np.ndarray) else list(values)

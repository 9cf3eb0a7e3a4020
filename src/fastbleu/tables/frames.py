"""`Frame`: the operations on a table in memory that counting by group needs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from ..inputs.columns import opened
from ..inputs.missing import count_of
from ..runtime.extras import install_command
from ..runtime.import_lock import import_locked
from ._row_groups import RowGroups

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..inputs.columns import Column

    Indices = NDArray[np.int64]
    # How to reduce each column of a frame within a group.
    Reductions = Mapping[str, str]


class Frame:
    """A table of pandas, polars, pyarrow or any other library that narwhals supports."""

    def __init__(self, frame: Any) -> None:
        self._frame = load_narwhals().from_native(frame, eager_only=True)

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._frame.columns)

    def __len__(self) -> int:
        return len(self._frame)

    def column(self, name: str) -> Any:
        """A column as the library has it."""
        return self._frame[name].to_native()

    def is_null(self, name: str) -> bool:
        """Whether a column has no type, nor its lists, because there are no values."""
        dtype = self._frame.schema[name]
        return load_narwhals().Unknown() in (dtype, getattr(dtype, "inner", None))

    def values(self, name: str) -> list[Any]:
        """A column as a list of Python's objects."""
        return list(self._frame[name].to_list())

    def counts(self, names: Sequence[str]) -> Indices:
        """Columns of integers, shape (rows, columns); TypeError if a value is none."""
        columns = {name: self._frame[name].to_numpy() for name in names}
        integers = [
            values if values.dtype == np.int64 else _integers(name, values)
            for name, values in columns.items()
        ]
        return np.stack(integers, axis=1)

    def lengths(self, name: str) -> Indices:
        """The number of references of each row, in a column of references; 1 of a missing list."""
        if self._frame[name].dtype == load_narwhals().List:
            lengths = self._frame[name].list.len().fill_null(1)
            return np.asarray(lengths.to_numpy()).astype(np.int64)
        return np.array([count_of(references) for references in self.values(name)], np.int64)

    def select(self, names: Sequence[str]) -> Frame:
        """The frame with these columns only."""
        return Frame(self._frame.select(*names))

    def __getitem__(self, rows: slice | Indices) -> Frame:
        """The frame with these rows only."""
        if isinstance(rows, slice):
            return Frame(self._frame[rows])
        return Frame(self._decoded()._frame[rows.tolist()])

    def keys(self, names: Sequence[str]) -> Frame:
        """These columns in types by which their library can group rows, nulls included."""
        with _errors_of_keys(names):
            return self.select(names)._decoded()

    def _decoded(self) -> Frame:
        """The frame without the types of pyarrow's columns of which it takes or groups no rows."""
        if not self._frame.implementation.is_pyarrow():
            return self
        native, library = self.to_native(), self._frame.implementation.to_native_namespace()
        table = native
        for number, field in enumerate(table.schema):
            kind, column = str(field.type), table.column(number)
            if kind.startswith("run_end_encoded<"):
                column = library.compute.run_end_decode(column)
            elif kind.startswith("dictionary<"):
                column = column.cast(field.type.value_type)
            elif kind in ("string_view", "binary_view"):
                column = column.cast(f"large_{kind[:-5]}")
            if column.type != field.type:
                table = table.set_column(number, field.name, column)
        return self if table is native else Frame(table)

    @property
    def layout(self) -> object:
        """What is equal of frames whose rows can be concatenated as they are."""
        is_pandas_like = self._frame.implementation.is_pandas_like()
        native = self.to_native()
        return list(native.dtypes.items()) if is_pandas_like else native.schema

    def like(self, other: Frame) -> Frame:
        """The frame as a table of the other's library."""
        library = other._frame.implementation
        if self._frame.implementation == library:
            return self
        return Frame(load_narwhals().from_arrow(self._frame.to_arrow(), backend=library))

    def with_columns(self, columns: Mapping[str, Any]) -> Frame:
        """The frame and further columns: arrays, also masked, or lists with None for null."""
        narwhals, added, backend = load_narwhals(), [], self._frame.implementation
        for name, values in columns.items():
            # A library cannot infer the type of scores if all of them are None.
            is_list = isinstance(values, list)
            scores = is_list and {*map(type, values)} <= {float, type(None)}
            dtype = narwhals.Float64() if scores else None
            if isinstance(values, np.ma.MaskedArray) and not backend.is_pandas_like():
                dtype = narwhals.Float64 if values.dtype.kind == "f" else narwhals.Int64
                values = values.tolist()
            added.append(narwhals.new_series(name, values, dtype, backend=backend))
        frame = self._frame.with_columns(*added)
        if frame.implementation.is_pandas_like():
            frame.to_native().attrs = self.to_native().attrs
        return Frame(frame)

    def without_index(self) -> Frame:
        """The frame with the default index, if its library has any."""
        return Frame(load_narwhals().maybe_reset_index(self._frame))

    def reduce(self, by: Sequence[str], reductions: Reductions) -> Frame:
        """A row for each group, in any order; null is a group's key as any other value."""
        column = load_narwhals().col
        parts = [getattr(column(name), reduction)() for name, reduction in reductions.items()]
        frame = self._frame
        if frame.implementation.is_pyarrow():
            # Copies in its own memory: its threads may free their data only when Python exits,
            # which aborts the process if the memory belongs to a Python object.
            frame = frame.with_columns(*[column(name) + 0 for name in reductions])
        with _errors_of_keys(by):
            return Frame(frame.group_by(*by, drop_null_keys=False).agg(*parts))

    def groups(self, by: Sequence[str]) -> Iterator[tuple[tuple[Any, ...], Indices]]:
        """The key and the rows of each group, in any order."""
        keys = self.keys(by)
        with _errors_of_keys(by):
            if not keys._frame.implementation.is_pyarrow():
                grouped = keys._frame.with_row_index(ROW).group_by(*by, drop_null_keys=False)
                for key, rows in grouped:
                    yield tuple(key), rows[ROW].to_numpy().astype(np.int64)
                return
            # narwhals groups by the joined texts of a row's keys, which different keys may have.
            table = keys.to_native().append_column(ROW, [np.arange(len(self))])
            table = table.group_by(list(by), use_threads=False).aggregate([(ROW, "list")])
            values = [table.column(name).to_pylist() for name in by]
            lists = map(np.array, table.column(f"{ROW}_list").to_numpy())
            yield from zip(zip(*values, strict=True), lists, strict=True)

    def row_groups(self, width: int) -> RowGroups:
        """Rows of which all columns are equal, with `width` counts; one key may have several."""
        groups = RowGroups(len(self), width)
        for name in self.columns:
            with _errors_of_keys([name]):
                groups.split(_text(self.column(name)) or self._numbers(name))
        return groups

    def _numbers(self, name: str) -> Indices:
        """Numbers for the values of a column, different for different values."""
        if self._frame.implementation.is_pyarrow():
            encoded = self.column(name).combine_chunks().dictionary_encode("encode")
            return np.asarray(encoded.indices, np.int64)
        if self._frame.schema[name] == load_narwhals().Time:  # numpy's have no nanoseconds
            return np.arange(len(self))
        values = self._frame[name].to_numpy()
        if values.dtype.kind in "iubmM":
            return values.astype(np.int64)  # type: ignore[no-any-return]
        if values.dtype.kind == "O":
            numbers: dict[Any, int] = {}
            try:
                listed = [numbers.setdefault(value, len(numbers)) for value in values.tolist()]
                return np.array(listed, np.int64)
            except TypeError:  # unhashable
                pass
        return np.arange(len(values))

    def with_plain_text(self) -> Frame:
        """The frame with all columns of text, also those in dictionaries, of the type string."""
        library, schema = load_narwhals(), self._frame.schema
        texts = library.String, library.Categorical, library.Enum
        names = [name for name, dtype in schema.items() if isinstance(dtype, texts)]
        return Frame(self._frame.with_columns(library.col(name).cast(texts[0]) for name in names))

    def to_native(self) -> Any:
        """The frame as its library has it."""
        return self._frame.to_native()


# The column of row numbers in frames that this package creates.
ROW = "_fastbleu_row"


@cache
def load_narwhals() -> Any:
    """The library narwhals; ImportError that names the extra if it is not installed."""
    try:
        return import_locked("narwhals")
    except ImportError:
        raise ImportError(f"tables need narwhals: {install_command('tables')}") from None


def joined(frames: Sequence[Frame]) -> Frame:
    """The concatenated rows of frames with the same columns, at least one frame.

    TypeError if a column is of text in one frame and of numbers in another.
    """
    if len(frames) == 1:
        return frames[0]
    if all(frame.layout == frames[0].layout for frame in frames[1:]):
        return Frame(load_narwhals().concat([frame._frame for frame in frames]))
    frames = [frame.with_plain_text() for frame in frames]
    natives = [frame.to_native() for frame in frames]
    kind = frames[0]._frame.implementation
    library = kind.to_native_namespace()
    polars_errors = (library.exceptions.PolarsError,) if kind.is_polars() else ()
    try:
        if kind.is_pyarrow():
            return Frame(library.concat_tables(natives, promote_options="permissive"))
        for before, after in pairwise(frames):
            for name in before.columns:
                columns = before._frame[name], after._frame[name]
                # pandas may have nulls alone as objects, which narwhals takes for text.
                kinds = {column.dtype for column in columns if column.null_count() < len(column)}
                if load_narwhals().String() in kinds and any(kind.is_numeric() for kind in kinds):
                    raise TypeError(f"{name} is of text and of numbers")
        options = {"how": "vertical_relaxed"} if kind.is_polars() else {}
        return Frame(library.concat(natives, **options))
    except (TypeError, ValueError, *polars_errors) as error:
        raise TypeError(
            f"the parts of the table have columns of different types: {error}; cast them to one"
        ) from error


def _integers(name: str, values: NDArray[Any]) -> Indices:
    """The values of a column as int64: databases add up integers to decimals or floats."""
    if values.dtype.kind in "iu":
        return values.astype(np.int64, copy=False)
    try:
        # A float is exact up to 2^53.
        most = 1 << (53 if values.dtype.kind == "f" else 63)
        if values.dtype.kind != "b" and all(v == int(v) and abs(v) < most for v in values.tolist()):
            return values.astype(np.int64)
    except (TypeError, ValueError, OverflowError):
        pass
    raise TypeError(f"column {name!r} holds a value that is no count, an integer of 64 bits")


@contextmanager
def _errors_of_keys(by: Sequence[str]) -> Iterator[None]:
    """Make errors of libraries about columns that cannot be keys name these, and the fix."""
    try:
        yield
    except (NotImplementedError, OverflowError, TypeError, ValueError) as error:
        raise TypeError(
            f"rows cannot be grouped by {', '.join(map(repr, by))}: {error}; pass columns of "
            "texts, numbers or times, and a field of a struct as a column of its own"
        ) from error


def _text(column: Any) -> Column | None:
    """A text column with the Arrow interface, to be read line by line; None for any other."""
    try:
        lines = opened(column, "keys")
    except TypeError:
        return None
    return lines if lines is not None and lines.is_text and not lines.levels else None

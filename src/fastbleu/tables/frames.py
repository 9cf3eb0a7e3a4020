"""Operations on narwhals data frames, of any library, for counting by group."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.inputs.columns import opened
from ..core.inputs.errors import InputTypeError
from ..core.runtime.extras import install_command
from ..core.runtime.import_lock import import_locked
from ._row_groups import RowGroups

if TYPE_CHECKING:
    from narwhals import DataFrame as Frame
    from numpy.typing import NDArray

    from ..core.inputs.columns import Column

    Indices = NDArray[np.int64]

# The column of row numbers in frames that this package creates.
ROW = "_fastbleu_row"
_PANDAS_FLOATS = "halffloat[pyarrow]", "float[pyarrow]", "double[pyarrow]"


@cache
def load_narwhals() -> Any:
    """Import narwhals; if it is not installed, the ImportError names the extra."""
    try:
        return import_locked("narwhals")
    except ImportError:
        raise ImportError(f"tables need narwhals: {install_command('tables')}") from None


def frame_of(table: Any) -> Frame:
    """The narwhals frame of a library's data frame."""
    return load_narwhals().from_native(table, eager_only=True)


def has_no_type(frame: Frame, name: str) -> bool:
    """Whether a column, or its lists, have no type because there are no values."""
    dtype: Any = frame.schema[name]
    while hasattr(dtype, "inner"):
        dtype = dtype.inner
    return bool(dtype == load_narwhals().Unknown)


def counts_in(frame: Frame, names: Sequence[str]) -> Indices:
    """Columns of integers, shape (rows, columns); TypeError if a value is not an integer."""
    return np.stack([_integers(name, frame[name].to_numpy()) for name in names], axis=1)


def _integers(name: str, values: NDArray[Any]) -> Indices:
    """The values of a column as int64; sums of integers in databases may be decimals or floats."""
    if values.dtype.kind in "iu":
        return values.astype(np.int64, copy=False)
    try:
        # A float is exact up to 2^53.
        most = 1 << (53 if values.dtype.kind == "f" else 63)
        if values.dtype.kind != "b" and all(v == int(v) and abs(v) < most for v in values.tolist()):
            return values.astype(np.int64)
    except (TypeError, ValueError, OverflowError):
        pass
    raise InputTypeError(f"column {name!r} holds a value that is not a count (a 64-bit integer)")


def take(frame: Frame, rows: Indices) -> Frame:
    """The frame with only these rows."""
    try:
        return _decoded(frame)[rows.tolist()]
    except NotImplementedError as error:  # pyarrow's
        names = ", ".join(map(repr, frame.columns))
        raise InputTypeError(f"{error}: cast columns {names} to string") from error


def keys_of(frame: Frame, names: Sequence[str]) -> Frame:
    """These columns, in types by which their library can group rows, including nulls."""
    with _errors_of_keys(names):
        return _decoded(frame.select(*names))


def _decoded(frame: Frame) -> Frame:
    """The frame without column types whose rows pyarrow cannot take or group."""
    if not frame.implementation.is_pyarrow():
        return frame
    native, library = frame.to_native(), frame.implementation.to_native_namespace()
    table = native
    for number, field in enumerate(table.schema):
        kind, column = str(field.type), table.column(number)
        if kind.startswith("run_end_encoded<"):
            column = library.compute.run_end_decode(column)
        elif kind.startswith("dictionary<") and not field.type.value_type.num_fields:
            column = column.cast(field.type.value_type)
        elif kind in ("string_view", "binary_view"):
            column = column.cast(f"large_{kind[:-5]}")
        if library.types.is_floating(column.type):
            column = _with_one_zero(library.compute, column)
        if column is not table.column(number):
            table = table.set_column(number, field.name, column)
    return frame if table is native else frame_of(table)


def _with_one_zero(compute: Any, column: Any) -> Any:
    """Floats with 0 for -0, and one NaN: pyarrow groups by their bits, other libraries do not."""
    wide = column.cast("double")
    return compute.if_else(compute.is_nan(wide), math.nan, compute.add(wide, 0.0)).cast(column.type)


def schema_of(frame: Frame) -> object:
    """The schema; frames with equal schemas can be concatenated as they are."""
    native = frame.to_native()
    is_pandas_like = frame.implementation.is_pandas_like()
    return list(native.dtypes.items()) if is_pandas_like else native.schema


def like(frame: Frame, other: Frame) -> Frame:
    """The frame in the library of the other."""
    library = other.implementation
    if frame.implementation == library:
        return frame
    return load_narwhals().from_arrow(frame.to_arrow(), backend=library)


def with_columns(frame: Frame, columns: Mapping[str, Any]) -> Frame:
    """The frame with added columns: arrays, maybe masked, or lists with None for null."""
    narwhals, added, backend = load_narwhals(), [], frame.implementation
    for name, values in columns.items():
        # A library cannot infer the type of scores if all of them are None, or of no texts.
        dtype: Any = None
        if isinstance(values, list) and {*map(type, values)} <= {float, type(None)}:
            dtype = narwhals.Float64 if values else narwhals.String
        if isinstance(values, np.ma.MaskedArray) and not backend.is_pandas_like():
            dtype = narwhals.Float64 if values.dtype.kind == "f" else narwhals.Int64
            values = values.tolist()
        added.append(narwhals.new_series(name, values, dtype, backend=backend))
    wider = frame.with_columns(*added)
    if backend.is_pandas_like():
        wider.to_native().attrs = frame.to_native().attrs
    return wider


def group_rows(frame: Frame, by: Sequence[str]) -> tuple[Indices, Indices]:
    """Row numbers, sorted by group and in order within a group; and where each group starts.

    Null is a key like any other value. Groups are in any order.
    """
    keys, library = keys_of(frame, by).to_native(), frame.implementation
    with _errors_of_keys(by):
        if library.is_pyarrow():
            # narwhals groups by the joined texts of a row's keys, which may be equal for different
            # keys. pyarrow's threads may free Python's memory after Python's end, which aborts.
            grouped = keys.append_column(ROW, [np.arange(len(frame))])
            lists = grouped.group_by(list(by), use_threads=False).aggregate([(ROW, "list")])
            rows = lists.column(f"{ROW}_list").combine_chunks()
            return rows.flatten().to_numpy(), rows.offsets.to_numpy()[:-1]
        if library.is_polars():
            rows = keys.with_row_index(ROW).group_by(*by).agg(ROW)[ROW]
            lengths = rows.list.len().to_numpy().astype(np.int64)
            return rows.explode().to_numpy().astype(np.int64), np.cumsum(lengths) - lengths
        # Those of Arrow are grouped by their bits.
        floats = [name for name, kind in keys.dtypes.items() if str(kind) in _PANDAS_FLOATS]
        keys = keys.astype(dict.fromkeys(floats, "Float64"))
        grouped = keys.groupby(list(by), dropna=False, sort=False, observed=True)
        numbers = grouped.ngroup().to_numpy()
    rows = np.argsort(numbers, kind="stable")
    return rows, np.flatnonzero(np.diff(numbers[rows], prepend=-1))


def row_groups(keys: Frame, names: Sequence[str], width: int) -> RowGroups:
    """Groups of rows with equal columns, with `width` counts; a key may have several groups."""
    groups = RowGroups(len(keys), width)
    for name in names:
        with _errors_of_keys([name]):
            groups.split(_text(keys[name].to_native()) or _numbers(keys, name))
    return groups


def readable(column: Any) -> Column | None:
    """A column with the Arrow interface that can be read without its library; None for others."""
    try:
        return opened(column, "keys")
    except TypeError:
        return None


def _text(column: Any) -> Column | None:
    """A text column with the Arrow interface, to be read line by line; None for any other."""
    lines = readable(column)
    return lines if lines is not None and lines.is_text and not lines.levels else None


def _numbers(keys: Frame, name: str) -> Indices:
    """Numbers for the values of a column, different for different values."""
    column = keys[name]
    if keys.implementation.is_pyarrow():
        encoded = column.to_native().combine_chunks().dictionary_encode("encode")
        return np.asarray(encoded.indices, np.int64)
    if column.dtype == load_narwhals().Time:  # numpy's times have no nanoseconds
        return np.arange(len(keys))
    values = column.to_numpy()
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


def joined(frames: Sequence[Frame]) -> Frame:
    """Concatenate the rows of frames, at least one, with the same columns.

    TypeError if a column holds text in one frame and numbers in another.
    """
    if len(frames) == 1:
        return frames[0]
    narwhals, schema = load_narwhals(), schema_of(frames[0])
    if all(schema_of(frame) == schema for frame in frames[1:]):
        return narwhals.concat(frames)
    frames = [_with_plain_text(frame) for frame in frames]
    natives = [frame.to_native() for frame in frames]
    kind = frames[0].implementation
    library = kind.to_native_namespace()
    polars_errors = (library.exceptions.PolarsError,) if kind.is_polars() else ()
    try:
        if kind.is_pyarrow():
            return frame_of(library.concat_tables(natives, promote_options="permissive"))
        for before, after in pairwise(frames):
            for name in before.columns:
                columns = before[name], after[name]
                # In pandas a column of nulls may be of objects, which narwhals takes for text.
                kinds = {column.dtype for column in columns if column.null_count() < len(column)}
                if narwhals.String() in kinds and any(kind.is_numeric() for kind in kinds):
                    raise InputTypeError(f"{name} holds text and numbers")
        options = {"how": "vertical_relaxed"} if kind.is_polars() else {}
        return frame_of(library.concat(natives, **options))
    except (TypeError, ValueError, *polars_errors) as error:
        raise InputTypeError(
            f"the parts of the table have columns of different types: {error}; cast them to one"
        ) from error


def _with_plain_text(frame: Frame) -> Frame:
    """The frame with all text columns, including dictionaries, as the type string."""
    library = load_narwhals()
    texts = library.String, library.Categorical, library.Enum
    names = [name for name, dtype in frame.schema.items() if isinstance(dtype, texts)]
    return frame.with_columns(library.col(names).cast(library.String)) if names else frame


@contextmanager
def _errors_of_keys(by: Sequence[str]) -> Iterator[None]:
    """Make libraries' errors about columns that cannot be keys name the columns and the fix."""
    try:
        yield
    except MemoryError:
        raise
    except Exception as error:
        raise InputTypeError(
            f"rows cannot be grouped by {', '.join(map(repr, by))}: {error}; pass columns of "
            'texts, numbers or times, and a field of a struct as in "translation.de"'
        ) from error

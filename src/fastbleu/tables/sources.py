"""Read tables in chunks, and return results part by part."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, count, pairwise
from typing import Any

from ..core.inputs.arguments import number_of, shown
from ..core.inputs.columns import is_query
from ..core.inputs.errors import InputError, InputTypeError, restated
from ..core.runtime.import_lock import lazy
from ..core.runtime.terminal import ProgressBar
from .data_files import (
    CHUNK_ROWS,
    Files,
    ReadOptions,
    explained,
    import_pyarrow,
    is_damage,
    is_path,
    keys_of_paths,
)
from .frames import joined, load_narwhals, readable, schema_of
from .rows import roots_of, with_fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from narwhals import DataFrame as Frame
    from pyarrow import dataset
else:
    dataset = lazy("pyarrow.dataset")

# Chunks of an in-memory table whose keys are read at once.
_CHUNKS = 8
DEFAULT_OPTIONS = ReadOptions()
_ENGINES = {"pyspark": "Spark", "ray": "Ray", "dask": "Dask"}  # by their packages


class Source:
    """A table to be read once, in chunks: one `frame`, or a stream of tables.

    Only `columns` are read, if given; `texts` are columns of text, even if a CSV file has numbers.
    Columns of pyarrow are checked in full, but for those that are counted `in_place`.
    """

    def __init__(
        self,
        table: Any,
        columns: Sequence[str] | None = None,
        texts: Sequence[str] = (),
        options: ReadOptions = DEFAULT_OPTIONS,
        in_place: Sequence[str] = (),
    ) -> None:
        self._columns, self._progress, self._in_place = columns, options.progress, in_place
        self._parts: Iterable[Any] = ()
        self.frame: Frame | None = None
        self._gives_dicts = isinstance(table, Mapping)
        if is_path(table):
            self._parts = Files(table, columns, texts, options)
            return
        for name in ("quoted", "delimiter", "encoding", "format"):
            if getattr(options, name) is not None:
                raise ValueError(f"{name} is for paths of files, but the table is not a path")
        if type(table).__module__.partition(".")[0] in _ENGINES:
            # Spark's tables have the Arrow interface, but would be collected in this process.
            raise _no_table(table, "the table")
        if (parts := _stream(table, columns, texts)) is not None:
            self._parts = parts
        elif (frame := _frame(table, columns, "the table")) is not None:
            self.frame = self._checked(frame, 0)
        elif hasattr(table, "__arrow_c_stream__"):
            self._parts = import_pyarrow(table).RecordBatchReader.from_stream(table)
        elif isinstance(table, Iterable) and not isinstance(table, (str, bytes)):
            self._parts = table
        else:
            raise _no_table(table, "the table")

    @property
    def rows(self) -> int | None:
        """The number of rows; None if it is unknown."""
        return getattr(self._parts, "rows", None) if self.frame is None else len(self.frame)

    def at(self, row: int) -> tuple[str, str | None]:
        """The name of a row that was read in messages, and its file, if it is in one."""
        if not isinstance(self._parts, Files):
            return f"row {row}", None
        file, number = self._parts.at(row)
        return f"{file}: row {number}", file

    def bar(self) -> ProgressBar:
        """A progress bar for rows, if requested."""
        return ProgressBar(self._progress, self.rows if self._progress else None, " rows")

    def chunks(self) -> Iterator[Frame]:
        """Frames of a chunk's size, or larger for tables in memory; small ones are joined."""
        waiting: list[Frame] = []
        rows = 0
        most = CHUNK_ROWS if self.frame is None else CHUNK_ROWS * _CHUNKS
        for part in self._frames() if self.frame is None else [self.frame]:
            for first in range(0, len(part) or 1, most):  # an empty part has types, too
                piece = part[first : first + most] if len(part) > most else part
                is_full = waiting and rows + len(piece) > most
                if is_full or (waiting and schema_of(piece) != schema_of(waiting[0])):
                    yield joined(waiting)
                    waiting, rows = [], 0
                waiting.append(piece)
                rows += len(piece)
        if waiting:
            yield joined(waiting)

    def to_native(self, frame: Frame) -> Any:
        """A result as a table of the kind that was read."""
        table = frame.to_native()
        return table.to_pydict() if self._gives_dicts else table

    def _frames(self) -> Iterator[Frame]:
        library, row = None, 0
        parts = iter(self._parts)
        for number in count():
            what = f"part {number} of the table"
            try:
                part = next(parts)
                frame = _frame(part, self._columns, what)
            except StopIteration:
                return
            except Exception as error:
                raise self._located(error, row) from error
            if library is None:
                self._gives_dicts = isinstance(part, Mapping)
            if frame is None:
                raise _no_table(part, what)
            frame = self._checked(frame, row)
            kind = type(frame.to_native())
            library = library or kind
            if kind is not library:
                raise InputTypeError(
                    f"{what} is a {kind.__module__}.{kind.__qualname__}, earlier parts are "
                    f"{library.__module__}.{library.__qualname__}: pass tables of one library"
                )
            yield frame
            row += len(frame)

    def _checked(self, frame: Frame, row: int) -> Frame:
        """The columns to read of a frame, whose first row has number `row`.

        ValueError for damaged columns: pyarrow trusts what they hold, and would end the process.
        """
        try:
            if frame.implementation.is_pyarrow():
                table = frame.to_native()
                in_place = [name for name in self._in_place if name in table.column_names]
                if not all(readable(table.column(name)) for name in in_place):
                    in_place = []
                for name, column in zip(table.column_names, table.columns, strict=True):
                    column.validate(full=name not in in_place)
            if self._columns is not None:
                frame = with_fields(frame, self._columns).select(*self._columns)
        except ValueError as error:
            raise self._located(error, row) from error
        return frame

    def _located(self, error: Exception, row: int) -> Exception:
        """An error of reading the table from this row on, with the name of the file."""
        file = None
        if isinstance(self._parts, Files):
            file, row = self._parts.at(row)
        if is_damage(error):
            problem = f"{file or 'the table'} cannot be read from row {row} on: {explained(error)}"
            return InputError(problem, file=file)
        is_unnamed = isinstance(error, InputError) and error.file is None
        if file and (is_unnamed or type(error) is ValueError):
            return restated(error, f"{file}: {error}", file=file)
        return error


def _frame(table: object, columns: Sequence[str] | None, what: str) -> Frame | None:
    """A frame of these columns of an in-memory table; None for anything else."""
    if isinstance(table, Mapping):
        table = _from_dict(table, _chosen(list(table), columns) or list(table), what)
    elif type(table).__name__ == "RecordBatch" and hasattr(table, "schema"):
        table = import_pyarrow(table).Table.from_batches([table])
    module = type(table).__module__.partition(".")[0]
    if module in ("builtins", "types") or not hasattr(table, "__len__"):
        return None
    narwhals = load_narwhals()
    try:
        frame = narwhals.from_native(table, eager_only=True, pass_through=True)
    except narwhals.exceptions.DuplicateError as error:
        problem = " ".join(str(error).split())
        raise InputError(f"{what} has columns with the same name, rename them: {problem}") from None
    if not isinstance(frame, narwhals.DataFrame):
        return None
    chosen = _chosen(frame.columns, columns)
    return frame if chosen is None else frame.select(chosen)


def _from_dict(columns: Mapping[str, Any], names: Sequence[str], what: str) -> Any:
    """Columns of a dict as a pyarrow table."""
    pyarrow = import_pyarrow("a dict of columns")
    arrays: dict[str, Any] = {}
    for name in names:
        if isinstance(columns[name], str):
            problem = f"{what} has a text as {name!r}, expected a column of texts"
            raise InputTypeError(
                f"{problem}; for a list of dicts pass pyarrow.Table.from_pylist(dicts)"
            )
        try:
            if isinstance(columns[name], (pyarrow.Array, pyarrow.ChunkedArray)):
                arrays[name] = columns[name]
            elif hasattr(type(columns[name]), "__arrow_c_stream__"):
                arrays[name] = pyarrow.chunked_array(columns[name])
            else:
                arrays[name] = pyarrow.array(columns[name], from_pandas=True)
        except (pyarrow.ArrowException, OverflowError) as error:
            raise InputTypeError(
                f"{what} has values in column {shown(name)} that pyarrow cannot convert: "
                f"{error}; they must be of one type"
            ) from error
    for first, second in pairwise(arrays):
        rows, differs = len(arrays[first]), len(arrays[second])
        if rows != differs:
            raise InputError(
                f"column {shown(first)} has {number_of(rows, 'row')}, but column {shown(second)} "
                f"has {differs}: row {min(rows, differs)} is in only one of them; all must have "
                "the same length"
            )
    return pyarrow.table(arrays)


def _no_table(value: Any, what: str) -> TypeError:
    kind = f"{type(value).__module__}.{type(value).__qualname__}".removeprefix("builtins.")
    engine = _ENGINES.get(kind.partition(".")[0])
    fix = f"; for {engine} use fastbleu.integrations.{engine.lower()}.score" if engine else ""
    return InputTypeError(
        f"{what} is a {kind}, expected a data frame or table (pandas, polars, pyarrow, a dict of "
        f"columns), a path of a file, or an iterable of them{fix}"
    )


def _chosen(known: Sequence[str], columns: Sequence[str] | None) -> list[str] | None:
    return None if columns is None else roots_of(known, columns)


def _stream(
    table: Any, columns: Sequence[str] | None, texts: Sequence[str]
) -> Iterable[Any] | None:
    """The parts of a lazy table or of a file; None for other tables."""
    home = type(table).__module__.partition(".")[0]
    if home == "polars" and hasattr(table, "collect_schema") and hasattr(table, "collect"):
        names = _chosen(table.collect_schema().names(), columns)
        table = table if names is None else table.select(names)
        parts: Iterable[Any] = table.collect_batches(chunk_size=CHUNK_ROWS)
    elif home == "pyarrow" and hasattr(table, "to_batches") and hasattr(table, "scanner"):
        names = _chosen(table.schema.names, columns)
        # Read few batches ahead: the default may take gigabytes.
        ahead: dict[str, Any] = {"batch_readahead": 4, "fragment_readahead": 1}
        is_parquet = getattr(getattr(table, "format", None), "default_extname", "") == "parquet"
        scan: Any = table.format.default_fragment_scan_options if is_parquet else None
        if is_parquet and getattr(scan, "parquet_decryption_config", None) is None:
            # By default all that is read ahead of a Parquet file stays in memory.
            ahead["fragment_scan_options"] = type(scan)(pre_buffer=False)
        scanner = table.scanner(columns=names, batch_size=CHUNK_ROWS, **ahead)
        parts = _scanned(table, scanner, names or texts)
    elif home == "pyarrow" and hasattr(table, "iter_batches"):
        names = _chosen(table.schema_arrow.names, columns)
        parts = table.iter_batches(CHUNK_ROWS, columns=names)
    elif is_query(table):
        names = _chosen(table.columns, columns)
        if names is not None:
            table = table.project(", ".join('"' + name.replace('"', '""') + '"' for name in names))
        parts = import_pyarrow(table).RecordBatchReader.from_stream(table)
    elif home == "datasets" and hasattr(table, "with_format"):
        if table.column_names is not None and columns is not None:
            table = table.select_columns(_chosen(table.column_names, columns))
        parts = table.with_format("arrow").iter(CHUNK_ROWS)
    else:
        return None
    return parts


def _scanned(table: Any, scanner: Any, names: Sequence[str]) -> Iterator[Any]:
    """The batches of a dataset, which has nulls where a file lacks a column: a ValueError here."""
    for batch in scanner.scan_batches():
        fragment = batch.fragment
        its = [*fragment.physical_schema.names, *keys_of_paths(table)]
        its += dataset.get_partition_keys(fragment.partition_expression)
        try:
            roots_of(its, names)
        except ValueError as error:
            name = getattr(fragment, "path", "a part of the dataset")
            raise InputError(f"{name}: {error}") from error
        yield batch.record_batch


class TableParts:
    """A lazy iterator of result tables, which can be read once.

    The tables are of the library that was read. The iterator is also a stream with the Arrow
    interface, for the writers of pyarrow, polars and DuckDB.
    """

    def __init__(self, parts: Iterator[Any]) -> None:
        self._parts = parts

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        return next(self._parts)

    def to_reader(self) -> Any:
        """A `pyarrow.RecordBatchReader` of the parts, as for ``pyarrow.dataset.write_dataset``.

        The schema is that of the first part, which is computed at once.

        Raises
        ------
        ValueError
            There are no parts; or, while reading, a part's columns differ from those of the first.
        """
        pyarrow = import_pyarrow("parts of a table")
        first = next(self._parts, None)
        if first is None:
            raise InputError("there are no rows, and therefore no schema: the table is empty")
        schema = _arrow_table(pyarrow, first).schema

        def batches() -> Iterator[Any]:
            for number, part in enumerate(chain([first], self._parts)):
                try:
                    table = _arrow_table(pyarrow, part).cast(schema)
                except (ValueError, pyarrow.ArrowException) as error:
                    raise InputError(
                        f"part {number} of the table differs from part 0, which sets the schema: "
                        f"{error}; select or cast the columns first"
                    ) from error
                yield from table.to_batches()

        return pyarrow.RecordBatchReader.from_batches(schema, batches())

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        stream: object = self.to_reader().__arrow_c_stream__(requested_schema)
        return stream


def _arrow_table(pyarrow: Any, part: Any) -> Any:
    if isinstance(part, dict):
        return pyarrow.table(part)
    if hasattr(part, "iloc"):  # pandas, whose index is not a column
        return pyarrow.Table.from_pandas(part, preserve_index=False)
    return part.to_arrow() if hasattr(part, "to_arrow") else part

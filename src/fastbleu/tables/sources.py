"""Sources of tables: frames in memory or streams of them, split or joined into chunks."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..runtime.extras import install_command
from .frames import DictFrame, Frame, LibraryFrame, joined, load_narwhals
from .rows import check_columns

# Rows that are counted at once, and requested from a stream at a time: a block of columns.
CHUNK_ROWS = 1 << 16
# Chunks of a table in memory whose keys are read at once.
_CHUNKS = 8
_FORMATS = {".parquet": "parquet", ".arrow": "ipc", ".feather": "ipc", ".csv": "csv"}


class Source:
    """A table to be read once, in chunks; `rows` is None if their number is unknown."""

    def __init__(self, parts: Iterable[Frame], rows: int | None = None) -> None:
        self._parts = parts
        self.rows = rows
        self.is_stream = not isinstance(parts, list)

    @property
    def frame(self) -> Frame:
        """The whole table; only for tables in memory."""
        [frame] = self._parts
        return frame

    def chunks(self) -> Iterator[Frame]:
        """Frames of a chunk's size, larger for tables in memory; small ones are joined."""
        waiting: list[Frame] = []
        rows = 0
        most = CHUNK_ROWS if self.is_stream else CHUNK_ROWS * _CHUNKS
        for part in self._parts:
            for _, piece in pieces(part, most):
                if waiting and rows + len(piece) > most:
                    yield joined(waiting)
                    waiting, rows = [], 0
                waiting.append(piece)
                rows += len(piece)
        if waiting:
            yield joined(waiting)


def pieces(frame: Frame, most: int = 0) -> Iterator[tuple[int, Frame]]:
    """Parts of a frame of at most `most` rows, and the number of rows before each."""
    most = most or CHUNK_ROWS
    if len(frame) <= most:
        yield from [(0, frame)] if len(frame) else []
        return
    for first in range(0, len(frame), most):
        yield first, frame[first : first + most]


def open_table(
    table: Any, columns: Sequence[str] | None = None, texts: Sequence[str] = ()
) -> Source:
    """A source of a table's rows, with only these columns if the table can leave out others.

    `texts` are columns of text, which a CSV file may have as numbers. Errors: TypeError if this is
    not a table, ValueError if a column is missing, ImportError, and OSError of files.
    """
    if isinstance(table, (str, os.PathLike)):
        table = _open_file(Path(table), texts)
    home = type(table).__module__.partition(".")[0]
    for is_kind, read in _STREAMS:
        if is_kind(table, home):
            return Source(_frames(read(table, columns)))
    if (frame := _frame(table)) is not None:
        if columns is not None:
            check_columns(frame.columns, columns)
            frame = frame.select(columns)
        return Source([frame], len(frame))
    if hasattr(table, "__arrow_c_stream__"):
        reader = _pyarrow(table).RecordBatchReader.from_stream(table)
        return Source(_frames(reader))
    if isinstance(table, Iterable) and not isinstance(table, (str, bytes)):
        return Source(_frames(table))
    raise _no_table(table, "the table")


def _frame(table: Any) -> Frame | None:
    """A frame of a table in memory; None if it is none."""
    if isinstance(table, Mapping):
        return DictFrame(table)
    if type(table).__name__ == "RecordBatch" and hasattr(table, "schema"):
        table = _pyarrow(table).Table.from_batches([table])
    module = type(table).__module__.partition(".")[0]
    if module in ("builtins", "types") or not hasattr(table, "__len__"):
        return None
    narwhals = load_narwhals()
    frame = narwhals.from_native(table, eager_only=True, pass_through=True)
    return LibraryFrame(frame) if isinstance(frame, narwhals.DataFrame) else None


def _frames(parts: Iterable[Any]) -> Iterator[Frame]:
    """Frames of the parts of a stream."""
    for number, part in enumerate(parts):
        frame = _frame(part)
        if frame is None:
            raise _no_table(part, f"part {number} of the table")
        yield frame


def _no_table(value: Any, what: str) -> TypeError:
    kind = f"{type(value).__module__}.{type(value).__qualname__}".removeprefix("builtins.")
    fix = ""
    if kind.startswith("pyspark."):
        fix = "; for Spark's there is fastbleu.integrations.spark.score"
    elif kind.startswith("ray."):
        fix = "; for Ray's there is fastbleu.integrations.ray.score"
    return TypeError(
        f"{what} is a {kind}, expected a data frame or table (pandas, polars, pyarrow, a dict of "
        f"columns), a path of a file, or an iterable of them{fix}"
    )


def _pyarrow(what: Any) -> Any:
    try:
        import pyarrow
    except ImportError:
        raise ImportError(f"reading {what} needs pyarrow: {install_command('parquet')}") from None
    return pyarrow


def _open_file(path: Path, texts: Sequence[str]) -> Any:
    """A file, or a directory of Parquet files, as a dataset of pyarrow's."""
    is_directory = path.is_dir()
    kind = "parquet" if is_directory else _FORMATS.get(path.suffix.lower())
    if kind is None:
        known = ", ".join(_FORMATS)
        raise ValueError(f"{path}: the name ends in {path.suffix!r}; expected one of {known}")
    if not path.exists():
        raise FileNotFoundError(f"{path}: there is no such file")
    pyarrow = _pyarrow(path)
    from pyarrow import csv, dataset, ipc

    form: Any = kind
    if kind == "csv":
        types = {name: pyarrow.string() for name in texts}
        form = dataset.CsvFileFormat(convert_options=csv.ConvertOptions(column_types=types))
    try:
        return dataset.dataset(path, format=form, partitioning="hive" if is_directory else None)
    except pyarrow.ArrowInvalid as error:
        if kind == "ipc":  # the other format of Arrow's files, that of streams
            try:
                return ipc.open_stream(pyarrow.memory_map(str(path)))
            except pyarrow.ArrowInvalid:
                pass
        raise ValueError(f"{path}: {error}") from error


def _chosen(known: Sequence[str], columns: Sequence[str] | None) -> list[str] | None:
    if columns is None:
        return None
    check_columns(known, columns)
    return list(columns)


def _read_dataset(table: Any, columns: Sequence[str] | None) -> Any:
    # A few batches ahead: by default it may be gigabytes.
    ahead = {"batch_size": CHUNK_ROWS, "batch_readahead": 4, "fragment_readahead": 1}
    return table.to_batches(columns=_chosen(table.schema.names, columns), **ahead)


def _read_parquet(table: Any, columns: Sequence[str] | None) -> Any:
    return table.iter_batches(CHUNK_ROWS, columns=_chosen(table.schema_arrow.names, columns))


def _read_lazy_frame(table: Any, columns: Sequence[str] | None) -> Any:
    names = _chosen(table.collect_schema().names(), columns)
    table = table if names is None else table.select(names)
    return table.collect_batches(chunk_size=CHUNK_ROWS)


def _read_hugging_face(table: Any, columns: Sequence[str] | None) -> Any:
    if table.column_names is not None and columns is not None:
        table = table.select_columns(_chosen(table.column_names, columns))
    return table.with_format("arrow").iter(CHUNK_ROWS)


# Streams: how to recognize one by its type and package, and how to read it.
_STREAMS: list[tuple[Callable[[Any, str], bool], Callable[[Any, Sequence[str] | None], Any]]] = [
    (
        lambda it, home: (
            home == "polars" and hasattr(it, "collect_schema") and hasattr(it, "collect")
        ),
        _read_lazy_frame,
    ),
    (
        lambda it, home: home == "pyarrow" and hasattr(it, "to_batches") and hasattr(it, "scanner"),
        _read_dataset,
    ),
    (lambda it, home: home == "pyarrow" and hasattr(it, "iter_batches"), _read_parquet),
    (lambda it, home: home == "datasets" and hasattr(it, "with_format"), _read_hugging_face),
]

"""Tables in files: paths, patterns, directories and URLs, read in parts one after the other."""

from __future__ import annotations

import codecs
import glob
import io
import os
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, groupby
from operator import itemgetter
from typing import Any

from ..core.inputs.arguments import check_choice
from ..core.inputs.errors import InputError, InputTypeError, advised
from ..core.runtime.extras import install_command
from ..core.runtime.import_lock import import_locked, lazy
from ..files.formats import (
    DELIMITERS,
    FORMATS,
    SUFFIXES,
    layout_of,
    problem_of,
    unpacked,
    unread_format,
    without_suffix,
)
from .rows import roots_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    import fsspec
    from pyarrow import csv, dataset, fs, ipc, json, parquet
else:
    csv = lazy("pyarrow.csv")
    dataset = lazy("pyarrow.dataset")
    fs = lazy("pyarrow.fs")
    fsspec = lazy("fsspec")
    ipc = lazy("pyarrow.ipc")
    json = lazy("pyarrow.json")
    parquet = lazy("pyarrow.parquet")

# Rows requested at a time.
CHUNK_ROWS = 1 << 16
# Bytes of a Parquet column read at a time.
_BUFFER = 1 << 20
_WILDCARD = re.compile(r"[*?[]")


def import_pyarrow(what: Any) -> Any:
    """Import pyarrow; if it is not installed, the ImportError names the extra."""
    try:
        return import_locked("pyarrow")
    except ImportError:
        raise ImportError(f"reading {what} needs pyarrow: {install_command('parquet')}") from None


def is_path(table: object) -> bool:
    """Whether this is a path, or a list of paths."""
    if isinstance(table, (list, tuple)) and table:
        return all(map(is_path, table))
    return isinstance(table, (str, os.PathLike))


@dataclass(frozen=True)
class ReadOptions:
    """Options as in `fastbleu.tables.score`; None: the default of the file's format."""

    quoted: bool | None = None
    delimiter: str | None = None
    encoding: str | None = None
    format: str | None = None
    progress: bool = False


class Files:
    """The parts of files as pyarrow tables, one in memory at a time.

    Paths are files, patterns with ``*``, ``?`` or ``[...]`` (``**`` for any directories),
    directories, or URLs that pyarrow or fsspec can open. Directories of Parquet files called
    ``key=value`` are columns, null in files that have neither the directory nor the column; any
    other column must be in all files. Only `columns` are read, if given; `texts` are columns of
    text, even if a text file has numbers.
    """

    def __init__(
        self, table: Any, columns: Sequence[str] | None, texts: Sequence[str], options: ReadOptions
    ) -> None:
        self._columns, self._texts, self._quoted = columns, texts, options.quoted
        delimiter, format = options.delimiter, options.format
        if delimiter not in (None, *DELIMITERS):
            raise ValueError(f"delimiter is {delimiter!r}, expected one of {DELIMITERS}")
        if format is not None:
            format = format.lower().removeprefix(".")
            check_choice("format", format, [end[1:] for end in FORMATS])
        self._delimiter, self._format = delimiter, FORMATS.get(f".{format}")
        self._encoding = codecs.lookup(options.encoding or "utf-8").name
        self.pyarrow = import_pyarrow(table)
        paths = table if isinstance(table, (list, tuple)) else [table]
        # Of each file: file system, path in it, name for messages, and base of a directory or None.
        self._files: list[tuple[Any, str, str, str | None]] = []
        for path in map(os.fspath, paths):
            self._files += self._found(path)
        self._rows = 0
        self._begun: list[tuple[int, str]] = []  # the first row and the name of each file
        kinds = {self._kind(path) for _, path, _, _ in self._files}
        self._dataset = self._datasets() if kinds == {"parquet"} else None

    def at(self, row: int) -> tuple[str, int]:
        """The file of a row that was read, and the row's number in it, from 0."""
        number = bisect_right(self._begun, row, key=itemgetter(0)) - 1
        start, name = self._begun[max(number, 0)]
        return name, row - start

    @property
    def rows(self) -> int | None:
        """The number of rows, from the footers of Parquet files; None for other files."""
        if self._dataset is None:
            return None
        with suppress(OSError, UnicodeError, self.pyarrow.ArrowException):  # reading names the file
            return int(sum(files.count_rows() for files in self._dataset))
        return None

    def __iter__(self) -> Iterator[Any]:
        for part in self._parquet_parts() if self._dataset is not None else self._parts():
            self._rows += len(part)
            yield part

    def _kind(self, path: str) -> str | None:
        """The format of a file, by default by the end of its name; None if it is not a table."""
        name = without_suffix(path)
        kind = FORMATS.get(os.path.splitext(name)[1])
        is_packed_table = name != path.lower() and kind in ("parquet", "ipc")
        return self._format or (None if is_packed_table else kind)

    def _found(self, path: str) -> list[tuple[Any, str, str, str | None]]:
        """The files of a path, pattern, directory or URL."""

        def files_below(folder: str) -> list[str]:
            listed = system.get_file_info(fs.FileSelector(folder, recursive=True))
            return sorted(info.path for info in listed if info.is_file)

        system: Any = fs.LocalFileSystem()
        inside, scheme = path, ""
        if url := re.match(r"[a-z][a-z0-9+.-]+://", path):
            scheme = url[0]
            system, inside = self._opened_url(path)
        if _WILDCARD.search(inside) and (scheme or not os.path.exists(path)):
            base = _base_of(inside)
            if scheme:
                files = list(filter(re.compile(_translated(inside)).fullmatch, files_below(base)))
            else:
                files = sorted(filter(os.path.isfile, glob.glob(path, recursive=True)))
        elif (kind := system.get_file_info([inside])[0].type) == fs.FileType.Directory:
            base = inside
            is_hidden = re.compile(r"(^|/)[._]").search
            visible = [file for file in files_below(base) if not is_hidden(file[len(base) :])]
            files = [file for file in visible if self._kind(file) is not None]
        elif kind == fs.FileType.File:
            return [(system, file, path, None) for file in self._known([inside], path)]
        elif kind == fs.FileType.NotFound:
            if os.path.splitext(inside)[1]:
                self._known([inside], path)
            fix = f"relative paths begin in {os.getcwd()}"
            raise FileNotFoundError(f"{path}: there is no such file or directory; {fix}")
        else:
            problem = "this is a pipe or a device: save its content as a file"
            raise InputError.in_file(path, problem)
        return [(system, file, f"{scheme}{file}", base) for file in self._known(files, path)]

    def _known(self, paths: list[str], table: str) -> list[str]:
        """The paths of a table; an error if there are none, or one has an unknown format."""
        if not paths:
            known = ", ".join(FORMATS)
            raise FileNotFoundError(f"{table}: there is no such file that ends in one of {known}")
        for path in paths:
            if self._kind(path) is None:
                end = os.path.splitext(path)[1]
                known = f"{', '.join(FORMATS)} (text files also with {', '.join(SUFFIXES)})"
                known += f", or name the format, as in {advised('format', 'jsonl')}"
                problem = f"the name ends in {end!r}; expected one of {known}"
                if what := unread_format(path):
                    problem = f"this is {what}"
                raise InputError.in_file(path, problem)
        return paths

    def _opened_url(self, url: str) -> tuple[Any, str]:
        """The file system of a URL, by pyarrow or fsspec, and the path in it."""
        # A pattern may not be a valid URL.
        plain = _base_of(url) if _WILDCARD.search(url) else url
        try:
            system, path = fs.FileSystem.from_uri(plain)
            return system, path + url[len(plain) :]
        except (self.pyarrow.ArrowInvalid, self.pyarrow.ArrowNotImplementedError) as error:
            try:
                opened, path = fsspec.core.url_to_fs(url)
            except (ImportError, ValueError) as problem:
                fix = "install fsspec and what it needs for URLs of this kind"
                raise InputError.in_file(url, f"{error}; {problem}; {fix}") from problem
            return fs.PyFileSystem(fs.FSSpecHandler(opened)), path

    def _datasets(self) -> list[Any]:
        """Datasets of the Parquet files: one for the files of a directory, pattern or list."""
        datasets = []
        for (system, base), files in groupby(self._files, lambda file: (file[0], file[3])):
            _, paths, names, _ = zip(*files, strict=True)
            options: dict[str, Any] = {"filesystem": system, "format": "parquet"}
            if base is not None:
                options |= {"partitioning": "hive", "partition_base_dir": base}
            try:
                datasets.append(dataset.dataset(list(paths), **options))
            except self.pyarrow.ArrowTypeError as error:
                message = (
                    f"{names[0]} has a column with the name of a directory's key "
                    f"(key=value), but of another type: {error}; rename or cast the column"
                )
                raise InputTypeError(message, file=names[0]) from error
            except Exception as error:
                if not is_damage(error):
                    raise
                raise InputError.in_file(names[0], explained(error)) from error
        return datasets

    def _parquet_parts(self) -> Iterator[Any]:
        """Columns of the datasets' Parquet files in batches.

        Reading a dataset directly would read all files ahead and decode whole row groups.
        """
        pyarrow = self.pyarrow
        name_of = {path: name for _, path, name, _ in self._files}
        for files in self._dataset or ():
            options = {"filesystem": files.filesystem, "buffer_size": _BUFFER, "pre_buffer": False}
            for fragment in files.get_fragments():
                name = name_of.get(fragment.path, fragment.path)
                self._begun.append((self._rows, name))
                keys = dataset.get_partition_keys(fragment.partition_expression)
                with parquet.ParquetFile(fragment.path, **options) as file:
                    present = [column for column in file.schema_arrow.names if column not in keys]
                    in_paths = [key for key in keys_of_paths(files) if key not in present]
                    names = self._checked([*present, *in_paths], fragment.path, name)
                    present = [column for column in names if column not in in_paths]
                    batches = file.iter_batches(CHUNK_ROWS, columns=present)
                    for batch in chain([file.schema_arrow.empty_table()], batches):
                        columns = dict(zip(batch.schema.names, batch.columns, strict=True))
                        for key in in_paths:
                            value = pyarrow.scalar(keys.get(key), files.schema.field(key).type)
                            columns[key] = pyarrow.repeat(value, len(batch))
                        yield pyarrow.table([columns[column] for column in names], names)

    def _parts(self) -> Iterator[Any]:
        """Columns of files of several formats in batches."""
        for system, path, name, _ in self._files:
            self._begun.append((self._rows, name))
            try:
                batches, names = self._opened(system, path, name)
                for batch in batches:
                    yield self.pyarrow.Table.from_batches([batch]).select(names)
            except Exception as error:
                if isinstance(error, MemoryError) and not is_damage(error):
                    raise
                problem = problem_of(error)
                is_arrow = isinstance(error, self.pyarrow.ArrowException)
                if isinstance(error, UnicodeError) or (is_arrow and self._kind(path) != "json"):
                    problem = explained(error)  # names the row of a .csv or .tsv file
                if problem is None:
                    raise
                raise InputError.in_file(name, problem) from error

    def _opened(
        self, system: Any, path: str, name: str, schema: Any = None
    ) -> tuple[Any, list[str]]:
        """The batches of a file, and the names of the columns to take; `schema` is for JSON."""
        pyarrow, kind = self.pyarrow, self._kind(path)
        stream = None  # for text that is compressed or in another encoding
        if kind in ("csv", "tsv", "json"):
            file = io.BufferedReader(system.open_input_file(path))
            content, is_utf8 = unpacked(file, path), self._encoding in ("utf-8", "utf-8-sig")
            if content is not file or not is_utf8:
                stream = pyarrow.PythonFile(content, "r")
            if not is_utf8:
                stream = pyarrow.transcoding_input_stream(stream, self._encoding, "utf-8")
        if kind in ("csv", "tsv"):
            wanted, default = self._columns or self._texts, "," if kind == "csv" else "\t"
            delimiter, quoted, columns = layout_of(
                self._lines(system, path), wanted, self._delimiter, self._quoted, default
            )
            if "\0" in "".join(columns):
                fix = f"name the encoding, as in {advised('encoding', 'utf-16')}"
                problem = f"line 1 has null characters: {fix}"
                raise InputError.in_file(name, problem, line=1)
            names = self._checked(columns, path, name)
            parsing = csv.ParseOptions(
                delimiter=delimiter,
                quote_char='"' if quoted else False,
                newlines_in_values=True,
                ignore_empty_lines=len(columns) > 1,  # in a single column, one is a missing value
            )
            # An empty cell is missing, a quoted empty cell is an empty text, and "NA" is a word.
            converting = csv.ConvertOptions(
                column_types={text: pyarrow.string() for text in self._texts},
                include_columns=names,
                null_values=[""],
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
            )
            stream = stream or system.open_input_stream(path, compression=None)
            reading = csv.ReadOptions(use_threads=False)  # else errors do not name the row
            return csv.open_csv(stream, reading, parsing, converting), names
        if kind == "json":
            if stream is None:
                rows: Any = dataset.dataset([path], schema, filesystem=system, format=kind)
            else:
                rows = json.open_json(stream, parse_options=json.ParseOptions(schema))
            inferred = pyarrow.struct(list(rows.schema))
            if (texts := _without_times(pyarrow, inferred)) != inferred:
                return self._opened(system, path, name, pyarrow.schema(list(texts)))
            names = self._checked(rows.schema.names, path, name)
            if stream is None:  # few batches ahead, because the default may take gigabytes
                ahead = {"batch_readahead": 4, "fragment_readahead": 1}
                rows = rows.to_batches(columns=names, batch_size=CHUNK_ROWS, **ahead)
            return rows, names
        # Not by a dataset, whose threads may end the process after an error.
        try:
            file = system.open_input_file(path)
            columns = ipc.open_file(file).schema.names
        except pyarrow.ArrowInvalid:  # Arrow's other format, for streams
            reader = ipc.open_stream(system.open_input_stream(path))
            return reader, self._checked(reader.schema.names, path, name)
        names = self._checked(columns, path, name)
        options = ipc.IpcReadOptions(included_fields=[columns.index(column) for column in names])
        reader = ipc.open_file(file, options=options)
        return map(reader.get_batch, range(reader.num_record_batches)), names

    def _lines(self, system: Any, path: str) -> Iterator[str]:
        """The lines of a file without line ends."""
        content = unpacked(io.BufferedReader(system.open_input_file(path)), path)
        with io.TextIOWrapper(content, self._encoding, "replace", newline="\n") as lines:
            for line in lines:
                yield line.removesuffix("\n")

    def _checked(self, columns: list[str], path: str, name: str) -> list[str]:
        """The names of the columns to read, after a check that the file has them."""
        needed = [*(self._columns or ()), *self._texts]
        if keys := [n for n in needed if n not in columns and f"/{n}=" in path]:
            problem = (
                f"{keys[0]!r} is in the name of a directory, which is read only if all "
                "files are Parquet; for another format pass pyarrow.dataset.dataset(path, "
                'format="csv", partitioning="hive")'
            )
            raise InputError.in_file(name, problem)
        roots_of(columns, needed)  # an error if there is none
        names = roots_of(columns, self._columns or columns)
        if twice := [column for column in names if columns.count(column) > 1]:
            problem = f"two columns are named {twice[0]!r}: rename one of them"
            raise InputError.in_file(name, problem)
        return names


def keys_of_paths(files: Any) -> list[str]:
    """The names of the keys in the paths of a dataset, as in key=value."""
    schema = getattr(getattr(files, "partitioning", None), "schema", None)
    # Without any, pyarrow gives the schema of the files.
    return [] if schema in (None, files.schema) else schema.names


def _without_times(pyarrow: Any, kind: Any) -> Any:
    """A type inferred from JSON, which has no times: texts that look like one are texts."""
    if pyarrow.types.is_struct(kind):
        return pyarrow.struct([(f.name, _without_times(pyarrow, f.type)) for f in kind])
    if pyarrow.types.is_list(kind):
        return pyarrow.list_(_without_times(pyarrow, kind.value_type))
    return pyarrow.string() if pyarrow.types.is_timestamp(kind) else kind


_ROW = "row {}: {}; "
# Errors of pyarrow about files, and the messages for users. Its rows include that of names, which
# has number 1; rows of messages are those of the table, from 0.
_PROBLEMS = {
    r"Row #(\d+): .*?(Expected \d+ columns, got \d+)": _ROW + "enclose cells with a delimiter or a "
    "line break in quotation marks, or pass {quoted} if marks are text",
    r"Row #(\d+): .*?(invalid UTF8)": _ROW + "convert the file, or name its encoding, as in "
    "{encoding}",
    r"Column\(/?(.+)\) changed from (\w+) to (\w+)": "{!r} is a JSON {} in one line and a JSON {} "
    "in another: write it as one type in all lines",
    r"Column\(/?\) changed from \w+ to (\w+)": "a line holds a JSON {}, expected an object on "
    "each line",
    "Failed to launch worker thread": "there is not enough memory for a thread",
    "surrogate": "a text has half of an emoji (an escape \\ud800 to \\udfff alone): repair or "
    "remove it",
}


def is_damage(error: Exception) -> bool:
    """Whether an error is pyarrow's about the content of a file or of a table."""
    if isinstance(error, MemoryError):  # a damaged length may ask for a terabyte or more
        return bool(re.search(r"size \d{13,} failed", str(error)))
    if type(error) is OSError:
        return error.errno is None
    is_arrow = type(error).__module__.startswith("pyarrow.")
    return is_arrow or isinstance(error, UnicodeDecodeError)


def explained(error: Exception) -> str:
    """pyarrow's error about a file, without its hints about datasets, and how to fix it."""
    for pattern, problem in _PROBLEMS.items():
        if match := re.search(pattern, str(error), re.DOTALL):
            facts = [str(int(fact) - 2) if fact.isdecimal() else fact for fact in match.groups()]
            options = {"quoted": advised("quoted"), "encoding": advised("encoding", "latin-1")}
            return problem.format(*facts, **options)
    return f"{str(error).rpartition(' file?: ')[2]}; is it complete, and each column of one type?"


def _base_of(pattern: str) -> str:
    """The directory before the first wildcard of a pattern."""
    return pattern[: _WILDCARD.search(pattern).start()].rpartition("/")[0]  # type: ignore[union-attr]


def _translated(pattern: str) -> str:
    """A pattern of paths as a regular expression."""
    parts = re.split(r"(\*\*/|\*\*$|\*|\?|\[[^]]+\])", pattern)
    known = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    kept = (
        known.get(part, part.replace("[!", "[^")) if number % 2 else re.escape(part)
        for number, part in enumerate(parts)
    )
    return "".join(kept)

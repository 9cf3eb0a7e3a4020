"""Files that contain more than one text: ``FILE::SELECTOR`` selects one.

The format is given by ``--read-as`` or by the suffix before any suffix of compression: ``.tsv``
and ``.csv`` (the selector is a column: its number, from 1, or its name in line 1), ``.jsonl``,
``.ndjson`` and ``.json`` (a key, or nested keys separated by dots; ``.json`` without a selector
holds COCO captions), ``.xml`` and ``.sgm`` (a translator or system, optional if there is only one;
or docid, the document of each segment), and those of other tables (a column's name). Directories,
patterns and URLs are read by `tables`. If a file's own name contains ``::``, that file is read.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import chain, islice

from ..core.inputs import errors
from ..core.inputs._utf8_rows import Utf8Rows
from ..core.inputs.arguments import a_type, closest, names_shown, number_of, shown
from ..core.inputs.missing import is_missing
from ..files.collection import collection_paused
from ..files.formats import (
    FORMATS,
    cells_of,
    is_heading,
    layout_of,
    rows_of,
    unread_format,
    without_suffix,
)
from .alignment import CocoReader, KeyedReader, KeyedRows, align_images, align_segments
from .imports import import_undisturbed
from .readers import (
    LABEL,
    PIPED,
    REFERENCE,
    STDIN,
    SYSTEM,
    ByteSource,
    ChainReader,
    InputError,
    LineReader,
    Reader,
    TextLines,
    lines_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .parser import Options

# Those that `tables` reads, and those that are read here.
_FORMATS = dict.fromkeys(FORMATS, "table") | {".tsv": "tsv", ".csv": "csv"}
_FORMATS |= {".jsonl": "json", ".ndjson": "json", ".json": "coco"}
_FORMATS |= {".xml": "xml", ".sgm": "sgml", ".sgml": "sgml"}
NAMED = tuple(end[1:] for end in _FORMATS)


def open_inputs(
    options: Options, opened: ExitStack, test_set: Sequence[Sequence[str]] = ()
) -> tuple[list[Reader], int, int]:
    """Open all files; return the readers, and the numbers of reference and system columns.

    `test_set` has the files of each reference that one adds.
    """
    names = {REFERENCE: options.references, SYSTEM: options.systems}
    names |= {PIPED: [STDIN] * (options.input is None), LABEL: options.labels.values()}
    files = {role: [open_input(n, role, options, opened) for n in names[role]] for role in names}
    references, systems = files[REFERENCE], files[SYSTEM] + files[PIPED]
    for paths in test_set:
        parts = [LineReader(TextLines(ByteSource(path, opened))) for path in paths]
        references.append(ChainReader(parts) if parts[1:] else parts[0])
    scored = references + systems
    of_tables = {options.missing, options.quoted, options.delimiter} - {None, "ragged"}
    if of_tables and not any(reader.missing for reader in scored):
        problem = "--missing, --quoted and --delimiter are for tables, but no file is read as one"
        raise InputError(problem)
    if options.read_as and "::" not in "".join([*options.references, *options.systems]):
        raise InputError("--read-as is for files with ::SELECTOR after the name")
    readers = scored + files[LABEL]
    if options.keyed and (others := [r for r in readers if not isinstance(r, KeyedReader)]):
        fix = "for tables name the column of keys, as in --keyed-by id"
        raise InputError(f"--keyed is for files of lines, but {others[0].label} is none: {fix}")
    if "image" in [reader.unit for reader in scored]:
        align_images(references, systems)
    if "segment" in [reader.unit for reader in readers]:
        align_segments(readers)
    columns_of_systems = sum([reader.width for reader in systems])
    for reader in scored:
        reader.keeps_ends = not options.strips
    return readers, sum([reader.width for reader in references]), columns_of_systems


def open_input(name: str, role: str, options: Options, opened: ExitStack) -> Reader:
    """Open a file of any format; `opened` will close it.

    `role`, REFERENCE or SYSTEM, decides if a selector matches both a translator and a system; a
    LABEL may be a number. ``--num-refs`` applies to references only. Tabs and carriage returns
    separate those PIPED.
    """
    path, selector, kind = select(name, options.read_as)
    has_keys = options.keyed_by is not None and role in (REFERENCE, SYSTEM)
    if has_keys and kind in (None, "xml", "sgml"):
        raise InputError(f"--keyed-by names a column of files with ::SELECTOR, but {name} is none")
    if role == REFERENCE and options.num_refs != 1 and kind is not None:
        raise InputError(f"{name}: --num-refs is for plain text without ::SELECTOR")
    texts = _opened(path, selector, kind, role, options, opened)
    if not has_keys:
        return texts
    keys = _opened(path, str(options.keyed_by), kind, LABEL, options, opened)
    return KeyedRows(keys, texts)


def _opened(
    path: str, selector: str, kind: str | None, role: str, options: Options, opened: ExitStack
) -> Reader:
    """Open a file of a format, whose segments are not matched by ``--keyed-by``."""
    missing = options.missing or "error"
    if missing == "ragged":
        missing = "empty" if role == REFERENCE else "error"
    if kind == "table":
        return TableReader(path, selector, missing, options, role == REFERENCE)
    source = ByteSource(path, opened, options.encoding)
    if kind in ("xml", "sgml"):
        from .markup import MarkupReader

        return MarkupReader(source, selector, role, kind == "xml")
    if kind == "coco" and not selector:
        opened.enter_context(collection_paused())  # until the captions are no longer needed
        return CocoReader(source)
    lines = TextLines(source, role == PIPED)
    if kind is None:
        if role == PIPED:
            source.label += " (hypotheses, as there is no -i)"
        fields = {REFERENCE: options.num_refs, PIPED: None}.get(role, 1)
        has_keys = options.keyed and fields in (1, None)
        return KeyedReader(lines) if has_keys else LineReader(lines, fields)
    if kind in ("tsv", "csv"):
        return ColumnReader(lines, selector, missing, options)
    return JsonReader(lines, selector, missing, role)


def select(name: str, read_as: str | None) -> tuple[str, str, str | None]:
    """Return path, selector and format; the format of plain text is None."""
    path, selected, selector = name, "", ""
    if "::" in name and not os.path.exists(name):
        path, selected, selector = name.rpartition("::")
        end = len(name)
        while (end := name.rfind("::", 0, end)) > 0:
            if os.path.exists(name[:end]):
                path, selector = name[:end], name[end + 2 :]
                break
    suffix = os.path.splitext(without_suffix(path))[1]
    if not selected:
        return path, "", None if suffix in (".tsv", ".csv") else _FORMATS.get(suffix)
    kind = _FORMATS.get(f".{read_as}" if read_as else suffix)
    is_several = os.path.isdir(path) or any(mark in path for mark in "*?[")
    if "://" in path or (is_several and not os.path.isfile(path)):
        kind = "table"
    if kind is None and (what := unread_format(path)):
        raise InputError(f"{path} is {what}")
    if kind is None:
        problem = "no such file; a ::SELECTOR can follow names that end in"
        raise InputError(f"{name}: {problem} {', '.join(_FORMATS)}; for others add --read-as")
    return path, selector, kind


class _CellReader(Reader):
    """Rows that contain more than the segment; subclasses extract the segment."""

    source: ByteSource
    _line = 1  # the number of the current row's first line

    def __init__(self, lines: TextLines, selector: str, missing: str) -> None:
        self.source, self.label = lines.source, lines.source.label
        self.selector, self.missing = selector, missing
        self._cells = self._extract(lines_of(lines))

    def read(self, count: int) -> list[list[Any]]:
        column: list[Any] = []
        for cell in islice(self._cells, count):
            self.segments += 1
            texts: list[Any] = cell if isinstance(cell, list) else [cell]
            if None in texts:
                place = f"{self.label}: {self.unit} {self._line}"
                filler = self.without_value(place, self.selector)
                texts = [] if filler is None else [filler if t is None else t for t in texts]
            if not self.keeps_ends:
                texts = [text.rstrip() for text in texts]
            column.append((texts or None) if isinstance(cell, list) or not texts else texts[0])
        return [column]

    def _extract(self, lines: Iterator[str]) -> Iterator[str | list[Any] | None]:
        """Yield each row's text or list of references; None stands for a missing text."""
        raise NotImplementedError

    def _error(self, problem: str) -> InputError:
        return self.source.error(f"{self.unit} {self._line}: {problem}")


class ColumnReader(_CellReader):
    """A column of values separated by tabs or another character; cells may be quoted."""

    def __init__(self, lines: TextLines, selector: str, missing: str, options: Options) -> None:
        super().__init__(lines, selector, missing)
        path = self.label
        if not selector:
            raise InputError(f"{path}: choose a column with ::NAME after the file name")
        self._is_csv = (options.read_as or without_suffix(path)).endswith("csv")
        usual = "," if self._is_csv else "\t"
        self._delimiter, self._quoted = options.delimiter or usual, bool(options.quoted)
        if self.source.size is not None:
            with ExitStack() as closed:
                again = lines_of(TextLines(ByteSource(path, closed, options.encoding)))
                wanted = () if selector.isdecimal() else (selector,)
                layout = layout_of(again, wanted, options.delimiter, options.quoted, usual)
                self._delimiter, self._quoted, _ = layout
        elif options.quoted is None:
            raise InputError(f"{path}: a pipe can be read only once: add --quoted or --no-quoted")

    def _extract(self, lines: Iterator[str]) -> Iterator[str | None]:
        rows = rows_of(lines) if self._quoted else lines
        first = list(islice(rows, 1))
        heading = [cell or "" for cell in self._split("".join(first))]
        is_name = self._is_csv and self.selector in heading
        if self.selector.isascii() and self.selector.isdigit() and not is_name:
            column = int(self.selector) - 1
            if not 0 <= column < len(heading):
                fix = "count from 1"
                fix += ", or add --delimiter if no tab separates them" * (len(heading) == 1)
                problem = f"line 1 has no column {self.selector}, only "
                raise self.source.error(f"{problem}{number_of(len(heading), 'column')}: {fix}")
            compared = list(islice(rows, 20))
            if is_heading(heading, [row.split(self._delimiter) for row in compared]):
                problem = f"line 1 seems to hold the names of columns: choose ::{heading[column]}"
                fix = "if it is a segment, save the column in a file of its own, as with cut -f"
                raise self.source.error(f"{problem}; {fix} {self.selector}")
            rows = chain(first, compared, rows)
        else:
            column = self._column_of(heading)
            self._line += 1 + "".join(first).count("\n")
        for row in rows:
            cells = self._split(row)
            if self._is_csv and not row.rstrip("\r") and len(heading) > 1:
                self._line += 1  # tables ignore blank lines, too
                continue
            if len(cells) != len(heading):
                columns = number_of(len(cells), "column")
                mark = "a tab" if self._delimiter == "\t" else repr(self._delimiter)
                problem = f"{columns}, but line 1 has {len(heading)}"
                raise self._error(f"{problem}; does a text contain {mark} or a line break?")
            yield cells[column] if self._quoted else cells[column] or None
            self._line += 1 + row.count("\n")

    def _column_of(self, names: list[str]) -> int:
        """The position of the column that the selector names."""
        if names.count(self.selector) == 1:
            return names.index(self.selector)
        meant = closest(self.selector, names) or f"one of {names_shown(map(repr, names))}"
        problem, fix = "no column is", f"choose {meant}, or a number if line 1 is a segment"
        if self.selector in names:
            problem, fix = "several columns are", "rename them"
        raise self.source.error(f"{problem} named {shown(self.selector)} in line 1; {fix}")

    def _split(self, row: str) -> Sequence[str | None]:
        row = row.removesuffix("\r")
        if not self._quoted:
            return row.split(self._delimiter)
        cells = cells_of(row, self._delimiter)
        if cells is None:
            problem = "a quotation mark neither encloses a cell nor is doubled in it"
            raise self._error(f"{problem}: correct it, or add --no-quoted")
        return cells


class JsonReader(_CellReader):
    """The value of one key in JSON objects: one per line, all in one list, or by number.

    A REFERENCE may be a list of references, and a LABEL a number.
    """

    def __init__(self, lines: TextLines, selector: str, missing: str, role: str) -> None:
        super().__init__(lines, selector, missing)
        self._is_reference, self._is_label = role == REFERENCE, role == LABEL

    def _extract(self, lines: Iterator[str]) -> Iterator[str | list[Any] | None]:
        first = list(islice(lines, 1))
        values: Iterator[Any] = map(self._parsed, chain(first, lines))
        if re.match(r'\s*(\[|\{\s*("\d+"\s*:\s*\{|$))', "".join(first)):
            whole = self._parsed("\n".join([*first, *lines]))
            if isinstance(whole, dict):  # a number for each object, as OpenCompass writes them
                is_numbered = whole and all(map(str.isdecimal, whole))
                whole = [whole[n] for n in sorted(whole, key=int)] if is_numbered else [whole]
            values = iter(whole)
            self.unit = "object"
        for value in values:
            yield self._text_of(value)
            self._line += 1

    def _parsed(self, text: str) -> Any:
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            problem, place = str(error), "this"
            if isinstance(error, json.JSONDecodeError):
                self._line += error.lineno - 1
                problem, place = error.msg, f"from character {error.colno} on this"
            expected = "JSON, one object per line or a list of objects"
            raise self._error(f"{place} is not {expected}: {problem}") from error

    def _text_of(self, value: Any) -> str | list[Any] | None:
        if not isinstance(value, dict):
            raise self._error(f"expected an object, found {_described(value)}")
        if not self.selector:
            fix = "choose a text with ::KEY after the name"
            raise self._error(f"{fix}; this is {_described(value)}")
        path = [self.selector] if self.selector in value else self.selector.split(".")
        for depth, key in enumerate(path):
            if isinstance(value, list) and key.isdecimal() and int(key) < len(value):
                value = value[int(key)]
            elif isinstance(value, dict) and key in value:
                value = value[key]
            else:
                where = f"{'.'.join(path[:depth])}, which is " if depth else ""
                raise self._error(f"no key {shown(key)} in {where}{_described(value)}")
        if self._is_label and isinstance(value, (int, float)):
            return json.dumps(value)
        is_list = isinstance(value, list) and self._is_reference
        texts = [None if is_missing(text) else text for text in (value if is_list else [value])]
        others = [text for text in texts if not (text is None or isinstance(text, str))]
        if texts and not others:
            self.ragged |= is_list
            return texts if is_list else texts[0]
        verb, wrong = ("holds", others[0]) if is_list and others else ("is", value)
        problem = f"{shown(self.selector)} {verb} {_described(wrong)}, but must be a string"
        if is_list:
            problem += " or a non-empty list of strings"
        elif isinstance(value, (dict, list)) and value:
            first = next(iter(value)) if isinstance(value, dict) else 0
            problem += f"; choose a part of it, such as ::{self.selector}.{first}"
        raise self._error(problem)


def _described(value: Any) -> str:
    if isinstance(value, dict):
        keys = ", ".join(map(repr, value))
        return f"an object with the keys {keys}" if value else "an empty object"
    if isinstance(value, list):
        return f"a list of {len(value)}" if value else "an empty list"
    names = {type(None): "null", bool: "true or false", str: "a string"}
    return names.get(type(value), "a number")


class TableReader(Reader):
    """The texts of one column of a table's files, read in parts, without Python strings.

    With `is_reference`, cells may be lists of references.
    """

    unit = "row"

    def __init__(
        self, path: str, column: str, missing: str, options: Options, is_reference: bool
    ) -> None:
        self.label, self.missing, self._is_reference = path, missing, is_reference
        self._column = column
        if not column:
            raise InputError(f"{path}: choose a column with ::NAME after the file name")
        with named(path):
            sources = import_undisturbed("fastbleu.tables.sources")
            layout = options.quoted, options.delimiter, options.encoding
            how = sources.ReadOptions(*layout, options.read_as)
            self._source = sources.Source(path, [column], [column], how, [column])
        self.segments_in_all = self._source.rows
        self._frames: Iterator[Any] = filter(len, self._source.chunks())
        self._texts: Any = None  # unread ones of earlier frames, then the current frame
        self._lines: Any = None  # the reader of these texts
        self._left = 0

    def read(self, count: int) -> list[Any]:
        while self._left < count:
            with named(self.label):
                frame = next(self._frames, None)
            if frame is None:
                break
            self._open(frame[self._column].to_native())
        if self._lines is None:
            return [Utf8Rows()]
        rows: Utf8Rows
        rows, missing = self._lines.read(count)
        rows.before = self.segments
        for number, _ in missing:
            self.without_value(self._place(rows.before + number), self._column)
        if not self.keeps_ends:
            rows.rstrip()
        self.segments += len(rows)
        self._left -= len(rows)
        if self.missing != "skip":
            return [rows]
        lines: list[Any] = self.listed(rows)
        for number, _ in missing:
            lines[number] = None
        return [lines]

    def listed(self, rows: Utf8Rows) -> list[str]:
        if rows.levels:
            column, before = f"column {self._column!r}", rows.before
            return rows.as_lists(lambda row, k: f"{self._place(before + row)}: {column}[{k}]")
        lines: list[str] = []
        try:
            lines += iter(rows)  # keeps the lines before an error
        except UnicodeDecodeError as error:
            where = f"byte {error.start + 1} is 0x{error.object[error.start]:02x}"
            problem = f"column {shown(self._column)} is not valid UTF-8 ({where}): save it as UTF-8"
            raise InputError(f"{self._place(rows.before + len(lines))}: {problem}") from error
        return lines

    def _place(self, row: int) -> str:
        return str(self._source.at(row)[0])

    def _open(self, texts: Any) -> None:
        """Append a frame's texts to the unread ones."""
        from pyarrow import chunked_array, large_list, large_string

        from ..core.inputs.columns import opened

        if len(texts) and texts.null_count == len(texts) and "list" not in str(texts.type):
            texts = texts.cast(self._texts.type if self._left else "string")
        start = self.segments + self._left
        try:
            lines: Any = opened(texts, self._column)
            is_text = lines is not None and lines.is_text and lines.levels <= self._is_reference
            is_text = is_text and (not self._left or lines.levels == self._lines.levels)
        except TypeError:
            is_text = False
        if not is_text and len(texts):
            problem = f"column {shown(self._column)} is {a_type(texts[0].as_py())}"
            raise InputError(f"{self._place(start)}: {problem}; choose a column of texts")
        if self._left:
            rest = self._texts[len(self._texts) - self._left :]
            kind = large_list(large_string()) if lines.levels else large_string()
            with named(self.label):
                rest.validate(full=True)
                texts.validate(full=True)
            parts = [part.cast(kind) for part in (rest, texts)]
            texts = chunked_array([chunk for part in parts for chunk in part.chunks])
        self._texts, self._left = texts, len(texts)
        self._lines = opened(texts, self._column)
        self.ragged = self.ragged or self._lines.levels > 0


@contextmanager
def named(path: str) -> Iterator[None]:
    """Make errors name the file."""
    try:
        yield
    except InputError:
        raise
    except (ImportError, OSError, TypeError, ValueError) as error:
        file = error.file if isinstance(error, errors.InputError) else None
        is_named = file is not None or isinstance(error, FileNotFoundError)
        message = f"{error}" if is_named else f"{path}: {error}"
        raise InputError(message, file=file or path) from error

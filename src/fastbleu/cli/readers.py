"""Parallel inputs, read in step: segment i of each belongs to segment i of all others.

Whitespace at the end of a segment, including a carriage return, is dropped before anything else
happens, and a byte order mark counts as text (with a warning): both are sacreBLEU's rules. Other
dialects may count whitespace: for them only the carriage return is dropped.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from ..inputs._utf8_rows import Utf8Rows
from ..inputs.missing import no_value
from .files import ByteSource, InputError, TextLines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    Chunks: TypeAlias = Iterator[list[Any]]  # for each column a list of str, or Utf8Rows

REFERENCE, SYSTEM = "ref", "hyp"  # the purpose of a file
CHUNK_LINES = 512  # few enough that derived data stays in the cache
_OUTPUT_BYTES = 1 << 14  # at the start of a file, searched for toolkit outputs
# How toolkit outputs begin, bytes that each contains, and the commands that extract the texts.
_OUTPUTS = (
    (
        rb"(?:[^\n]*\n)*?[HD]-\d+\t-?[\d.e-]+\t|[ST]-\d+\t",
        b"\t",
        "fairseq output: get hypotheses with grep ^H- FILE | LC_ALL=C sort -V | cut -f3- (or ^D- "
        "if detokenized) and references with grep ^T- FILE | LC_ALL=C sort -V | cut -f2-",
    ),
    (
        rb"\d+ \|\|\| .* \|\|\| ",
        b" ||| ",
        "an n-best list: get the first text of each segment with "
        "awk -F ' [|][|][|] ' '!n[$1]++ {print $2}' FILE",
    ),
    (
        rb"(?i)\s*<seg\b[^<>\n]*>.*</seg>",
        b"</",
        "<seg> lines: get the texts with sed 's/<[^>]*>//g' FILE",
    ),
    (
        rb"(?i)\s*<(?:\?xml\s|(?:doc|refset|tstset|srcset)\s[^<>]*id\s*=)",
        b"<",
        "XML or SGML: rename it to end in .xml or .sgm",
    ),
)


class Reader:
    """One input as parallel columns of segments.

    `label` is its name in messages, `source` its bytes, `unit` what a segment is called ("line" or
    "segment"), and `width` the number of columns. `segments` is the number read so far, and
    `segments_in_all` the total, if the file states it. `is_utf8`: `rows` can read the segments.
    `ragged`: cells may be lists of references, or None where a segment has fewer references than
    others. `missing`, for tables: "error", "empty", or "skip" to return None for a segment without
    a value. `keeps_ends`: whitespace at the end of a segment is part of it.
    """

    label: str
    source: ByteSource | None = None
    unit = "line"
    width = 1
    is_utf8 = False
    ragged = False
    keeps_ends = False
    segments = 0
    segments_in_all: int | None = None
    missing: str | None = None
    left_out, first_left_out = 0, ""

    def read(self, count: int) -> list[list[str]]:
        """Return the next `count` segments of each column, or as many as there are."""
        raise NotImplementedError

    def rows(self, count: int) -> Utf8Rows:
        """Return what `read` would, as unchecked UTF-8."""
        raise NotImplementedError

    def listed(self, rows: Utf8Rows) -> list[str]:
        """Convert what `rows` returned to str."""
        raise NotImplementedError

    def notes(self) -> list[str]:
        """Return warnings about the file, once it has been read."""
        if not self.left_out:
            return []
        rows = _counted(self.left_out, self.unit)
        where = f"the first is {self.first_left_out}"
        return [f"left out {rows}, because a value is missing; {where}"]

    def without_value(self, row: str, column: str) -> str | None:
        """Return what replaces a missing value: "", or None to leave the segment out."""
        if self.missing == "error":
            raise InputError(no_value(row, column))
        if self.missing == "empty":
            return ""
        self.left_out += 1
        self.first_left_out = self.first_left_out or row
        return None

    def count_all(self) -> int | None:
        """Return the number of segments in the file; None on an error or if it may have to wait."""
        try:
            while not self.may_wait:
                if not self.read(CHUNK_LINES)[0]:
                    return self.segments
        except InputError:
            pass
        return None

    @property
    def may_wait(self) -> bool:
        """Whether reading the rest may have to wait, because it comes from a pipe."""
        return self.source is not None and self.source.size is None


def _refuse_output(source: ByteSource) -> None:
    """Raise InputError if a text file is a toolkit's output, which holds more than the texts."""
    start = source.peek()[:_OUTPUT_BYTES].removeprefix(codecs.BOM_UTF8)
    for pattern, part, fix in _OUTPUTS:
        if part in start and re.match(pattern, start):  # compiling a pattern takes a millisecond
            raise InputError(f"{source.label} is {fix}", file=source.label)


class LineReader(Reader):
    """Every line is a segment."""

    source: ByteSource

    def __init__(self, lines: TextLines) -> None:
        self.source = lines.source
        self.label = lines.source.label
        self.is_utf8 = lines.is_utf8
        self._lines = lines
        self._begun: Utf8Rows | None = None  # lines read before the first segment was requested

    def read(self, count: int) -> list[list[str]]:
        return [self.listed(self.rows(count))]

    def rows(self, count: int) -> Utf8Rows:
        if not self.segments and self._begun is None:
            _refuse_output(self.source)
        rows = self._lines.rows(count, self._begun)
        self._begun = None
        if self.keeps_ends:
            rows.drop_carriage_returns()
        else:
            rows.rstrip()
        self.segments += len(rows)
        return rows

    def listed(self, rows: Utf8Rows) -> list[str]:
        return self._lines.listed(rows)

    @property
    def may_wait(self) -> bool:
        return super().may_wait and not self._lines.ended

    def notes(self) -> list[str]:
        note = (
            f"{self.label} starts with a byte order mark, which is scored as part of its first "
            "token, as in sacreBLEU; --encoding utf-8-sig drops it"
        )
        marked = self.source.start.startswith(codecs.BOM_UTF8)
        return [note] if marked and self._lines.encoding == "utf-8" else []


class FieldsReader(LineReader):
    """Every line holds `fields` segments separated by tabs; further tabs belong to the last.

    By default, every tab separates, and the first line sets the number of fields.
    """

    def __init__(self, lines: TextLines, fields: int | None = None) -> None:
        super().__init__(lines)
        self._cuts = -1 if fields is None else fields - 1
        self.width = fields or 1
        if fields is None:
            _refuse_output(lines.source)
            self._begun = lines.rows(1)
            self.width += sum(line.rstrip().count("\t") for line in lines.listed(self._begun))
        self.is_utf8 = lines.is_utf8 and self.width == 1

    def read(self, count: int) -> list[list[str]]:
        return self._split(super().rows(count))

    def rows(self, count: int) -> Utf8Rows:
        lines = super().rows(count)
        if lines.contain(ord("\t")):
            self._split(lines)
        return lines

    def check_fields(self) -> None:
        while self.read(CHUNK_LINES)[0]:
            pass

    def _split(self, lines: Utf8Rows) -> list[list[str]]:
        """Split lines into columns; every line must have all of them."""
        fields = [line.split("\t", self._cuts) for line in self.listed(lines)]
        for number, row in enumerate(fields, lines.before + 1):
            if len(row) != self.width:
                raise self._uneven(number, len(row))
        return list(map(list, zip(*fields, strict=True))) or [[] for _ in range(self.width)]

    def _uneven(self, number: int, width: int) -> InputError:
        expected = f"--num-refs is {self.width}: every line needs that many references"
        if self._cuts == -1:
            expected = (
                f"line 1 has {self.width}: on standard input each field is a system; for text that "
                "contains tabs name the file after -i"
            )
        fields = f"{_counted(width, 'field')} separated by tabs"
        problem = f"line {number} has {fields}, {expected}"
        return self.source.error(problem, line=number, status=17)


class ChainReader(Reader):
    """Several inputs, one after the other."""

    def __init__(self, readers: Sequence[Reader]) -> None:
        self.label = " + ".join(reader.label for reader in readers)
        self._readers = readers
        self._current = 0

    @property
    def may_wait(self) -> bool:
        return any(reader.may_wait for reader in self._readers)

    def read(self, count: int) -> list[list[str]]:
        column: list[str] = []
        while len(column) < count and self._current < len(self._readers):
            lines = self._readers[self._current].read(count - len(column))[0]
            column += lines
            self._current += not lines
        self.segments += len(column)
        return [column]

    def notes(self) -> list[str]:
        return [note for reader in self._readers for note in reader.notes()]


def present(row: Sequence[str | list[str] | None]) -> list[str]:
    """Flatten the references of a segment, which may be lists or None; [""] if there are none."""
    texts: list[str] = []
    for cell in row:
        texts += cell if isinstance(cell, list) else [] if cell is None else [cell]
    return texts or [""]


def in_step(readers: Sequence[Reader], count: int = CHUNK_LINES, in_place: bool = False) -> Chunks:
    """Yield the next `count` segments of all inputs: one list of str per column, equally long.

    With `in_place`, columns are Utf8Rows; all readers must support them.
    """
    length = count
    while length == count:
        chunk: list[Any] = []
        for reader in readers:
            chunk += [reader.rows(count)] if in_place else reader.read(count)
        length = len(chunk[0])
        if len(set(map(len, chunk))) > 1:
            raise _unequal(readers, listed(readers, chunk))
        if length:
            yield chunk


def joined(chunks: Iterable[list[Any]]) -> list[list[Any]]:
    """Concatenate the columns of all chunks, which must be lists."""
    columns = [list(chain.from_iterable(column)) for column in zip(*chunks, strict=True)]
    if not columns:
        raise no_segments()
    return columns


def no_segments() -> InputError:
    return InputError("no segment to score: the files have no lines")


def listed(readers: Sequence[Reader], chunk: list[Any]) -> list[list[str]]:
    """Return a chunk as lists of str; an InputError names a line that is not UTF-8."""
    if not isinstance(chunk[0], Utf8Rows):
        return chunk
    return [reader.listed(rows) for reader, rows in zip(readers, chunk, strict=True)]


def _unequal(readers: Sequence[Reader], chunk: list[list[str]]) -> InputError:
    firsts = [chunk[sum(r.width for r in readers[:i])] for i in range(len(readers))]
    lengths = list(map(len, firsts))
    longer = next(i for i, length in enumerate(lengths) if length > min(lengths))
    short, long = readers[lengths.index(min(lengths))], readers[longer]
    segments, total = short.segments, long.count_all()
    fix = "all files must hold the same segments in the same order"
    if total is None:
        short_end = f"{short.label} ends after {short.unit} {segments}"
        return InputError(f"{short_end}, {long.label} goes on: {fix}", file=short.label)
    if total == segments + 1 and not firsts[longer][-1]:
        fix = f"remove its last {long.unit}, which is blank"
    else:
        fix += "; look for a missing or an extra one"
    has = f"{short.label} has {_counted(segments, short.unit)}"
    message = f"{has}, {long.label} has {_counted(total, long.unit)}: {fix}"
    return InputError(message, file=short.label)


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"

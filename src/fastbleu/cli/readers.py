r"""Inputs: files as bytes, as lines of text, and as segments.

A line ends only at ``\n``. U+2028, U+0085 and the other characters at which ``str.splitlines``
splits are text; otherwise parallel files would get out of step. A last line without a newline is a
line like any other.

For sacreBLEU's scores, whitespace at the end of a segment, including a carriage return, is dropped
before anything else happens. Other dialects may count whitespace: wherever they may be asked, only
the carriage return is dropped. A byte order mark counts as text (with a warning), as in sacreBLEU.
"""

from __future__ import annotations

import codecs
import io
import os
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from itertools import islice

from ..core.inputs import errors
from ..core.inputs._utf8_rows import Utf8Lines, Utf8Rows
from ..core.inputs.arguments import number_of, shown
from ..files.formats import (
    PackedError,
    module_of,
    no_value,
    output_of,
    problem_of,
    texts_by_key,
    unpacked,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, BinaryIO, TypeAlias

    Column: TypeAlias = Any  # the next segments: a list of str, or Utf8Rows

STDIN = "-"

# The purpose of a file; PIPED are the hypotheses on standard input if there is no -i.
REFERENCE, SYSTEM, PIPED, LABEL = "ref", "hyp", "piped", "label"
CHUNK_LINES = 512  # few enough that derived data stays in the cache

_BLOCK_BYTES = 1 << 17  # with smaller blocks, threads wait for each other
_LEAST_AHEAD = 512  # decompressed data may come in pieces of one byte
_START_BYTES = 9  # enough to recognize the type of a file
_FIRST_LINES, _FEWEST_KEYS = 16, 3  # in which keys are looked for
_OUTPUT_BYTES = 1 << 14  # at the start of a file, searched for toolkit outputs


class InputError(errors.InputError):
    """Input that cannot be scored, with a one-line message and the command's exit status."""

    status = 1

    def __init__(self, message: str, **facts: Any) -> None:
        super().__init__(printable(message), **facts)


def printable(text: str) -> str:
    """Escape line ends and control characters, which file names and ids may contain."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


class ByteSource:
    """The bytes of a file or of standard input, unpacked if they are compressed.

    `encoding` is that of the text in them, unless the file declares another.
    `where` describes the reader's position in error messages; `start` holds the first bytes;
    `may_wait` tells whether reading may have to wait, because the rest comes from a pipe.
    """

    def __init__(self, name: str, opened: ExitStack, encoding: str = "utf-8") -> None:
        self.label = "standard input" if name == STDIN else name or "a file without a name"
        self.encoding = encoding
        self.where: Callable[[], str] = lambda: "while it was opened"
        self._file: BinaryIO
        if name != STDIN:
            try:
                self._file = io.BufferedReader(io.FileIO(name), _BLOCK_BYTES)
            except IsADirectoryError as error:
                raise self._unreadable(error, "name a file in it") from error
            except (OSError, ValueError) as error:  # ValueError: a NUL in the name
                raise self._unreadable(error, "check the name and its permissions") from error
            opened.enter_context(self._file)
        elif sys.stdin is None:
            raise InputError("standard input is closed: name a file instead of -", file=self.label)
        else:
            file: Any = sys.stdin.buffer  # or an object that cannot be peeked
            self._file = file if hasattr(file, "peek") else io.BufferedReader(file)
        self.size: int | None = None  # bytes of the file on disk; None for a pipe
        with suppress(OSError):  # standard input may be an object without a descriptor
            status = os.fstat(self._file.fileno())
            self.size = status.st_size if stat.S_ISREG(status.st_mode) else None
            is_device = stat.S_ISCHR(status.st_mode) or stat.S_ISBLK(status.st_mode)
            is_null = status.st_rdev == os.stat(os.devnull).st_rdev
            if is_device and not (is_null or self._file.isatty()):
                raise self.error("a device, such as /dev/zero, may never end")
        self.may_wait = self.size is None
        self._ahead = b""
        self.start = b""
        self._name = name
        self._content: Any = None  # unpacked; the compression is recognized at the first read

    @property
    def position(self) -> int:
        """The number of bytes read from the file."""
        return self._file.tell()

    def peek(self) -> bytes:
        """Return what the next `read` will return, which is enough to recognize a format."""
        ahead = b""
        while len(ahead) < _LEAST_AHEAD and (more := self.read()):
            ahead += more
        self._ahead = ahead
        return ahead

    def read(self) -> bytes:
        """Return the next bytes, as soon as there are any; b"" at the end."""
        if self._ahead:
            ahead, self._ahead = self._ahead, b""
            return ahead
        try:
            if self._content is None:
                self._content = unpacked(self._file, self._name)
            data: bytes = self._content.read1(_BLOCK_BYTES)
            self.may_wait &= bool(data)
            if len(self.start) < _START_BYTES:
                self.start += data[:_START_BYTES]
                # The first bytes of a pipe may have come one by one.
                if self.size is None and module_of(self.start):
                    raise PackedError("packed data comes in tiny pieces: save it as a file")
            return data
        except Exception as error:
            if problem := problem_of(error):
                where = f"{self.where()}: " * bool(self.start)
                raise self.error(f"{where}{problem}") from error
            if isinstance(error, OSError):
                raise self._unreadable(error, self.where()) from error
            raise

    def _unreadable(self, error: Exception, hint: str) -> InputError:
        problem = getattr(error, "strerror", None) or str(error)
        return self.error(f"{problem[:1].lower()}{problem[1:]}; {hint}")

    def error(self, problem: str, **facts: Any) -> InputError:
        """Return an InputError that names the file."""
        return InputError(f"{self.label}: {problem}", file=self.label, **facts)


class TextLines:
    """The lines of one input; with `universal_newlines` a carriage return ends a line, too.

    `declared` is the encoding that the file itself declares. `is_utf8`: all lines can be counted as
    UTF-8. `rows(count, begun)` are the next lines, fewer at the end; `begun` is filled up to
    `count`.
    """

    def __init__(
        self, source: ByteSource, universal_newlines: bool = False, declared: str = ""
    ) -> None:
        self.source = source
        self.encoding = codecs.lookup(declared or source.encoding).name
        self.is_utf8 = self.encoding in ("utf-8", "utf-8-sig")
        self._declared = declared
        read = source.read
        if universal_newlines or self.encoding != "utf-8":
            decoder = codecs.getincrementaldecoder(self.encoding)("strict")
            newlines = io.IncrementalNewlineDecoder(decoder, translate=True)
            self._decode = newlines.decode if universal_newlines else decoder.decode
            self._decoded_all = False
            read = self._read_decoded
        self._lines = Utf8Lines(read, surrogates=not self.is_utf8)
        self.rows = self._lines.take
        source.where = lambda: f"after line {self.taken}" if self.taken else "in line 1"

    @property
    def taken(self) -> int:
        """The number of lines read."""
        return self._lines.taken

    def read(self, count: int) -> list[str]:
        """Return the next `count` lines, or as many as there are, as str."""
        return self.listed(self.rows(count))

    def listed(self, rows: Utf8Rows) -> list[str]:
        """Convert lines that `rows` returned to str."""
        lines: list[str] = []
        try:
            lines += iter(rows)  # keeps the lines before an error
        except UnicodeDecodeError as error:
            raise self._invalid(error, rows.before + len(lines) + 1, error.start + 1) from error
        return lines

    def _read_decoded(self) -> bytes:
        """Return the next text, encoded in UTF-8; b"" at the end."""
        text = ""
        while not (text or self._decoded_all):
            data = self.source.read()
            self._decoded_all = not data
            try:
                text = self._decode(data, self._decoded_all)
            except UnicodeError as error:
                raise self._undecodable(error) from error
        return text.encode("utf-8", "surrogatepass")

    def _undecodable(self, error: UnicodeError) -> InputError:
        """Return the error for undecodable bytes after the lines read so far."""
        # There is no single wrong byte in UTF-16 without a byte order mark (a UnicodeDecodeError
        # from CPython 3.13 on), and encodings of domain names do not report one.
        if (
            not isinstance(error, UnicodeDecodeError)
            or "BOM" in error.reason
            or self.encoding in ("idna", "punycode")
        ):
            named = "name the --encoding of all files, such as utf-16-le"
            fix = "correct the declaration" if self._declared else named
            line = self.taken + 1
            return self.source.error(f"line {line} cannot be decoded: {error}; {fix}", line=line)
        good = error.object[: error.start].decode(self.encoding, "replace").split("\n")
        begun = self._lines.unfinished.decode("utf-8", "surrogatepass")
        start = good[-1] if len(good) > 1 else begun + good[0]
        byte = len(start.encode(self.encoding, "replace")) + 1
        return self._invalid(error, self.taken + len(good), byte)

    def _invalid(self, error: UnicodeDecodeError, line: int, byte: int) -> InputError:
        name = "UTF-8" if self.encoding == "utf-8" else self.encoding
        fix = "convert it, as with iconv -f LATIN1 -t UTF-8"
        fix += ", or name the --encoding of all files, such as latin-1"
        if self.source.start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            fix = "it is UTF-16: convert it, or use --encoding utf-16 if all files are"
        if self._declared:
            fix = "the file declares this encoding: correct the declaration or the text"
        elif self.encoding != "utf-8":
            fix = "--encoding applies to all files: convert those in other encodings"
        wrong = f"byte {byte} of the line is 0x{error.object[error.start]:02x}"
        return self.source.error(f"line {line} is not valid {name} ({wrong}): {fix}", line=line)


class Reader:
    """One input as parallel columns of segments.

    `label` is its name in messages, `source` its bytes, `unit` what a segment is called ("line" or
    "segment"), and `width` the number of columns. `segments` is the number read so far, and
    `segments_in_all` the total, if the file states it. `ragged`: cells may be lists of references,
    or None where a segment has fewer references than others. `missing`, for tables: "error",
    "empty", or "skip" to return None for a segment without a value. `keeps_ends`: whitespace at the
    end of a segment is part of it. `selector`: the part of the file, as its name or number.
    """

    label: str
    source: ByteSource | None = None
    unit = "line"
    width = 1
    ragged = False
    keeps_ends = False
    selector = ""
    segments = 0
    segments_in_all: int | None = None
    missing: str | None = None
    left_out, first_left_out = 0, ""

    def read(self, count: int) -> list[Column]:
        """Return the next `count` segments of each column, or as many as there are.

        Utf8Rows are unchecked.
        """
        raise NotImplementedError

    def listed(self, rows: Utf8Rows) -> list[str]:
        """Convert Utf8Rows that `read` returned to str."""
        raise NotImplementedError

    def notes(self) -> list[str]:
        """Return warnings about the file, once it has been read."""
        if not self.left_out:
            return []
        rows = number_of(self.left_out, self.unit)
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
        with suppress(InputError):
            while not (self.source and self.source.may_wait):
                if not self.read(CHUNK_LINES)[0]:
                    return self.segments
        return None


def _refuse_output(source: ByteSource) -> None:
    """Raise InputError if a text file is a toolkit's output, which holds more than the texts."""
    start = source.peek()[:_OUTPUT_BYTES].removeprefix(codecs.BOM_UTF8)
    if output := output_of(start):
        raise InputError(f"{source.label} is {output}", file=source.label)


class LineReader(Reader):
    """Every line holds `fields` segments separated by tabs; further tabs belong to the last.

    With None, every tab separates, and the first line sets the number of fields.
    """

    source: ByteSource

    def __init__(self, lines: TextLines, fields: int | None = 1) -> None:
        self.source, self.label, self._lines = lines.source, lines.source.label, lines
        self._begun: Utf8Rows | None = None  # lines read before the first segment was requested
        self._key = ""  # of line 1, if all lines have keys
        self._cuts = -1 if fields is None else fields - 1
        self.width = fields or 1
        if fields is None:
            _refuse_output(self.source)
            self._begun = lines.rows(1)
            self.width += sum(line.rstrip().count("\t") for line in lines.listed(self._begun))

    def read(self, count: int) -> list[Column]:
        rows = self._rows(count)
        if self.width == 1 and not (self._cuts and rows.contain(ord("\t"))):
            return [rows if self._lines.is_utf8 else self.listed(rows)]
        fields = []
        for number, line in enumerate(self.listed(rows), rows.before + 1):
            text = line.rstrip()  # a tab in the whitespace at the end does not start a field
            fields.append(text.split("\t", self._cuts))
            fields[-1][-1] += line[len(text) :]
            if len(fields[-1]) != self.width:
                raise self._uneven(number, len(fields[-1]))
        return list(map(list, zip(*fields, strict=True))) or [[] for _ in range(self.width)]

    def _rows(self, count: int) -> Utf8Rows:
        if not self.segments and self._begun is None:
            _refuse_output(self.source)
        rows = self._lines.rows(count, self._begun)
        self._begun = None
        if self.keeps_ends:
            rows.drop_carriage_returns()
        else:
            rows.rstrip()
        with suppress(UnicodeDecodeError):  # named when the line is counted
            if not self.segments:
                first = list(islice(iter(rows), _FIRST_LINES))
                texts = texts_by_key(first)
                has_keys = len(texts) == len(first) >= _FEWEST_KEYS and any(texts.values())
                self._key = next(iter(texts)) if has_keys else ""
            if self._key and len(rows) and not texts_by_key(list(iter(rows))):
                self._key = ""
        self.segments += len(rows)
        return rows

    def listed(self, rows: Utf8Rows) -> list[str]:
        return self._lines.listed(rows)

    def check_fields(self) -> None:
        """Read the rest; InputError if a line has more or fewer fields than the others."""
        while self._cuts and self.read(CHUNK_LINES)[0]:
            pass

    def _uneven(self, number: int, width: int) -> InputError:
        expected = f"--num-refs is {self.width}: every line needs that many references"
        if self._cuts == -1:
            expected = (
                f"line 1 has {self.width}: on standard input each field is a system; for text that "
                "contains tabs name the file after -i"
            )
        fields = f"{number_of(width, 'field')} separated by tabs"
        problem = f"line {number} has {fields}, {expected}"
        return self.source.error(problem, line=number, status=17)

    def notes(self) -> list[str]:
        notes = []
        if self._key:
            keys = (
                f"all lines have keys or ids, such as {shown(self._key)}, which are scored as text"
            )
            notes.append(f"{self.label}: {keys}; --keyed matches lines by them")
        if self._lines.encoding == "utf-8" and self.source.start.startswith(codecs.BOM_UTF8):
            mark = f"{self.label} starts with a byte order mark, which is scored as part of its "
            notes.append(f"{mark}first token, as in sacreBLEU; --encoding utf-8-sig drops it")
        return notes


class ChainReader(Reader):
    """Several inputs, one after the other."""

    def __init__(self, readers: Sequence[Reader]) -> None:
        self.label = " + ".join(reader.label for reader in readers)
        self._readers = readers
        self._current = 0

    def read(self, count: int) -> list[Column]:
        column: list[str] = []
        while len(column) < count and self._current < len(self._readers):
            reader = self._readers[self._current]
            reader.keeps_ends = self.keeps_ends
            [lines] = reader.read(count - len(column))
            column += lines if type(lines) is list else reader.listed(lines)
            self._current += not len(lines)
        self.segments += len(column)
        return [column]

    def notes(self) -> list[str]:
        return [note for reader in self._readers for note in reader.notes()]


def lines_of(lines: TextLines) -> Iterator[str]:
    """The lines of a file, without its byte order mark."""
    while block := lines.read(CHUNK_LINES):
        if lines.taken == len(block):
            block[0] = block[0].removeprefix("\ufeff")
        yield from block

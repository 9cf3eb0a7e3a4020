r"""Files as bytes and as lines of text, with errors that name file and line.

A line ends only at ``\n``. U+2028, U+0085 and the other characters at which ``str.splitlines``
splits are text; otherwise parallel files would get out of step. A last line without a newline is a
line like any other.
"""

from __future__ import annotations

import codecs
import io
import os
import stat
import sys
from collections.abc import Callable
from contextlib import ExitStack, suppress

from ..inputs._utf8_rows import Utf8Lines, Utf8Rows
from ..inputs.errors import LocatedValueError
from ..inputs.file_formats import PackedError, module_of, problem_of, unpacked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, BinaryIO

STDIN, STDIN_LABEL = "-", "standard input"

_BLOCK_BYTES = 1 << 17  # with smaller blocks, threads wait for each other
_LEAST_AHEAD = 512  # decompressed data may come in pieces of one byte
_START_BYTES = 9  # enough to recognize the type of a file


class InputError(LocatedValueError):
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

    `where` describes the reader's position in error messages; `start` holds the first bytes.
    """

    def __init__(self, name: str, opened: ExitStack) -> None:
        self.label = STDIN_LABEL if name == STDIN else name
        self.where: Callable[[], str] = lambda: "while it was opened"
        self._file: BinaryIO
        if name != STDIN:
            try:
                self._file = io.BufferedReader(io.FileIO(name), _BLOCK_BYTES)
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

    `declared`: the file itself declares the encoding. `is_utf8`: all lines can be counted as UTF-8.
    """

    def __init__(
        self,
        source: ByteSource,
        encoding: str = "utf-8",
        universal_newlines: bool = False,
        declared: bool = False,
    ) -> None:
        self.source = source
        self.encoding = codecs.lookup(encoding).name
        self.is_utf8 = self.encoding in ("utf-8", "utf-8-sig")
        self._declared = declared
        read = source.read
        if universal_newlines or self.encoding != "utf-8":
            decoder = codecs.getincrementaldecoder(encoding)("strict")
            newlines = io.IncrementalNewlineDecoder(decoder, translate=True)
            self._decode = newlines.decode if universal_newlines else decoder.decode
            self._decoded_all = False
            read = self._read_decoded
        self._lines = Utf8Lines(read, surrogates=not self.is_utf8)
        source.where = lambda: f"after line {self.taken}"

    @property
    def taken(self) -> int:
        """The number of lines read."""
        return self._lines.taken

    @property
    def ended(self) -> bool:
        """Whether all lines have been read."""
        return self._lines.ended

    def rows(self, count: int, begun: Utf8Rows | None = None) -> Utf8Rows:
        """Return the next `count` lines, fewer at the end; fill `begun` up to `count` if given."""
        return self._lines.take(count, begun)

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
            named = "name the file's own --encoding, such as utf-16-le"
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
        fix = "convert the file (iconv -f LATIN1 -t UTF-8) or name its --encoding, such as latin-1"
        if self.source.start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            fix = "it is UTF-16: convert it, or use --encoding utf-16 if all files are"
        if self._declared:
            fix = "the file declares this encoding: correct the declaration or the text"
        elif self.encoding != "utf-8":
            fix = "--encoding applies to all files: convert those in other encodings"
        wrong = f"byte {byte} of the line is 0x{error.object[error.start]:02x}"
        return self.source.error(f"line {line} is not valid {name} ({wrong}): {fix}", line=line)

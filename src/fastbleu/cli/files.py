r"""Files as bytes and as lines of text, with errors that name file and line.

A line ends at ``\n`` and nowhere else: U+2028, U+0085 and the other characters at which
``str.splitlines`` cuts are text, or parallel files would fall out of step. A last line without its
newline counts like any other.
"""

from __future__ import annotations

import codecs
import io
import os
import re
import stat
import sys
import zlib
from collections.abc import Callable
from contextlib import ExitStack
from typing import BinaryIO

from ..inputs._utf8_rows import Utf8Lines, Utf8Rows

STDIN = "-"

_BLOCK_BYTES = 1 << 17  # with smaller blocks, threads wait for each other
_LEAST_AHEAD = 512  # decompressed data may come in pieces of one byte
_START_BYTES = 3  # enough to recognize the type of a file
# The first bytes of files that are not UTF-8 text, and how to fix these files.
_FOREIGN_STARTS = {
    b"\x1f\x8b": "it is compressed: unpack it (gzip -dc), or let its name end in .gz",
    b"\xff\xfe": "it is UTF-16: convert it, or use --encoding utf-16 if all files are",
    b"\xfe\xff": "it is UTF-16: convert it, or use --encoding utf-16 if all files are",
}


class InputError(ValueError):
    """Input that cannot be scored: a message of one line, and the exit status of the command."""

    def __init__(self, message: str, status: int = 1) -> None:
        super().__init__(printable(message))
        self.status = status


# What the API's messages advise, and the command's options for it.
_OPTIONS = (
    (r', as BLEU\.score does with missing="(\w+)"( or "\w+")?', r" by --missing \1"),
    (r'missing="(\w+)"', r"--missing \1"),
    (r'BLEU\(tokenize=\\?"([\w-]+)\\?"\)', r"--dialect sacrebleu -tok \1"),
    (r" For short ones effective_order=True", ""),
    (r"pass references=\[.*\] to score with the first", "name the file of one"),
)


def as_options(message: str) -> str:
    """A message of the API with the options of the command."""
    for advice, option in _OPTIONS:
        message = re.sub(advice, option, message)
    return message


def printable(text: str) -> str:
    """Escape line ends and control characters, which file names and ids may contain."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


class ByteSource:
    """The bytes of a file, decompressed if its name ends in ``.gz``, or of standard input.

    `where` tells in error messages how far the reader has come, `start` is the first bytes.
    """

    def __init__(self, name: str, opened: ExitStack) -> None:
        self.label = "standard input" if name == STDIN else name
        self.where: Callable[[], str] = lambda: "while it was opened"
        self._file: BinaryIO
        if name != STDIN:
            try:
                self._file = io.BufferedReader(io.FileIO(name), _BLOCK_BYTES)
            except (OSError, ValueError) as error:  # ValueError: a NUL in the name
                raise self._unreadable(error, "check the name and its permissions") from error
            opened.enter_context(self._file)
        elif sys.stdin is None:
            raise InputError("standard input is closed: name a file instead of -")
        else:
            self._file = sys.stdin.buffer
        self._ahead = b""
        self.start = b""
        self._read: Callable[[int], bytes] = self._file.read1  # type: ignore[attr-defined]
        if name.lower().endswith(".gz"):
            from gzip import GzipFile  # 3 ms, not for plain text

            self._read = GzipFile(fileobj=self._file, mode="rb").read1

    @property
    def size(self) -> int | None:
        """Bytes of the file on disk; None for a pipe."""
        try:
            status = os.fstat(self._file.fileno())
        except OSError:  # standard input may be an object without a descriptor
            return None
        return status.st_size if stat.S_ISREG(status.st_mode) else None

    @property
    def position(self) -> int:
        """How many of these bytes have been read; 0 for a pipe."""
        return 0 if self.size is None else self._file.tell()

    def peek(self) -> bytes:
        """Return the beginning of what the next `read` returns, enough to recognize a format."""
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
            data = self._read(_BLOCK_BYTES)
            if len(self.start) < _START_BYTES:
                self.start += data[:_START_BYTES]
            return data
        except EOFError:
            problem = "the compressed data ends too early"
        except zlib.error:
            problem = "the compressed data is damaged"
        except OSError as error:
            if error.strerror is not None:
                raise self._unreadable(error, self.where()) from error
            problem = str(error).lower()  # gzip.BadGzipFile, without importing gzip for it
        fix = "test it with gzip -t and copy or pack it again"
        raise InputError(f"{self.label}: {self.where()}: {problem}; {fix}")

    def _unreadable(self, error: Exception, hint: str) -> InputError:
        problem = getattr(error, "strerror", None) or str(error)
        return InputError(f"{self.label}: {problem[:1].lower()}{problem[1:]}; {hint}")


class TextLines:
    """One input's lines; with `universal_newlines` a carriage return ends a line, too.

    `declared`: the encoding is the file's own, not that of ``--encoding``. `is_utf8` tells whether
    all lines can be counted as UTF-8.
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
        self._decode: Callable[[bytes, bool], str] | None = None
        if universal_newlines or self.encoding != "utf-8":
            decoder = codecs.getincrementaldecoder(encoding)("strict")
            newlines = io.IncrementalNewlineDecoder(decoder, translate=True)
            self._decode = newlines.decode if universal_newlines else decoder.decode
        self._decoded_all = False
        self._lines = Utf8Lines(self._read, surrogates=not self.is_utf8)
        source.where = lambda: f"after line {self.taken}"

    @property
    def taken(self) -> int:
        """How many lines have been read."""
        return self._lines.taken

    @property
    def ended(self) -> bool:
        """Whether all have been read."""
        return self._lines.ended

    def rows(self, count: int, begun: Utf8Rows | None = None) -> Utf8Rows:
        """Return the next lines, or `begun` with them: `count`, or as many as there are."""
        return self._lines.take(count, begun)

    def read(self, count: int) -> list[str]:
        """Return the next `count` lines, or as many as there are, as str."""
        return self.listed(self.rows(count))

    def listed(self, rows: Utf8Rows) -> list[str]:
        """Return lines that were read as str."""
        lines: list[str] = []
        try:
            lines += iter(rows)  # keeps the lines before an error
        except UnicodeDecodeError as error:
            raise self._invalid(error, rows.before + len(lines) + 1, error.start + 1) from error
        return lines

    def _read(self) -> bytes:
        """Return the next bytes, in UTF-8; b"" at the end."""
        if self._decode is None:
            return self.source.read()
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
        """The error for undecodable bytes after the lines that were read."""
        # There is no single wrong byte in UTF-16 without a byte order mark (a UnicodeDecodeError
        # from CPython 3.13 on), and encodings of domain names do not report one.
        if (
            not isinstance(error, UnicodeDecodeError)
            or "BOM" in error.reason
            or self.encoding in ("idna", "punycode")
        ):
            named = "name the file's own --encoding, such as utf-16-le"
            fix = "correct the declaration" if self._declared else named
            problem = f"line {self.taken + 1} cannot be decoded: {error}"
            return InputError(f"{self.source.label}: {problem}; {fix}")
        good = error.object[: error.start].decode(self.encoding, "replace").split("\n")
        begun = self._lines.unfinished.decode("utf-8", "surrogatepass")
        start = good[-1] if len(good) > 1 else begun + good[0]
        byte = len(start.encode(self.encoding, "replace")) + 1
        return self._invalid(error, self.taken + len(good), byte)

    def _invalid(self, error: UnicodeDecodeError, line: int, byte: int) -> InputError:
        name = "UTF-8" if self.encoding == "utf-8" else self.encoding
        fix = "convert the file (iconv -f LATIN1 -t UTF-8) or name its --encoding, such as latin-1"
        if line == 1 and byte <= 2:
            fix = _FOREIGN_STARTS.get(self.source.start[:2], fix)
        if self._declared:
            fix = "the file declares this encoding: correct the declaration or the text"
        elif self.encoding != "utf-8":
            fix = "--encoding applies to all files: convert those in other encodings"
        found = f"byte {byte} of the line is 0x{error.object[error.start]:02x}"
        place = f"{self.source.label}: line {line}"
        return InputError(f"{place} is not valid {name} ({found}): {fix}")

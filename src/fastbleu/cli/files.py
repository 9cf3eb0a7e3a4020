r"""Files as bytes and as lines of text, with errors that name file and line.

A line ends at ``\n`` and nowhere else: U+2028, U+0085 and the other characters at which
``str.splitlines`` cuts are text, or parallel files would fall out of step. A last line without its
newline counts like any other.
"""

from __future__ import annotations

import codecs
import io
import os
import stat
import sys
import zlib
from collections.abc import Callable
from contextlib import ExitStack
from typing import BinaryIO

STDIN = "-"

_BLOCK_BYTES = 1 << 15  # larger ones are slower: their memory is new each time
_LEAST_AHEAD = 512  # decompressed data may come in pieces of one byte
# What a file may be when its first bytes are not UTF-8, and what to do about it.
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


def printable(text: str) -> str:
    """Escape line ends and control characters, which names of files and ids may hold."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


class ByteSource:
    """The bytes of a file, decompressed if its name ends in ``.gz``, or of standard input.

    `where` tells in error messages how far the reader has come.
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
        self._read: Callable[[int], bytes] = self._file.read1  # type: ignore[attr-defined]
        if name.lower().endswith(".gz"):
            from gzip import GzipFile  # 3 ms that plain text need not pay

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
        """Return what the next `read` will return: enough to tell a format, if there is as much."""
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
            return self._read(_BLOCK_BYTES)
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

    `taken` counts the lines that have been read, `marked` says whether the text starts with a byte
    order mark. `declared`: the encoding is the file's own, not that of ``--encoding``.
    """

    def __init__(
        self,
        source: ByteSource,
        encoding: str = "utf-8",
        universal_newlines: bool = False,
        declared: bool = False,
    ) -> None:
        self.source = source
        source.where = lambda: f"after line {self._decoded}"
        self.encoding = codecs.lookup(encoding).name
        self._declared = declared
        decoder = codecs.getincrementaldecoder(encoding)("strict")
        newlines = io.IncrementalNewlineDecoder(decoder, translate=True)
        self._decode_bytes = newlines.decode if universal_newlines else decoder.decode
        self._ready: list[str] = []  # complete lines, of which the first _next have been taken
        self._next = 0
        self._tail: list[str] = []  # the pieces of a line that has not ended yet
        self._decoded = 0
        self.ended = False
        self.taken = 0
        self.marked = False

    def read(self, count: int) -> list[str]:
        """Return the next `count` lines, or as many as there are."""
        while len(self._ready) - self._next < count and not self.ended:
            self._decode()
        lines = self._ready[self._next : self._next + count]
        self._next += len(lines)
        self.taken += len(lines)
        return lines

    def _decode(self) -> None:
        data = self.source.read()
        self.ended = not data
        try:
            text = self._decode_bytes(data, self.ended)
        except UnicodeError as error:
            raise self._undecodable(error) from error
        if not self._decoded and not self._tail and text.startswith("\ufeff"):
            self.marked = True
        lines = text.split("\n")
        if len(lines) > 1 and self._tail:
            lines[0] = "".join([*self._tail, lines[0]])
            self._tail = []
        if last := lines.pop():
            self._tail.append(last)
        if self.ended and self._tail:
            lines.append("".join(self._tail))
        if lines:
            self._ready = self._ready[self._next :] + lines
            self._next = 0
            self._decoded += len(lines)

    def _undecodable(self, error: UnicodeError) -> InputError:
        name = "UTF-8" if self.encoding == "utf-8" else self.encoding
        # No byte is to blame in text in UTF-16 without a byte order mark (a UnicodeDecodeError from
        # CPython 3.13 on), and none is known in encodings of domain names.
        if (
            not isinstance(error, UnicodeDecodeError)
            or "BOM" in error.reason
            or self.encoding in ("idna", "punycode")
        ):
            named = "name the file's own --encoding, such as utf-16-le"
            fix = "correct the declaration" if self._declared else named
            problem = f"line {self._decoded + 1} cannot be decoded: {error}"
            return InputError(f"{self.source.label}: {problem}; {fix}")
        good = error.object[: error.start].decode(self.encoding, "replace").split("\n")
        line = self._decoded + len(good)
        start = good[-1] if len(good) > 1 else "".join(self._tail) + good[0]
        byte = len(start.encode(self.encoding, "replace")) + 1
        fix = "convert the file (iconv -f LATIN1 -t UTF-8) or name its --encoding, such as latin-1"
        if line == 1 and byte <= 2:
            fix = _FOREIGN_STARTS.get(error.object[:2], fix)
        if self._declared:
            fix = "the file declares this encoding: correct the declaration or the text"
        elif self.encoding != "utf-8":
            fix = "--encoding applies to all files: convert those in other encodings"
        found = f"byte {byte} of the line is 0x{error.object[error.start]:02x}"
        place = f"{self.source.label}: line {line}"
        return InputError(f"{place} is not valid {name} ({found}): {fix}")

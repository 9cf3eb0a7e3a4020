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

__all__ = ["ByteSource", "InputError", "TextLines", "label"]

STDIN = "-"

_BLOCK_BYTES = 1 << 15  # larger ones are slower: their memory is new each time
_LEAST_AHEAD = 64  # what is unpacked may come in pieces of one byte
# What a file may be when its first bytes are no UTF-8, and what to do about it.
_FOREIGN_STARTS = {
    b"\x1f\x8b": "it is compressed: unpack it (gzip -dc), or let its name end in .gz",
    b"\xff\xfe": "it is UTF-16: convert it, or say --encoding utf-16 if all files are",
    b"\xfe\xff": "it is UTF-16: convert it, or say --encoding utf-16 if all files are",
}


class InputError(ValueError):
    """Input that cannot be scored; the message is one line that names file, line and fix.

    Parameters
    ----------
    message : str
    status : int, default 1
        The exit status of the command: sacreBLEU's where it has one for this.
    """

    def __init__(self, message: str, status: int = 1) -> None:
        # Names and ids of others may hold anything, line ends and a terminal's commands among it.
        if not message.isprintable():
            message = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in message)
        super().__init__(message)
        self.status = status


class ByteSource:
    """The bytes of one input: a file, a ``.gz`` file unpacked while it is read, or stdin.

    `where` tells in error messages how far the reader has come.
    """

    def __init__(self, name: str, opened: ExitStack) -> None:
        self.label = label(name)
        self.where: Callable[[], str] = lambda: "while it was opened"
        try:
            file = _standard_input() if name == STDIN else _open(name, opened)
        except InputError:
            raise
        except (OSError, ValueError) as error:  # ValueError: a NUL in the name
            raise self._unreadable(error, "check the name and its permissions") from error
        self.size = _size(file)
        self._file = file
        self._ahead = b""
        self._read: Callable[[int], bytes] = file.read1  # type: ignore[attr-defined]
        if name.lower().endswith(".gz"):
            from gzip import GzipFile  # 3 ms that plain text need not pay

            self._read = GzipFile(fileobj=file, mode="rb").read1

    @property
    def position(self) -> int:
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
        except EOFError as error:
            raise self._damaged("the compressed data ends too early") from error
        except zlib.error as error:
            raise self._damaged("the compressed data is damaged") from error
        except OSError as error:
            if error.strerror is None:  # gzip.BadGzipFile, without importing gzip for it
                raise self._damaged(f"{error}".lower()) from error
            raise self._unreadable(error, self.where()) from error

    def _damaged(self, problem: str) -> InputError:
        return InputError(
            f"{self.label}: {self.where()}: {problem}; "
            "test it with gzip -t and copy or pack it again"
        )

    def _unreadable(self, error: Exception, hint: str) -> InputError:
        problem = getattr(error, "strerror", None) or str(error)
        return InputError(f"{self.label}: {problem[:1].lower()}{problem[1:]}; {hint}")


class TextLines:
    """One input's lines, without their newlines.

    Parameters
    ----------
    source : ByteSource
    encoding : str
    universal_newlines : bool
        Lines end at a carriage return, too.

    Attributes
    ----------
    taken : int
        How many lines have been read.
    ended : bool
        Whether the source has: nothing has to be waited for any more.
    marked : bool
        The text starts with a byte order mark.
    """

    def __init__(
        self, source: ByteSource, encoding: str = "utf-8", universal_newlines: bool = False
    ) -> None:
        self.source = source
        source.where = lambda: f"after line {self._decoded}"
        self.encoding = codecs.lookup(encoding).name
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
        except UnicodeDecodeError as error:
            raise self._undecodable(error) from error
        except UnicodeError as error:  # a stream of UTF-16 that does not tell its byte order
            problem = f"{self.source.label}: line {self._decoded + 1} cannot be decoded: {error}"
            raise InputError(f"{problem}; name the file's own --encoding, as utf-16-le") from error
        if not self._decoded and not self._tail and text.startswith("\ufeff"):
            self.marked = True
        lines = text.split("\n")
        self._tail.append(lines[0])
        if len(lines) > 1:
            lines[0] = "".join(self._tail)
            self._tail = [lines.pop()]
            self._add(lines)
        if self.ended and (last := "".join(self._tail)):
            self._add([last])

    def _add(self, lines: list[str]) -> None:
        self._ready = self._ready[self._next :] + lines
        self._next = 0
        self._decoded += len(lines)

    def _undecodable(self, error: UnicodeDecodeError) -> InputError:
        good = error.object[: error.start].decode(self.encoding, "replace").split("\n")
        line = self._decoded + len(good)
        start = good[-1] if len(good) > 1 else "".join(self._tail) + good[0]
        byte = len(start.encode(self.encoding, "replace")) + 1
        fix = "convert the file (iconv -f LATIN1 -t UTF-8) or say --encoding, as latin-1"
        if line == 1 and byte <= 2:
            fix = _FOREIGN_STARTS.get(error.object[:2], fix)
        if self.encoding != "utf-8":
            fix = "--encoding is that of all files: convert those of another one"
        name = "UTF-8" if self.encoding == "utf-8" else self.encoding
        return InputError(
            f"{self.source.label}: line {line} is not valid {name} (byte {byte} of the line is "
            f"0x{error.object[error.start]:02x}): {fix}"
        )


def label(name: str) -> str:
    """Return a file's name fit for one line of a message."""
    if name == STDIN:
        return "standard input"
    return name if name.isprintable() else ascii(name)


def _standard_input() -> BinaryIO:
    if sys.stdin is None:
        raise InputError("standard input is closed: name a file instead of -")
    return sys.stdin.buffer


def _open(name: str, opened: ExitStack) -> BinaryIO:
    return opened.enter_context(io.BufferedReader(io.FileIO(name), _BLOCK_BYTES))


def _size(file: BinaryIO) -> int | None:
    try:
        status = os.fstat(file.fileno())
    except OSError:  # standard input may be an object without a descriptor
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None

r"""Parallel text files, read in lock step: line i of every file belongs to segment i.

A line ends at ``\n`` or ``\r\n`` and nowhere else: U+2028, U+0085 and the other characters at
which ``str.splitlines`` cuts are text, or the files would fall out of step. A last line without
its newline counts like any other. A UTF-8 byte order mark at the start of a file is dropped.
"""

from __future__ import annotations

import os
import stat
import sys
import zlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from io import BufferedReader, FileIO
from itertools import islice
from types import TracebackType
from typing import BinaryIO

__all__ = ["InputError", "ParallelFiles"]

STDIN = "-"
CHUNK_LINES = 512  # their tokens stay in the cache: 1.5 times as fast as 4096 lines

_BUFFER_BYTES = 1 << 18
# What a file may be when its first bytes are no UTF-8, and what to do about it.
_FOREIGN_STARTS = {
    b"\x1f\x8b": "it is compressed: unpack it (gzip -dc), or let its name end in .gz",
    b"\xff\xfe": "it is UTF-16: convert it (iconv -f UTF-16 -t UTF-8)",
    b"\xfe\xff": "it is UTF-16: convert it (iconv -f UTF-16 -t UTF-8)",
}


class InputError(ValueError):
    """Input that cannot be scored; the message is one line that names file, line and fix."""


class ParallelFiles:
    """Text files that are read together, once, from their first line to their last.

    All files are opened at once, so that a missing one is noticed before any is read.
    Use it as a context manager.

    Parameters
    ----------
    names : sequence of str
        The files' paths. One that ends in ``.gz`` is unpacked while it is read; ``-`` is
        standard input and may stand there once.

    Attributes
    ----------
    size : int or None
        Bytes of all regular files on disk; None where there is none (only pipes).
    position : int
        How many of these bytes have been read.

    Raises
    ------
    InputError
        If a file cannot be opened, or ``-`` is there twice.

    Examples
    --------
    >>> with ParallelFiles(["reference.txt", "system.txt"]) as files:  # doctest: +SKIP
    ...     for reference_lines, system_lines in files.chunks():
    ...         print(len(reference_lines), "lines each")
    """

    def __init__(self, names: Sequence[str]) -> None:
        if list(names).count(STDIN) > 1:
            raise InputError(
                "standard input (-) is asked for more than once, but can be read only once: "
                "put it into a file first"
            )
        with ExitStack() as opened:
            self._readers = [_LineReader(name, opened) for name in names]
            self._opened = opened.pop_all()

    def __enter__(self) -> ParallelFiles:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._opened.close()

    @property
    def size(self) -> int | None:
        sizes = [reader.size for reader in self._readers if reader.size is not None]
        return sum(sizes) if sizes else None

    @property
    def position(self) -> int:
        return sum(reader.position for reader in self._readers)

    def chunks(self, lines: int = CHUNK_LINES) -> Iterator[list[list[str]]]:
        """Yield the next lines of all files: one list of str per file, equally long.

        Parameters
        ----------
        lines : int
            The most lines that are taken from each file at a time.

        Raises
        ------
        InputError
            If a file is no UTF-8, cannot be read or unpacked, or the files differ in length.
        """
        while True:
            chunk = [reader.read(lines) for reader in self._readers]
            shortest = min(map(len, chunk))
            if shortest < max(map(len, chunk)):
                raise self._unequal(chunk, shortest)
            if not shortest:
                return
            yield chunk

    def _unequal(self, chunk: list[list[str]], shortest: int) -> InputError:
        ended = next(i for i, lines in enumerate(chunk) if len(lines) == shortest)
        longer = next(i for i, lines in enumerate(chunk) if len(lines) > shortest)
        short, long = self._readers[ended], self._readers[longer]
        total = long.count_all()
        if total is None:
            return InputError(
                f"{short.label} ends after line {short.lines}, {long.label} goes on: "
                "line by line they must be the same segments"
            )
        if total == short.lines + 1 and not chunk[longer][-1].strip():
            fix = "remove its last line, which is blank"
        else:
            fix = "line by line they must be the same segments, look for a lost or an extra line"
        return InputError(
            f"{short.label} has {_lines(short.lines)}, {long.label} has {_lines(total)}: {fix}"
        )


class _LineReader:
    """One file's lines; `lines` is how many have been read."""

    def __init__(self, name: str, opened: ExitStack) -> None:
        self.label = label(name)
        self.lines = 0
        self._ended = False
        try:
            self._file = _standard_input() if name == STDIN else _open(name, opened)
        except InputError:
            raise
        except (OSError, ValueError) as error:  # ValueError: a NUL in the name
            raise self._unreadable(error, "check the name and its permissions") from error
        self.size = _size(self._file)
        self._stream = self._file
        if name.lower().endswith(".gz"):
            self._stream = _unpacked(self._file)

    @property
    def position(self) -> int:
        return 0 if self.size is None else self._file.tell()

    def read(self, count: int) -> list[str]:
        """Return the next `count` lines, or as many as there are."""
        raw = self._take(count)
        data = b"".join(raw)
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise self._not_utf8(data, error) from error
        if not self.lines:
            text = text.removeprefix("\ufeff")
        lines = text.replace("\r\n", "\n").split("\n")
        if not lines[-1]:
            lines.pop()
        self.lines += len(lines)
        return lines

    def count_all(self) -> int | None:
        """Return the lines of the whole file, None where only waiting for them could tell."""
        if not self._ended:
            if self.size is None:
                return None
            try:
                while rest := self._take(CHUNK_LINES):
                    self.lines += len(rest)
            except InputError:
                return None
        return self.lines

    def _take(self, count: int) -> list[bytes]:
        raw: list[bytes] = []
        try:
            raw.extend(islice(self._stream, count))  # what came before an error stays in `raw`
        except EOFError as error:
            raise self._damaged(len(raw), "the compressed data ends too early") from error
        except zlib.error as error:
            raise self._damaged(len(raw), "the compressed data is damaged") from error
        except OSError as error:
            if error.strerror is None:  # gzip.BadGzipFile, without importing gzip for it
                raise self._damaged(len(raw), f"{error}".lower()) from error
            raise self._unreadable(error, f"after line {self.lines + len(raw)}") from error
        self._ended = len(raw) < count
        return raw

    def _damaged(self, lines: int, problem: str) -> InputError:
        return InputError(
            f"{self.label}: after line {self.lines + lines}: {problem}; "
            "test it with gzip -t and copy or pack it again"
        )

    def _unreadable(self, error: Exception, hint: str) -> InputError:
        problem = getattr(error, "strerror", None) or str(error)
        return InputError(f"{self.label}: {problem[:1].lower()}{problem[1:]}; {hint}")

    def _not_utf8(self, data: bytes, error: UnicodeDecodeError) -> InputError:
        line = self.lines + data.count(b"\n", 0, error.start) + 1
        byte = error.start - data.rfind(b"\n", 0, error.start)
        fix = "convert the file (iconv -f LATIN1 -t UTF-8, if it is Latin-1)"
        if not self.lines:
            fix = _FOREIGN_STARTS.get(data[:2], fix)
        return InputError(
            f"{self.label}: line {line} is not valid UTF-8 (byte {byte} of the line is "
            f"0x{data[error.start]:02x}): {fix}"
        )


def label(name: str) -> str:
    """Return a file's name fit for one line of a message or a table."""
    if name == STDIN:
        return "standard input"
    return name if name.isprintable() else ascii(name)


def _lines(count: int) -> str:
    return "1 line" if count == 1 else f"{count} lines"


def _standard_input() -> BinaryIO:
    if sys.stdin is None:
        raise InputError("standard input is closed: name a file instead of -")
    return sys.stdin.buffer


def _open(name: str, opened: ExitStack) -> BinaryIO:
    return opened.enter_context(BufferedReader(FileIO(name), _BUFFER_BYTES))


def _size(file: BinaryIO) -> int | None:
    try:
        status = os.fstat(file.fileno())
    except OSError:  # standard input may be an object without a descriptor
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None


def _unpacked(packed: BinaryIO) -> BinaryIO:
    from gzip import GzipFile  # 3 ms that plain text need not pay

    # The outer buffer finds lines in C; GzipFile's own iteration calls Python for each.
    return BufferedReader(GzipFile(fileobj=packed, mode="rb"), _BUFFER_BYTES)

"""Parallel inputs, read in lock step: segment i of each belongs to segment i of all others.

White space at the end of a segment, a carriage return among it, goes before anything else happens.
That is sacreBLEU's rule, and so is what a byte order mark counts as: text, with a warning here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack

from .files import ByteSource, InputError, TextLines

__all__ = ["ChainReader", "FieldsReader", "LineReader", "ParallelFiles", "Reader", "open_lines"]

CHUNK_LINES = 512  # what is made of them stays in the cache


class Reader:
    """One input as parallel columns of segments.

    Attributes
    ----------
    label : str
        Its name in messages.
    unit : str
        What a segment of it is: "line" or "segment".
    width : int
        Columns.
    segments : int
        How many have been read.
    keys : list of (str, str) or None
        Document and segment id of each segment that was read last, where the format has them.
    """

    unit = "line"
    width = 1
    segments = 0
    keys: list[tuple[str, str]] | None = None

    def __init__(self, source: ByteSource, name: str | None = None) -> None:
        self.source = source
        self.label = name or source.label

    @property
    def size(self) -> int | None:
        """Bytes of the file on disk; None for a pipe."""
        return self.source.size

    @property
    def position(self) -> int:
        """How many of them have been read."""
        return self.source.position

    def read(self, count: int) -> list[list[str]]:
        """Return the next `count` segments of each column, or as many as there are."""
        raise NotImplementedError

    def notes(self) -> Iterator[str]:
        """Yield what the user should know about the file, once it was read."""
        yield from ()

    def count_all(self) -> int | None:
        """Return the segments of the whole file, None where only waiting for them could tell."""
        try:
            while self.size is not None or self.ended:
                if not self.read(CHUNK_LINES)[0]:
                    return self.segments
        except InputError:
            pass
        return None

    @property
    def ended(self) -> bool:
        """Whether nothing has to be waited for any more."""
        return False

    def place(self, index: int) -> str:
        """Return where segment `index` of those that were read last stands."""
        return f"{self.unit} {self.segments + index + 1 - len(self.keys or ())}"


class LineReader(Reader):
    """Every line is a segment."""

    def __init__(self, lines: TextLines) -> None:
        super().__init__(lines.source)
        self._lines = lines

    def read(self, count: int) -> list[list[str]]:
        lines = self._lines.read(count)
        self.segments += len(lines)
        return [list(map(str.rstrip, lines))]

    @property
    def ended(self) -> bool:
        return self._lines.ended

    def notes(self) -> Iterator[str]:
        if self._lines.marked and self._lines.encoding == "utf-8":
            yield (
                f"{self.label} starts with a byte order mark, which is scored as a part of its "
                "first token, as in sacreBLEU; --encoding utf-8-sig drops it"
            )


class FieldsReader(LineReader):
    """Every line holds parallel segments with tabs between them.

    Parameters
    ----------
    lines : TextLines
    fields : int, optional
        How many segments a line has; further tabs belong to the last. By default every line has
        as many as the first, and every tab separates.
    """

    def __init__(self, lines: TextLines, fields: int | None = None) -> None:
        super().__init__(lines)
        self._cuts = -1 if fields is None else fields - 1
        self._first = lines.read(1) if fields is None else []
        self.width = fields or len(self._split(self._first[0] if self._first else ""))

    def read(self, count: int) -> list[list[str]]:
        lines = self._first + self._lines.read(count - len(self._first))
        self._first = []
        rows = list(map(self._split, lines))
        for number, row in enumerate(rows, self.segments + 1):
            if len(row) != self.width:
                raise self._uneven(number, len(row))
        self.segments += len(rows)
        return list(map(list, zip(*rows, strict=True))) or [[] for _ in range(self.width)]

    def _split(self, line: str) -> list[str]:
        return line.rstrip().split("\t", self._cuts)

    def _uneven(self, number: int, found: int) -> InputError:
        problem = f"{self.label}: line {number} has {_counted(found, 'field')} separated by tabs, "
        if self._cuts == -1:
            return InputError(
                f"{problem}line 1 has {self.width}: on standard input each field is a system; "
                "for a text with tabs name its file after -i",
                17,
            )
        fix = "each is a reference and every line needs all of them"
        return InputError(f"{problem}--num-refs is {self.width}: {fix}", 17)


class ChainReader(Reader):
    """Several inputs, one after the other."""

    def __init__(self, readers: Sequence[Reader]) -> None:
        super().__init__(readers[0].source, " + ".join(reader.label for reader in readers))
        self._readers = readers
        self._current = 0

    @property
    def size(self) -> int | None:
        sizes = [reader.size for reader in self._readers]
        return None if None in sizes else sum(size for size in sizes if size)

    @property
    def position(self) -> int:
        return sum(reader.position for reader in self._readers)

    def read(self, count: int) -> list[list[str]]:
        column: list[str] = []
        while len(column) < count and self._current < len(self._readers):
            lines = self._readers[self._current].read(count - len(column))[0]
            column += lines
            self._current += not lines
        self.segments += len(column)
        return [column]

    def notes(self) -> Iterator[str]:
        for reader in self._readers:
            yield from reader.notes()


class ParallelFiles:
    """Inputs that are read together, once, from their first segment to their last.

    All are opened at once, so that a missing one is noticed before any is read.
    Use it as a context manager.

    Parameters
    ----------
    openers : sequence of callables
        Each gets an ExitStack that will close what it opens, and returns a `Reader`;
        `open_lines` for plain text.

    Attributes
    ----------
    widths : list of int
        How many columns each input has.
    size : int or None
        Bytes of all regular files on disk; None where there are none (only pipes).
    position : int
        How many of these bytes have been read.

    Raises
    ------
    InputError
        If a file cannot be opened.

    Examples
    --------
    >>> names = ["reference.txt", "system.txt"]
    >>> openers = [partial(open_lines, name) for name in names]  # doctest: +SKIP
    >>> with ParallelFiles(openers) as files:  # doctest: +SKIP
    ...     for reference_lines, system_lines in files.chunks():
    ...         print(len(reference_lines), "lines each")
    """

    def __init__(self, openers: Sequence[Callable[[ExitStack], Reader]]) -> None:
        with ExitStack() as opened:
            self._readers = [opener(opened) for opener in openers]
            self._opened = opened.pop_all()
        self.widths = [reader.width for reader in self._readers]

    def __enter__(self) -> ParallelFiles:
        return self

    def __exit__(self, *error: object) -> None:
        self._opened.close()

    @property
    def size(self) -> int | None:
        sizes = [reader.size for reader in self._readers if reader.size is not None]
        return sum(sizes) if sizes else None

    @property
    def position(self) -> int:
        return sum(reader.position for reader in self._readers)

    def notes(self) -> Iterator[str]:
        """Yield what the user should know about the files, once they were read."""
        for reader in self._readers:
            yield from reader.notes()

    def chunks(self, count: int = CHUNK_LINES) -> Iterator[list[list[str]]]:
        """Yield the next segments of all files: one list of str per column, equally long.

        Parameters
        ----------
        count : int
            The most segments that are taken at a time.

        Raises
        ------
        InputError
            If a file is not what its name or the encoding says, cannot be read or unpacked, or
            the files differ in length or in the ids of their segments.
        """
        while True:
            chunk = [reader.read(count) for reader in self._readers]
            self._check_keys()
            shortest = min(len(columns[0]) for columns in chunk)
            if shortest < max(len(columns[0]) for columns in chunk):
                raise self._unequal(chunk, shortest)
            if not shortest:
                return
            yield [column for columns in chunk for column in columns]

    def _check_keys(self) -> None:
        keyed = [reader for reader in self._readers if reader.keys is not None]
        for reader in keyed[1:]:
            first = keyed[0]
            pairs = zip(first.keys or (), reader.keys or (), strict=False)
            for index, (expected, found) in enumerate(pairs):
                if found != expected:
                    raise InputError(
                        f"{reader.label}: {reader.place(index)} is segment {found[1]} of document "
                        f"{found[0]}, but {first.place(index)} of {first.label} is segment "
                        f"{expected[1]} of document {expected[0]}: one is missing, or the order "
                        "differs"
                    )

    def _unequal(self, chunk: list[list[list[str]]], shortest: int) -> InputError:
        lengths = [len(columns[0]) for columns in chunk]
        ended = lengths.index(shortest)
        longer = next(i for i, length in enumerate(lengths) if length > shortest)
        short, long = self._readers[ended], self._readers[longer]
        segments, total = short.segments, long.count_all()
        if total is None:
            return InputError(
                f"{short.label} ends after {short.unit} {segments}, {long.label} goes on: "
                "one by one they must be the same segments"
            )
        if total == segments + 1 and not chunk[longer][0][-1]:
            fix = f"remove its last {long.unit}, which is blank"
        else:
            fix = "one by one they must be the same segments, look for a lost or an extra one"
        return InputError(
            f"{short.label} has {_counted(segments, short.unit)}, "
            f"{long.label} has {_counted(total, long.unit)}: {fix}"
        )


def open_lines(
    name: str,
    opened: ExitStack,
    *,
    encoding: str = "utf-8",
    fields: int | None = 1,
    universal_newlines: bool = False,
) -> LineReader:
    """Open plain text: a segment a line, or `fields` of them (None: as many as in line 1)."""
    lines = TextLines(ByteSource(name, opened), encoding, universal_newlines)
    return LineReader(lines) if fields == 1 else FieldsReader(lines, fields)


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"

"""The same segments of all inputs, matched by their place in the file, by an id or by a key.

They are read in chunks, from which those are chosen that are scored.
"""

from __future__ import annotations

import itertools
from collections import namedtuple
from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import chain, islice

from ..core.inputs._utf8_rows import Utf8Rows
from ..core.inputs.arguments import number_of, shown
from ..core.inputs.missing import is_blank
from ..core.runtime.terminal import ProgressBar
from ..files.formats import check_results, keyed_texts, parse_captions, with_ids_of, without_suffix
from .readers import CHUNK_LINES, ByteSource, InputError, Reader, TextLines, lines_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    from .readers import Column

    Chunks: TypeAlias = Iterator[list[Column]]  # for each column the same segments

_PROGRESS_DELAY = 1.0  # seconds of work before the progress bar appears


def in_step(readers: Sequence[Reader], count: int = CHUNK_LINES, in_place: bool = False) -> Chunks:
    """Yield the next `count` segments of all inputs: one list of str per column, equally long.

    With `in_place`, columns are Utf8Rows if all inputs can be read so.
    """
    length = count
    while length == count:
        chunk = list(chain.from_iterable([reader.read(count) for reader in readers]))
        lengths = set(map(len, chunk))
        if not in_place or list in map(type, chunk) or len(lengths) > 1:
            chunk = listed(readers, chunk)
        if len(lengths) > 1:
            raise _unequal(readers, chunk)
        if length := lengths.pop():
            yield chunk


def listed(readers: Sequence[Reader], chunk: list[Column]) -> list[list[str]]:
    """Return a chunk as lists of str; an InputError names a line that is not UTF-8.

    The columns of the last readers may be left out.
    """
    owners = [reader for reader in readers for _ in range(reader.width)]
    return [
        column if type(column) is list else owner.listed(column)
        for owner, column in zip(owners, chunk, strict=False)
    ]


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
    for reader in (short, long):
        if reader.missing is None and without_suffix(reader.label).endswith((".tsv", ".csv")):
            fix += f"; {reader.label} is read as plain text unless ::COLUMN follows its name"
        elif reader.selector.isdecimal() and not (short.selector + long.selector).isdecimal():
            fix += f"; line 1 of {reader.label} is a segment for a column chosen by number"
    has = f"{short.label} has {number_of(segments, short.unit)}"
    message = f"{has}, {long.label} has {number_of(total, long.unit)}: {fix}"
    return InputError(message, file=short.label)


def joined(chunks: Iterable[list[Any]]) -> list[list[Any]]:
    """Concatenate the columns of all chunks, which must be lists."""
    # In a list first: CPython 3.11 loses the keywords of a call whose unpacked arguments raise.
    columns = [list(chain.from_iterable(column)) for column in zip(*[*chunks], strict=True)]
    if not columns:
        raise no_segments()
    return columns


def no_segments() -> InputError:
    return InputError("no segment to score: the files have no lines")


# A segment's text, or its references in JSON, and the line it starts on.
Segment = namedtuple("Segment", "text line")


class MatchedReader(Reader):
    """Segments that are matched by id, in the order of the first file: see `align_segments`."""

    unit = "segment"
    by_id: dict[tuple[str | None, ...], Segment]
    named: str  # the format of an id in messages
    place = "on line"  # what `Segment.line` counts
    _rest: Iterator[Segment] | None = None  # what has not been read

    def read(self, count: int) -> list[list[str]]:
        if self._rest is None:
            self._rest = iter(self.by_id.values())
        texts = [segment.text for segment in islice(self._rest, count)]
        self.segments += len(texts)
        return [texts]


class KeyedReader(MatchedReader):
    """Lines that carry keys; see `keyed_texts`."""

    named = "segment with the key {!r}"

    def __init__(self, lines: TextLines) -> None:
        self.label = lines.source.label
        self.by_id = {}
        for line, key, text in keyed_texts(list(lines_of(lines))):
            first = self.by_id.setdefault((key,), Segment(text, line)).line
            if first != line:
                problem = f"line {line} has the key {shown(key)} of line {first}"
                raise lines.source.error(f"{problem}: each needs its own", line=line)


class KeyedRows(MatchedReader):
    """Rows of a table that are matched by the column of ``--keyed-by``, here `keys`."""

    named, place = "row with the key {!r}", "row"

    def __init__(self, keys: Reader, texts: Reader) -> None:
        self.label, self.missing = texts.label, texts.missing
        texts.keeps_ends = True
        self.by_id = {}
        rows = chain.from_iterable(zip(*chunk, strict=True) for chunk in in_step([keys, texts]))
        for number, (key, text) in enumerate(rows, 1):
            first = self.by_id.setdefault((key,), Segment(text, number)).line
            if first != number and key is not None:
                problem = f"rows {first} and {number} have the key {shown(key)}: each needs its own"
                raise InputError(f"{self.label}: {problem}", file=self.label)
        self.by_id.pop((None,), None)  # --missing skip
        self.ragged = texts.ragged
        self.left_out, self.first_left_out = texts.left_out, texts.first_left_out


def align_segments(readers: Sequence[Reader]) -> None:
    """Put segments that are matched by id in the order of the first file; ids must be equal."""
    first, *others = [reader for reader in readers if isinstance(reader, MatchedReader)]
    for reader in others:
        for has, lacks in ((first, reader), (reader, first)):
            for key, segment in has.by_id.items():
                if key not in lacks.by_id:
                    where = f"which is {has.place} {segment.line} of {has.label}"
                    problem = f"has no {has.named.format(*key)}, {where}"
                    raise InputError(f"{lacks.label} {problem}", file=lacks.label)
        reader.by_id = {key: reader.by_id[key] for key in first.by_id}


class CocoReader(Reader):
    """The captions of the images in the results, in the order of the annotations.

    Images may have different numbers of references; None stands for those that are missing.
    """

    unit = "image"

    def __init__(self, source: ByteSource) -> None:
        self.source, self.label = source, source.label
        data = b"".join(iter(source.read, b""))
        try:
            self.captions = parse_captions(data, self.label)
        except ValueError as error:
            fix = f"for other JSON name a key, as in {self.label}::KEY; rename a file of plain text"
            raise InputError(f"{error} ({fix})") from error

    def choose(self, images: list[Any]) -> None:
        """Decide which images are read."""
        widths = {len(self.captions[image]) for image in images}
        self.width, self.ragged = max(widths), len(widths) > 1
        rows = [self.captions[image] for image in images]
        self._rows = iter([[*row, *[None] * (self.width - len(row))] for row in rows])

    def read(self, count: int) -> list[list[Any]]:
        rows = list(islice(self._rows, count))
        self.segments += len(rows)
        return list(map(list, zip(*rows, strict=True))) or [[] for _ in range(self.width)]


def align_images(references: Sequence[Reader], systems: Sequence[Reader]) -> None:
    """Give all files, which must hold COCO captions, the same images in the same order."""
    results = [reader for reader in systems if isinstance(reader, CocoReader)]
    annotations = [reader for reader in references if isinstance(reader, CocoReader)]
    if not results or len(results) != len(systems) or len(annotations) != len(references):
        raise InputError(
            "COCO annotations and results belong together: all files, including those after -i, "
            "must be .json; for other JSON choose a text with ::KEY after the name"
        )
    for reader in [*annotations[1:], *results]:
        reader.captions = with_ids_of(annotations[0].captions, reader.captions)
    for reader in results:
        for other in annotations:
            try:
                check_results(reader.captions, other.captions, reader.label)
            except ValueError as error:
                raise InputError(str(error)) from error
        if reader.captions.keys() != results[0].captions.keys():
            image = next(iter(reader.captions.keys() ^ results[0].captions.keys()))
            raise InputError(
                f"{reader.label} and {results[0].label} have different images: {image!r} is in one "
                "of them"
            )
    images = [image for image in annotations[0].captions if image in results[0].captions]
    for reader in results + annotations:
        reader.choose(images)


def present(row: Sequence[str | list[str] | None]) -> list[str]:
    """Flatten the references of a segment, which may be lists or None; [""] if there are none."""
    texts: list[str] = []
    for cell in row:
        texts += cell if isinstance(cell, list) else [] if cell is None else [cell]
    return texts or [""]


def side_by_side(columns: list[Any], ragged: bool) -> Any:
    """Return the references of each segment; with `ragged`, cells may be lists or None."""
    is_utf8 = type(columns[0]) is Utf8Rows
    if len(columns) == 1 and (is_utf8 or not ragged):
        return columns[0]
    if is_utf8:
        return Utf8Rows.side_by_side(columns)
    return list(map(present if ragged else tuple, zip(*columns, strict=True)))


def chosen(
    chunks: Chunks, kept: Container[int], readers: Sequence[Reader], numbers: list[int]
) -> Chunks:
    """Yield the segments kept by --origlang, --subset and --missing; append their `numbers`."""
    count = itertools.count()
    for chunk in chunks:
        rows = zip(*chunk, count, strict=False)
        if left := [row for row in rows if row[-1] in kept and None not in row]:
            *columns, added = map(list, zip(*left, strict=True))
            numbers += added
            yield columns
    if not numbers and (notes := [note for r in readers if r.left_out for note in r.notes()]):
        raise InputError(f"no segment to score: {'; '.join(notes)}")


def without_blank(chunks: Chunks, references: int) -> Chunks:
    """Yield the chunks without blank references: cells become None, lists become shorter."""
    for chunk in chunks:
        for column in chunk[:references]:
            for number, cell in enumerate(column):
                if type(cell) is list:
                    column[number] = [text for text in cell if not is_blank(text)]
                elif is_blank(cell):
                    column[number] = None
        yield chunk


def by_document(chunk: list[list[Any]]) -> list[list[str]]:
    """Join the texts of each document, which the last column names."""
    *columns, names = chunk
    if not all(isinstance(text, str) for column in columns for text in column):
        raise InputError("--documents joins texts: all segments need the same number of references")
    documents: dict[str, list[int]] = {}
    for number, name in enumerate(names):
        documents.setdefault(name, []).append(number)
    segments = documents.values()
    return [[" ".join([column[n] for n in own]) for own in segments] for column in columns]


def with_progress(chunks: Chunks, readers: Sequence[Reader]) -> Chunks:
    """Yield the chunks, with a progress bar for one file if they take long; all advance alike."""
    sources = [reader.source for reader in readers if reader.source and reader.source.size]
    source = sources[0] if sources else None
    size, unit = (source.size, "B") if source else (readers[0].segments_in_all, " segments")
    done = 0
    with ProgressBar(True, size, unit, delay=_PROGRESS_DELAY, leave=False) as bar:
        for chunk in chunks:
            yield chunk
            position = source.position if source else done + len(chunk[0])
            bar.update(position - done)
            done = position

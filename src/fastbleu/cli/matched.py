"""Segments that are matched by an id or a key, not by their place in the file."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterator, Sequence
from itertools import chain, islice

from ..core.inputs.arguments import shown
from ..files.formats import keyed_texts
from .chunks import in_step
from .readers import InputError, Reader, TextLines, lines_of

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

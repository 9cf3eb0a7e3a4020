"""The scores of single segments: sacreBLEU's lines, or a table with the texts.

They are kept in a spool, because nothing is printed before all input has been read.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from heapq import nsmallest
from itertools import islice

from ..runtime.terminal import CONTROLS, JSON_CONTROLS
from .sacrebleu_text import SacrebleuText

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO

    from ..counting._counted import Counted
    from .dialect_text import DialectText
    from .options import Options

_BLOCK_LINES = 1 << 12
# In a table these characters would start a new cell or line.
_ONE_CELL = CONTROLS | str.maketrans("\t\n\r", "   ")


class SegmentList:
    """What is printed about each segment: one line of the spool.

    `numbers` are those of the segments that count, from 0.
    """

    def __init__(
        self,
        options: Options,
        printer: DialectText | SacrebleuText,
        names: Sequence[str],
        references: int,
        numbers: Iterable[int],
        spool: IO[bytes],
    ) -> None:
        self._options = options
        self._printer = printer
        self._numbers = iter(numbers)
        self._spool = spool
        self._order: list[tuple[float, int]] = []  # a segment's score and the offset of its line
        suffixes = [""] if len(names) == 1 else [f" {name}" for name in names]
        self._keys = ["segment", *(f"score{suffix}" for suffix in suffixes)]
        if not options.score_only:
            self._keys += [f"hypothesis{suffix}" for suffix in suffixes]
            self._keys += [
                "reference" + f" {n}" * (references > 1) for n in range(1, references + 1)
            ]

    def add(
        self, references: list[list[str]], hypotheses: list[list[str]], counted: list[Counted]
    ) -> None:
        """Add a chunk: a column of text for each reference and system, and the counts of these."""
        options, printer, table = self._options, self._printer, self._options.table
        if not table:
            for of_system in counted:
                lines = printer.segment_lines(of_system)
                self._spool.write("".join([f"{line}\n" for line in lines]).encode())
            return
        assert isinstance(printer, SacrebleuText)  # dialects refuse tables
        scores = list(map(printer.segments, counted))
        texts = [] if options.score_only else [*hypotheses, *references]
        for *columns, number in zip(*scores, *texts, self._numbers, strict=False):
            values = [score.score for score in columns[: len(counted)]]
            numbers = [f"{value:.{options.width}f}" for value in values]
            cells = columns[len(counted) :]
            self._order.append((sum(values), self._spool.tell()))
            if table == "json":
                record = zip(self._keys, [number + 1, *map(float, numbers), *cells], strict=True)
                line = json.dumps(dict(record), ensure_ascii=False).translate(JSON_CONTROLS)
            else:
                shown = [json.dumps(c, ensure_ascii=False) if type(c) is list else c for c in cells]
                shown = [(cell or "").translate(_ONE_CELL) for cell in shown]
                line = "\t".join([str(number + 1), *numbers, *shown])
            self._spool.write(f"{line}\n".encode(errors="backslashreplace"))

    def printed(self) -> Iterator[str]:
        """Yield the text to print, in pieces."""
        table = self._options.table
        heading = "\t".join(key.translate(_ONE_CELL) for key in self._keys) + "\n"
        start = {"json": "[\n", "tsv": heading}.get(table, "")
        lines = self._lines()
        while block := b"".join(islice(lines, _BLOCK_LINES))[:-1].decode():
            yield start + (block.replace("\n", ",\n") if table == "json" else block)
            start = ",\n" if table == "json" else "\n"
        yield "\n]\n" if table == "json" else "\n"

    def _lines(self) -> Iterator[bytes]:
        options, order = self._options, self._order
        if not (options.sort or options.worst):
            self._spool.seek(0)
            yield from self._spool
            return
        order = nsmallest(options.worst or len(order), order)
        if options.sort == "segment":
            order.sort(key=lambda entry: entry[1])
        for _, start in order:
            self._spool.seek(start)
            yield self._spool.readline()

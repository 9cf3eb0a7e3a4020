"""Small tables as text and as HTML."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass
class Table:
    """A table of texts with a title, and notes below it."""

    title: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    notes: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        lines = [self.columns, *self.rows]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        aligned = [
            "  ".join(
                [cell.ljust(width) for cell, width in zip(line, widths, strict=True)]
            ).rstrip()
            for line in lines
        ]
        aligned.insert(1, "  ".join(["-" * width for width in widths]))
        return "\n".join([self.title, "", *aligned, *([""] if self.notes else []), *self.notes])

    def html(self) -> str:
        """The table as HTML."""
        head = "".join([f"<th>{html.escape(column)}</th>" for column in self.columns])
        body = "".join(
            [
                f"<tr>{''.join([f'<td>{html.escape(cell)}</td>' for cell in row])}</tr>"
                for row in self.rows
            ]
        )
        notes = "".join([f"<p>{html.escape(note)}</p>" for note in self.notes])
        caption = f"<caption>{html.escape(self.title)}</caption>"
        return f"<table>{caption}<tr>{head}</tr>{body}</table>{notes}"

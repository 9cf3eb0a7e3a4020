"""Small tables as text and as HTML."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

from ..dialects.score import html_table


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
        notes = "".join([f"<p>{escape(note)}</p>" for note in self.notes])
        return html_table([self.columns, *self.rows], self.title) + notes


class Tables(ABC):
    """What prints as tables, in a notebook too."""

    @abstractmethod
    def _tables(self) -> list[Table]:
        """The tables, the most important first."""

    def __str__(self) -> str:
        return "\n\n".join(map(str, self._tables()))

    def _repr_html_(self) -> str:
        return "".join([table.html() for table in self._tables()])

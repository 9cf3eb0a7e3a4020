"""Small tables as text, as Markdown and as HTML."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape


def html_table(rows: Iterable[Iterable[str]], caption: str) -> str:
    """A table for notebooks; the first row is its head."""
    head, *body = ["".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows]
    lines = [head.replace("td>", "th>"), *body]
    table = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<table><caption>{escape(caption)}</caption>{table}</table>"


@dataclass
class Table:
    """A table of texts with a title, and notes below it."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
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

    def markdown(self) -> str:
        """The table in GitHub's Markdown; markup in cells has no effect."""
        lines = [self.columns, ["---"] * len(self.columns)]
        lines += [[literal(cell) for cell in row] for row in self.rows]
        table = "\n".join([f"| {' | '.join(line)} |" for line in lines])
        return "\n\n".join([f"## {literal(self.title)}", table, *map(literal, self.notes)])


def literal(text: str) -> str:
    """A text escaped for Markdown, on one line: markup and HTML in it have no effect."""
    text = " ".join(text.split())
    marks = {ord(mark): f"\\{mark}" for mark in "\\`*_[]#|~$"}
    return text.translate({**marks, ord("<"): "&lt;", ord(">"): "&gt;", ord("&"): "&amp;"})


class Tables(ABC):
    """Base class of results that print as tables, also in notebooks."""

    @abstractmethod
    def _tables(self) -> list[Table]:
        """The tables, the most important first."""

    def __str__(self) -> str:
        return "\n\n".join(map(str, self._tables()))

    def _repr_html_(self) -> str:
        return "".join([table.html() for table in self._tables()])

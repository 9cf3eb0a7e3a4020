"""Small tables as text, as Markdown and as HTML."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import zip_longest
from textwrap import wrap

from ..runtime.terminal import CONTROLS

_WIDTH = 80  # of printed tables, in characters
_NARROWEST = 10  # column that is made narrower
_NUMBER = re.compile(r"[<+−-]? ?\d")


def html_table(rows: Iterable[Iterable[str]], caption: str) -> str:
    """A table for notebooks; the first row is its head."""
    head, *body = [list(row) for row in rows]
    # Notebooks align cells at the right: good for numbers.
    is_text = [
        any(cell and not _NUMBER.match(cell) for cell in cells) for cells in zip(*body, strict=True)
    ]
    styles = [' style="text-align:left"' if text else "" for text in is_text or [True] * len(head)]
    lines = [
        "".join(
            f"<{tag}{style}>{escape(cell)}</{tag}>" for cell, style in zip(row, styles, strict=True)
        )
        for tag, row in [("th", head), *[("td", row) for row in body]]
    ]
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
        return self.text(_WIDTH)

    def text(self, width: int | None) -> str:
        """The table in lines of at most `width` characters; with None a row is one line."""
        lines = [self.columns, *self.rows]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        if width is not None:
            while sum(widths) + 2 * (len(widths) - 1) > width and max(widths) > _NARROWEST:
                widths[widths.index(max(widths))] -= 1
        aligned: list[str] = []
        for line in lines:
            cells = [_wrapped(cell, most) for cell, most in zip(line, widths, strict=True)]
            aligned += [
                "  ".join([part.ljust(most) for part, most in zip(parts, widths, strict=True)])
                for parts in zip_longest(*cells, fillvalue="")
            ]
            if line is self.columns:
                aligned.append("  ".join(["-" * most for most in widths]))
        notes = [line.translate(CONTROLS) for note in self.notes for line in _wrapped(note, width)]
        shown = [line.rstrip().translate(CONTROLS) for line in aligned]
        return "\n".join([self.title, "", *shown, *([""] if notes else []), *notes])

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


def _wrapped(text: str, width: int | None) -> list[str]:
    """A text in lines of at most `width` characters; the fields of signatures stay whole."""
    if width is None or len(text) <= width:
        return [text]
    lines = wrap(text.replace("|", "| "), width, break_on_hyphens=False)
    return [line.replace("| ", "|") for line in lines]


def literal(text: str) -> str:
    """A text escaped for Markdown, on one line: markup and HTML in it have no effect."""
    text = " ".join(text.split())
    marks = CONTROLS | {ord(mark): f"\\{mark}" for mark in "\\`*_[]#|~$"}
    return text.translate({**marks, ord("<"): "&lt;", ord(">"): "&gt;", ord("&"): "&amp;"})


class Tables(ABC):
    """Base class of results that print as tables, also in notebooks."""

    @abstractmethod
    def _tables(self) -> list[Table]:
        """The tables, the most important first."""

    def __str__(self) -> str:
        return self._text(_WIDTH)

    def _text(self, width: int | None) -> str:
        """What is printed, in lines of at most `width` characters; with None a row is one line."""
        return "\n\n".join([table.text(width) for table in self._tables()])

    def _repr_html_(self) -> str:
        return "".join([table.html() for table in self._tables()])

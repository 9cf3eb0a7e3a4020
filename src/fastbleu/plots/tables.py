"""Small tables as text, as Markdown and as HTML."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import zip_longest
from textwrap import TextWrapper

from ..runtime.terminal import CONTROLS

_WIDTH = 80  # of printed tables, in characters
_NARROWEST = 10  # column that is made narrower
_NUMBER = re.compile(r"[<+−-]? ?\d")


def html_table(rows: Iterable[Iterable[str]], caption: str) -> str:
    """A table for notebooks; the first row is its head."""
    head, *body = [list(row) for row in rows]
    # Notebooks align cells at the right: good for numbers.
    columns = zip(head, *body, strict=True)
    styles = ["" if _is_numeric(column) else ' style="text-align:left"' for column in columns]
    lines = [
        "".join(
            f"<{tag}{style}>{escape(cell)}</{tag}>" for cell, style in zip(row, styles, strict=True)
        )
        for tag, row in [("th", head), *[("td", row) for row in body]]
    ]
    table = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<table><caption>{escape(caption)}</caption>{table}</table>"


def _is_numeric(column: Sequence[str]) -> bool:
    """Whether all cells below the head are numbers, or empty."""
    return len(column) > 1 and all(not cell or _NUMBER.match(cell) for cell in column[1:])


@dataclass
class Table:
    """A table of texts with a title, if it is not empty, and notes below it."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return self.text(_WIDTH)

    def text(self, width: int | None) -> str:
        """The table in lines of at most `width` characters; with None a row is one line.

        Columns for which there is no room stand below each row.
        """
        head, rows = self.columns, self.rows
        columns = [*zip(head, *rows, strict=True)]
        widths = _fitted_widths(columns, width)
        numeric = [_is_numeric(column) for column in columns]

        def aligned(row: Sequence[str]) -> list[str]:
            cells = [_wrapped(row[at], most) for at, most in widths.items()]
            return [
                "  ".join(
                    part.rjust(most) if numeric[at] else part.ljust(most)
                    for part, (at, most) in zip(parts, widths.items(), strict=True)
                )
                for parts in zip_longest(*cells, fillvalue="")
            ]

        lines = [self.title, ""] if self.title else []
        lines += [*aligned(head), "  ".join(["-" * most for most in widths.values()])]
        for row in rows:
            lines += aligned(row)
            for at, cell in enumerate(row):
                if at not in widths and cell:
                    lines += _wrapped(f"{head[at]}: {cell}", width, "  ")
        lines += [""] * bool(self.title and self.notes)
        lines += [line for note in self.notes for line in _wrapped(note, width)]
        return "\n".join([line.rstrip().translate(CONTROLS) for line in lines])

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


def _fitted_widths(columns: Sequence[Sequence[str]], width: int | None) -> dict[int, int]:
    """The widths of the columns that fit into `width` beside each other, by their numbers."""
    widths = {at: max(map(len, cells)) for at, cells in enumerate(columns)}
    if width is None:
        return widths
    # Columns become narrower between words, those of numbers last; names may be broken.
    words = [max([len(word) for cell in cells for word in _words(cell)]) for cells in columns]
    words[0] = min(words[0], _NARROWEST)
    numeric = [_is_numeric(cells) for cells in columns]
    least = [
        max([word, *map(len, cells[1:])]) if is_numeric else word
        for word, is_numeric, cells in zip(words, numeric, columns, strict=True)
    ]

    def is_too_wide(widths: Iterable[int]) -> bool:
        return sum(most + 2 for most in widths) - 2 > width

    while is_too_wide(words[at] for at in widths) and len(widths) > 1:
        others = [*widths][1:]
        texts = [at for at in others if not numeric[at]]
        del widths[max(texts or others, key=words.__getitem__)]
    for bounds in (least, words):
        while is_too_wide(widths.values()) and (
            wide := [at for at in widths if widths[at] > bounds[at]]
        ):
            widths[max(wide, key=widths.__getitem__)] -= 1
    return widths


def _words(text: str) -> list[str]:
    """What is kept on one line: words, and the fields of signatures."""
    return text.replace("|", "| ").split()


def _wrapped(text: str, width: int | None, indent: str = "") -> list[str]:
    """A text in lines of at most `width` characters, between `_words` if these are shorter."""
    if width is None or len(indent + text) <= width:
        return [indent + text]
    at_hyphens = max(map(len, _words(text))) > width
    filled = TextWrapper(
        width, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=at_hyphens
    )
    return [line.replace("| ", "|") for line in filled.wrap(" ".join(_words(text)))]


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

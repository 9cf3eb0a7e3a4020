"""Small tables as text, as Markdown and as HTML."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import zip_longest
from textwrap import TextWrapper

from ..core.runtime.html import html_table, is_numeric
from ..core.runtime.terminal import CONTROLS

_WIDTH = 80  # of printed tables, in characters
_NARROWEST = 10  # the first column is made no narrower
_LATEX = str.maketrans(
    {mark: f"\\{mark}" for mark in "&%$#_{}"}
    | {mark: f"${mark}$" for mark in "<>"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
)
_NEGATIVE = re.compile(r"(?<!\S)-(?=\d)")


@dataclass
class Table:
    """A table of texts, with an optional title and notes below it."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return self.text(_WIDTH)

    def text(self, width: int | None) -> str:
        """The table in lines of at most `width` characters; with None each row is one line.

        Columns that do not fit are printed below each row.
        """
        columns = [*zip(self.columns, *self.rows, strict=True)]
        widths = _fitted_widths(columns, width)
        count = len(widths)
        aligned = [str.rjust if is_numeric(column) else str.ljust for column in columns[:count]]

        def beside(row: Sequence[str]) -> list[str]:
            wrapped = zip_longest(*map(_wrapped, row[:count], widths), fillvalue="")
            lines = [zip(aligned, parts, widths, strict=True) for parts in wrapped]
            return ["  ".join([align(part, most) for align, part, most in line]) for line in lines]

        lines = [self.title, ""] if self.title else []
        lines += [*beside(self.columns), "  ".join(["-" * most for most in widths])]
        for row in self.rows:
            lines += beside(row)
            below = zip(self.columns[count:], row[count:], strict=True)
            texts = [f"{name}: {cell.strip()}".removeprefix(": ") for name, cell in below if cell]
            if texts:
                lines += _wrapped("; ".join(texts), width, "  ")
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

    def latex(self) -> str:
        """The table in LaTeX, for the package booktabs; the notes are comments above it."""
        head, *rows = [" & ".join(map(_in_latex, row)) for row in (self.columns, *self.rows)]
        lines = [f"% {' '.join(note.split())}" for note in self.notes]
        lines += [f"\\begin{{tabular}}{{l{'r' * (len(self.columns) - 1)}}}", "\\toprule"]
        lines += [f"{head} \\\\", "\\midrule", *[f"{row} \\\\" for row in rows]]
        return "\n".join([*lines, "\\bottomrule", "\\end{tabular}", ""])


def _in_latex(cell: str) -> str:
    """A cell in LaTeX, with a minus sign before negative numbers."""
    text = " ".join(cell.split()).translate(_LATEX)
    return _NEGATIVE.sub("$-$", text)


def _fitted_widths(columns: Sequence[Sequence[str]], width: int | None) -> list[int]:
    """The widths of as many of the first columns as fit into `width` side by side."""
    widths = [max(map(len, column)) for column in columns]
    if width is None:
        return widths
    least = [*map(_least_width, columns)]
    least[0] = min(least[0], _NARROWEST)  # names may be broken into lines
    while len(widths) > 1 and sum(least[: len(widths)]) + 2 * (len(widths) - 1) > width:
        widths.pop()
    while sum(widths) + 2 * (len(widths) - 1) > width and widths != least[: len(widths)]:
        wide = [at for at, most in enumerate(widths) if most > least[at]]
        widths[max(wide, key=widths.__getitem__)] -= 1
    return widths


def _least_width(column: Sequence[str]) -> int:
    """The length of the longest word or number."""
    head, *cells = column
    parts = cells if is_numeric(column) else [word for cell in cells for word in _words(cell)]
    return max(map(len, [*_words(head), *parts]), default=0)


def _words(text: str) -> list[str]:
    """The parts that stay on one line: words, and the fields of signatures."""
    return text.replace("|", "| ").split()


def _wrapped(text: str, width: int | None, indent: str = "") -> list[str]:
    """The lines of a text, at most `width` characters long, broken between `_words` if possible."""
    if width is None or len(indent + text) <= width:
        return [indent + text]
    at_hyphens = max(map(len, _words(text))) > width
    filled = TextWrapper(
        width, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=at_hyphens
    )
    return [line.replace("| ", "|") for line in filled.wrap(" ".join(_words(text)))]


def literal(text: str) -> str:
    """The text on one line, escaped so that Markdown and HTML in it have no effect."""
    text = " ".join(text.split())
    marks = CONTROLS | {ord(mark): f"\\{mark}" for mark in "\\`*_[]#|~$"}
    return text.translate({**marks, ord("<"): "&lt;", ord(">"): "&gt;", ord("&"): "&amp;"})


class Tables(ABC):
    """Base class of results that print as tables, also in notebooks."""

    @abstractmethod
    def _tables(self) -> list[Table]:
        """The tables, most important first."""

    def _sentences(self) -> list[str]:
        """What is said before the tables."""
        return []

    def __str__(self) -> str:
        return self._text(_WIDTH)

    def _text(self, width: int | None) -> str:
        """The tables in lines of at most `width` characters; with None each row is one line."""
        sentences = [
            "\n".join(_wrapped(text.translate(CONTROLS), width)) for text in self._sentences()
        ]
        return "\n\n".join([*sentences, *[table.text(width) for table in self._tables()]])

    def _repr_html_(self) -> str:
        sentences = [f"<p>{escape(text)}</p>" for text in self._sentences()]
        return "".join([*sentences, *[table.html() for table in self._tables()]])

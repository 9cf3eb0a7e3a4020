"""A table for notebooks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

_NUMBER = re.compile(r"[<+−-]? ?\d")


def html_table(rows: Iterable[Iterable[str]], caption: str) -> str:
    """A table for notebooks; the first row is its head."""
    head, *body = [list(row) for row in rows]
    # Notebooks align cells at the right, which suits numbers only.
    columns = zip(head, *body, strict=True)
    styles = ["" if is_numeric(column) else ' style="text-align:left"' for column in columns]
    lines = [
        "".join(
            f"<{tag}{style}>{escape(cell)}</{tag}>" for cell, style in zip(row, styles, strict=True)
        )
        for tag, row in [("th", head), *[("td", row) for row in body]]
    ]
    table = "".join(f"<tr>{line}</tr>" for line in lines)
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f"<table>{title}{table}</table>"


def is_numeric(column: Sequence[str]) -> bool:
    """Whether all cells below the head are numbers or empty."""
    return len(column) > 1 and all(not cell or _NUMBER.match(cell) for cell in column[1:])

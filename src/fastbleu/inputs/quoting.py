"""Delimiters and quotation marks of files of cells, and the cells of a row.

What writes tables (pandas, polars, pyarrow, csv) encloses cells with a quotation mark, a tab or a
line break in quotation marks, and doubles those in the cell. In plain files, such as parallel
corpora, marks are text like any other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain

DELIMITERS = ",", ";", "\t", "|", ":"
# Lines of a row: an open quotation mark in a plain file must not collect the whole file.
_MOST_LINES = 1 << 16


def rows_of(lines: Iterable[str]) -> Iterator[str]:
    """Join the lines, without their ends, between which a quotation mark is open."""
    row: list[str] = []
    is_open = False
    for line in lines:
        row.append(line)
        is_open ^= line.count('"') % 2 == 1
        if not is_open or len(row) == _MOST_LINES:
            yield "\n".join(row)
            row, is_open = [], False
    if row:
        yield "\n".join(row)


def layout_of(
    lines: Iterator[str],
    columns: Sequence[str],
    delimiter: str | None,
    quoted: bool | None,
    default: str = "\t",
) -> tuple[str, bool, list[str]]:
    """The delimiter of a file, whether marks enclose its cells, and the cells of line 1.

    If it is not given, the delimiter is that with which line 1 has most of the columns.
    """
    row = next(rows_of(lines), "").removeprefix("\ufeff").removesuffix("\r")
    line = row.partition("\n")[0].removesuffix("\r")

    def header(mark: str) -> list[str]:
        cells = None if quoted is False else cells_of(row, mark)
        return [cell or "" for cell in cells or line.split(mark)]

    if delimiter is None:
        delimiter = max((default, *DELIMITERS), key=lambda mark: len({*columns} & {*header(mark)}))
    if quoted is None:
        quoted = delimiter != "\t" or is_quoted(chain(row.split("\n"), lines))
    return delimiter, quoted, header(delimiter)


@cache
def _cell(mark: str) -> re.Pattern[str]:
    return re.compile(rf'[{mark}](?:"([^"]*(?:""[^"]*)*)"|([^"{mark}]*))(?=[{mark}]|\Z)')


def cells_of(row: str, delimiter: str = "\t") -> list[str | None] | None:
    """The cells of a row, None for an empty one without marks; None if marks are elsewhere."""
    cells = list(_cell(delimiter).finditer(f"{delimiter}{row}"))
    if sum(len(cell[0]) for cell in cells) <= len(row):
        return None
    return [cell[2] or None if cell[1] is None else cell[1].replace('""', '"') for cell in cells]


def is_quoted(lines: Iterable[str]) -> bool:
    """Whether the marks of tab-separated lines, without their ends, enclose cells.

    They do if all of them can, and if besides some are doubled, all cells of line 1 have them, or
    without them lines would have other numbers of cells than line 1.
    """
    width, is_certain = 0, False
    for row in rows_of(line.removesuffix("\r") for line in lines):
        if width and '"' not in row:
            continue
        cells = cells_of(row if width else row.removeprefix("\ufeff"))
        if cells is None or len(cells) != (width or len(cells)):
            return False
        plain = [line.count("\t") + 1 for line in row.split("\n")]
        if not width:
            width, plain_width = len(cells), plain[0]
            is_certain = row.count('"') >= 2 * width
        fits_plain = all(cells == plain_width for cells in plain)
        if fits_plain and len(plain) > 1 and width > 1:
            return False  # marks around text of several rows
        is_certain |= not fits_plain or '""' in row
    return is_certain

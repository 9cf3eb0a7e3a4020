"""Delimiters and quotation marks: which a file of cells has, and the cells of a row.

What writes tables (pandas, polars, pyarrow, csv) encloses cells with a quotation mark, a tab or a
line break in quotation marks, and doubles those in the cell. In plain files, such as parallel
corpora, marks are text like any other.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from functools import cache

_DELIMITERS = ",;\t|"
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


def delimiter_of(header: str, columns: Collection[str], default: str) -> str:
    """The delimiter with which a header has these columns."""
    for delimiter in default + _DELIMITERS:
        if columns and {*columns} <= {*header_cells(header, delimiter)}:
            return delimiter
    return default


def header_cells(header: str, delimiter: str, quoted: bool | None = None) -> list[str]:
    """The cells of line 1."""
    header = header.removeprefix("\ufeff").removesuffix("\r")
    cells = None if quoted is False else cells_of(header, delimiter)
    return [cell or "" for cell in cells or header.split(delimiter)]


@cache
def _cell(delimiter: str) -> re.Pattern[str]:
    mark = re.escape(delimiter)
    return re.compile(rf'{mark}(?:"([^"]*(?:""[^"]*)*)"|([^"{mark}]*))(?={mark}|\Z)')


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


def fault_of(lines: Iterable[str], delimiter: str, quoted: bool, encoding: str) -> str | None:
    """The first row that is not like line 1, and how to mend it; None if there is none.

    Of the lines, bytes that are not text in this encoding are surrogates.
    """
    quoting = csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE
    reader = csv.reader(lines, delimiter=delimiter, quoting=quoting)
    width = line = 0
    fix = "or pass quoted=True if quotation marks enclose cells"
    if quoted:
        fix = "and close all marks, or pass quoted=False if marks are text"
    fix = f"put texts with {delimiter!r} in quotation marks {fix}"
    with suppress(csv.Error):  # the cell is too long for the reader
        for row in reader:
            first, line = line + 1, reader.line_num
            width = width or len(row)
            if wrong := re.search("[\udc80-\udcff]", "".join(row)):
                other = "utf-16" if first == 1 and wrong.start() == 0 else "latin-1"
                fix = f'convert the file, or name its encoding, such as encoding="{other}"'
                return f"line {first} is not valid {encoding}: {fix}"
            if row and len(row) != width:
                columns = f"{len(row)} column{'s' * (len(row) != 1)}, but line 1 has {width}"
                return f"line {first} has {columns}: {fix}"
        return None
    return f"line {line + 1} has a very long cell: {fix}"

"""Columns of Parquet and Arrow files, as inputs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..core.inputs import errors
from ..core.inputs._utf8_rows import Utf8Rows
from ..core.inputs.arguments import a_type, shown
from .imports import import_undisturbed
from .readers import InputError, Reader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .settings import Options


class TableReader(Reader):
    """The texts of one column of a table's files, read in parts, without Python strings.

    With `is_reference`, cells may be lists of references.
    """

    unit = "row"

    def __init__(
        self, path: str, column: str, missing: str, options: Options, is_reference: bool
    ) -> None:
        self.label, self.missing, self._is_reference = path, missing, is_reference
        self._column = column
        if not column:
            raise InputError(f"{path}: choose a column with ::NAME after the file name")
        with named(path):
            sources = import_undisturbed("fastbleu.tables.sources")
            layout = options.quoted, options.delimiter, options.encoding
            how = sources.ReadOptions(*layout, options.read_as)
            self._source = sources.Source(path, [column], [column], how, [column])
        self.segments_in_all = self._source.rows
        self._frames: Iterator[Any] = filter(len, self._source.chunks())
        self._texts: Any = None  # unread ones of earlier frames, then the current frame
        self._lines: Any = None  # the reader of these texts
        self._left = 0

    def read(self, count: int) -> list[Any]:
        while self._left < count:
            with named(self.label):
                frame = next(self._frames, None)
            if frame is None:
                break
            self._open(frame[self._column].to_native())
        if self._lines is None:
            return [Utf8Rows()]
        rows: Utf8Rows
        rows, missing = self._lines.read(count)
        rows.before = self.segments
        for number, _ in missing:
            self.without_value(self._place(rows.before + number), self._column)
        if not self.keeps_ends:
            rows.rstrip()
        self.segments += len(rows)
        self._left -= len(rows)
        if self.missing != "skip":
            return [rows]
        lines: list[Any] = self.listed(rows)
        for number, _ in missing:
            lines[number] = None
        return [lines]

    def listed(self, rows: Utf8Rows) -> list[str]:
        if rows.levels:
            column, before = f"column {self._column!r}", rows.before
            return rows.as_lists(lambda row, k: f"{self._place(before + row)}: {column}[{k}]")
        lines: list[str] = []
        try:
            lines += iter(rows)  # keeps the lines before an error
        except UnicodeDecodeError as error:
            where = f"byte {error.start + 1} is 0x{error.object[error.start]:02x}"
            problem = f"column {shown(self._column)} is not valid UTF-8 ({where}): save it as UTF-8"
            raise InputError(f"{self._place(rows.before + len(lines))}: {problem}") from error
        return lines

    def _place(self, row: int) -> str:
        return str(self._source.at(row)[0])

    def _open(self, texts: Any) -> None:
        """Append a frame's texts to the unread ones."""
        from pyarrow import chunked_array, large_list, large_string

        from ..core.inputs.columns import opened

        if len(texts) and texts.null_count == len(texts) and "list" not in str(texts.type):
            texts = texts.cast(self._texts.type if self._left else "string")
        start = self.segments + self._left
        try:
            lines: Any = opened(texts, self._column)
            is_text = lines is not None and lines.is_text and lines.levels <= self._is_reference
            is_text = is_text and (not self._left or lines.levels == self._lines.levels)
        except TypeError:
            is_text = False
        if not is_text and len(texts):
            problem = f"column {shown(self._column)} is {a_type(texts[0].as_py())}"
            raise InputError(f"{self._place(start)}: {problem}; choose a column of texts")
        if self._left:
            rest = self._texts[len(self._texts) - self._left :]
            kind = large_list(large_string()) if lines.levels else large_string()
            with named(self.label):
                rest.validate(full=True)
                texts.validate(full=True)
            parts = [part.cast(kind) for part in (rest, texts)]
            texts = chunked_array([chunk for part in parts for chunk in part.chunks])
        self._texts, self._left = texts, len(texts)
        self._lines = opened(texts, self._column)
        self.ragged = self.ragged or self._lines.levels > 0


@contextmanager
def named(path: str) -> Iterator[None]:
    """Make errors name the file."""
    try:
        yield
    except InputError:
        raise
    except (ImportError, OSError, TypeError, ValueError) as error:
        file = error.file if isinstance(error, errors.InputError) else None
        is_named = file is not None or isinstance(error, FileNotFoundError)
        message = f"{error}" if is_named else f"{path}: {error}"
        raise InputError(message, file=file or path) from error

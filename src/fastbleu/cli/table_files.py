"""Columns of Parquet, Arrow and CSV files, as inputs and for scores by group."""

from __future__ import annotations

import argparse
import io
import json
import warnings
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ..inputs.arguments import a_type
from ..inputs.warnings import InputWarning
from .files import InputError
from .imports import import_undisturbed
from .readers import Reader

if TYPE_CHECKING:
    from ..metric.bleu import BLEU

GROUP_FORMATS = ("json", "text", "csv", "parquet")


class TableReader(Reader):
    """The texts of one column of a table's file, read in parts."""

    unit = "row"
    size = None
    position = 0
    ended = True  # reading never has to wait

    def __init__(self, path: str, column: str) -> None:
        self.label = path
        self._column = column
        if not column:
            raise InputError(f"{path}: choose a column by ::NAME after the name of the file")
        sources = _tables_of(path, "fastbleu.tables.sources")
        opened = _named(path, lambda: sources.open_table(path, [column], [column]))
        self._frames: Iterator[Any] = opened.chunks()
        self._waiting: list[str] = []

    def read(self, count: int) -> list[list[str]]:
        while len(self._waiting) < count:
            frame = _named(self.label, lambda: next(self._frames, None))
            if frame is None:
                break
            self._waiting += self._texts(frame)
        texts, self._waiting = self._waiting[:count], self._waiting[count:]
        self.segments += len(texts)
        return [texts]

    def place(self, index: int) -> str:
        return f"row {self.segments + index}"

    def _texts(self, frame: Any) -> list[str]:
        """The column of a part of the file, without whitespace at the ends of its texts."""
        first = self.segments + len(self._waiting)
        try:
            values: list[Any] = frame.values(self._column)
        except UnicodeDecodeError:
            raise self._undecodable(frame.column(self._column), first) from None
        for row, value in enumerate(values, first):
            if value is None:
                problem = "is null; fill it, or drop the row in all files"
                raise InputError(f"{self.label}: row {row}: column {self._column!r} {problem}")
            if not isinstance(value, str):
                problem = f"is {a_type(value)}; choose a column of texts"
                raise InputError(f"{self.label}: row {row}: column {self._column!r} {problem}")
        return list(map(str.rstrip, values))

    def _undecodable(self, column: Any, first: int) -> InputError:
        """The error that names the first row that is not UTF-8."""
        for row, value in enumerate(column, first):
            try:
                value.as_py()
            except UnicodeDecodeError as error:
                where = f"byte {error.start + 1} is 0x{error.object[error.start]:02x}"
                problem = f"column {self._column!r} is not valid UTF-8 ({where}): write it again"
                return InputError(f"{self.label}: row {row}: {problem}")
        raise AssertionError("every row can be decoded")


def score_groups(options: argparse.Namespace, metric: BLEU) -> tuple[str | bytes, list[str]]:
    """The scores of ``--by`` as text, or as bytes of Parquet, and warnings."""
    names = *options.references, *options.systems
    files = [name.rpartition("::")[::2] for name in names]
    paths = {path for path, _ in files}
    if len(paths) != 1 or not all(paths) or len(options.systems) != 1:
        raise InputError(
            "--by groups the rows of one file: name its columns, as in "
            "FILE.parquet::ref -i FILE.parquet::mt --by lang"
        )
    [path] = paths
    *columns, hypothesis = [column for _, column in files]
    tables = _tables_of(path, "fastbleu.tables")
    by = options.by.split(",")
    settings: dict[str, Any] = {"metric": metric, "progress": options.progress}
    if options.confidence:
        settings |= {"confidence": 0.95, "samples": options.confidence_n}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", InputWarning)
        found = _named(path, lambda: tables.score(path, hypothesis, columns, by, **settings))
    notes = [] if options.force else [str(warning.message) for warning in caught]
    return _printed(found, options.format), notes


def _printed(table: Any, form: str) -> str | bytes:
    """A table of pyarrow in a format of `GROUP_FORMATS`."""
    if form == "parquet":
        from pyarrow import parquet

        file = io.BytesIO()
        parquet.write_table(table, file)
        return file.getvalue()
    records = table.to_pylist()
    if form == "json":
        return json.dumps(records, indent=1, ensure_ascii=False, default=str) + "\n"
    for record in records:
        precisions = record.pop("precisions")
        record |= {f"precision_{n}": value for n, value in enumerate(precisions, 1)}
        record["signature"] = record.pop("signature")
    if form == "csv":
        import csv

        lines = io.StringIO()
        writer = csv.DictWriter(lines, list(records[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(records)
        return lines.getvalue()
    from tabulate import tabulate  # type: ignore[import-untyped]

    signatures = dict.fromkeys(record.pop("signature") for record in records)
    rows = tabulate(records, headers="keys", floatfmt=".4f", missingval="null")
    return "\n".join([rows, "", *signatures, ""])


def _tables_of(path: str, module: str) -> Any:
    return _named(path, lambda: import_undisturbed(module))


def _named(path: str, call: Callable[[], Any]) -> Any:
    """What the call returns; its errors name the file."""
    try:
        return call()
    except (ImportError, OSError, TypeError, ValueError) as error:
        message = str(error)
        raise InputError(message if message.startswith(path) else f"{path}: {message}") from error

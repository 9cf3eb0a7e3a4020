"""Columns of Parquet and Arrow files, as inputs and for scores by group."""

from __future__ import annotations

import io
import json
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from operator import methodcaller

from ..core.inputs import errors
from ..core.inputs._utf8_rows import Utf8Rows
from ..core.inputs.arguments import a_type, shown
from ..core.inputs.errors import InputWarning
from ..core.runtime.import_lock import import_undisturbed
from ..core.runtime.terminal import CONTROLS, JSON_CONTROLS
from .formats import MatchedReader, align_segments, open_input, select
from .readers import LABEL, REFERENCE, SYSTEM, InputError, Reader, in_step

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..core.metric.bleu import BLEU
    from .options import Options


_ROWS = 1 << 13  # of the parts of a table read here
_FILE_OPTIONS = ("quoted", "delimiter", "encoding")


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
        sources = _named(path, lambda: import_undisturbed("fastbleu.tables.sources"))
        settings = {name: getattr(options, name) for name in _FILE_OPTIONS}
        how = sources.ReadOptions(format=options.read_as, **settings)
        self._source = _named(path, lambda: sources.Source(path, [column], [column], how, [column]))
        self.segments_in_all = self._source.rows
        self._frames: Iterator[Any] = filter(len, self._source.chunks())
        self._texts: Any = None  # unread ones of earlier frames, then the current frame
        self._lines: Any = None  # the reader of these texts
        self._left = 0

    def read(self, count: int) -> list[Any]:
        while self._left < count:
            frame = _named(self.label, lambda: next(self._frames, None))
            if frame is None:
                break
            self._open(frame[self._column].to_native())
        if self._lines is None:
            return [Utf8Rows()]
        rows: Utf8Rows
        rows, missing = self._lines.read(count)
        rows.before = self.segments
        for number, _ in missing:
            self.without_value(self._source.place(rows.before + number), self._column)
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
        def place_of(row: int) -> str:
            return str(self._source.place(rows.before + row))

        if rows.levels:
            column = f"column {self._column!r}"
            return rows.as_lists(lambda row, k: f"{place_of(row)}: {column}[{k}]")
        lines: list[str] = []
        try:
            lines += iter(rows)  # keeps the lines before an error
        except UnicodeDecodeError as error:
            where = f"byte {error.start + 1} is 0x{error.object[error.start]:02x}"
            problem = f"column {shown(self._column)} is not valid UTF-8 ({where}): save it as UTF-8"
            raise InputError(f"{place_of(len(lines))}: {problem}") from error
        return lines

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
            place = self._source.place(start)
            raise InputError(f"{place}: {problem}; choose a column of texts")
        if self._left:
            rest = self._texts[len(self._texts) - self._left :]
            kind = large_list(large_string()) if lines.levels else large_string()
            for part in (rest, texts):
                _named(self.label, partial(part.validate, full=True))
            parts = [part.cast(kind) for part in (rest, texts)]
            texts = chunked_array([chunk for part in parts for chunk in part.chunks])
        self._texts, self._left = texts, len(texts)
        self._lines = opened(texts, self._column)
        self.ragged = self.ragged or self._lines.levels > 0


def score_groups(options: Options, metric: BLEU) -> tuple[str | bytes, list[str]]:
    """Return the scores of ``--by``, as text or Parquet bytes, and warnings."""
    names = [*options.references, *options.systems]
    files = [select(name, options.read_as) for name in names]
    path, kinds = files[0][0], {kind for _, _, kind in files}
    of_markup = {"xml", "sgml"} >= kinds
    if len(options.systems) != 1 or not (
        of_markup or (len({path for path, _, _ in files}) == 1 and all(n for _, n, _ in files))
    ):
        raise InputError(
            "--by groups the rows of a file, or of files in a directory or a pattern: name its "
            "columns, as in FILE.parquet::ref -i FILE.parquet::mt --by lang; or the segments of "
            "XML and SGML, as in REF.sgm -i HYP.sgm --by docid"
        )
    *columns, hypothesis = [column for _, column, _ in files]
    tables = _named(path, lambda: import_undisturbed("fastbleu.tables"))
    by = str(options.by).split(",")
    table: Any = path
    parts = [part for name in (*columns, hypothesis, *by) for part in name.split(".")]
    if of_markup or "coco" in kinds or any(map(str.isdecimal, parts)):
        *columns, hypothesis = names
        table = _columns(options, path, by)
    settings: dict[str, Any] = {"metric": metric, "progress": options.progress}
    settings["missing"] = options.missing or "error"
    if table is path:
        settings["format"] = options.read_as
        settings |= {name: getattr(options, name) for name in _FILE_OPTIONS}
    if options.tokenizers is not None:
        settings["language"] = options.language
        settings["tokenizers"] = _tokenizers(options.tokenizers, metric)
    if options.confidence:
        settings |= {"confidence": 0.95, "samples": options.confidence_n}
        settings["seed"] = options.random_seed
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", InputWarning)
        scores = _named(path, lambda: tables.score(table, hypothesis, columns, by=by, **settings))
    notes = [] if options.force else [str(warning.message) for warning in caught]
    if options.width is not None:
        for name in {"bleu", "low", "high"} & {*scores.column_names}:
            rounded = [value and round(value, options.width) for value in scores[name].to_pylist()]
            scores = scores.set_column(scores.column_names.index(name), name, [rounded])
    return _printed(scores, options.output_format, options.width), notes


def _columns(options: Options, path: str, by: Sequence[str]) -> Iterator[Any]:
    """Tables of texts and keys that `tables` cannot read: of numbered columns, JSON and XML."""
    from pyarrow import table

    with ExitStack() as opened:
        names = [*options.references, *options.systems, *by]
        readers = [open_input(name, REFERENCE, options, opened) for name in options.references]
        readers += [open_input(name, SYSTEM, options, opened) for name in options.systems]
        readers += [open_input(f"{path}::{key}", LABEL, options, opened) for key in by]
        if isinstance(readers[0], MatchedReader):
            align_segments(readers)
        for chunk in in_step(readers, _ROWS):
            yield table(dict(zip(names, chunk, strict=True)))


def _tokenizers(text: str, metric: BLEU) -> dict[Any, Any]:
    """The tokenizer of each language, from ``zh=zh,ja=ja-mecab``; the metric's for all others."""
    tokenizers: dict[Any, Any] = dict(pair.partition("=")[::2] for pair in text.split(","))
    if not (all(tokenizers) and all(tokenizers.values())):
        raise InputError(f"--tokenizers is {shown(text)}, expected pairs as in zh=zh,ja=ja-mecab")
    return {**tokenizers, None: metric.tokenize}


def _printed(table: Any, form: str, decimals: int | None) -> str | bytes:
    """Return a pyarrow table in one of the formats of ``--by``."""
    if form == "parquet":
        from pyarrow import parquet

        file = io.BytesIO()
        parquet.write_table(table, file)
        return file.getvalue()
    if form == "json":
        text = json.dumps(table.to_pylist(), indent=1, ensure_ascii=False, default=str)
        return text.translate(JSON_CONTROLS) + "\n"
    from ..plots.text import literal  # slow to import

    signatures = dict.fromkeys(table["signature"].to_pylist())
    table = table if form == "csv" else table.drop_columns("signature")
    made = {"csv": _csv_cell, "markdown": literal}.get(form, methodcaller("translate", CONTROLS))
    records = [
        {made(name): made(cell) if isinstance(cell, str) else cell for name, cell in row.items()}
        for row in table.to_pylist()
    ]
    if form == "csv":
        import csv

        lines = io.StringIO()
        writer = csv.DictWriter(lines, list(records[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(records)
        return lines.getvalue()
    from tabulate import tabulate  # type: ignore[import-untyped]

    options = {"latex": ("latex_booktabs", "% {}"), "markdown": ("github", "`{}`")}
    style, line = options.get(form, ("simple", "{}"))
    # Text keys stay as they are, even if they look like numbers.
    keys = list(range(table.column_names.index("segments")))
    places = {name: decimals for name in ("bleu", "low", "high") if decimals is not None}
    digits = [f".{places.get(name, 4)}f" for name in table.column_names]
    how: Any = {"floatfmt": digits, "missingval": "null", "disable_numparse": keys}
    rows = tabulate(records, headers="keys", tablefmt=style, **how)
    return "\n".join([rows, "", *map(line.format, signatures), ""])


def _csv_cell(text: str) -> str:
    """Escape a text that a spreadsheet would take for a formula; numbers are not formulas."""
    is_formula = re.match(r"[=+@-](?![\d.]+(e[+-]?\d+)?$)", text)
    return "'" * bool(is_formula) + text.translate(CONTROLS)


def _named(path: str, call: Callable[[], Any]) -> Any:
    """Return the result of `call`; errors name the file."""
    try:
        return call()
    except InputError:
        raise
    except (ImportError, OSError, TypeError, ValueError) as error:
        file = error.file if isinstance(error, errors.InputError) else None
        named = file is not None or isinstance(error, FileNotFoundError)
        raise InputError(f"{error}" if named else f"{path}: {error}", file=file or path) from error

"""Scores by group: ``--by``."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from operator import methodcaller
from warnings import WarningMessage, catch_warnings, simplefilter

from ..core.inputs.arguments import shown
from ..core.inputs.errors import InputWarning
from ..core.runtime.terminal import CONTROLS, JSON_CONTROLS
from .alignment import in_step
from .formats import named, open_inputs, select
from .imports import import_undisturbed
from .readers import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..core.metric.bleu import BLEU
    from .parser import Options


_ROWS = 1 << 13  # of the parts of a table read here


def score_groups(options: Options, metric: BLEU) -> tuple[str | bytes, list[WarningMessage]]:
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
    by = str(options.by).split(",")
    missing = options.missing or "error"
    settings: dict[str, Any] = {"metric": metric, "progress": options.progress, "missing": missing}
    if options.tokenizers is not None:
        settings["language"] = options.language
        settings["tokenizers"] = _tokenizers(options.tokenizers, metric)
    if options.confidence:
        settings |= {"confidence": 0.95, "samples": options.confidence_n}
        settings["seed"] = options.random_seed
    parts = [part for name in (*columns, hypothesis, *by) for part in name.split(".")]
    table: Any = path
    if of_markup or "coco" in kinds or any(map(str.isdecimal, parts)):
        *columns, hypothesis = names
        options.labels = {key: f"{path}::{key}" for key in by}
        table = _columns(options, [*names, *by])
    else:
        settings |= {"quoted": options.quoted, "delimiter": options.delimiter}
        settings |= {"encoding": options.encoding, "format": options.read_as}
    with catch_warnings(record=True) as caught, named(path):
        simplefilter("always", InputWarning)
        tables = import_undisturbed("fastbleu.tables")
        scores = tables.score(table, hypothesis, columns, by=by, **settings)
    if options.width is not None:
        for name in {"bleu", "low", "high"} & {*scores.column_names}:
            rounded = [value and round(value, options.width) for value in scores[name].to_pylist()]
            scores = scores.set_column(scores.column_names.index(name), name, [rounded])
    return _printed(scores, options.output_format, options.width), caught


def _columns(options: Options, names: Sequence[str]) -> Iterator[Any]:
    """Tables of texts and keys that `tables` cannot read: of numbered columns, JSON and XML."""
    from pyarrow import table

    with ExitStack() as opened:
        readers, _, _ = open_inputs(options, opened)
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

"""The public functions of `fastbleu.tables`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..runtime.progress import ProgressBar
from .frames import Frame
from .groups import GroupScorer
from .rows import RowCounter, check_columns, check_new_columns
from .sources import open_table

if TYPE_CHECKING:
    from ..inputs.types import MissingChoice
    from ..metric.bleu import BLEU
    from .frames import Indices


def score(
    table: Any,
    hypothesis: str,
    references: str | Sequence[str],
    by: str | Sequence[str] = (),
    *,
    metric: BLEU | None = None,
    language: str | None = None,
    tokenize: Mapping[Any, Any] | None = None,
    confidence: float | None = None,
    samples: int = 1000,
    seed: int | str | None = None,
    missing: MissingChoice = "error",
    threads: int | None = None,
    progress: bool = False,
) -> Any:
    """BLEU of each group of a table's rows, equal to that of the group alone.

    Each row is a segment. Rows are counted in chunks, and their counts are added up by group, so
    a table may be larger than memory.

    Parameters
    ----------
    table : table, lazy table, path or iterable of tables
        In memory: a table of pandas, polars or pyarrow, any other data frame that narwhals
        supports, or a dict of columns. Streamed, in constant memory: a polars LazyFrame, a dataset,
        a ParquetFile or a RecordBatchReader of pyarrow, a DuckDB relation, a dataset of Hugging
        Face's `datasets`, any iterable of tables or record batches, or the path of a .parquet,
        .feather, .arrow or .csv file or of a directory of Parquet files.
    hypothesis : str
        The column of the hypotheses.
    references : list of str, or str
        The columns of the references; or one column, with one reference or a list of references per
        segment.
    by : str or list of str, optional
        The columns whose values define groups; by default all rows are one group. Null is a value.
    metric : BLEU, optional
        The BLEU to compute; by default ``fastbleu.BLEU()``.
    language, tokenize : str, dict, optional
        A column of `by`, and the tokenizer for each of its values, None for all others:
        ``language="lang", tokenize={"zh": "zh", "ja": "ja-mecab", None: "13a"}``.
    confidence : float, optional
        Between 0 and 1: adds `low` and `high`, the bounds of a bootstrap interval as in
        `fastbleu.significance.bootstrap`; null for a group of one segment. It needs the counts of
        all segments, 112 bytes each with 4 orders.
    samples, seed : int, optional
        Number of bootstrap samples, and their seed.
    missing : {"error", "empty", "skip"}, default "error"
        What to do with a row whose hypothesis or reference is null (None, NaN): "empty" reads it as
        an empty text, "skip" leaves the row out and warns how many there are.
    threads : int, optional
        Number of threads; by default the metric's.
    progress : bool, default False
        Show a progress bar on standard error.

    Returns
    -------
    table
        A table of the same library, of pyarrow for files. A row for each group in the order
        of their first rows: the columns `by`, `segments`, `bleu` on the dialect's scale,
        `precisions` (a list, 0-1), `bp`, `hyp_len`, `ref_len`, `low` and `high` if requested,
        `signature`.

    Raises
    ------
    ValueError
        There are no rows, a column or the tokenizer for a language is missing, columns differ
        in length, or as for `fastbleu.BLEU.score`.
    TypeError
        `table` is not a table, or a value is null or not a text: the message names the row, from 0,
        and the column.
    ImportError
        A library that reads the table is not installed.

    Warns
    -----
    InputWarning
        As for `fastbleu.BLEU.score`.

    Examples
    --------
    >>> table = {"system": ["a", "a", "b"], "mt": ["the cat sat on it", "a dog", "the cat sat on"]}
    >>> table["ref"] = ["the cat sat on it", "a dog", "the cat sat on it"]
    >>> found = score(table, "mt", ["ref"], by="system")
    >>> found["system"], found["segments"], [round(value, 1) for value in found["bleu"]]
    (['a', 'b'], [2, 1], [100.0, 77.9])
    """
    how: dict[str, Any] = {"metric": metric, "tokenize": tokenize, "language": language}
    counter = RowCounter(hypothesis, references, missing=missing, threads=threads, **how)
    scorer = GroupScorer(counter, by, confidence, samples, seed)
    source = open_table(table, scorer.columns, counter.columns[: 1 + len(counter.references)])
    rules = counter.metric._parameters.rules
    if "update" in rules.unsupported:
        if source.is_stream:
            rules.require("update")
        return scorer.score_texts(source.frame).to_native()
    with ProgressBar(progress, source.rows, " rows") as bar:
        total = scorer.totals(_advancing(source.chunks(), bar))
    if total is None:
        raise ValueError("there are no segments to score: the table has no rows")
    return scorer.scores(total).to_native()


def sentence_scores(
    table: Any,
    hypothesis: str,
    references: str | Sequence[str],
    *,
    name: str = "bleu",
    metric: BLEU | None = None,
    language: str | None = None,
    tokenize: Mapping[Any, Any] | None = None,
    missing: MissingChoice = "error",
    threads: int | None = None,
    progress: bool = False,
) -> Any:
    """Add a column `name` with the BLEU of each row.

    Parameters and errors as for `score`; with sacreBLEU's dialect short segments need
    ``metric=fastbleu.BLEU(effective_order=True)``.

    Returns
    -------
    table or iterator of tables
        A table of the same library; for streamed input an iterator of tables, which reads lazily.
        Scores are on the dialect's scale; null if ``missing="skip"`` left the row out.

    Examples
    --------
    >>> table = {"mt": ["the cat sat on it", "a dog ran off"], "ref": ["the cat sat on it"] * 2}
    >>> [round(value, 1) for value in sentence_scores(table, "mt", "ref")["bleu"]]
    [100.0, 0.0]
    """
    how: dict[str, Any] = {"metric": metric, "tokenize": tokenize, "language": language}
    counter = RowCounter(hypothesis, references, missing=missing, threads=threads, **how)

    def scored(frame: Frame, first: int) -> Frame:
        numbers, values = counter.sentence_scores(frame, first)
        return frame.with_columns({name: _with_nulls(values, numbers - first, len(frame))})

    return _appended(table, counter, [name], scored, progress)


def statistics(
    table: Any,
    hypothesis: str,
    references: str | Sequence[str],
    *,
    metric: BLEU | None = None,
    language: str | None = None,
    tokenize: Mapping[Any, Any] | None = None,
    missing: MissingChoice = "error",
    threads: int | None = None,
    progress: bool = False,
) -> Any:
    """Add columns with the counts of each row, from which every score can be computed.

    Parameters, errors and return types as for `sentence_scores`. The new int64 columns
    are those of `fastbleu.Stats`: `hyp_len`, `ref_len`, `matches_1` to `matches_N`, `totals_1` to
    `totals_N`.

    Examples
    --------
    >>> table = statistics({"mt": ["a b c"], "ref": ["a b d"]}, "mt", "ref")
    >>> table["hyp_len"], table["matches_1"], table["matches_2"]
    ([3], [2], [1])
    """
    how: dict[str, Any] = {"metric": metric, "tokenize": tokenize, "language": language}
    counter = RowCounter(hypothesis, references, missing=missing, threads=threads, **how)
    orders = range(1, counter.metric.max_order + 1)
    names = [
        "hyp_len",
        "ref_len",
        *(f"matches_{n}" for n in orders),
        *(f"totals_{n}" for n in orders),
    ]

    def counted(frame: Frame, first: int) -> Frame:
        found = counter.count(frame, first, "statistics")
        columns = np.ascontiguousarray(np.asarray(found.stats).T)
        rows = found.numbers - first
        values = [_with_nulls(column, rows, len(frame)) for column in columns]
        return frame.with_columns(dict(zip(names, values, strict=True)))

    return _appended(table, counter, names, counted, progress)


def _appended(
    table: Any,
    counter: RowCounter,
    names: Sequence[str],
    append: Callable[[Frame, int], Frame],
    progress: bool,
) -> Any:
    """Apply `append` to the table, or to each part of a stream."""
    source = open_table(table, None, counter.columns)

    def parts() -> Iterator[Any]:
        row = 0
        with ProgressBar(progress, source.rows, " rows") as bar:
            for frame in source.chunks() if source.is_stream else [source.frame]:
                check_columns(frame.columns, counter.columns)
                check_new_columns(frame.columns, names)
                yield append(frame, row).to_native()
                row += len(frame)
                bar.update(len(frame))
        counter.warn()

    if source.is_stream:
        return parts()
    [result] = parts()
    return result


def _advancing(frames: Iterator[Frame], bar: ProgressBar) -> Iterator[Frame]:
    for frame in frames:
        yield frame
        bar.update(len(frame))


def _with_nulls(values: Any, rows: Indices, length: int) -> Any:
    """A column with the values in these rows, and null in all others."""
    if len(rows) == length:
        return values
    column: list[Any] = [None] * length
    for row, value in zip(rows.tolist(), values.tolist(), strict=True):
        column[row] = value
    return column

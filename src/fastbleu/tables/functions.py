"""The public functions of `fastbleu.tables`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..dialects.base import COUNT, PARTS, UPDATE
from ..runtime.terminal import ProgressBar
from .data_files import FileOptions, is_path
from .frames import Frame
from .groups import GroupScorer, count_names
from .rows import RowCounter, check_columns, check_new_columns
from .sources import DEFAULT_OPTIONS, Source, TableParts, open_table
from .sums import combined, scores_of, stored, sums_scorer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..inputs.types import MissingChoice
    from ..metric.argument import Metric
    from .frames import Indices


def score(
    table: object,
    hypotheses: str,
    references: str | Sequence[str],
    *,
    by: str | Sequence[str] | None = None,
    metric: Metric | None = None,
    language: str | None = None,
    tokenizers: Mapping[Any, Any] | None = None,
    missing: MissingChoice = "error",
    confidence: float | None = None,
    samples: int = 1000,
    seed: int | None = 12345,
    quoted: bool | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    format: str | None = None,
    progress: bool = False,
) -> Any:
    """BLEU of each group of a table's rows, equal to that of the group alone.

    Each row is a segment. Rows are counted in chunks, and their counts are added up by group, so
    a table may be larger than memory.

    Parameters
    ----------
    table : table, lazy table, path or iterable of tables
        In memory: a table of pandas, polars or pyarrow, any other data frame that narwhals
        supports, or a dict of columns. Streamed: files (.parquet, .pq, .feather, .arrow, .arrows,
        .ipc; .csv, .tsv, .jsonl, .ndjson, also in .gz, .bz2, .xz, .zst, .zip or .tar) by a path, a
        list of paths, a pattern, a directory or a URL (s3://, and what fsspec opens). Also a
        LazyFrame of polars, a dataset, a ParquetFile or a RecordBatchReader of pyarrow, a DuckDB
        relation, a dataset of Hugging Face's `datasets`, or any iterable of tables or record
        batches. Of a stream only some parts of 65,536 rows are in memory, and what its library
        reads ahead: nothing of Parquet files given as paths, whole row groups of a dataset of
        pyarrow.
    hypotheses : str
        The column of the hypotheses.
    references : list of str, or str
        The columns of the references; or one column, with one reference or a list of references per
        segment.
    by : str or list of str, optional
        The columns whose values define groups; by default all rows are one group. Null is a value.
    metric : BLEU or str, optional
        The BLEU to compute, or the name of a dialect; by default ``fastbleu.BLEU()``.
    language, tokenizers : str, dict, optional
        A column of `by`, and the tokenizer for each of its values, None for all others:
        ``language="lang", tokenizers={"zh": "zh", "ja": "ja-mecab", None: "13a"}``.
    missing : {"error", "empty", "skip", "ragged"}, default "error"
        What to do with a row whose hypothesis or reference is null (None, NaN, an empty cell of
        .csv and .tsv): "empty" reads it as an empty text, "skip" leaves the row out and warns how
        many there are, "ragged" leaves out null and blank references of rows that have others. A
        cell with two quotation marks alone, ``""``, is an empty text, as polars and pyarrow write
        and read it; pandas writes empty texts as empty cells, and reads both as NaN.
    confidence : float, optional
        Between 0 and 1: adds `low` and `high`, the bounds of a bootstrap interval as in
        `fastbleu.significance.bootstrap`; null for a group of one segment, and, with a warning, if
        samples have no score. It keeps the counts of all segments, in at most 48 bytes each with 4
        orders and less than 2,048 tokens. A thousand samples take 5 to 7 microseconds per segment,
        many times as long as counting: more than one is what numpy's generator takes to draw. A
        second thread draws while the first counts.
    samples : int, default 1000
        Number of bootstrap samples.
    seed : int or None, default 12345
        Their seed; None draws anew each time.
    quoted : bool, optional
        Whether cells of .csv and .tsv files may be enclosed in quotation marks. By default those of
        .csv; those of a .tsv file if all its marks enclose cells, as pandas, polars and csv write
        them, for which it is searched before it is read. Else marks are text.
    delimiter, encoding, format : str, optional
        What separates cells of .csv and .tsv files, by default the comma, tab, semicolon or bar
        with which line 1 has the columns; the encoding of text files, by default UTF-8; the format
        of files whatever their names end in, such as "jsonl".
    progress : bool, default False
        Show a progress bar on standard error.

    Returns
    -------
    table
        A table of the same library, of pyarrow for files. A row for each group in the order
        of their first rows: the columns `by`, `segments`, `bleu` on the dialect's scale,
        `precision_1` to `precision_N` (0-1), `bp`, `hyp_len`, `ref_len`, `low` and `high` if
        requested, `signature`. With ``tokenize="auto"`` this says "tok:auto", and not with which
        tokenizers: `sums`, of which the result is the same, have no column for them, and SQL could
        not join different texts in `counted`.

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
    >>> scores = score(table, "mt", ["ref"], by="system")
    >>> scores["system"], scores["segments"], [round(value, 1) for value in scores["bleu"]]
    (['a', 'b'], [2, 1], [100.0, 77.9])
    """
    row_counter = RowCounter(hypotheses, references, metric, language, tokenizers, missing)
    groups = GroupScorer(row_counter, by, confidence, samples, seed)
    files = FileOptions(quoted, delimiter, encoding, format)
    source = _opened(table, row_counter, groups.columns, files)
    dialect = row_counter.metric._scorer.dialect
    if not dialect.supports(UPDATE):
        if source.frame is not None:
            return source.to_native(groups.score_texts(source.frame))
        try:
            dialect.require(UPDATE)
        except ValueError as error:
            advice = "it needs all texts of a group at once: pass a table that is in memory"
            raise ValueError(f"{error}; {advice}") from None
    return source.to_native(groups.scores(_totals(groups, source, progress)))


def sums(
    table: object,
    hypotheses: str,
    references: str | Sequence[str],
    *,
    by: str | Sequence[str] | None = None,
    metric: Metric | None = None,
    language: str | None = None,
    tokenizers: Mapping[Any, Any] | None = None,
    missing: MissingChoice = "error",
    quoted: bool | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    format: str | None = None,
    progress: bool = False,
) -> Any:
    """The counts of each group of a table's rows, to be stored, added up and scored later.

    Parameters, errors and warnings as for `score`.

    Returns
    -------
    table
        A table of the same library, of pyarrow for files. A row for each group in the order of
        their first rows: the columns `by`; as int64 `segments`, `fewest_references`,
        `most_references` (of a segment), `hyp_len`, `ref_len` (tokens), `matches_1` to `matches_N`,
        `totals_1` to `totals_N`; and `counted`, a JSON text with what they were counted with:
        dialect, tokenizer, order, further options that are not the defaults, and the version of
        the rules. Metadata of pyarrow's schema (``fastbleu.sums``) and pandas' ``attrs`` say the
        same. Later versions read what earlier ones have written.

        In SQL, group by `counted` and the keys, and take the least of `fewest_references`, the
        greatest of `most_references`, and the sum of the other columns.

    Raises
    ------
    ValueError
        The dialect's corpus score cannot be computed from summed counts; or as for `score`.

    Examples
    --------
    >>> day = sums({"mt": ["a b c", "a"], "ref": ["a b d", "a"]}, "mt", "ref")
    >>> day["segments"], day["hyp_len"], day["matches_1"]
    ([2], [4], [3])
    """
    row_counter = RowCounter(hypotheses, references, metric, language, tokenizers, missing)
    groups = sums_scorer(row_counter, by)
    files = FileOptions(quoted, delimiter, encoding, format)
    source = _opened(table, row_counter, groups.columns, files)
    total = _totals(groups, source, progress)
    row_counter.warn()
    return source.to_native(stored(groups, total))


def add_sums(*sums: object, by: str | Sequence[str] | None = None) -> Any:
    """Add up tables of sums: a row for each group, in the order of their first rows.

    Parameters
    ----------
    *sums : table, lazy table, path or iterable of tables
        What `sums` or `add_sums` returned, or SQL made of it, in any form that `score` reads, also
        of several libraries. Rows without segments are left out.
    by : str or list of str, optional
        The keys of the result, some of the tables'; by default all.

    Returns
    -------
    table
        As from `sums`, of the library of the first table.

    Raises
    ------
    ValueError
        Tables were counted with different options (the message names the difference), have other
        keys, or lack a column; or there are none.
    TypeError
        A table is none, or a count is not an integer of 64 bits.

    Examples
    --------
    >>> day = sums({"mt": ["a b c"], "ref": ["a b d"]}, "mt", "ref")
    >>> add_sums(day, day)["segments"]
    [2]
    """
    source, total = combined(sums, [by] if isinstance(by, str) else by)
    return source.to_native(total)


def score_sums(sums: object, *, metric: Metric | None = None) -> Any:
    """The score of each row of a table of sums: the result of `score` for its segments.

    Parameters
    ----------
    sums : table, lazy table, path or iterable of tables
        What `sums` or `add_sums` returned, or SQL made of it.
    metric : BLEU or str, optional
        By default the metric with which the segments were counted. Another one, with other
        smoothing or weights, must count in the same way.

    Returns
    -------
    table
        As from `score`.

    Raises
    ------
    ValueError, TypeError
        As for `add_sums`; or no text can have the sums.

    Examples
    --------
    >>> day = sums({"mt": ["a b c d e"], "ref": ["a b c d f"]}, "mt", "ref")
    >>> [round(value, 1) for value in score_sums(day)["bleu"]]
    [66.9]
    """
    return scores_of(sums, metric)


def sentence_scores(
    table: object,
    hypotheses: str,
    references: str | Sequence[str],
    *,
    column: str = "bleu",
    metric: Metric | None = None,
    language: str | None = None,
    tokenizers: Mapping[Any, Any] | None = None,
    missing: MissingChoice = "error",
    quoted: bool | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    format: str | None = None,
    progress: bool = False,
) -> Any:
    """Add a column, named `column`, with the BLEU of each row.

    Parameters and errors as for `score`, scores as from `fastbleu.BLEU.sentence_scores`.

    Returns
    -------
    table or TableParts
        A table of the same library; for streamed input an iterator of tables, which reads lazily.
        The iterator is also a stream with the Arrow interface, and has ``to_reader()``, for
        ``pyarrow.dataset.write_dataset(parts.to_reader(), "scores", format="parquet")``.
        Scores are on the dialect's scale; null if ``missing="skip"`` left the row out.

    Examples
    --------
    >>> table = {"mt": ["the cat sat on it", "a dog ran off"], "ref": ["the cat sat on it"] * 2}
    >>> [round(value, 1) for value in sentence_scores(table, "mt", "ref")["bleu"]]
    [100.0, 0.0]
    """
    row_counter = RowCounter(hypotheses, references, metric, language, tokenizers, missing)
    files = FileOptions(quoted, delimiter, encoding, format)
    return with_scores(table, row_counter, column, files, progress)


def with_scores(
    table: object,
    row_counter: RowCounter,
    column: str = "bleu",
    files: FileOptions = DEFAULT_OPTIONS,
    progress: bool = False,
) -> Any:
    """The result of `sentence_scores`."""
    row_counter.metric._scorer.dialect.require(PARTS)

    def scored(frame: Frame, first: int) -> tuple[Indices, Iterable[NDArray[Any]]]:
        rows, values = row_counter.sentence_scores(frame, first)
        return rows, [values]

    return _appended(table, row_counter, [column], scored, files, progress)


def count(
    table: object,
    hypotheses: str,
    references: str | Sequence[str],
    *,
    metric: Metric | None = None,
    language: str | None = None,
    tokenizers: Mapping[Any, Any] | None = None,
    missing: MissingChoice = "error",
    quoted: bool | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    format: str | None = None,
    progress: bool = False,
) -> Any:
    """Add columns with the counts of each row, from which every score can be computed.

    Parameters, errors and return types as for `sentence_scores`. The new int64 columns
    are those of `fastbleu.Stats`: `hyp_len`, `ref_len`, `matches_1` to `matches_N`, `totals_1` to
    `totals_N`.

    Examples
    --------
    >>> table = count({"mt": ["a b c"], "ref": ["a b d"]}, "mt", "ref")
    >>> table["hyp_len"], table["matches_1"], table["matches_2"]
    ([3], [2], [1])
    """
    row_counter = RowCounter(hypotheses, references, metric, language, tokenizers, missing)
    files = FileOptions(quoted, delimiter, encoding, format)
    return with_counts(table, row_counter, files, progress)


def with_counts(
    table: object,
    row_counter: RowCounter,
    files: FileOptions = DEFAULT_OPTIONS,
    progress: bool = False,
) -> Any:
    """The result of `count`."""
    row_counter.metric._scorer.dialect.require(COUNT, UPDATE)  # because rows are counted in parts
    names = count_names(row_counter.metric.max_ngram_order)

    def counted(frame: Frame, first: int) -> tuple[Indices, Iterable[NDArray[Any]]]:
        numbers = np.arange(first, first + len(frame))
        parts = [(rows, np.asarray(c.stats)) for rows, _, c in row_counter.counts(frame, numbers)]
        rows = np.concatenate([np.zeros(0, np.int64), *(rows for rows, _ in parts)])
        order = np.argsort(rows, kind="stable")
        counts = np.concatenate([np.zeros((0, len(names)), np.int64), *(part for _, part in parts)])
        return rows[order], np.ascontiguousarray(counts[order].T)

    return _appended(table, row_counter, names, counted, files, progress)


def _appended(
    table: Any,
    row_counter: RowCounter,
    names: Sequence[str],
    results: Callable[[Frame, int], tuple[Indices, Iterable[NDArray[Any]]]],
    files: FileOptions,
    progress: bool,
) -> Any:
    """The table, or each part of a stream, with the columns `names` of `results`.

    `results` returns the rows in which nothing is missing, and for each column their values.
    """
    source = _opened(table, row_counter, None, files)

    def parts() -> Iterator[Any]:
        row = 0
        with _bar(source, progress) as bar:
            for frame in source.chunks() if source.frame is None else [source.frame]:
                check_columns(frame.columns, row_counter.columns)
                check_new_columns(frame.columns, names)
                rows, columns = results(frame, row)
                added = [_with_nulls(values, rows, len(frame)) for values in columns]
                yield source.to_native(frame.with_columns(dict(zip(names, added, strict=True))))
                row += len(frame)
                bar.update(len(frame))
        row_counter.warn()

    if source.frame is None:
        return TableParts(parts())
    [result] = parts()
    return result


def _opened(
    table: Any, row_counter: RowCounter, columns: Sequence[str] | None, files: FileOptions
) -> Source:
    """The table; messages about rows of files name the file."""
    source = open_table(table, columns, row_counter.texts, files)
    if is_path(table):
        row_counter.place, row_counter.file = source.place, source.file
    return source


def _bar(source: Source, progress: bool) -> ProgressBar:
    return ProgressBar(progress, source.rows if progress else None, " rows")


def _totals(groups: GroupScorer, source: Source, progress: bool) -> Frame:
    """The totals of a table's groups; ValueError if no row was counted."""

    def advancing() -> Iterator[Frame]:
        for frame in source.chunks():
            yield frame
            bar.update(len(frame))

    with _bar(source, progress) as bar:
        total = groups.totals(advancing())
    if total is None or not len(total):
        raise groups.row_counter.no_rows()
    return total


def _with_nulls(values: Any, rows: Indices, length: int) -> Any:
    """A column with the values in these rows, and null in all others."""
    if len(rows) == length:
        return values
    column: Any = np.ma.MaskedArray(np.zeros(length, values.dtype), mask=True)
    column[rows] = values
    return column

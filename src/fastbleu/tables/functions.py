"""The public functions of `fastbleu.tables`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.inputs.arguments import a_type
from ..core.metric.argument import scorer_of
from ..core.runtime.import_lock import lazy
from ..core.scoring.base import COUNT, PARTS, UPDATE
from .data_files import ReadOptions, is_path
from .frames import with_columns
from .groups import GroupScorer, count_names
from .rows import RowCounter, check_new_columns, with_fields
from .sources import DEFAULT_OPTIONS, Source, TableParts
from .sums import combined, scores_of, stored, sums_scorer

if TYPE_CHECKING:
    from ..core.inputs.types import MissingChoice
    from ..core.metric.argument import Metric
    from ..reporting import report as reporting
else:
    reporting = lazy("fastbleu.reporting.report")


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
        In memory: a pandas, polars or pyarrow table, any other data frame that narwhals supports,
        or a dict of columns. Streamed: files (.parquet, .pq, .feather, .arrow, .arrows,
        .ipc; .csv, .tsv, .jsonl, .ndjson, also in .gz, .bz2, .xz, .zst, .zip or .tar), as a path, a
        list of paths, a pattern, a directory or a URL (s3://, and others that fsspec opens). Also a
        polars LazyFrame, a pyarrow dataset, ParquetFile or RecordBatchReader, a DuckDB relation, a
        dataset of Hugging Face's `datasets`, or any iterable of tables or record batches. Only some
        parts of a stream, of 65,536 rows, are in memory, and what its library reads ahead: nothing
        for Parquet files given as paths, whole row groups for a pyarrow dataset.
    hypotheses : str
        The column of the hypotheses; a field of a struct as in "translation.de".
    references : list of str, or str
        The columns of the references; or one column, with one reference or a list of references per
        segment.
    by : str or list of str, optional
        The columns whose values define groups; by default all rows are one group. Null is a value.
    metric : BLEU or str, optional
        The BLEU to compute, or the name of a dialect; by default ``fastbleu.BLEU()``.
    language, tokenizers : str, dict, optional
        A column of `by`, and the tokenizer for each of its values; None stands for all others:
        ``language="lang", tokenizers={"zh": "zh", "ja": "ja-mecab", None: "13a"}``.
    missing : {"error", "empty", "skip", "ragged"}, default "error"
        What to do with a row whose hypothesis or reference is null (None, NaN, an empty cell of
        .csv and .tsv): "empty" reads it as an empty text, "skip" leaves the row out and warns of
        the number, "ragged" leaves out null and blank references of rows that have others. A
        cell with only two quotation marks, ``""``, is an empty text, as polars and pyarrow write
        and read it; pandas writes empty texts as empty cells, and reads both as NaN.
    confidence : float, optional
        Between 0 and 1: adds `low` and `high`, the bounds of a bootstrap interval as in
        `fastbleu.significance.bootstrap`; null for a group of one segment, and, with a warning, if
        samples have no score. This keeps the counts of all segments, at most 48 bytes each with 4
        orders and fewer than 2,048 tokens. A thousand samples take 5 to 7 microseconds per segment,
        many times as long as counting; more than one of them is spent in numpy's generator. A
        second thread draws while the first counts.
    samples : int, default 1000
        Number of bootstrap samples.
    seed : int or None, default 12345
        The seed of the samples; None draws new ones each time.
    quoted : bool, optional
        Whether cells of .csv and .tsv files may be enclosed in quotation marks; otherwise marks are
        text. Default: True for .csv, and for a .tsv file if all its marks enclose cells, as written
        by pandas, polars and csv; the file is searched for marks before it is read.
    delimiter, encoding, format : str, optional
        The separator of cells in .csv and .tsv files, by default the comma, tab, semicolon or bar
        that gives line 1 the columns; the encoding of text files, by default UTF-8; the format of
        files, such as "jsonl", whatever their names end in.
    progress : bool, default False
        Show a progress bar on standard error.

    Returns
    -------
    table
        A table of the same library, or of pyarrow for files, with a row for each group, in the
        order of first rows: the columns `by`, `segments`, `bleu` on the dialect's scale,
        `precision_1` to `precision_N` (0-1), `bp`, `hyp_len`, `ref_len`, `low` and `high` if
        requested, and `signature`. With ``tokenize="auto"`` the signature says "tok:auto", without
        the tokenizers that were chosen: `sums`, which give the same result, have no column for
        them, and SQL could not join different texts in `counted`.

    Raises
    ------
    ValueError
        There are no rows, a column or the tokenizer for a language is missing, columns differ
        in length, or as for `fastbleu.BLEU.score`.
    TypeError
        `table` is not a table, or a value is null or not a text; the message names the row, from 0,
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
    options = ReadOptions(quoted, delimiter, encoding, format, progress)
    source = _opened(table, row_counter, groups.columns, options)
    scorer = scorer_of(row_counter.metric)
    if not scorer.supports(UPDATE):
        if source.frame is not None:
            return source.to_native(groups.score_texts(source.frame))
        try:
            scorer.require(UPDATE)
        except ValueError as error:
            advice = "it needs all texts of a group at once: pass a table that is in memory"
            raise ValueError(f"{error}; {advice}") from None
    total = groups.totals(source)
    if not len(total[0]):
        raise row_counter.no_rows()
    return source.to_native(groups.scores(total))


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
    """The counts of each group of a table's rows, to store, add up and score later.

    Parameters, errors and warnings as for `score`.

    Returns
    -------
    table
        A table of the same library, or of pyarrow for files, with a row for each group, in the
        order of first rows: the columns `by`; as int64 `segments`, `fewest_references`,
        `most_references` (of a segment), `hyp_len`, `ref_len` (tokens), `matches_1` to `matches_N`,
        `totals_1` to `totals_N`; and `counted`, a JSON text with the options of counting:
        dialect, tokenizer, order, other options that differ from the defaults, and the version of
        the rules. The metadata of a pyarrow schema (``fastbleu.sums``) and pandas' ``attrs`` say
        the same. Later versions can read what earlier ones wrote.

        In SQL, group by `counted` and the keys, and take the least of `fewest_references`, the
        greatest of `most_references`, and the sum of the other columns. No rows have no groups.

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
    options = ReadOptions(quoted, delimiter, encoding, format, progress)
    source = _opened(table, row_counter, groups.columns, options)
    total = groups.totals(source)
    row_counter.warn()
    return source.to_native(stored(groups, total))


def add_sums(*sums: object, by: str | Sequence[str] | None = None) -> Any:
    """Add up tables of sums into a row for each group, in the order of first rows.

    Parameters
    ----------
    *sums : table, lazy table, path or iterable of tables
        Results of `sums` or `add_sums`, or of SQL on them, in any form that `score` reads; the
        libraries may differ. Rows without segments are left out.
    by : str or list of str, optional
        The keys of the result, a subset of the tables' keys; by default all.

    Returns
    -------
    table
        As from `sums`, in the library of the first table.

    Raises
    ------
    ValueError
        Tables were counted with different options (the message names the difference), have
        different keys, or lack a column; or there are no tables.
    TypeError
        An argument is not a table, or a count is not a 64-bit integer.

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
        A result of `sums` or `add_sums`, or of SQL on one.
    metric : BLEU or str, optional
        By default the metric that counted the segments. Another one, with other smoothing or
        weights, must count in the same way.

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
        A table of the same library; for streamed input a lazy iterator of tables.
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
    options = ReadOptions(quoted, delimiter, encoding, format, progress)
    return appended(table, row_counter, column, options)


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
    options = ReadOptions(quoted, delimiter, encoding, format, progress)
    return appended(table, row_counter, None, options)


def report(
    table: object,
    systems: str | Sequence[str] | Mapping[str, str],
    references: str | Sequence[str],
    *,
    sources: str | None = None,
    ids: str | None = None,
    documents: str | None = None,
    groups: str | None = None,
    metric: Metric | None = None,
    title: str | None = None,
    samples: int = 1000,
    seed: int | None = 12345,
    dialects: bool | None = None,
    progress: bool = False,
) -> reporting.Report:
    """A report on systems whose outputs are columns of a table; see `fastbleu.report`.

    Parameters
    ----------
    table : table, lazy table, path or iterable of tables
        As for `score`. All rows are kept in memory, because the report shows them.
    systems : str, list of str, or mapping of str
        The columns of the hypotheses; a mapping has the names that the report shows as keys.
    references : list of str, or str
        The columns of the references; or one column, with one reference or a list of references per
        segment.
    sources, ids, documents, groups : str, optional
        Columns with the source texts; the names of the segments; the document and the group, such
        as a domain, of each segment.
    metric, title, samples, seed, dialects, progress
        As for `fastbleu.report`.

    Returns
    -------
    fastbleu.Report

    Raises
    ------
    TypeError, ValueError, ImportError
        As for `score`, and as for `fastbleu.report`.

    Examples
    --------
    >>> table = {"mt": ["The cat sat on a mat."], "ref": ["The cat sat on the mat."]}
    >>> round(report(table, "mt", "ref", dialects=False).scores["mt"].value, 2)
    48.89
    """
    if not isinstance(systems, Mapping):
        listed = [systems] if isinstance(systems, str) else list(systems)
        systems = dict(zip(listed, listed, strict=True))
    labels = {"sources": sources, "ids": ids, "documents": documents, "groups": groups}
    shown = {name: column for name, column in labels.items() if column is not None}
    given = {f"systems[{name!r}]": column for name, column in systems.items()} | shown
    for name, column in given.items():
        if not isinstance(column, str):
            raise TypeError(f"{name} is {a_type(column)}, expected the name of a column")
    reference_columns = [references] if isinstance(references, str) else list(references)
    if not reference_columns:
        raise ValueError("references is empty: name the columns of the references")
    of_text = [*systems.values(), *reference_columns]
    columns: dict[str, list[Any]] = {name: [] for name in (*of_text, *shown.values())}
    for frame in Source(table, list(columns), of_text).chunks():
        for name, values in columns.items():
            values += frame[name].to_list()
    texts: Any = columns[reference_columns[0]]
    if not isinstance(references, str):
        segments = zip(*(columns[name] for name in reference_columns), strict=True)
        texts = [list(segment) for segment in segments]
    return reporting.report(
        {name: columns[column] for name, column in systems.items()},
        texts,
        **{name: columns[column] for name, column in shown.items()},
        metric=metric,
        title=title,
        samples=samples,
        seed=seed,
        dialects=dialects,
        progress=progress,
    )


def appended(
    table: object,
    row_counter: RowCounter,
    column: str | None,
    options: ReadOptions = DEFAULT_OPTIONS,
) -> Any:
    """The table, or each part of a stream, with a `column` of scores, or with counts."""
    names = new_columns(row_counter, column)
    results = row_counter.all_counts if column is None else row_counter.sentence_scores
    source = _opened(table, row_counter, None, options)

    def parts() -> Iterator[Any]:
        row = 0
        with source.bar() as bar:
            for frame in source.chunks() if source.frame is None else [source.frame]:
                check_new_columns(frame.columns, names)
                present, columns = results(with_fields(frame, row_counter.columns), row)
                if not present.all():
                    columns = np.ma.MaskedArray(columns, np.broadcast_to(~present, columns.shape))
                added = dict(zip(names, columns.reshape(len(names), -1), strict=True))
                yield source.to_native(with_columns(frame, added))
                row += len(frame)
                bar.update(len(frame))
        row_counter.warn()

    if source.frame is None:
        return TableParts(parts())
    [result] = parts()
    return result


def new_columns(row_counter: RowCounter, column: str | None) -> tuple[str, ...]:
    """The names of the columns that `appended` adds; ValueError if the dialect has none."""
    scorer = scorer_of(row_counter.metric)
    if column is not None:
        scorer.require(PARTS)
        return (column,)
    scorer.require(COUNT, UPDATE)  # because rows are counted in parts
    return count_names(row_counter.metric.max_ngram_order)


def _opened(
    table: Any, row_counter: RowCounter, columns: Sequence[str] | None, options: ReadOptions
) -> Source:
    """The table; messages about rows of files name the file."""
    source = Source(table, columns, row_counter.texts, options, row_counter.in_place)
    if is_path(table):
        row_counter.at = source.at
    return source

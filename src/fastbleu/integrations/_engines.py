"""What Dask, Ray and Spark share: sums of the parts of a table, and their scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from itertools import chain
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import pyarrow

from ..core.inputs.errors import InputError
from ..tables import functions
from ..tables.frames import frame_of
from ..tables.groups import GroupScorer, scored, sums_of, totals_in
from ..tables.rows import PATH, RowCounter, check_columns, check_new_columns
from ..tables.sources import Source
from ..tables.sums import combined, stored, sums_scorer

if TYPE_CHECKING:
    from ..core.inputs.types import MissingChoice
    from ..core.metric.argument import Metric

Table = TypeVar("Table")
Result = TypeVar("Result")
# Workers do not count the rows that they leave out.
_NO_ROWS = (
    "there are no segments to score: the table has no rows, or all were left out, because a value "
    "is missing"
)


class Engine(Generic[Table, Result]):
    """The functions of `fastbleu.tables` for the tables of an engine.

    An engine defines the methods with an underscore; its module has the others as functions.
    """

    def score(
        self,
        table: Table,
        hypotheses: str,
        references: str | Sequence[str],
        *,
        by: str | Sequence[str] | None = None,
        metric: Metric | None = None,
        language: str | None = None,
        tokenizers: Mapping[Any, Any] | None = None,
        missing: MissingChoice = "error",
    ) -> Result:
        """BLEU of each group of a table's rows.

        Parameters
        ----------
        table : dask.dataframe.DataFrame, ray.data.Dataset or pyspark.sql.DataFrame
        hypotheses, references, by, metric, language, tokenizers, missing
            As in `fastbleu.tables.score`. The metric's threads are those of each worker. There is
            no warning for rows that ``missing="skip"`` leaves out.

        Returns
        -------
        pandas.DataFrame, ray.data.Dataset or pyspark.sql.DataFrame
            A row for each group in the order of the keys, with the columns of
            `fastbleu.tables.score`. The table is read and counted at once, before this function
            returns.

        Raises
        ------
        ValueError, TypeError
            As for `fastbleu.tables.score`; or the dialect's corpus score cannot be computed from
            summed counts. Ray raises a worker's error as `ray.exceptions.RayTaskError`, Spark as
            `pyspark.errors.PythonException`. Row numbers are those within a part of the table,
            which the message names: a partition, as in ``ddf.partitions[3]`` or Spark's
            ``spark_partition_id()``, or a block. If the table has a column `path`, the message has
            its value, too: Ray adds it with ``read_parquet(..., include_paths=True)``, Dask with
            ``read_csv(..., include_path_column=True)``, and Spark with
            ``df.withColumn("path", input_file_name())``.
        """
        row_counter = RowCounter(hypotheses, references, metric, language, tokenizers, missing)
        groups, read = self._group_scorer(table, row_counter, by)
        return self._native(table, _scores(groups, self._summed(table, groups, read)))

    def sums(
        self,
        table: Table,
        hypotheses: str,
        references: str | Sequence[str],
        *,
        by: str | Sequence[str] | None = None,
        metric: Metric | None = None,
        language: str | None = None,
        tokenizers: Mapping[Any, Any] | None = None,
        missing: MissingChoice = "error",
    ) -> Result:
        """The counts of each group, as in `fastbleu.tables.sums`; in Spark lazily, in any order.

        Parameters and errors as for `score`.
        """
        row_counter = RowCounter(hypotheses, references, metric, language, tokenizers, missing)
        groups, read = self._group_scorer(table, row_counter, by)
        return self._sums(table, groups, read)

    def sentence_scores(
        self,
        table: Table,
        hypotheses: str,
        references: str | Sequence[str],
        *,
        column: str = "bleu",
        metric: Metric | None = None,
        language: str | None = None,
        tokenizers: Mapping[Any, Any] | None = None,
        missing: MissingChoice = "error",
    ) -> Table:
        """Add `column` to the table, lazily, as `fastbleu.tables.sentence_scores` does.

        Parameters and errors as for `score`.
        """
        row_counter = RowCounter(hypotheses, references, metric, language, tokenizers, missing)
        return self._checked(table, row_counter, column)

    def count(
        self,
        table: Table,
        hypotheses: str,
        references: str | Sequence[str],
        *,
        metric: Metric | None = None,
        language: str | None = None,
        tokenizers: Mapping[Any, Any] | None = None,
        missing: MissingChoice = "error",
    ) -> Table:
        """Add the columns of `fastbleu.tables.count` to the table, lazily.

        Parameters and errors as for `score`.
        """
        row_counter = RowCounter(hypotheses, references, metric, language, tokenizers, missing)
        return self._checked(table, row_counter, None)

    def _group_scorer(
        self, table: Table, row_counter: RowCounter, by: str | Sequence[str] | None
    ) -> tuple[GroupScorer, list[str]]:
        """The scorer that adds up counts, and the columns to read."""
        groups = sums_scorer(row_counter, by)
        columns = self._columns(table)
        check_columns(columns, groups.columns)
        return groups, with_path(groups.columns, columns)

    def _checked(self, table: Table, row_counter: RowCounter, column: str | None) -> Table:
        """Call `_appended` if the table has the columns to read, and none of the new ones."""
        columns, names = self._columns(table), functions.new_columns(row_counter, column)
        new = dict.fromkeys(names, 0 if column is None else 0.0)
        check_columns(columns, row_counter.columns)
        check_new_columns(columns, list(new))
        return self._appended(table, row_counter, column, new)

    def _columns(self, table: Table) -> list[str]:
        """The names of a table's columns."""
        return list(table.columns)  # type: ignore[attr-defined]

    def _summed(self, table: Table, groups: GroupScorer, read: list[str]) -> pyarrow.Table:
        """The sums of all parts, in any order; only the columns `read` are read."""
        raise NotImplementedError

    def _native(self, table: Table, result: pyarrow.Table) -> Result:
        """A result as a table of the engine."""
        raise NotImplementedError

    def _sums(self, table: Table, groups: GroupScorer, read: list[str]) -> Result:
        """The result of `sums`."""
        return self._native(table, _in_order(groups, self._summed(table, groups, read)))

    def _appended(
        self, table: Table, row_counter: RowCounter, column: str | None, new: Mapping[str, float]
    ) -> Table:
        """The table with the columns of `appended`; `new` has their names, with zeros."""
        raise NotImplementedError


def with_path(names: list[str], columns: Sequence[str]) -> list[str]:
    """The names, and PATH if it is among the columns."""
    return [*names, *([PATH] if PATH in columns and PATH not in names else [])]


def _placed(row_counter: RowCounter, part: str) -> RowCounter:
    """A copy whose messages name the part of the table; threads may share the original."""
    placed = copy(row_counter)
    placed.at = lambda row: (f"row {row} of {part}", None)
    return placed


def partial_sums(groups: GroupScorer, batches: Iterable[Any], part: str) -> Any:
    """The sums of batches, as in `fastbleu.tables.sums`, for pyarrow; None if there are no rows.

    `part` names the batches in messages.
    """
    groups = GroupScorer(_placed(groups.row_counter, part), groups.by)
    total = groups.totals(Source(iter(batches)))
    return stored(groups, total).to_native() if len(total[0]) else None


def appended(row_counter: RowCounter, column: str | None, part: str, frame: Any) -> Any:
    """A part of a table with a new `column` of scores, or the columns of counts if it is None."""
    return functions.appended(frame, _placed(row_counter, part), column)


def summed(partials: Iterable[Any]) -> Any:
    """The sum of any number of partial sums; ValueError if there are none."""
    present = (partial for partial in partials if partial is not None and len(partial))
    first = next(present, None)
    if first is None:
        raise InputError(_NO_ROWS)
    return combined(chain([first], present))[1].to_native()


def _in_order(groups: GroupScorer, sums: pyarrow.Table) -> pyarrow.Table:
    """Sort sums by their keys, because row numbers are only valid within partitions."""
    return sums.sort_by([(key, "ascending") for key in groups.by]) if groups.by else sums


def _scores(groups: GroupScorer, sums: pyarrow.Table) -> pyarrow.Table:
    """The scores of sums, in the order of the keys."""
    if not len(sums):
        raise InputError(_NO_ROWS)
    frame = frame_of(_in_order(groups, sums))
    metrics = groups.metrics_of(frame)
    totals = totals_in(frame, metrics[0].max_ngram_order, 0)
    return scored(frame, groups.by, metrics, sums_of(metrics, totals), {}).to_native()

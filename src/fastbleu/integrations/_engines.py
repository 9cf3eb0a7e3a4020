"""Shared by Spark and Ray: partial results from Arrow batches, and scores of their sums."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy
import pyarrow

from ..tables.frames import ROW, Frame
from ..tables.groups import WAITING_ROWS, GroupScorer
from ..tables.rows import RowCounter, check_columns
from ..tables.sources import open_table

if TYPE_CHECKING:
    from typing import Unpack

    from ..tables.rows import RowOptions


def group_scorer(
    columns: Sequence[str],
    hypothesis: str,
    references: str | Sequence[str],
    by: str | Sequence[str],
    **options: Unpack[RowOptions],
) -> GroupScorer:
    """The `GroupScorer` for a table with these columns.

    Raises
    ------
    ValueError
        A column is missing, or the dialect's scores cannot be computed from summed counts.
    """
    groups = GroupScorer(RowCounter(hypothesis, references, **options), by)
    check_columns(columns, groups.columns)
    for operation in ("update", "sums"):
        groups.row_counter.metric.scorer.dialect.require(operation)
    return groups


def partial_result(groups: GroupScorer, batches: Iterable[Any]) -> Any:
    """The counts of batches by group, as a table of pyarrow; None if there are no rows."""
    total = groups.totals(open_table(iter(batches), groups.columns).chunks())
    return None if total is None else total.to_native()


def summed(groups: GroupScorer, partials: Iterable[pyarrow.Table]) -> pyarrow.Table:
    """The sum of any number of partial results; an empty table if there are none."""
    total: list[Frame] = []
    waiting: list[Frame] = []
    for partial in partials:
        if len(partial):
            waiting.append(Frame(partial))
        if sum(map(len, waiting)) > WAITING_ROWS:
            total, waiting = [groups.reduced([*total, *waiting])], []
    if not (total or waiting):
        return pyarrow.table({})
    return groups.reduced([*total, *waiting]).to_native()


def scores(groups: GroupScorer, sums: pyarrow.Table) -> pyarrow.Table:
    """The scores of summed partial results, in the order of the keys."""
    if not len(sums):
        raise ValueError("there are no segments to score: the table has no rows")
    sums = sums.sort_by([(key, "ascending") for key in groups.keys])
    # Row numbers are those within partitions, so results are sorted by key instead.
    order = pyarrow.array(numpy.arange(len(sums)))
    sums = sums.set_column(sums.column_names.index(ROW), ROW, order)
    return groups.scores(Frame(sums)).to_native()

"""Shared by Spark and Ray: partial results from Arrow batches, and scores of their sums."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy
import pyarrow

from ..tables.frames import ROW
from ..tables.groups import WAITING_ROWS, GroupScorer
from ..tables.rows import RowCounter, check_columns
from ..tables.sources import open_table


def group_scorer(
    columns: Sequence[str],
    hypothesis: str,
    references: str | Sequence[str],
    by: str | Sequence[str],
    **options: Any,
) -> GroupScorer:
    """The `GroupScorer` for a table with these columns.

    Raises
    ------
    ValueError
        A column is missing, or the dialect's scores cannot be computed from summed counts.
    """
    scorer = GroupScorer(RowCounter(hypothesis, references, **options), by)
    check_columns(columns, scorer.columns)
    for operation in ("update", "sums"):
        scorer.counter.metric._parameters.rules.require(operation)
    return scorer


def partial_result(scorer: GroupScorer, batches: Iterable[Any]) -> Any:
    """The counts of batches by group, as a table of pyarrow; None if there are no rows."""
    total = scorer.totals(open_table(iter(batches)).chunks())
    return None if total is None else total.to_native()


def summed(scorer: GroupScorer, partials: Iterable[pyarrow.Table]) -> pyarrow.Table:
    """The sum of any number of partial results; an empty table if there are none."""
    total: list[pyarrow.Table] = []
    waiting: list[pyarrow.Table] = []

    def add_up() -> pyarrow.Table:
        # A column with only nulls has no type.
        table = pyarrow.concat_tables([*total, *waiting], promote_options="default")
        return scorer.reduced([open_table(table).frame]).to_native()

    for partial in partials:
        if len(partial):
            waiting.append(partial)
        if sum(map(len, waiting)) > WAITING_ROWS:
            total, waiting = [add_up()], []
    return add_up() if total or waiting else pyarrow.table({})


def scores(scorer: GroupScorer, sums: pyarrow.Table) -> pyarrow.Table:
    """The scores of summed partial results, in the order of the keys."""
    if not len(sums):
        raise ValueError("there are no segments to score: the table has no rows")
    sums = sums.sort_by([(key, "ascending") for key in scorer.keys])
    # Row numbers are those within partitions, so results are sorted by key instead.
    order = pyarrow.array(numpy.arange(len(sums)))
    sums = sums.set_column(sums.column_names.index(ROW), ROW, order)
    return scorer.scores(open_table(sums).frame).to_native()

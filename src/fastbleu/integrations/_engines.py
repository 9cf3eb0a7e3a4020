"""Shared by Spark, Ray and Dask: sums of the parts of a table, and scores of their sums."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import TYPE_CHECKING, Any

import pyarrow

from ..tables.frames import Frame
from ..tables.functions import sentence_scores, statistics
from ..tables.groups import GroupScorer, count_names, scored
from ..tables.rows import RowCounter, check_columns, check_new_columns
from ..tables.sources import open_table
from ..tables.sums import combined, stored, sums_scorer

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
    groups = sums_scorer(RowCounter(hypothesis, references, **options), by)
    check_columns(columns, groups.columns)
    return groups


def row_counter_of(
    columns: Sequence[str],
    hypothesis: str,
    references: str | Sequence[str],
    name: str | None = None,
    **options: Unpack[RowOptions],
) -> tuple[RowCounter, list[str]]:
    """The `RowCounter` for a table with these columns, and the new columns: `name`, or counts.

    ValueError if a column is missing, a new one exists, or the dialect has no counts.
    """
    row_counter = RowCounter(hypothesis, references, **options)
    if name is None:
        row_counter.metric.scorer.dialect.require("statistics")
    names = count_names(row_counter.metric.max_order) if name is None else [name]
    check_columns(columns, row_counter.columns)
    check_new_columns(columns, names)
    return row_counter, names


@contextmanager
def _errors_naming(part: str) -> Iterator[None]:
    """Make errors about rows name the part of the table in which these are numbered."""
    try:
        yield
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        message = re.sub(r"\brow \d+", rf"\g<0> of {part}", str(error), count=1)
        raise kind(message) from error


def partial_sums(groups: GroupScorer, batches: Iterable[Any], part: str) -> Any:
    """The sums of batches, as `fastbleu.tables.sums`, by pyarrow; None if there are no rows.

    `part` is the name of the batches together in messages, for `sentence_frame`, too.
    """
    with _errors_naming(part):
        total = groups.totals(open_table(iter(batches), groups.columns).chunks())
    return None if total is None else stored(groups, total).to_native()


def summed(partials: Iterable[Any]) -> Any:
    """The sum of any number of partial sums; ValueError if there are none."""
    present = (partial for partial in partials if partial is not None and len(partial))
    first = next(present, None)
    if first is None:
        raise ValueError("there are no segments to score: the table has no rows")
    return combined(chain([first], present))[1].to_native()


def in_order(groups: GroupScorer, sums: pyarrow.Table) -> pyarrow.Table:
    """Sums in the order of their keys: row numbers would be those within partitions."""
    return sums.sort_by([(key, "ascending") for key in groups.by]) if groups.by else sums


def scores(groups: GroupScorer, sums: pyarrow.Table) -> pyarrow.Table:
    """The scores of sums, in the order of the keys."""
    if not len(sums):
        raise ValueError("there are no segments to score: the table has no rows")
    frame = Frame(in_order(groups, sums))
    return scored(frame, groups.metrics_of(frame), groups.by).to_native()


def sentence_frame(row_counter: RowCounter, name: str, part: str, frame: Any) -> Any:
    """A part of a table with the column of `fastbleu.tables.sentence_scores`."""
    texts, options = (row_counter.hypothesis, row_counter.chosen), row_counter.options
    with _errors_naming(part):
        return sentence_scores(frame, *texts, name=name, **options)


def statistics_frame(row_counter: RowCounter, part: str, frame: Any) -> Any:
    """A part of a table with the columns of `fastbleu.tables.statistics`."""
    with _errors_naming(part):
        return statistics(frame, row_counter.hypothesis, row_counter.chosen, **row_counter.options)

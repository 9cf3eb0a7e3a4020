"""BLEU of a Dask DataFrame's columns, by group: partitions are counted where they are.

    from fastbleu.integrations.dask import score

    score(ddf, hypothesis="mt", references=["ref"], by=["system", "lang"])

Each partition becomes one row of sums for each group; these are added up in a tree. Workers
need fastbleu with its extra "dask".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..runtime.extras import HostImports

with HostImports("dask", "dask", "pandas", "pyarrow"):
    import dask
    import pandas
    import pyarrow

    from ._engines import (
        group_scorer,
        partial_sums,
        row_counter_of,
        scores,
        sentence_frame,
        statistics_frame,
        summed,
    )

if TYPE_CHECKING:
    from typing import Unpack

    from ..tables.groups import GroupScorer
    from ..tables.rows import RowCounter, RowOptions

# Partial sums that are added up at once.
_FAN_IN = 32


def score(
    ddf: Any,
    hypothesis: str,
    references: str | Sequence[str],
    by: str | Sequence[str] = (),
    **options: Unpack[RowOptions],
) -> pandas.DataFrame:
    """BLEU of each group of a DataFrame's rows.

    Parameters
    ----------
    ddf : dask.dataframe.DataFrame
    hypothesis, references, by, **options
        As in `fastbleu.tables.score`: `metric`, `language`, `tokenize`, `missing`, and `threads`
        of each worker. There is no warning for rows that ``missing="skip"`` leaves out.

    Returns
    -------
    pandas.DataFrame
        A row for each group in the order of the keys, with the columns of `fastbleu.tables.score`.
        The frame is read and counted at once, before this function returns.

    Raises
    ------
    ValueError, TypeError
        As for `fastbleu.tables.score`, where rows are numbered within a partition, which the
        message names; or the dialect's corpus score cannot be computed from summed counts.
    """
    groups = group_scorer(list(ddf.columns), hypothesis, references, by, **options)
    return scores(groups, _sums(ddf, groups)).to_pandas()


def sums(
    ddf: Any,
    hypothesis: str,
    references: str | Sequence[str],
    by: str | Sequence[str] = (),
    **options: Unpack[RowOptions],
) -> pandas.DataFrame:
    """The counts of each group as `fastbleu.tables.sums`; parameters and errors as for `score`."""
    groups = group_scorer(list(ddf.columns), hypothesis, references, by, **options)
    return _sums(ddf, groups).to_pandas()


def sentence_scores(
    ddf: Any,
    hypothesis: str,
    references: str | Sequence[str],
    *,
    name: str = "bleu",
    **options: Unpack[RowOptions],
) -> Any:
    """The frame with a column `name`, as `fastbleu.tables.sentence_scores`; lazily."""
    row_counter, _ = row_counter_of(list(ddf.columns), hypothesis, references, name, **options)
    return ddf.map_partitions(_with_scores, row_counter, name, meta=ddf._meta.assign(**{name: 0.0}))


def statistics(
    ddf: Any,
    hypothesis: str,
    references: str | Sequence[str],
    **options: Unpack[RowOptions],
) -> Any:
    """The frame with the columns of `fastbleu.tables.statistics`; lazily."""
    row_counter, names = row_counter_of(list(ddf.columns), hypothesis, references, **options)
    meta = ddf._meta.assign(**dict.fromkeys(names, 0))
    return ddf.map_partitions(_with_counts, row_counter, meta=meta)


def _with_scores(
    frame: pandas.DataFrame, row_counter: RowCounter, name: str, partition_info: Any = None
) -> pandas.DataFrame:
    return sentence_frame(row_counter, name, _named(partition_info), frame)


def _with_counts(
    frame: pandas.DataFrame, row_counter: RowCounter, partition_info: Any = None
) -> pandas.DataFrame:
    return statistics_frame(row_counter, _named(partition_info), frame)


def _named(partition_info: Any) -> str:
    """The name of a partition of which Dask gives this information."""
    return f"partition {partition_info['number']}" if partition_info else "its partition"


def _sums(ddf: Any, groups: GroupScorer) -> pyarrow.Table:
    """The sums of all partitions."""
    count, add = dask.delayed(_partial), dask.delayed(_added)
    delayed = ddf[groups.columns].to_delayed()
    parts = [count(groups, number, part) for number, part in enumerate(delayed)]
    while len(parts) > 1:
        parts = [add(parts[i : i + _FAN_IN]) for i in range(0, len(parts), _FAN_IN)]
    [total] = dask.compute(*parts)
    return summed([total])


def _partial(groups: GroupScorer, number: int, part: pandas.DataFrame) -> pyarrow.Table | None:
    table = pyarrow.Table.from_pandas(part, preserve_index=False)
    return partial_sums(groups, [table], f"partition {number}")


def _added(partials: list[pyarrow.Table | None]) -> pyarrow.Table | None:
    present = [partial for partial in partials if partial is not None]
    return summed(present) if present else None

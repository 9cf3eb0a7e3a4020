"""BLEU of a Ray dataset's columns, by group: counted by the workers, added up by the driver.

    from fastbleu.integrations.ray import score

    score(dataset, hypothesis="mt", references=["ref"], by=["system", "lang"]).show()

Each block is counted by `map_batches` and becomes one row of sums for each group. The driver adds
these up as they arrive, because a shuffle of these few rows takes longer than counting. Sums are
integers, so scores equal (``==``) those of `fastbleu.tables.score` in one process, however the
rows are split into blocks. Workers need fastbleu with its extra "ray".
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from ..runtime.extras import HostImports

with HostImports("ray", "pyarrow", "ray"):
    import pyarrow
    import ray.data

    from ._engines import (
        group_scorer,
        in_order,
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
    from ..tables.rows import RowOptions

_BATCHES: dict[str, Any] = {
    "batch_format": "pyarrow",
    "batch_size": None,
    "zero_copy_batch": True,
}
_PART = "its block"


def score(
    dataset: ray.data.Dataset,
    hypothesis: str,
    references: str | Sequence[str],
    by: str | Sequence[str] = (),
    **options: Unpack[RowOptions],
) -> ray.data.Dataset:
    """BLEU of each group of a dataset's rows.

    Parameters
    ----------
    dataset : ray.data.Dataset
    hypothesis, references, by, **options
        As in `fastbleu.tables.score`: `metric`, `language`, `tokenize`, `missing`, and `threads`
        of each worker. There is no warning for rows that ``missing="skip"`` leaves out.

    Returns
    -------
    ray.data.Dataset
        A row for each group in the order of the keys, with the columns of `fastbleu.tables.score`.
        The dataset is read and counted at once, before this function returns.

    Raises
    ------
    ValueError
        As for `fastbleu.tables.score`; or the dialect's corpus score cannot be computed from summed
        counts.
    ray.exceptions.RayTaskError
        An error in a worker: rows in its message are numbered within a block, because Ray does not
        tell where in a file this began.
    """
    groups = group_scorer(_columns(dataset), hypothesis, references, by, **options)
    return ray.data.from_arrow(scores(groups, _sums(dataset, groups)))


def sums(
    dataset: ray.data.Dataset,
    hypothesis: str,
    references: str | Sequence[str],
    by: str | Sequence[str] = (),
    **options: Unpack[RowOptions],
) -> ray.data.Dataset:
    """The counts of each group as `fastbleu.tables.sums`; parameters and errors as for `score`."""
    groups = group_scorer(_columns(dataset), hypothesis, references, by, **options)
    return ray.data.from_arrow(in_order(groups, _sums(dataset, groups)))


def sentence_scores(
    dataset: ray.data.Dataset,
    hypothesis: str,
    references: str | Sequence[str],
    *,
    name: str = "bleu",
    **options: Unpack[RowOptions],
) -> ray.data.Dataset:
    """The dataset with a column `name`, as `fastbleu.tables.sentence_scores`; lazily."""
    row_counter, _ = row_counter_of(_columns(dataset), hypothesis, references, name, **options)
    return dataset.map_batches(partial(sentence_frame, row_counter, name, _PART), **_BATCHES)


def statistics(
    dataset: ray.data.Dataset,
    hypothesis: str,
    references: str | Sequence[str],
    **options: Unpack[RowOptions],
) -> ray.data.Dataset:
    """The dataset with the columns of `fastbleu.tables.statistics`; lazily."""
    row_counter, _ = row_counter_of(_columns(dataset), hypothesis, references, **options)
    return dataset.map_batches(partial(statistics_frame, row_counter, _PART), **_BATCHES)


def _columns(dataset: ray.data.Dataset) -> list[str]:
    schema = dataset.schema()
    return [] if schema is None else list(schema.names)


def _sums(dataset: ray.data.Dataset, groups: GroupScorer) -> pyarrow.Table:
    """The sums of all blocks, added up as they arrive."""
    counted = dataset.select_columns(groups.columns).map_batches(
        partial(_partial, groups), **_BATCHES
    )
    return summed(counted.iter_batches(batch_size=None, batch_format="pyarrow"))


def _partial(groups: GroupScorer, batch: pyarrow.Table) -> pyarrow.Table:
    """The sums of a block."""
    result = partial_sums(groups, [batch], _PART)
    return batch.select([]).slice(0, 0) if result is None else result

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
from typing import TYPE_CHECKING

from ..runtime.extras import HostImports

with HostImports("ray", "pyarrow", "ray"):
    import pyarrow
    import ray.data

    from ._engines import group_scorer, partial_result, scores, summed

if TYPE_CHECKING:
    from typing import Unpack

    from ..tables.groups import GroupScorer
    from ..tables.rows import RowOptions


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

    Raises
    ------
    ValueError
        As for `fastbleu.tables.score`; or the dialect's corpus score cannot be computed from summed
        counts.
    ray.exceptions.RayTaskError
        An error in a worker: rows in its message are numbered within a block.
    """
    schema = dataset.schema()
    columns = [] if schema is None else schema.names
    groups = group_scorer(columns, hypothesis, references, by, **options)
    partials = dataset.select_columns(groups.columns).map_batches(
        partial(_partials, groups), batch_format="pyarrow", batch_size=None, zero_copy_batch=True
    )
    sums = summed(groups, partials.iter_batches(batch_size=None, batch_format="pyarrow"))
    return ray.data.from_arrow(scores(groups, sums))


def _partials(groups: GroupScorer, batch: pyarrow.Table) -> pyarrow.Table:
    """The partial result of a block."""
    result = partial_result(groups, [batch])
    return batch.select([]).slice(0, 0) if result is None else result

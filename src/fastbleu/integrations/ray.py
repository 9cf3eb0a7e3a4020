"""BLEU of a Ray dataset's columns, by group: counted by the workers, added up by the driver.

    from fastbleu.integrations.ray import score

    score(dataset, "mt", ["ref"], by=["system", "lang"]).show()

Each block is counted by `map_batches` and becomes one row of sums for each group. The driver adds
these up as they arrive, because a shuffle of these few rows takes longer than counting. Sums are
integers, so scores equal (``==``) those of `fastbleu.tables.score` in one process, however the
rows are split into blocks. Workers need fastbleu with its extra "ray".
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from ._host_metric import host_imports

with host_imports("ray", "pyarrow", "ray"):
    import pyarrow
    import ray.data
    from ray.data import Dataset

    from ._engines import Engine, appended, partial_sums, summed

if TYPE_CHECKING:
    from ..tables.groups import GroupScorer
    from ..tables.rows import RowCounter

__all__ = ["count", "score", "sentence_scores", "sums"]

_BATCHES: dict[str, Any] = {"batch_format": "pyarrow", "batch_size": None, "zero_copy_batch": True}
_PART = "its block"


class _Ray(Engine[Dataset, Dataset]):
    def _columns(self, table: Dataset) -> list[str]:
        schema = table.schema()
        return [] if schema is None else list(schema.names)

    def _native(self, table: Dataset, result: pyarrow.Table) -> Dataset:
        return ray.data.from_arrow(result)

    def _summed(self, table: Dataset, groups: GroupScorer, read: list[str]) -> pyarrow.Table:
        """The sums of all blocks, added up as they arrive."""
        counted = table.select_columns(read).map_batches(partial(_partial, groups), **_BATCHES)
        return summed(counted.iter_batches(batch_size=None, batch_format="pyarrow"))

    def _appended(
        self, table: Dataset, row_counter: RowCounter, column: str | None, new: Mapping[str, float]
    ) -> Dataset:
        return table.map_batches(partial(appended, row_counter, column, _PART), **_BATCHES)


def _partial(groups: GroupScorer, batch: pyarrow.Table) -> pyarrow.Table:
    """The sums of a block."""
    result = partial_sums(groups, [batch], _PART)
    return batch.select([]).slice(0, 0) if result is None else result


_ray = _Ray()
score, sentence_scores = _ray.score, _ray.sentence_scores
count, sums = _ray.count, _ray.sums

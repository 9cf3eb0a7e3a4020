"""BLEU of a Dask DataFrame's columns, by group: partitions are counted where they are.

    from fastbleu.integrations.dask import score

    score(ddf, "mt", ["ref"], by=["system", "lang"])

Each partition becomes one row of sums for each group; these are added up in a tree. Workers
need fastbleu with its extra "dask". Dask's `from_pandas` converts lists of references to text,
except after ``dask.config.set({"dataframe.convert-string": False})``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ._host_metric import host_imports

with host_imports("dask", "dask", "pandas", "pyarrow"):
    import dask
    import pandas
    import pyarrow

    from ._engines import Engine, appended, partial_sums, summed

if TYPE_CHECKING:
    from ..tables.groups import GroupScorer
    from ..tables.rows import RowCounter

__all__ = ["count", "score", "sentence_scores", "sums"]

# How many partial sums are added up at once.
_FAN_IN = 32


class _Dask(Engine[Any, pandas.DataFrame]):
    def _native(self, table: Any, result: pyarrow.Table) -> pandas.DataFrame:
        return result.to_pandas()

    def _summed(self, table: Any, groups: GroupScorer, read: list[str]) -> pyarrow.Table:
        partial_sums_of, add = dask.delayed(_partial), dask.delayed(_added)
        delayed = table[read].to_delayed()
        parts = [partial_sums_of(groups, number, part) for number, part in enumerate(delayed)]
        while len(parts) > 1:
            parts = [add(parts[i : i + _FAN_IN]) for i in range(0, len(parts), _FAN_IN)]
        [total] = dask.compute(*parts)
        return summed([total])

    def _appended(
        self, table: Any, row_counter: RowCounter, column: str | None, new: Mapping[str, float]
    ) -> Any:
        meta = table._meta.assign(**new)
        return table.map_partitions(_appended, row_counter, column, meta=meta)


def _appended(
    frame: pandas.DataFrame, row_counter: RowCounter, column: str | None, partition_info: Any = None
) -> pandas.DataFrame:
    part = f"partition {partition_info['number']}" if partition_info else "its partition"
    return appended(row_counter, column, part, frame)


def _partial(groups: GroupScorer, number: int, part: pandas.DataFrame) -> pyarrow.Table | None:
    table = pyarrow.Table.from_pandas(part, preserve_index=False)
    return partial_sums(groups, [table], f"partition {number}")


def _added(partials: list[pyarrow.Table | None]) -> pyarrow.Table | None:
    present = [partial for partial in partials if partial is not None]
    return summed(present) if present else None


_dask = _Dask()
score, sentence_scores = _dask.score, _dask.sentence_scores
count, sums = _dask.count, _dask.sums

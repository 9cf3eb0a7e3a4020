"""BLEU of a Ray dataset's columns, by group: counted by the workers, added up by the driver.

    from fastbleu.integrations.ray import score

    score(dataset, hypothesis="mt", references=["ref"], by=["system", "lang"]).show()

Each block is counted by `map_batches` and becomes one row of sums for each group. The driver adds
these up as they arrive, because a shuffle of these few rows takes longer than counting. Sums are
integers, so scores equal (``==``) those of `fastbleu.tables.score` in one process, however the
rows are split into blocks. Workers need fastbleu with its extra "ray".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow
import ray.data

from ._engines import group_scorer, partial_result, scores, summed

if TYPE_CHECKING:
    from ..inputs.types import MissingChoice
    from ..metric.bleu import BLEU
    from ..tables.groups import GroupScorer


def score(
    dataset: ray.data.Dataset,
    hypothesis: str,
    references: str | Sequence[str],
    by: str | Sequence[str] = (),
    *,
    metric: BLEU | None = None,
    language: str | None = None,
    tokenize: Mapping[Any, Any] | None = None,
    missing: MissingChoice = "error",
) -> ray.data.Dataset:
    """BLEU of each group of a dataset's rows.

    Parameters
    ----------
    dataset : ray.data.Dataset
    hypothesis, references, by, metric, language, tokenize, missing
        As in `fastbleu.tables.score`, but there is no warning for rows that ``missing="skip"``
        leaves out.

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
    options: dict[str, Any] = {"metric": metric, "language": language, "tokenize": tokenize}
    schema = dataset.schema()
    columns = [] if schema is None else schema.names
    scorer = group_scorer(columns, hypothesis, references, by, missing=missing, **options)
    partials = dataset.select_columns(scorer.columns).map_batches(
        partial(_partials, scorer), batch_format="pyarrow", batch_size=None, zero_copy_batch=True
    )
    sums = summed(scorer, partials.iter_batches(batch_size=None, batch_format="pyarrow"))
    return ray.data.from_arrow(scores(scorer, sums))


def _partials(scorer: GroupScorer, batch: pyarrow.Table) -> pyarrow.Table:
    """The partial result of a block."""
    result = partial_result(scorer, [batch])
    return batch.select([]).slice(0, 0) if result is None else result

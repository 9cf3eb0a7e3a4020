"""BLEU of a Spark DataFrame's columns, by group: counted by the workers, added up by Spark.

    from fastbleu.integrations.spark import score

    score(df, hypothesis="mt", references=["ref"], by=["system", "lang"]).show()

Each partition is counted by `mapInArrow` and becomes one row of sums for each group; Spark's
``groupBy().agg()`` adds these up, and the driver scores them. Sums are integers, so scores
equal (``==``) those of `fastbleu.tables.score` in one process, however the rows are
partitioned. The workers' Python, set by the environment variable PYSPARK_PYTHON, needs
fastbleu with its extra "spark".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from ..runtime.extras import HostImports
from ..tables.frames import Frame
from ..tables.rows import RowCounter

with HostImports("spark", "pyarrow", "pyspark"):
    import pyarrow
    from pyspark.sql import functions
    from pyspark.sql.types import LongType, StructField, StructType

    from ._engines import group_scorer, partial_result, scores

if TYPE_CHECKING:
    from typing import Unpack

    from pyspark.sql import Column, DataFrame

    from ..inputs.types import MissingChoice
    from ..metric.bleu import BLEU
    from ..tables.groups import GroupScorer
    from ..tables.rows import RowOptions


def score(
    df: DataFrame,
    hypothesis: str,
    references: str | Sequence[str],
    by: str | Sequence[str] = (),
    **options: Unpack[RowOptions],
) -> DataFrame:
    """BLEU of each group of a DataFrame's rows.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
    hypothesis, references, by, **options
        As in `fastbleu.tables.score`: `metric`, `language`, `tokenize`, `missing`, and `threads`
        of each worker. There is no warning for rows that ``missing="skip"`` leaves out.

    Returns
    -------
    pyspark.sql.DataFrame
        A local data frame: a row for each group in the order of the keys, with the columns
        of `fastbleu.tables.score`.

    Raises
    ------
    ValueError
        As for `fastbleu.tables.score`; or the dialect's corpus score cannot be computed from summed
        counts.
    pyspark.errors.PythonException
        An error in a worker: rows in its message are numbered within a partition.
    """
    groups = group_scorer(df.columns, hypothesis, references, by, **options)
    types = {name: df.schema[name].dataType for name in groups.by}
    # All fields are nullable: Spark assumes this for data from Python workers.
    fields = [StructField(name, types.get(name, LongType()), True) for name in groups.keys]
    fields += [StructField(name, LongType(), True) for name in groups.reductions]
    partials = df.select(*map(_quoted, groups.columns)).mapInArrow(
        partial(_partials, groups), StructType(fields)
    )
    keys = [_quoted(name) for name in groups.keys]
    reduced = [
        getattr(functions, reduction)(name).alias(name)
        for name, reduction in groups.reductions.items()
    ]
    sums = partials.groupBy(*keys).agg(*reduced).toArrow()
    return df.sparkSession.createDataFrame(scores(groups, sums))


def sentence_scores(
    hypothesis: Column | str,
    references: Column | str | Sequence[Column | str],
    *,
    metric: BLEU | None = None,
    missing: MissingChoice = "error",
) -> Column:
    """A column with the BLEU of each row, for `DataFrame.withColumn` and `select`.

    Parameters
    ----------
    hypothesis : Column or str
    references : Column, str, or a list of them
        One column with a reference or a list of references per segment, or several columns.
    metric : BLEU, optional
        By default ``fastbleu.BLEU()``, as for `fastbleu.tables.sentence_scores`: a hypothesis of
        fewer than 4 tokens scores 0; with ``effective_order=True`` by the orders that it has.
    missing : {"error", "empty", "skip"}, default "error"
        With "skip" the score is null.

    Returns
    -------
    pyspark.sql.Column
        Of doubles, on the dialect's scale.
    """
    several = isinstance(references, (list, tuple))
    columns = list(references) if several else [references]
    names = [f"reference {number}" for number in range(len(columns))]
    row_counter = RowCounter(
        "hypothesis", names if several else names[0], metric=metric, missing=missing
    )
    return functions.arrow_udf(_scoring(row_counter), "double")(hypothesis, *columns)


def _partials(groups: GroupScorer, batches: Iterator[Any]) -> Iterator[Any]:
    """The partial result of a partition."""
    result = partial_result(groups, batches)
    if result is not None:
        yield from result.to_batches()


def _scoring(row_counter: RowCounter) -> Callable[..., Any]:
    """The function that scores batches of columns."""

    def scored(*columns: pyarrow.Array) -> pyarrow.Array:
        frame = Frame(pyarrow.table(list(columns), names=row_counter.columns))
        rows, values = row_counter.sentence_scores(frame, 0)
        present = dict(zip(rows.tolist(), values.tolist(), strict=True))
        return pyarrow.array([present.get(row) for row in range(len(frame))], pyarrow.float64())

    return scored


def _quoted(name: str) -> str:
    """A column's name quoted for Spark's expressions, where a dot selects a field."""
    return "`" + name.replace("`", "``") + "`"

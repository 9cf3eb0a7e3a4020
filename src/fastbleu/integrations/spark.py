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
from ..tables.groups import reductions_of
from ..tables.sums import COUNTED

with HostImports("spark", "pyarrow", "pyspark"):
    import pyarrow
    from pyspark import TaskContext
    from pyspark.sql import functions
    from pyspark.sql.functions import ArrowUDFType
    from pyspark.sql.types import DataType, LongType, StringType, StructField, StructType

    from ._columns import ColumnScorer
    from ._engines import (
        group_scorer,
        partial_sums,
        row_counter_of,
        scores,
        sentence_frame,
        statistics_frame,
    )

if TYPE_CHECKING:
    from typing import Unpack

    from pyspark.sql import Column, DataFrame, SparkSession

    from ..inputs.types import MissingChoice
    from ..metric.bleu import BLEU
    from ..tables.groups import GroupScorer
    from ..tables.rows import RowCounter, RowOptions

# Columns of results before they are put beside the others.
_SCORE, _COUNTS = "_fastbleu_score", "_fastbleu_counts"


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
        An error in a worker: rows in its message are numbered within a partition, which it names:
        ``spark_partition_id()`` finds it, and ``input_file_name()`` the file of a row.
    """
    groups = group_scorer(df.columns, hypothesis, references, by, **options)
    return df.sparkSession.createDataFrame(scores(groups, _sums(df, groups).toArrow()))


def sums(
    df: DataFrame,
    hypothesis: str,
    references: str | Sequence[str],
    by: str | Sequence[str] = (),
    **options: Unpack[RowOptions],
) -> DataFrame:
    """The counts of each group as `fastbleu.tables.sums`, lazily, in any order.

    Parameters and errors as for `score`.
    """
    return _sums(df, group_scorer(df.columns, hypothesis, references, by, **options))


def _sums(df: DataFrame, groups: GroupScorer) -> DataFrame:
    types = {name: df.schema[name].dataType for name in groups.by} | {COUNTED: StringType()}
    reductions = reductions_of(groups.row_counter.metric.max_order)
    names = [*groups.by, *reductions, COUNTED]
    # All fields are nullable: Spark assumes this for data from Python workers.
    fields = [StructField(name, types.get(name, LongType()), True) for name in names]
    partials = df.select(*map(_quoted, groups.columns)).mapInArrow(
        partial(_partials, groups), StructType(fields)
    )
    reduced = [
        getattr(functions, reduction)(name).alias(name) for name, reduction in reductions.items()
    ]
    found = partials.groupBy(*map(_quoted, [*groups.by, COUNTED])).agg(*reduced)
    return found.select(*map(_quoted, names))


def sentence_scores(
    df: DataFrame,
    hypothesis: str,
    references: str | Sequence[str],
    *,
    name: str = "bleu",
    **options: Unpack[RowOptions],
) -> DataFrame:
    """The DataFrame with a column `name`, as `fastbleu.tables.sentence_scores`; lazily."""
    row_counter, _ = row_counter_of(df.columns, hypothesis, references, name, **options)
    return df.withColumn(
        name, _column(partial(_scored, row_counter), "double", row_counter.columns)
    )


def statistics(
    df: DataFrame,
    hypothesis: str,
    references: str | Sequence[str],
    **options: Unpack[RowOptions],
) -> DataFrame:
    """The DataFrame with the columns of `fastbleu.tables.statistics`; lazily."""
    row_counter, names = row_counter_of(df.columns, hypothesis, references, **options)
    counts = StructType([StructField(name, LongType(), True) for name in names])
    column = _column(partial(_counts, row_counter, names), counts, row_counter.columns)
    counted = df.withColumn(_COUNTS, column)
    fields = [functions.col(f"{_COUNTS}.{name}").alias(name) for name in names]
    return counted.select(*map(_quoted, df.columns), *fields)


def register(
    spark: SparkSession,
    *,
    metric: BLEU | None = None,
    missing: MissingChoice = "error",
    name: str = "bleu",
) -> None:
    """Register functions for SQL, with names that start with `name`; also with Spark Connect.

    ``bleu_sentence(mt, ref)`` is the BLEU of each row, ``bleu_corpus(mt, ref)`` an aggregate. Both
    take one column of references, or of lists of them, or several. The aggregate has all texts of
    a group in the memory of one worker; `sums` and `score` have not.

    Parameters
    ----------
    spark : pyspark.sql.SparkSession
    metric : BLEU, optional
        By default ``fastbleu.BLEU()``.
    missing : {"error", "empty", "skip"}, default "error"
        With "skip" a row with a null scores null, and is no part of a corpus.
    """
    scorer = ColumnScorer(metric, missing)
    sentence = functions.arrow_udf(_batched(scorer.sentence_scores), "double")
    spark.udf.register(f"{name}_sentence", sentence)

    def corpus_score(*columns: pyarrow.Array) -> float | None:
        score: float | None = scorer.corpus_score(*columns).as_py()
        return score

    corpus = functions.arrow_udf(corpus_score, "double", ArrowUDFType.GROUPED_AGG)
    spark.udf.register(f"{name}_corpus", corpus)


def sentence_column(
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
    columns = list(references) if isinstance(references, (list, tuple)) else [references]
    scorer = ColumnScorer(metric, missing)
    return _column(scorer.sentence_scores, "double", [hypothesis, *columns])


def _partials(groups: GroupScorer, batches: Iterator[Any]) -> Iterator[Any]:
    """The sums of a partition."""
    result = partial_sums(groups, batches, _partition())
    if result is not None:
        yield from result.to_batches()


def _partition() -> str:
    """The name of the partition that this worker counts."""
    context = TaskContext.get()
    return "its partition" if context is None else f"partition {context.partitionId()}"


def _batch() -> str:
    return f"a batch of {_partition()}"


def _column(
    function: Callable[..., Any], kind: DataType | str, columns: Sequence[Column | str]
) -> Column:
    quoted = [_quoted(column) if isinstance(column, str) else column for column in columns]
    return functions.arrow_udf(_batched(function), kind)(*quoted)


def _batched(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with the type hints of which Spark finds out what it does."""

    def called(*columns: pyarrow.Array) -> pyarrow.Array:
        return function(*columns)

    return called


def _scored(row_counter: RowCounter, *columns: pyarrow.Array) -> pyarrow.Array:
    """The scores of a batch."""
    frame = pyarrow.table(list(columns), names=row_counter.columns)
    return sentence_frame(row_counter, _SCORE, _batch(), frame)[_SCORE].combine_chunks()


def _counts(
    row_counter: RowCounter, names: Sequence[str], *columns: pyarrow.Array
) -> pyarrow.Array:
    """The counts of a batch."""
    frame = pyarrow.table(list(columns), names=row_counter.columns)
    counted = statistics_frame(row_counter, _batch(), frame).select(names)
    return pyarrow.StructArray.from_arrays(
        [column.combine_chunks() for column in counted.columns], names
    )


def _quoted(name: str) -> str:
    """A column's name quoted for Spark's expressions, where a dot selects a field."""
    return "`" + name.replace("`", "``") + "`"

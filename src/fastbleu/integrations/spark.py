"""BLEU of a Spark DataFrame's columns, by group: counted by the workers, added up by Spark.

    from fastbleu.integrations.spark import score

    score(df, "mt", ["ref"], by=["system", "lang"]).show()

Each partition is counted by `mapInArrow` and becomes one row of sums for each group; Spark's
``groupBy().agg()`` adds these up, and the driver scores them. Sums are integers, so scores
equal (``==``) those of `fastbleu.tables.score` in one process, however the rows are
partitioned. The workers' Python, set by the environment variable PYSPARK_PYTHON, needs
fastbleu with its extra "spark".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from ..tables.groups import reductions_of
from ..tables.sums import COUNTED
from ._host_metric import host_imports

with host_imports("spark", "pyarrow", "pyspark"):
    import pyarrow
    from pyspark import TaskContext
    from pyspark.sql import DataFrame, functions
    from pyspark.sql.functions import ArrowUDFType
    from pyspark.sql.types import (
        DataType,
        DoubleType,
        LongType,
        StringType,
        StructField,
        StructType,
    )

    from ._columns import ColumnScorer, naming_columns
    from ._engines import Engine, appended, partial_sums, with_path

if TYPE_CHECKING:
    from pyspark.sql import Column, SparkSession

    from ..core.inputs.types import MissingChoice
    from ..core.metric.argument import Metric
    from ..tables.groups import GroupScorer
    from ..tables.rows import RowCounter

__all__ = ["count", "register", "score", "sentence", "sentence_scores", "sums"]

# The temporary column of results.
_NEW = "_fastbleu_new"


class _Spark(Engine[DataFrame, DataFrame]):
    def _native(self, table: DataFrame, result: pyarrow.Table) -> DataFrame:
        return table.sparkSession.createDataFrame(result)

    def _summed(self, table: DataFrame, groups: GroupScorer, read: list[str]) -> pyarrow.Table:
        return self._sums(table, groups, read).toArrow()

    def _sums(self, table: DataFrame, groups: GroupScorer, read: list[str]) -> DataFrame:
        types = {name: table.schema[name].dataType for name in groups.by}
        types[COUNTED] = StringType()
        reductions = reductions_of(groups.row_counter.metric.max_ngram_order)
        names = [*groups.by, *reductions, COUNTED]
        # All fields are nullable: Spark assumes this for data from Python workers.
        fields = [StructField(name, types.get(name, LongType()), True) for name in names]
        partials = table.select(*map(_quoted, read)).mapInArrow(
            partial(_partials, groups), StructType(fields)
        )
        reduced = [getattr(functions, kind)(name).alias(name) for name, kind in reductions.items()]
        summed = partials.groupBy(*map(_quoted, [*groups.by, COUNTED])).agg(*reduced)
        return summed.select(*map(_quoted, names))

    def _appended(
        self,
        table: DataFrame,
        row_counter: RowCounter,
        column: str | None,
        new: Mapping[str, float],
    ) -> DataFrame:
        kind = LongType() if column is None else DoubleType()
        results = StructType([StructField(name, kind, True) for name in new])
        read = with_path(row_counter.columns, table.columns)

        def structs(*columns: pyarrow.Array) -> pyarrow.Array:
            batch, part = pyarrow.table(list(columns), names=read), f"a batch of {_partition()}"
            counted = appended(row_counter, column, part, batch).select(list(new))
            return counted.to_struct_array().combine_chunks()

        with_structs = table.withColumn(_NEW, _column(structs, results, read))
        fields = [functions.col(f"{_NEW}.{_quoted(name)}").alias(name) for name in new]
        return with_structs.select(*map(_quoted, table.columns), *fields)


def register(
    spark: SparkSession,
    *,
    metric: Metric | None = None,
    missing: MissingChoice = "error",
    name: str = "bleu",
) -> None:
    """Register functions for SQL, with names that start with `name`; also with Spark Connect.

    ``bleu_sentence(mt, ref)`` is the BLEU of each row, ``bleu_corpus(mt, ref)`` an aggregate. Both
    take one column of references, or of lists of them, or several. The aggregate needs all texts
    of a group in the memory of one worker; `sums` and `score` do not.

    Parameters
    ----------
    spark : pyspark.sql.SparkSession
    metric : BLEU or str, optional
        By default ``fastbleu.BLEU()``.
    missing : {"error", "empty", "skip"}, default "error"
        With "skip" a row with a null scores null, and a corpus does not include it.
    """
    scorer = ColumnScorer(metric, missing)
    skip = 'register(spark, missing="skip")'
    sentence_scores = naming_columns(scorer.sentence_scores, skip=skip)
    spark.udf.register(f"{name}_sentence", functions.arrow_udf(sentence_scores, "double"))
    score_of_columns = naming_columns(scorer.corpus_score, skip=skip)

    def corpus_score(*columns: pyarrow.Array) -> float | None:
        score: float | None = score_of_columns(*columns).as_py()
        return score

    corpus = functions.arrow_udf(corpus_score, "double", ArrowUDFType.GROUPED_AGG)
    spark.udf.register(f"{name}_corpus", corpus)


def sentence(
    hypotheses: Column | str,
    references: Column | str | Sequence[Column | str],
    *,
    metric: Metric | None = None,
    missing: MissingChoice = "error",
) -> Column:
    """A column with the BLEU of each row, for `DataFrame.withColumn` and `select`.

    Parameters
    ----------
    hypotheses : Column or str
    references : Column, str, or a list of them
        One column with a reference or a list of references per segment, or several columns.
    metric : BLEU or str, optional
        By default ``fastbleu.BLEU()``, as for `fastbleu.tables.sentence_scores`.
    missing : {"error", "empty", "skip"}, default "error"
        With "skip" the score is null.

    Returns
    -------
    pyspark.sql.Column
        Of doubles, on the dialect's scale.
    """
    columns = list(references) if isinstance(references, (list, tuple)) else [references]
    function = naming_columns(ColumnScorer(metric, missing).sentence_scores)
    return _column(function, "double", [hypotheses, *columns])


def _partials(groups: GroupScorer, batches: Iterator[Any]) -> Iterator[Any]:
    """The sums of a partition."""
    result = partial_sums(groups, batches, _partition())
    if result is not None:
        yield from result.to_batches()


def _partition() -> str:
    """The name of the partition that this worker counts."""
    context = TaskContext.get()
    return "its partition" if context is None else f"partition {context.partitionId()}"


def _column(
    function: Callable[..., Any], kind: DataType | str, columns: Sequence[Column | str]
) -> Column:
    quoted = [_quoted(column) if isinstance(column, str) else column for column in columns]
    return functions.arrow_udf(function, kind)(*quoted)


def _quoted(name: str) -> str:
    """A column's name quoted for Spark's expressions, where a dot selects a field."""
    return "`" + name.replace("`", "``") + "`"


_spark = _Spark()
score, sentence_scores = _spark.score, _spark.sentence_scores
count, sums = _spark.count, _spark.sums

"""BLEU in expressions of polars: the namespace `bleu`.

    import fastbleu.integrations.polars

    frame.with_columns(polars.col("mt").bleu.sentence("ref").alias("bleu"))
    frame.group_by("system").agg(polars.col("mt").bleu.corpus("ref").alias("bleu"))

Importing this module registers the namespace. Expressions work in frames and in lazy frames.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ..runtime.extras import HostImports

with HostImports("polars", "polars", "pyarrow"):
    import polars

    from ._columns import ColumnScorer

if TYPE_CHECKING:
    from ..inputs.types import MissingChoice
    from ..metric.bleu import BLEU


@polars.api.register_expr_namespace("bleu")
class BLEUExpressions:
    """The namespace `bleu` of an expression, which gives the hypotheses.

    Each method takes the references: one or several columns or expressions, or one of lists with
    the references of each segment; and `metric`, by default ``fastbleu.BLEU()``, and `missing`:
    "error", "empty" or "skip", which leaves rows with a null out.
    """

    def __init__(self, hypotheses: polars.Expr) -> None:
        self._hypotheses = hypotheses

    def sentence(
        self,
        *references: polars.Expr | str,
        metric: BLEU | None = None,
        missing: MissingChoice = "error",
    ) -> polars.Expr:
        """The BLEU of each row, as `fastbleu.BLEU.sentence_scores`; null if it is left out."""
        scorer = ColumnScorer(metric, missing)
        columns = [self._hypotheses, *map(_expression, references)]
        return _mapped(scorer.sentence_scores, columns, polars.Float64)

    def corpus(
        self,
        *references: polars.Expr | str,
        metric: BLEU | None = None,
        missing: MissingChoice = "error",
    ) -> polars.Expr:
        """The corpus BLEU of all rows, or in `agg` of each group; null if all are left out."""
        scorer = ColumnScorer(metric, missing)
        columns = [self._hypotheses, *map(_expression, references)]
        lists = [column.implode() for column in columns]
        return _mapped(scorer.corpus_scores, lists, polars.Float64)

    def sums(
        self,
        *references: polars.Expr | str,
        metric: BLEU | None = None,
        missing: MissingChoice = "error",
    ) -> polars.Expr:
        """Each row's columns of `fastbleu.tables.sums` as a struct, for sums of one's own."""
        scorer = ColumnScorer(metric, missing)
        columns = [self._hypotheses, *map(_expression, references)]
        fields = dict.fromkeys(scorer.reductions, polars.Int64)
        return _mapped(scorer.sums, columns, polars.Struct(fields))


def _mapped(function: Callable[..., Any], columns: Sequence[polars.Expr], kind: Any) -> polars.Expr:
    def mapped(parts: Sequence[polars.Series]) -> polars.Series:
        # The newest layout, in which polars has texts: others are copies.
        newest = polars.CompatLevel.newest()
        found = function(*(part.to_arrow(compat_level=newest) for part in parts))
        return polars.Series(parts[0].name, polars.from_arrow(found))

    return polars.map_batches(columns, mapped, return_dtype=kind, is_elementwise=True)


def _expression(column: polars.Expr | str) -> polars.Expr:
    return polars.col(column) if isinstance(column, str) else column

"""BLEU in polars expressions: the namespace `bleu`.

    import fastbleu.integrations.polars

    frame.with_columns(polars.col("mt").bleu.sentence("ref").alias("bleu"))
    frame.group_by("system").agg(polars.col("mt").bleu.corpus("ref").alias("bleu"))

Importing this module registers the namespace. Expressions work in frames and in lazy frames.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ..core.inputs.arguments import a_type
from ..core.metric.bleu import BLEU
from ._host_metric import host_imports

with host_imports("polars", "polars", "pyarrow"):
    import polars

    from ._columns import ColumnScorer, naming_columns

if TYPE_CHECKING:
    from ..core.inputs.types import MissingChoice
    from ..core.metric.argument import Metric


@polars.api.register_expr_namespace("bleu")
class BLEUExpressions:
    """The namespace `bleu` of an expression, which gives the hypotheses.

    Each method takes the references: one or several columns or expressions, or one with a list of
    references per segment. It also takes `metric`, a BLEU or a dialect's name, by default
    ``fastbleu.BLEU()``, and `missing`: "error", "empty", or "skip", which leaves out rows with a
    null.
    """

    def __init__(self, hypotheses: polars.Expr) -> None:
        self._hypotheses = hypotheses

    def sentence(
        self,
        *references: polars.Expr | str,
        metric: Metric | None = None,
        missing: MissingChoice = "error",
    ) -> polars.Expr:
        """The BLEU of each row, like `fastbleu.BLEU.sentence_scores`; null if it is left out."""
        scorer = _scorer(metric, missing)
        return _mapped(scorer.sentence_scores, self._columns(references), polars.Float64)

    def corpus(
        self,
        *references: polars.Expr | str,
        metric: Metric | None = None,
        missing: MissingChoice = "error",
    ) -> polars.Expr:
        """The corpus BLEU of all rows or, in `agg`, of each group; null if all are left out."""
        scorer = _scorer(metric, missing)
        # In a struct, because a literal has no rows by itself.
        columns = hypotheses, *others = self._columns(references)
        named = [column.alias(f"_fastbleu_{number}") for number, column in enumerate(others)]
        rows = polars.struct(hypotheses, *named)
        return _mapped(scorer.corpus_scores, columns, polars.Float64, [rows.implode()])

    def sums(
        self,
        *references: polars.Expr | str,
        metric: Metric | None = None,
        missing: MissingChoice = "error",
    ) -> polars.Expr:
        """A struct per row with the columns of `fastbleu.tables.sums`, for custom sums."""
        scorer = _scorer(metric, missing)
        fields = dict.fromkeys(scorer.reductions, polars.Int64)
        return _mapped(scorer.sums, self._columns(references), polars.Struct(fields))

    def _columns(self, references: Sequence[polars.Expr | str]) -> list[polars.Expr]:
        if not references:
            raise TypeError("there is no reference; pass at least one column or expression")
        columns = [self._hypotheses]
        for reference in references:
            if isinstance(reference, str):
                columns.append(polars.col(reference))
            elif isinstance(reference, polars.Series):
                columns.append(polars.lit(reference))
            elif isinstance(reference, polars.Expr):
                columns.append(reference)
            else:  # polars would take a list for a literal, the same in each row
                fix = 'pass several one by one, as in bleu.corpus("ref_1", "ref_2")'
                if isinstance(reference, BLEU):
                    fix = "pass it as metric="
                raise TypeError(
                    f"a reference is {a_type(reference)}, expected the name of a column or an "
                    f"expression; {fix}"
                )
        return columns


def _scorer(metric: Metric | None, missing: MissingChoice) -> ColumnScorer:
    """A scorer with as many threads as polars, whose threads wait while a Python function runs."""
    return ColumnScorer(metric, missing, polars.thread_pool_size())


def _mapped(
    function: Callable[..., Any],
    columns: Sequence[polars.Expr],
    kind: Any,
    rows: Sequence[polars.Expr] | None = None,
) -> polars.Expr:
    """Return a function of columns, or of `rows` made of them, as an expression."""
    names = [column.meta.output_name(raise_if_undetermined=False) for column in columns]
    function = naming_columns(function, [f"column {name!r}" for name in names])

    def mapped(parts: Sequence[polars.Series]) -> polars.Series:
        # The newest layout, in which polars holds texts: others would be copies.
        newest = polars.CompatLevel.newest()
        scores = function(*(part.to_arrow(compat_level=newest) for part in parts))
        return polars.Series(parts[0].name, polars.from_arrow(scores))

    return polars.map_batches(rows or columns, mapped, return_dtype=kind, is_elementwise=True)

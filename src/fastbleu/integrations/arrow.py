"""BLEU as functions of pyarrow's compute registry.

from fastbleu.integrations.arrow import register

register()
pyarrow.compute.call_function("bleu_sentence", [table["mt"], table["ref"]])
table.group_by("system").aggregate([(["mt", "ref"], "bleu_corpus")])
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..core.inputs.arguments import check_positive
from ._host_metric import host_imports

with host_imports("arrow", "pyarrow", extra="parquet"):
    import pyarrow
    from pyarrow import compute

    from ._columns import ColumnScorer, argument_names, naming_columns

if TYPE_CHECKING:
    from ..core.inputs.types import MissingChoice
    from ..core.metric.argument import Metric


def register(
    *,
    metric: Metric | None = None,
    num_references: int | None = 1,
    missing: MissingChoice = "error",
    name: str = "bleu",
    text: pyarrow.DataType | None = None,
) -> None:
    """Register ``bleu_sentence``, for each row, and the aggregate ``bleu_corpus``, also of groups.

    Names start with `name`, and can be registered only once in a process.

    Parameters
    ----------
    metric, num_references, missing, name
        As in `fastbleu.integrations.duckdb.register`.
    text : pyarrow.DataType, default pyarrow.string()
        The type of texts; the registry does not convert columns to it.
    """
    if num_references is not None:
        check_positive("num_references", num_references)
    scorer = ColumnScorer(metric, missing)
    text = pyarrow.string() if text is None else text
    types = dict.fromkeys(argument_names(1 + (num_references or 1)), text)
    if num_references is None:
        types["reference_1"] = pyarrow.list_(text)
    about = {"summary": "BLEU", "description": f"{scorer.metric.signature}"}

    sentence_scores, corpus_score = (
        naming_columns(function, list(types), 'register(missing="skip")')
        for function in (scorer.sentence_scores, scorer.corpus_score)
    )

    def sentence(context: Any, *columns: Any) -> pyarrow.Array:
        return sentence_scores(*columns)

    def corpus(context: Any, *columns: Any) -> pyarrow.Scalar:
        return corpus_score(*columns)

    score = pyarrow.float64()
    compute.register_scalar_function(sentence, f"{name}_sentence", about, types, score)
    compute.register_aggregate_function(corpus, f"{name}_corpus", about, types, score)

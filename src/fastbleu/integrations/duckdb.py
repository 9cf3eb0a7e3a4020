"""BLEU in the SQL of DuckDB.

    from fastbleu.integrations.duckdb import register

    register(connection)
    connection.sql("SELECT system, bleu_corpus(mt, ref) AS bleu FROM outputs GROUP BY system")

Rows are counted by a function of Arrow columns; DuckDB adds up the counts of groups.
"""

from __future__ import annotations

import re
from contextlib import suppress
from inspect import Parameter, Signature
from typing import TYPE_CHECKING

from ..core.inputs.arguments import a_type, check_positive, shown
from ._host_metric import host_imports

with host_imports("duckdb", "duckdb", "pyarrow"):
    import duckdb

    from ..tables.sums import COUNTED, described
    from ._columns import ColumnScorer, argument_names, naming_columns

if TYPE_CHECKING:
    from ..core.inputs.types import MissingChoice
    from ..core.metric.argument import Metric


def register(
    connection: duckdb.DuckDBPyConnection,
    *,
    metric: Metric | None = None,
    num_references: int | None = 1,
    missing: MissingChoice = "error",
    name: str = "bleu",
) -> None:
    """Add functions to a connection, with names that start with `name`.

    ``bleu_sentence(mt, ref)`` is the BLEU of each row. Aggregates are ``bleu_corpus(mt, ref)``, and
    ``bleu_sums(mt, ref)``, a struct with the columns of `fastbleu.tables.sums`, for
    ``SELECT day, unnest(bleu_sums(mt, ref)) FROM ... GROUP BY day``. Scores equal (``==``) those of
    `fastbleu.tables`. Existing functions are replaced.

    Parameters
    ----------
    connection : duckdb.DuckDBPyConnection
        A cursor is a separate connection, and needs a different `name`.
    metric : BLEU or str, optional
        By default ``fastbleu.BLEU()``.
    num_references : int or None, default 1
        How many reference columns the functions take; None: one column of lists of texts.
    missing : {"error", "empty", "skip"}
        With "skip" a row with a null scores null, and a corpus does not include it.
    name : str, default "bleu"
    """
    if not hasattr(connection, "create_function"):
        problem = f"connection is {a_type(connection)}"
        raise TypeError(f"{problem}, expected a connection of DuckDB, such as duckdb.connect()")
    if not (isinstance(name, str) and re.fullmatch(r"[A-Za-z_]\w*", name)):
        raise ValueError(f"name is {shown(name)}, expected a name for SQL functions")
    if num_references is not None:
        check_positive("num_references", num_references)
    # DuckDB calls functions from its own threads; with batches of 2,048 rows, more would only wait.
    scorer = ColumnScorer(metric, missing, threads=1)
    references = ["VARCHAR[]"] if num_references is None else ["VARCHAR"] * num_references
    texts = ["VARCHAR", *references]
    names = argument_names(len(texts))
    sums, counts = (
        "STRUCT(" + ", ".join(f"{field} BIGINT" for field in fields) + ")"
        for fields in (scorer.reductions, scorer.summed)
    )
    functions = {
        f"{name}_sentence": (scorer.sentence_scores, texts, "DOUBLE"),
        f"{name}_sums_of_row": (scorer.sums, texts, sums),
        # Only the fields that a score needs, because each takes time.
        f"{name}_counts": (scorer.counts, texts, counts),
        f"{name}_of_counts": (scorer.scores_of_counts, [counts], "DOUBLE"),
    }
    for function, (call, kinds, result) in functions.items():
        called = naming_columns(call, names, 'register(connection, missing="skip") or WHERE')
        # DuckDB inspects the parameters.
        parameters = [Parameter(name, Parameter.POSITIONAL_ONLY) for name in names[: len(kinds)]]
        called.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
        with suppress(duckdb.InvalidInputException):  # there was none
            connection.remove_function(function)
        try:
            connection.create_function(
                function, called, kinds, result, type="arrow", null_handling="special"
            )
        except duckdb.CatalogException as error:
            raise ValueError(
                f"another connection or cursor has registered {shown(name)} in this database; pass "
                f'a different name for each, as in register(cursor, name="{name}_2")'
            ) from error
    arguments = ", ".join(names)
    added = ", ".join(
        f"{field} := {reduction}({name}_sums_of_row({arguments}).{field})::BIGINT"
        for field, reduction in scorer.reductions.items()
    )
    summed = ", ".join(
        f"{field} := sum({name}_counts({arguments}).{field})::BIGINT" for field in scorer.summed
    )
    counted = described(scorer.metric).replace("'", "''")
    macros = {
        f"{name}_sums": f"struct_pack({added}, {COUNTED} := '{counted}')",
        f"{name}_corpus": f"{name}_of_counts(struct_pack({summed}))",
    }
    typed = ", ".join(f"{name} {kind}" for name, kind in zip(names, texts, strict=True))
    for macro, text in macros.items():
        try:  # with types, which DuckDB shows to a user who passes others
            connection.execute(f"CREATE OR REPLACE TEMP MACRO {macro}({typed}) AS {text}")
        except duckdb.ParserException:  # older than 1.4
            connection.execute(f"CREATE OR REPLACE TEMP MACRO {macro}({arguments}) AS {text}")

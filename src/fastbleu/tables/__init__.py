"""A column against a column, by group: BLEU of tables of any kind, in memory or streamed.

    from fastbleu import tables

    tables.score("outputs.parquet", hypothesis="mt", references=["ref"], by=["system", "lang"])

Tables are those of pandas, polars and pyarrow, and a dict of columns; larger than memory may be
files, a polars LazyFrame, pyarrow's datasets and readers, a DuckDB relation, Hugging Face datasets,
and an iterable of any of the former. ``pip install '.[tables]'`` in a checkout installs what all
but a dict need.
"""

from .functions import score, sentence_scores, statistics

__all__ = ["score", "sentence_scores", "statistics"]

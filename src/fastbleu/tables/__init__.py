"""BLEU of table columns, by group, for tables of any kind, in memory or streamed.

    from fastbleu import tables

    tables.score("outputs.parquet", "mt", ["ref"], by=["system", "lang"])

A table is a pandas, polars or pyarrow table, or a dict of columns. Files, polars LazyFrames,
pyarrow datasets and readers, DuckDB relations, Hugging Face datasets, and iterables of tables may
be larger than memory. All need the extra: ``pip install '.[tables]'`` in a checkout; dicts of
columns and files also need pyarrow: ``'.[parquet]'``.
"""

from .functions import add_sums, count, report, score, score_sums, sentence_scores, sums
from .sources import TableParts

__all__ = ["TableParts", "add_sums", "count", "report", "score", "score_sums"]
__all__ += ["sentence_scores", "sums"]

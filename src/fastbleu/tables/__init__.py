"""BLEU of table columns, by group, for tables of any kind, in memory or streamed.

    from fastbleu import tables

    tables.score("outputs.parquet", "mt", ["ref"], by=["system", "lang"])

Tables are those of pandas, polars and pyarrow, and dicts of columns. Files, polars LazyFrames,
pyarrow's datasets and readers, DuckDB relations, Hugging Face datasets, and iterables of tables may
be larger than memory. All need the extra: ``pip install '.[tables]'`` in a checkout; dicts of
columns and files need pyarrow, too: ``'.[parquet]'``.
"""

from .functions import add_sums, count, report, score, score_sums, sentence_scores, sums
from .sources import TableParts

__all__ = ["TableParts", "add_sums", "count", "report", "score", "score_sums"]
__all__ += ["sentence_scores", "sums"]

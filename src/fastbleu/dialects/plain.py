"""A base class of most dialects: scores in Python's arithmetic, and features they do not have."""

from __future__ import annotations

import sys
from abc import abstractmethod
from array import array
from collections.abc import Iterator, Sequence

from ..counting.stats import Stats
from .base import Dialect, Options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..counting._batch import Counted
    from ..counting.batch import CountOptions

# For `Dialect.unsupported`, of dialects that are defined for whole counts only.
NO_AGGREGATION = {"aggregate=True": "its rules are for whole counts, not for expected ones"}
EQUAL_WEIGHTS = {
    "effective_order=True": "it averages over all orders",
    "weights": "its weights are equal",
    **NO_AGGREGATION,
}


# How Python's sum() adds up floats: a field of signatures.
SUM = {"sum": "compensated" if sys.version_info >= (3, 12) else "plain"}


# hyp_len, ref_len, matches and totals, the last two of shape (max_order,).
Row = tuple[int, int, Sequence[int], Sequence[int]]


class PlainDialect(Dialect):
    """A dialect that scores a row with Python's numbers."""

    @abstractmethod
    def _score(self, row: Row, options: Options) -> float:
        """The score of an adapted row."""

    def _scores(self, stats: Stats, options: Options) -> array[float]:
        return array("d", [self._score(row, options) for row in plain_rows(stats)])


def plain_rows(stats: Stats) -> Iterator[Row]:
    """The rows as Python's numbers."""
    width, middle = 2 + 2 * stats.max_order, 2 + stats.max_order
    for row in zip(*[iter(stats._rows.tolist())] * width, strict=True):
        yield row[0], row[1], row[2:middle], row[middle:]


def count_with_tokens(
    dialect: Dialect,
    hypotheses: Any,
    references: Any,
    options: CountOptions,
    *how: Any,
    **named: Any,
) -> Counted:
    """`Dialect._count` that also keeps tokens, for dialects with `_refine`."""
    from ..counting.token_lists import listed_columns, token_lists

    hypotheses, references = listed_columns(hypotheses, references, options)
    counted = Dialect._count(dialect, hypotheses, references, options, *how, **named)
    counted.tokens = token_lists(hypotheses, references, options)
    return counted


def no_rows(reason: str) -> dict[str, str]:
    """For `Dialect.unsupported`: all operations that need rows."""
    operations = "update", "statistics", "sums", "state", "matrix", "significance"
    return dict.fromkeys(operations, reason)

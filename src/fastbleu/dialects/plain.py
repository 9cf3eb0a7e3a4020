"""Base classes of most dialects, which score in Python's arithmetic."""

from __future__ import annotations

import sys
from abc import abstractmethod
from array import array
from collections.abc import Iterator, Sequence
from math import log

from ..counting._counted import Counted, Sums
from ..counting.stats import AdaptedRows, Rows
from ..counting.token_lists import TokenListCounter
from .base import Dialect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar

    from ..counting.token_lists import Segment
    from .score import Score
    from .scorer import Scorer

# How Python's sum() adds up floats: a field of signatures.
SUM = {"sum": "compensated" if sys.version_info >= (3, 12) else "plain"}

# hyp_len, ref_len, matches and totals, the last two of shape (max_order,).
Row = tuple[int, int, Sequence[int], Sequence[int]]


class PlainDialect(Dialect):
    """A dialect that scores a row with Python's numbers."""

    @abstractmethod
    def _score(self, row: Row, scorer: Scorer) -> float:
        """The score of an adapted row."""

    def _scores(self, adapted: AdaptedRows, scorer: Scorer) -> array[float]:
        return array("d", [self._score(row, scorer) for row in plain_rows(adapted)])


class SummedDialect(PlainDialect):
    """A dialect whose corpus score is that of the summed rows, and whose pairs have rows."""

    adds_up: ClassVar[bool] = True
    separable: ClassVar[bool | None] = False


class TokenDialect(Dialect):
    """A dialect whose score needs the tokens of all segments, so that it has no rows."""

    adds_up: ClassVar[bool] = False
    separable: ClassVar[bool | None] = None
    counter = TokenListCounter

    @abstractmethod
    def _token_score(
        self, segments: list[Segment], sums: AdaptedRows, scorer: Scorer
    ) -> dict[str, Any]:
        """The attributes of `Score` that do not follow from rows; `sums` is their sum."""

    def _corpus_score(self, sums: Sums, scorer: Scorer) -> dict[str, Any]:
        return self._token_score(sums.extra or [], sums.adapted(), scorer)

    def _segment_scores(self, counted: Counted, scorer: Scorer) -> list[float]:
        pairs = zip(counted.extra or [], self.adapt(counted.stats), strict=True)
        return [self._token_score([segment], row, scorer)["value"] for segment, row in pairs]


def plain_rows(stats: Rows) -> Iterator[Row]:
    """The rows as Python's numbers."""
    width, middle = 2 + 2 * stats.max_order, 2 + stats.max_order
    for row in zip(*[iter(stats._rows.tolist())] * width, strict=True):
        yield row[0], row[1], row[2:middle], row[middle:]


def doubling_logarithms(matches: Sequence[int], totals: Sequence[int]) -> list[float]:
    """log p of each order with n-grams; without a match p is 1 / (k * total), k = 2, 4, 8, ..."""
    logarithms, doubling = [], 1
    for matched, ngrams in zip(matches, totals, strict=True):
        if matched:
            logarithms.append(log(matched / ngrams))
        elif ngrams:
            doubling *= 2
            logarithms.append(log(1 / (doubling * ngrams)))
    return logarithms


def printed_line(name: str, score: Score, hyp_len: str, ref_len: str) -> str:
    """The line of multi-bleu.perl and its likes, with their names of the lengths."""
    precisions = "/".join([f"{100 * precision:.1f}" for precision in score.precisions])
    return (
        f"{name} = {score.printed}, {precisions} (BP={score.bp:.3f}, "
        f"ratio={score.hyp_len / score.ref_len:.3f}, "
        f"{hyp_len}={score.hyp_len}, {ref_len}={score.ref_len})"
    )


def no_rows(reason: str) -> dict[str, str]:
    """For `Dialect.reasons`: why there is nothing that needs rows."""
    operations = "update", "statistics", "sums", "state", "matrix", "significance"
    return dict.fromkeys(operations, reason)

"""Running totals: what is kept of a corpus while its segments go by."""

from __future__ import annotations

from .._core import accumulate_rows, zero_rows
from ..inputs.arrays import in_main_memory
from .batch import Counted, joint_nrefs
from .stats import Stats

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from typing import Any


class Totals:
    """The sum of the counts of any number of corpora: a value that never changes.

    Adding puts another in its place, so that an exception, a signal or another thread finds nothing
    in between. `segments` and `nrefs` are None where they are unknown: the row came from elsewhere.
    """

    def __init__(
        self,
        row: array[int],
        segments: int | None = 0,
        nrefs: int | None = 0,
        tokenized_periods: int = 0,
        rows: Stats | None = None,
    ) -> None:
        self.row = row
        self.segments = segments
        self.nrefs = nrefs
        self.tokenized_periods = tokenized_periods
        # What was kept before, and the rows of the last corpus; so that adding takes no time.
        self._kept: tuple[Any, Stats] | None = None if rows is None else (None, rows)

    @classmethod
    def zero(cls, max_order: int) -> Totals:
        """Those of no segments."""
        return cls(zero_rows(1, max_order))

    @classmethod
    def of(cls, counted: Counted, sums: Stats, keep: bool) -> Totals:
        """Those of one corpus, whose rows, as a dialect adapts them, add up to `sums`."""
        rows = counted.stats if keep and len(counted.stats) else None
        return cls(sums._rows, counted.segments, counted.nrefs, counted.tokenized_periods, rows)

    @classmethod
    def from_state(cls, state: Any, max_order: int) -> Totals:
        """Totals of which only the row is known, which has to be one that some text can have."""
        row = in_main_memory(state, "the state")
        if row.shape != (2 + 2 * max_order,):
            raise ValueError(
                f"the state has the shape {row.shape}, but max_order={max_order} needs "
                f"({2 + 2 * max_order},): [hyp_len, ref_len, matches..., totals...]"
            )
        # Lists go as they are: of integers beyond int64 numpy makes floats.
        rows = [list(state)] if isinstance(state, (list, tuple)) else row[None]
        counts = Stats(rows, max_order)._rows
        matches, ngrams = counts[2 : 2 + max_order], counts[2 + max_order :]
        if min(counts) < 0 or any(m > t for m, t in zip(matches, ngrams, strict=True)):
            raise ValueError(
                f"the state is {counts.tolist()}, which no text has: a count is negative, or "
                "there are more matches than n-grams"
            )
        return cls(counts, None, None)

    def plus(self, other: Totals) -> Totals:
        """Both together; OverflowError where a sum leaves int64."""
        row = self.row[:]
        accumulate_rows(other.row, 1, row)
        segments = nrefs = None
        if self.segments is not None and other.segments is not None:
            segments = self.segments + other.segments
            nrefs = joint_nrefs(self.nrefs or 0, other.nrefs or 0)
        total = Totals(row, segments, nrefs, self.tokenized_periods + other.tokenized_periods)
        total._kept = self._kept
        if other._kept is not None:
            total._kept = (self._kept, other.rows())
        return total

    def sum(self) -> Stats:
        """The sum of all rows as one row."""
        return Stats._own(self.row[:], self._max_order)

    def rows(self) -> Stats:
        """The rows that were kept."""
        parts = []
        kept = self._kept
        while kept is not None:
            kept, rows = kept
            parts.append(rows)
        return Stats.concatenate([Stats.zeros(0, self._max_order), *reversed(parts)])

    @property
    def _max_order(self) -> int:
        return len(self.row) // 2 - 1

    def _compared(self) -> tuple[Any, ...]:
        return self.row, self.segments, self.nrefs, self.tokenized_periods, self.rows()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Totals):
            return NotImplemented
        return self._compared() == other._compared()

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        *values, rows = self._compared()
        return Totals, (*values, rows if len(rows) else None)

"""Running totals: what is kept of a corpus while its segments go by."""

from __future__ import annotations

from ._core import accumulate_rows, zero_rows
from .arrays import in_main_memory
from .stats import Stats
from .workers import Counted, joint_nrefs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from typing import Any


class Totals:
    """The sum of the counts of any number of corpora; a commutative monoid.

    What is added is added whole or, where a sum leaves int64, not at all.

    Attributes
    ----------
    row : array of int64
        The sum of all rows.
    segments, nrefs : int or None
        The number of segments, and the references of each: 0 where there are no segments, -1 where
        their number varies. None: not known, because the row came from elsewhere.
    tokenized_periods : int
        Hypotheses that end in " .".
    kept : list of Stats or None
        The rows of the segments themselves, if they are kept.
    """

    row: array[int]
    segments: int | None
    nrefs: int | None
    tokenized_periods: int
    kept: list[Stats] | None

    def __init__(self, max_order: int, keep: bool = False) -> None:
        self.row = zero_rows(1, max_order)
        self.segments = self.nrefs = self.tokenized_periods = 0
        self.kept = [] if keep else None

    @classmethod
    def from_state(cls, state: Any, max_order: int) -> Totals:
        """Totals of which only the row is known.

        Raises
        ------
        TypeError, ValueError, OverflowError
            It is none of integers, of this order, or of any text.
        """
        row = in_main_memory(state, "the state")
        if row.shape != (2 + 2 * max_order,):
            raise ValueError(
                f"the state has the shape {row.shape}, but max_order={max_order} needs "
                f"({2 + 2 * max_order},): [hyp_len, ref_len, matches..., totals...]"
            )
        totals = cls(max_order)
        # Lists go as they are: of integers beyond int64 numpy makes floats.
        rows = [list(state)] if isinstance(state, (list, tuple)) else row[None]
        totals.row = Stats(rows, max_order)._rows
        matches, ngrams = totals.row[2 : 2 + max_order], totals.row[2 + max_order :]
        if min(totals.row) < 0 or any(m > t for m, t in zip(matches, ngrams, strict=True)):
            raise ValueError(
                f"the state is {totals.row.tolist()}, which no text has: a count is negative, or "
                "there are more matches than n-grams"
            )
        totals.segments = totals.nrefs = None
        return totals

    def add(self, counted: Counted, sums: Stats) -> None:
        """Add a corpus whose rows, as a dialect adapts them, add up to `sums`."""
        row = self._plus(sums._rows)
        if self.kept is not None and len(counted.stats):
            self.kept.append(counted.stats)
        self._note(row, counted.segments, counted.nrefs, counted.tokenized_periods)

    def merge(self, other: Totals) -> None:
        """Add what another has."""
        row = self._plus(other.row)
        if self.kept is not None and other.kept is not None:
            self.kept += list(other.kept)
        self._note(row, other.segments, other.nrefs, other.tokenized_periods)

    def copy(self) -> Totals:
        """The same totals, which can be added to by themselves."""
        other = Totals(len(self.row) // 2 - 1, self.kept is not None)
        other.merge(self)
        return other

    def sum(self) -> Stats:
        """The sum of all rows as one row."""
        return Stats._own(self.row[:], len(self.row) // 2 - 1)

    def rows(self) -> Stats:
        """The rows that were kept."""
        assert self.kept is not None
        return Stats.concatenate([Stats.zeros(0, len(self.row) // 2 - 1), *self.kept])

    def _plus(self, addend: array[int]) -> array[int]:
        row = self.row[:]
        accumulate_rows(addend, 1, row)
        return row

    def _note(self, row: array[int], segments: int | None, nrefs: int | None, periods: int) -> None:
        self.row = row
        self.tokenized_periods += periods
        if self.segments is None or self.nrefs is None or segments is None or nrefs is None:
            self.segments = self.nrefs = None
        else:
            self.segments += segments
            self.nrefs = joint_nrefs(self.nrefs, nrefs)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Totals):
            return NotImplemented
        mine, its = ((t.row, t.segments, t.nrefs, t.tokenized_periods) for t in (self, other))
        if mine != its or (self.kept is None) != (other.kept is None):
            return False
        return self.kept is None or self.rows() == other.rows()

"""Running totals: what is kept of a corpus while its segments go by.

Thread-safety. Totals never change.
"""

from cpython.array cimport array

from fastbleu._core import accumulate_rows, zero_rows
from fastbleu.counting._batch import joint_nrefs
from fastbleu.counting.stats import Stats
from fastbleu.inputs.arrays import in_main_memory


cdef class Totals:
    """The sum of the counts of any number of corpora: a value that never changes.

    Adding puts another in its place, so that an exception, a signal or another thread finds nothing
    in between. `segments` and `nrefs` are None where they are unknown: the row came from elsewhere.
    """

    cdef readonly array row
    cdef readonly object segments, nrefs, tokenized_periods
    cdef object kept           # what was kept before, and the rows of the last corpus; None: nothing

    def __cinit__(self, array row not None, segments=0, nrefs=0, tokenized_periods=0, rows=None):
        self.row = row
        self.segments = segments
        self.nrefs = nrefs
        self.tokenized_periods = tokenized_periods
        self.kept = None if rows is None else (None, rows)

    @staticmethod
    def zero(max_order):
        """Those of no segments."""
        return Totals(zero_rows(1, max_order))

    @staticmethod
    def of(counted, sums, keep):
        """Those of one corpus, whose rows, as a dialect adapts them, add up to `sums`."""
        rows = counted.stats if keep and len(counted.stats) else None
        return Totals(sums._rows, counted.segments, counted.nrefs, counted.tokenized_periods, rows)

    @staticmethod
    def from_state(state, max_order):
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
        return Totals(counts, None, None)

    def plus(self, Totals other not None):
        """Both together; OverflowError where a sum leaves int64."""
        cdef Totals total
        row = self.row[:]
        accumulate_rows(other.row, 1, row)
        segments = nrefs = None
        if self.segments is not None and other.segments is not None:
            segments = self.segments + other.segments
            nrefs = joint_nrefs(self.nrefs or 0, other.nrefs or 0)
        total = Totals(row, segments, nrefs, self.tokenized_periods + other.tokenized_periods)
        total.kept = self.kept
        if other.kept is not None:
            total.kept = (self.kept, other.rows())
        return total

    def sum(self):
        """The sum of all rows as one row."""
        return Stats._own(self.row[:], self._max_order)

    def rows(self):
        """The rows that were kept."""
        parts = []
        kept = self.kept
        while kept is not None:
            kept, rows = kept
            parts.append(rows)
        return Stats.concatenate([Stats.zeros(0, self._max_order), *reversed(parts)])

    @property
    def _max_order(self):
        return len(self.row) // 2 - 1

    def _compared(self):
        return self.row, self.segments, self.nrefs, self.tokenized_periods, self.rows()

    def __eq__(self, other):
        if not isinstance(other, Totals):
            return NotImplemented
        return self._compared() == other._compared()

    def __reduce__(self):
        rows = self.rows() if self.kept is not None else None
        return Totals, (self.row, self.segments, self.nrefs, self.tokenized_periods, rows)

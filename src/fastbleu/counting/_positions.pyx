"""Which n-grams of a hypothesis match: the positions behind the matches of its row.

A PositionCounter counts as any SegmentCounter does, and notes for each clipped match where its n-gram
starts: of an n-gram that stands more often than in any reference the first occurrences match. A position
is a byte in which bit n - 1 is set where the n-gram of order n that starts there matches, so that the bits
of a segment add up to the matches of its row. Orders above POSITION_ORDERS are counted, not noted.

Ownership. Marks are written into a bytes object of the caller. Thread-safety. One counter per thread.
"""

from cpython.array cimport array
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memset

from fastbleu._core cimport SegmentCounter, ngram_entry
from fastbleu._packed cimport MASK_WORDS, PackedSegments

from fastbleu._core import zero_rows

POSITION_ORDERS = 8


cdef class PositionCounter(SegmentCounter):
    cdef unsigned char *marks        # of the segment that is being counted
    cdef int64_t *row_matches        # of its row

    def mark(self, PackedSegments packed not None):
        """The marks of all hypotheses' tokens, one after the other, and the rows."""
        cdef array rows = zero_rows(len(packed), self.max_order)
        cdef Py_ssize_t segment, first = 0, total = 0
        cdef bytes marks
        packed.finish()
        for segment in range(packed.segment_count):
            total += packed.lengths[first]
            first += packed.reference_counts[segment] + 1
        marks = PyBytes_FromStringAndSize(NULL, total)
        self.marks = <unsigned char *> PyBytes_AS_STRING(marks)
        memset(self.marks, 0, total)
        self.count(packed, rows)
        return marks, rows

    cdef int count_segment(self, const int32_t *ids, const uint64_t *masks, const int64_t *lengths,
                           int64_t references, int32_t distinct, int64_t *row) except -1 nogil:
        self.row_matches = row + 2
        SegmentCounter.count_segment(self, ids, masks, lengths, references, distinct, row)
        self.marks += lengths[0]
        return 0

    cdef int match_masks(self, const int32_t *ids, const uint64_t *masks, const int64_t *lengths,
                         int64_t references, int32_t distinct, int words, int64_t *matches) except -1 nogil:
        cdef int n, i, hyp_len = <int> lengths[0]
        cdef const uint64_t *matched
        SegmentCounter.match_masks(self, ids, masks, lengths, references, distinct, words, matches)
        for n in range(min(self.max_order, hyp_len, 8)):
            matched = self.matched + n * MASK_WORDS
            for i in range(hyp_len):
                self.marks[i] |= (matched[i // 64] >> i % 64 & 1) << n
        self.worked(hyp_len)
        return 0

    cdef Py_ssize_t keep_matched(self, ngram_entry *entries, Py_ssize_t count, const int32_t *clip,
                                 int32_t *seen, int64_t *matches) except -1 nogil:
        cdef Py_ssize_t n = matches - self.row_matches, i = 0, stop
        while n < 8 and i < count:
            stop = self.next_stop(i, count, 1)
            for i in range(i, stop):
                self.marks[entries[i].position] |= (seen[entries[i].id] < clip[entries[i].id]) << n
                seen[entries[i].id] += 1
            i = stop
        for i in range(count):
            seen[entries[i].id] = 0
        return SegmentCounter.keep_matched(self, entries, count, clip, seen, matches)

"""Packed segments, and the scratch memory that counts them. See _core.pyx."""

from cpython.array cimport array
from libc.stdint cimport int32_t, int64_t, uint64_t

from fastbleu.kernel.tables cimport number_table
from fastbleu.runtime._process cimport Interruptible


cdef extern from "kernel/simd/masks.h":
    enum:
        MASK_TOKENS
        MASK_PADDED


# An index of REFERENCE_LENGTHS.
cdef enum reference_rule:
    CLOSEST
    FIRST
    SHORTEST

cdef int64_t *numbers(array values) except? NULL


cdef class PackedSegments(Interruptible):
    """Token ids of consecutive segments in one flat array.

    Each segment is its hypothesis, whose tokens are numbered 0 to distinct - 1 in order of first
    appearance, then its references, with the id `distinct` for every token that the hypothesis lacks.
    """

    # About all segments packed since the last reset():
    cdef readonly Py_ssize_t nrefs   # references per segment; -1: varies; 0: no segments
    cdef readonly Py_ssize_t tokenized_periods     # hypotheses (text) ending in " ."
    cdef readonly bint label_padding               # whether an id -100 was counted as a token
    cdef int32_t *ids
    cdef int64_t *lengths            # per segment: hypothesis, references
    cdef int64_t *reference_counts   # by segment
    cdef int32_t *distinct           # by segment
    cdef Py_ssize_t segment_count, id_count, length_count
    cdef Py_ssize_t segment_capacity, id_capacity, length_capacity

    cdef int finish(self) except -1 nogil
    cdef void clear(self) noexcept nogil
    cdef void note_references(self, Py_ssize_t count) noexcept nogil
    cdef int reserve_segment(self) except -1 nogil
    cdef int32_t *reserve_ids(self, Py_ssize_t extra) except NULL nogil
    cdef int64_t *reserve_lengths(self, Py_ssize_t extra) except NULL nogil


cdef struct ngram_entry:
    int32_t position
    int32_t id


cdef class SegmentCounter(Interruptible):
    """Counts packed segments into rows, with scratch memory of its own. One per thread."""

    cdef readonly int max_order
    cdef int rule                    # an index of REFERENCE_LENGTHS
    cdef uint64_t in_reference[MASK_PADDED]
    cdef uint64_t in_hypothesis[MASK_PADDED]
    cdef uint64_t by_token[MASK_TOKENS + 1]
    cdef uint64_t matched[MASK_TOKENS]
    cdef number_table pairs
    cdef void *work
    cdef Py_ssize_t work_capacity

    cdef int count_all(self, PackedSegments packed, int64_t *row, int64_t *sums,
                       bint at_least_one) except -1 nogil
    cdef int count_segment(self, const int32_t *ids, const int64_t *lengths, int64_t references,
                           int32_t distinct, int64_t *row) except -1 nogil
    cdef int match_short(self, const int32_t *ids, const int64_t *lengths, int64_t references,
                         int32_t distinct, int64_t *matches) except -1 nogil
    cdef int match_long(self, const int32_t *ids, const int64_t *lengths, int64_t references,
                        int32_t distinct, int64_t *matches) except -1 nogil
    cdef int32_t number_pairs(self, ngram_entry *entries, Py_ssize_t count,
                              const uint64_t *keys) except -1 nogil
    cdef Py_ssize_t find_pairs(self, ngram_entry *entries, Py_ssize_t count,
                               const uint64_t *keys) except -1 nogil
    cdef Py_ssize_t keep_known(self, ngram_entry *entries, const int32_t *ids, Py_ssize_t length,
                               int32_t distinct) except -1 nogil
    cdef Py_ssize_t keep_pairs(self, ngram_entry *entries, Py_ssize_t count, uint64_t *keys) except -1 nogil
    cdef int raise_clips(self, const ngram_entry *entries, Py_ssize_t count, bint only_one,
                         int32_t *clip, int32_t *seen) except -1 nogil
    cdef Py_ssize_t keep_matched(self, ngram_entry *entries, Py_ssize_t count, const int32_t *clip,
                                 int32_t *seen, int64_t *matches) except -1 nogil
    cdef void *workspace(self, size_t size) except NULL nogil

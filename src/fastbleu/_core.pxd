"""Packed segments, and the scratch memory that counts them. See _core.pyx."""

from cpython.array cimport array
from libc.stdint cimport int32_t, int64_t, uint64_t

from fastbleu.kernel.tables cimport key_comparer, key_list, number_table
from fastbleu.runtime._process cimport Interruptible


cdef extern from "kernel/simd/masks.h":
    enum:
        MASK_TOKENS
        MASK_LANES

cdef enum:
    # Segments with more are packed as ids, because masks of many short references take more memory.
    MASK_REFERENCES = 1 << 12


# An index of REFERENCE_LENGTHS.
cdef enum reference_rule:
    CLOSEST
    FIRST
    SHORTEST

cdef int64_t *numbers(array values) except? NULL


cdef class PackedSegments(Interruptible):
    """Consecutive segments, each as the masks or as the ids of its tokens, in flat arrays.

    A segment of ids is its hypothesis, whose tokens are numbered 0 to distinct - 1 in order of first
    appearance, then its references, with the id `distinct` for every token that the hypothesis lacks.

    A segment of masks (kernel/simd/masks.h) has at most MASK_TOKENS tokens in each sequence: the masks of
    the hypothesis' earlier tokens, then those of each reference, each time for all tokens of the
    hypothesis and MASK_LANES zeros. Its `distinct` is IS_MASKS.
    """

    # About all segments packed since the last reset():
    cdef readonly Py_ssize_t nrefs   # references per segment; -1: varies; 0: no segments
    cdef readonly Py_ssize_t tokenized_periods     # hypotheses (text) ending in " ."
    cdef readonly bint label_padding               # whether an id -100 was counted as a token
    cdef int32_t *ids
    cdef int64_t *lengths            # per segment: hypothesis, references
    cdef int64_t *reference_counts   # by segment
    cdef int32_t *distinct           # by segment
    cdef uint64_t *masks
    cdef Py_ssize_t segment_count, id_count, length_count, mask_count
    cdef Py_ssize_t segment_capacity, id_capacity, length_capacity, mask_capacity
    cdef key_comparer compare        # NULL: all segments are packed as ids
    cdef key_list hypothesis_keys, reference_keys

    cdef int finish(self) except -1 nogil
    cdef void clear(self) noexcept nogil
    cdef void note_references(self, Py_ssize_t count) noexcept nogil
    cdef int reserve_segment(self) except -1 nogil
    cdef int32_t *reserve_ids(self, Py_ssize_t extra) except NULL nogil
    cdef int64_t *reserve_lengths(self, Py_ssize_t extra) except NULL nogil
    cdef uint64_t *reserve_masks(self, Py_ssize_t references) except NULL nogil
    cdef void finish_masks(self, Py_ssize_t segment, Py_ssize_t references) noexcept nogil


cdef struct ngram_entry:
    int32_t position
    int32_t id


cdef class SegmentCounter(Interruptible):
    """Counts packed segments into rows, with scratch memory of its own. One per thread."""

    cdef readonly int max_order
    cdef int rule                    # an index of REFERENCE_LENGTHS
    cdef uint64_t in_reference[MASK_TOKENS + MASK_LANES]
    cdef uint64_t in_hypothesis[MASK_TOKENS + MASK_LANES]
    cdef uint64_t by_token[MASK_TOKENS + 1]
    cdef uint64_t matched[MASK_TOKENS]
    cdef number_table pairs
    cdef void *work
    cdef Py_ssize_t work_capacity

    cdef int count_all(self, PackedSegments packed, int64_t *row, int64_t *sums,
                       bint at_least_one) except -1 nogil
    cdef int count_only(self, PackedSegments packed, int64_t *row) except -1 nogil
    cdef int count_segment(self, const int32_t *ids, const uint64_t *masks, const int64_t *lengths,
                           int64_t references, int32_t distinct, int64_t *row) except -1 nogil
    cdef int match_short(self, const int32_t *ids, const uint64_t *masks, const int64_t *lengths,
                         int64_t references, int32_t distinct, int64_t *matches) except -1 nogil
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

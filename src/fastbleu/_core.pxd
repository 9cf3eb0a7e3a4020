"""The scratch memory that counts packed segments. See _core.pyx."""

from cpython.array cimport array
from libc.stdint cimport int32_t, int64_t, uint64_t

from fastbleu.core.counting._packed cimport MASK_TOKENS, MASK_WORDS, PackedSegments, packed_segment
from fastbleu.core.kernel.hashing cimport number_table
from fastbleu.core.runtime._process cimport Interruptible


# An index of REFERENCE_LENGTHS.
cdef enum reference_choice:
    CLOSEST
    FIRST
    SHORTEST

cdef enum:
    MATCH_BITS = 8                   # of each token: one for each of the first orders

cdef int64_t *numbers(array values) except? NULL
cpdef array zero_rows(Py_ssize_t segments, int max_order)
cpdef accumulate_rows(array rows, Py_ssize_t count, array total)
cdef int64_t reference_length(
    int64_t hyp_len, const int64_t *lengths, int64_t references, int choice) noexcept nogil


cdef inline Py_ssize_t blank_in(const int64_t *lengths, Py_ssize_t references) noexcept nogil:
    """The number of references without tokens, in a segment that has others with some."""
    cdef Py_ssize_t blank = 0, k
    for k in range(1, references + 1):
        blank += lengths[k] == 0
    return blank if blank < references else 0


cdef struct ngram_entry:
    int32_t position
    int32_t id


cdef class SegmentCounter(Interruptible):
    """Counts packed segments into rows, with scratch memory of its own. One per thread."""

    cdef readonly int max_order
    cdef int choice                  # an index of REFERENCE_LENGTHS
    cdef int64_t least_total         # in sums, smaller totals count as this
    cdef public int mask_tokens      # longer segments of ids are counted by match_long
    cdef uint64_t matched[MASK_TOKENS * MASK_WORDS]
    cdef number_table pairs
    cdef void *work
    cdef Py_ssize_t work_capacity
    cdef int64_t *sums               # of a chunk's rows, then a row; NULL until it is needed

    cpdef count(self, PackedSegments packed, array rows, Py_ssize_t first=*)
    cpdef count_sum(self, PackedSegments packed, array total)
    cdef int reserve_sums(self) except -1 nogil
    cdef int count_all(self, PackedSegments packed, int64_t *row, int64_t *sums,
                       unsigned char *match_bits) except -1 nogil
    cdef int count_only(self, PackedSegments packed, int64_t *row) except -1 nogil
    cdef int count_segment(self, packed_segment segment, const int32_t *ids, const uint64_t *masks,
                           const int64_t *lengths, int64_t *row, unsigned char *match_bits) except -1 nogil
    cdef int match_masks(self, packed_segment segment, const int32_t *ids, const uint64_t *masks,
                         const int64_t *lengths, int64_t *matches, unsigned char *match_bits) except -1 nogil
    cdef int match_long(self, packed_segment segment, const int32_t *ids, const int64_t *lengths,
                        int64_t *matches, unsigned char *match_bits) except -1 nogil
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
                                 int32_t *seen, int n, int64_t *matches,
                                 unsigned char *match_bits) except -1 nogil
    cdef void *workspace(self, size_t size) except NULL nogil

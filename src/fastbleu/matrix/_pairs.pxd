"""Counting pairs of sentences. See _pairs.pyx."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

from fastbleu.matrix._ngrams cimport Features, Ngrams, number_index
from fastbleu.runtime._process cimport Interruptible


cdef extern from "kernel/simd/bit_counts.h":
    ctypedef void (*bit_counter)(const uint64_t *bitmaps, const int32_t *chosen, Py_ssize_t count,
                                 int words, int plane_count, uint64_t *planes) noexcept nogil


cdef class ReferenceBlock(Interruptible):
    cdef Py_ssize_t first, count     # references
    cdef int words                   # of a bitmap
    cdef Features features, hypotheses
    cdef int32_t *bitmap_of          # by order and feature: the number of its bitmap, if above `before`
    cdef int64_t *offsets            # by order: where its features begin in `bitmap_of`
    cdef int32_t before              # numbers of bitmaps up to this were those of other blocks
    cdef uint64_t *bitmaps           # those of this block, the first of which is not used
    cdef Py_ssize_t bitmap_count, bitmap_capacity
    cdef int64_t *lengths            # in ascending order, each once
    cdef int32_t *length_numbers     # by reference: its place in `lengths`
    cdef Py_ssize_t length_count

    cdef int forget_bitmaps(self, Features hypotheses) except -1 nogil
    cdef int set_bits(self) except -1 nogil
    cdef void number_lengths(self) noexcept nogil


cdef class PairCounter(Interruptible):
    cdef readonly int max_order
    cdef int count_bytes             # bytes of a number of matches
    cdef bit_counter count_bits
    cdef int keys                    # number of tables
    cdef number_index *tables        # the last one's ids are those of the rows
    cdef int64_t *new_rows           # those that have no value yet
    cdef Py_ssize_t new_count, new_capacity
    cdef double *values              # by row: its score without brevity penalty
    cdef Py_ssize_t value_count, value_capacity
    cdef int32_t *pairs              # the rows of the last tile
    cdef Py_ssize_t pair_capacity
    cdef int32_t *present            # the bitmaps of one hypothesis
    cdef Py_ssize_t present_capacity
    cdef uint8_t *matches            # by order and byte of the number, by reference of a block

    cdef int count_hypothesis(self, ReferenceBlock block, const int32_t *features, Py_ssize_t stride,
                              Py_ssize_t length, int orders, int32_t *pairs) except -1 nogil
    cdef int add_row(self, Py_ssize_t length, const uint8_t *matches, Py_ssize_t size) except -1 nogil
    cdef void write_row(self, ReferenceBlock block, int64_t length, const int32_t *pairs, char *out,
                        Py_ssize_t stride, bint doubles, bint penalize) noexcept nogil

"""Rows of token ids, and what reads them. See _ids.pyx."""

from cpython.array cimport array
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

from fastbleu._core cimport PackedSegments
from fastbleu._tables cimport number_table


cdef extern from "kernel/id_rows.h":
    ctypedef enum id_kind:
        ID_INT8
        ID_UINT8
    ctypedef struct id_row:
        const char *ids
        Py_ssize_t length, stride
        id_kind kind
        const char *mask
        Py_ssize_t mask_stride
        int mask_size
    ctypedef struct id_filter:
        const int64_t *dropped
        const uint8_t *is_padding
        Py_ssize_t dropped_count
        const int64_t *stops
        Py_ssize_t stop_count

cdef extern from "kernel/direct_table.h":
    ctypedef struct direct_table:
        int32_t count


cdef class IdRows:
    cdef list held                       # what the pointers point into
    cdef id_row first                    # of an array: its first row
    cdef Py_ssize_t segment_stride, row_stride, mask_segment_stride, mask_row_stride
    cdef Py_ssize_t width                # rows of each segment, where they are those of an array
    cdef id_row *rows                    # rows gathered one by one, else NULL
    cdef int64_t *ends                   # by segment: the number of rows up to its end
    cdef Py_ssize_t segment_count, row_count, segment_capacity, row_capacity

    cdef id_row row_of(self, object ids, object mask) except *
    cdef Py_ssize_t rows_of(self, Py_ssize_t segment) noexcept nogil
    cdef id_row row(self, Py_ssize_t segment, Py_ssize_t k) noexcept nogil


cdef class IdPacker(PackedSegments):
    cdef array dropped, stops
    cdef bytes padding
    cdef id_filter filter
    cdef IdRows hypotheses, references
    cdef Py_ssize_t first_segment
    cdef direct_table small_numbers
    cdef number_table numbers            # where the hypothesis has an id that is negative or large
    cdef int64_t *row_ids
    cdef Py_ssize_t row_capacity
    cdef bint finished

    cdef int pack(self, Py_ssize_t segment) except -1 nogil
    cdef bint number_hypothesis(self, Py_ssize_t length, int32_t *distinct) except -1 nogil
    cdef int find_reference(self, Py_ssize_t length, bint are_small, int32_t absent) except -1 nogil
    cdef Py_ssize_t read(self, id_row row, bint *is_padding) except -1 nogil

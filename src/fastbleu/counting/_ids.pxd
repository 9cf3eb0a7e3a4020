"""Packing rows of token ids. See _ids.pyx."""

from cpython.array cimport array
from libc.stdint cimport int32_t, int64_t, uint8_t

from fastbleu._packed cimport PackedSegments
from fastbleu.inputs._ids cimport id_row, IdRows
from fastbleu.kernel.tables cimport number_table


cdef extern from "kernel/objects/id_rows.h":
    ctypedef struct id_filter:
        const int64_t *dropped
        const uint8_t *is_padding
        Py_ssize_t dropped_count
        const int64_t *stops
        Py_ssize_t stop_count

cdef extern from "kernel/tables/direct_table.h":
    ctypedef struct direct_table:
        int32_t count


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
    cdef Py_ssize_t pack_ids(self, Py_ssize_t segment, int64_t *lengths) except -1 nogil
    cdef bint number_hypothesis(self, Py_ssize_t length, int32_t *distinct) except -1 nogil
    cdef int find_reference(self, Py_ssize_t length, bint are_small, int32_t absent) except -1 nogil
    cdef Py_ssize_t read(self, id_row row, bint *is_padding) except -1 nogil

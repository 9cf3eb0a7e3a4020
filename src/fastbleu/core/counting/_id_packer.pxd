"""Packing rows of token ids. See _id_packer.pyx."""

from cpython.array cimport array
from libc.stdint cimport int32_t, int64_t

from fastbleu.core.counting._packed cimport PackedSegments
from fastbleu.core.inputs._id_rows cimport id_row, IdRows
from fastbleu.core.kernel.hashing cimport number_table


cdef extern from "kernel/objects/id_rows.h":
    ctypedef struct id_set:
        const int64_t *ids
        Py_ssize_t count
    ctypedef struct id_filter:
        id_set padding, skipped, stops
    ctypedef struct id_progress:
        Py_ssize_t at
        bint label_padding
    ctypedef Py_ssize_t (*id_reader)(const id_row *row, const id_filter *filter, Py_ssize_t count,
                                     id_progress *read, int64_t *out) noexcept nogil


cdef class IdPacker(PackedSegments):
    cdef list sets                       # the memory of the filter's sets
    cdef id_filter filter
    cdef id_reader read_some
    cdef IdRows hypotheses, references
    cdef Py_ssize_t first_segment
    cdef number_table numbers
    cdef int64_t *row_ids
    cdef Py_ssize_t row_capacity
    cdef bint finished

    cdef int count_prefixes(self, Py_ssize_t segment, int64_t *counts, Py_ssize_t length) except -1 nogil
    cdef id_set set_of(self, object ids) except *
    cdef Py_ssize_t pack_ids(self, Py_ssize_t segment, int64_t *lengths) except -1 nogil
    cdef int number_ids(self, Py_ssize_t length, bint is_hypothesis) except -1 nogil
    cdef Py_ssize_t read(self, const id_row *row, bint *is_padding) except -1 nogil
    cdef Py_ssize_t read_to(self, int64_t *ids, const id_row *row, bint *is_padding) except -1 nogil

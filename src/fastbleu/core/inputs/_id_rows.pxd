"""Rows of token ids. See _id_rows.pyx."""

from libc.stdint cimport int64_t


cdef extern from "kernel/objects/id_rows.h":
    ctypedef enum id_kind:
        ID_INT64
    ctypedef struct id_row:
        const char *ids
        Py_ssize_t length, stride
        id_kind kind
        const char *mask
        Py_ssize_t mask_stride
        id_kind mask_kind


cdef class IdRows:
    cdef list buffers                    # own the memory that the pointers point into
    cdef id_row first                    # the first row of an array
    cdef Py_ssize_t segment_stride, row_stride, mask_segment_stride, mask_row_stride
    cdef Py_ssize_t width                # rows per segment, for an array
    cdef id_row *rows                    # rows gathered one by one, or NULL
    cdef int64_t *ends                   # by segment: the number of rows up to its end
    cdef Py_ssize_t segment_count, row_count, segment_capacity, row_capacity
    cdef int64_t *listed                 # the ids that `rows` point to, if they came in lists
    cdef Py_ssize_t listed_count, listed_capacity

    cdef id_row row_of(self, object ids, object mask) except *
    cdef int append(self, id_row row) except -1 nogil
    cdef int close_segment(self) except -1 nogil
    cdef bint add_lists(self, object segments, bint nested) except -1
    cdef bint add_list(self, object ids) except -1
    cdef Py_ssize_t rows_of(self, Py_ssize_t segment) noexcept nogil
    cdef void find_row(self, Py_ssize_t segment, Py_ssize_t k, id_row *row) noexcept nogil

"""Counting lists by several threads at the same time. See _rounds.pyx."""

from cpython.object cimport PyObject
from libc.stdint cimport int64_t

from fastbleu._core cimport SegmentCounter
from fastbleu._packed cimport PackedSegments


cdef enum:
    # A segment with more is not plain.
    PLAIN_REFERENCES = 16


cdef class PlainPacker(PackedSegments):
    """A packer that counts plain segments without the GIL, which another thread may hold meanwhile.

    Plain are those that `count_plain` says it has counted: short ones, of exact types, for which nothing
    can fail.
    """

    cdef int reserve_plain(self) except -1
    cdef bint count_plain(self, SegmentCounter counter, PyObject *hypothesis, PyObject *references,
                          int64_t *row) noexcept nogil
    cdef bint count_listed(self, SegmentCounter counter, Py_ssize_t references, int64_t *row) noexcept nogil
    cdef void prefetch(self, PyObject **hypotheses, PyObject **references, Py_ssize_t segment,
                       Py_ssize_t end) noexcept nogil

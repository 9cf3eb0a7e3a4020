"""Scores rows while they are counted. See _prefixes.pyx."""

from libc.stdint cimport int64_t


cdef class RowScorer:
    cdef bint acquire(self) noexcept
    cdef void release(self) noexcept
    cdef bint score(self, const int64_t *row, double *score) noexcept nogil

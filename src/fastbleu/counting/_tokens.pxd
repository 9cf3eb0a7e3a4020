"""Tokens in, packed ids out. See _tokens.pyx."""

from cpython.object cimport PyObject
from libc.stdint cimport int32_t, int64_t

from fastbleu.counting._rounds cimport PlainPacker
from fastbleu.kernel.tables cimport interner


cdef class TokenPacker(PlainPacker):
    cdef object checks
    cdef interner tokens
    cdef PyObject *plain_hypothesis  # borrowed, of the segment that is being packed
    cdef PyObject *plain_references
    cdef Py_ssize_t first_segment
    cdef readonly object last_hypothesis, last_references

    cdef int add_item(self, object hypotheses, object references, Py_ssize_t segment) except -1
    cdef int add(self, object hypothesis, object references) except -1
    cdef bint add_plain(self, object hypothesis, object references) except -1
    cdef bint add_long(self, tuple hypothesis, tuple references) except -1
    cdef int begin_tokens(self, Py_ssize_t count) except -1
    cdef int add_objects(self, object hypothesis, object references) except -1
    cdef bint read_plain(self, object sequence, int32_t *ids, bint is_hypothesis) except -1
    cdef void finish_segment(self, Py_ssize_t references, Py_ssize_t total)


cdef tuple copy_of(object sequence)

"""Tokens in, packed ids out. See _tokens.pyx."""

from libc.stdint cimport int32_t

from cpython.list cimport PyList_CheckExact
from cpython.tuple cimport PyTuple_CheckExact

from fastbleu._core cimport PackedSegments, interner


cdef inline bint is_list_or_tuple(object sequence) noexcept:
    """Whether it is exactly one of them, so that reading it runs no Python code."""
    return PyList_CheckExact(sequence) or PyTuple_CheckExact(sequence)


cdef class TokenPacker(PackedSegments):
    cdef object door
    cdef interner tokens
    cdef readonly Py_ssize_t first_segment
    cdef readonly object last_hypothesis, last_references

    cdef int add(self, object hypothesis, object references) except -1
    cdef bint add_plain(self, object hypothesis, object references) except -1
    cdef int add_objects(self, object hypothesis, object references) except -1
    cdef bint read_plain(self, object sequence, int32_t *ids, bint is_hypothesis) except -1
    cdef void finish_segment(self, Py_ssize_t references, Py_ssize_t total, int32_t distinct)

"""Tokens in, packed ids out. See _token_packer.pyx."""

from cpython.object cimport PyObject
from libc.stdint cimport int32_t, int64_t

from fastbleu.core.counting._packed cimport PackedSegments
from fastbleu.core.kernel.hashing cimport interner


cdef extern from "kernel/objects/token_keys.h":
    bint intern_hypothesis(
        interner *table, PyObject **tokens, Py_ssize_t length, int32_t *ids) noexcept
    bint find_reference(
        const interner *table, PyObject **tokens, Py_ssize_t length, int32_t *ids) noexcept


cdef class TokenPacker(PackedSegments):
    cdef object checks, prepared
    cdef interner tokens
    cdef PyObject *plain_hypothesis  # borrowed, of the segment that is being packed
    cdef PyObject *plain_references
    cdef Py_ssize_t first_segment
    cdef readonly object last_hypothesis, last_references

    cdef int add(self, object hypothesis, object references) except -1
    cdef bint intern_plain(self, object hypothesis, object references, bint is_long) except -1
    cdef int add_objects(self, object hypothesis, object references) except -1
    cdef bint read_plain(self, object sequence, int32_t *ids, bint is_hypothesis) except -1


cdef tuple copy_of(object sequence)

"""Sentences, as numbers of their tokens. See _sentences.pyx."""

from libc.stdint cimport int32_t, int64_t


cdef class Sentences:
    """Token ids of many sentences over one vocabulary, end to end; they never change once they are read.

    An id is a token's number in the vocabulary, or -1 for a token that the vocabulary lacks.
    """

    cdef int32_t *ids
    cdef int64_t *starts             # by sentence; starts[count] is the end of the last
    cdef readonly Py_ssize_t longest           # tokens of the longest sentence
    cdef readonly list padding       # numbers of the rows of ids that are only padding
    cdef Py_ssize_t count
    cdef Py_ssize_t id_capacity, start_capacity

    cdef int32_t *reserve(self, Py_ssize_t tokens) except NULL nogil
    cdef void end(self, Py_ssize_t length) noexcept nogil
    cdef int append(self, const int32_t *ids, Py_ssize_t length) except -1 nogil
    cdef Sentences finished(self)

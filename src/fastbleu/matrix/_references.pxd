"""Sentences against many references at once. See _references.pyx."""

from cpython.array cimport array
from libc.stdint cimport int32_t, int64_t

from fastbleu.matrix._ngrams cimport Ngrams, number_index, Scratch
from fastbleu.matrix._sentences cimport Sentences


cdef class Lengths:
    cdef int rule                    # an index of REFERENCE_LENGTHS
    cdef number_index different      # the lengths met so far
    cdef int64_t *met                # by number: how many have that length, and which is the first
    cdef Py_ssize_t capacity
    cdef readonly array table        # once sorted: of each length in ascending order these three
    cdef const int64_t *sorted
    cdef Py_ssize_t count

    cdef int note(self, int64_t length, int64_t place) except -1 nogil
    cdef int note_all(self, Sentences sentences, int64_t before) except -1
    cdef int64_t choose(self, int64_t length, bint own) noexcept nogil


cdef class RowScratch(Scratch):
    """What a thread needs to make rows; its features are those of one sentence."""

    cdef int32_t *features
    cdef Py_ssize_t feature_capacity

    cdef int32_t *features_of(self, Ngrams ngrams, const int32_t *tokens, Py_ssize_t length,
                              bint known_only) except NULL nogil


cdef class StoredNgrams(Ngrams):
    cdef list buffers                # the memory that the tables lie in


cdef class ReferenceSet:
    cdef readonly Ngrams ngrams
    cdef readonly Lengths lengths
    cdef RowScratch scratch          # for adding
    cdef int64_t added


cdef class LeaveOneOut:
    cdef Ngrams ngrams
    cdef Lengths lengths
    cdef RowScratch scratch
    cdef set padding                 # sentences that are no references
    cdef int64_t *sizes              # by sentence: its length
    cdef Py_ssize_t count, longest, size_capacity
    cdef int32_t **holders           # by order and feature: the only sentence that has it, or -1
    cdef Py_ssize_t *holder_capacities
    cdef int32_t *known              # by order: features so far

    cdef int add_sentence(self, const int32_t *tokens, Py_ssize_t length) except -1 nogil
    cdef int count_own(self, int32_t *own, int orders) except -1 nogil

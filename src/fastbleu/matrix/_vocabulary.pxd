"""The tokens of many sentences, numbered. See _vocabulary.pyx."""

from libc.stdint cimport int32_t, int64_t

from fastbleu.core.kernel.hashing cimport interner
from fastbleu.core.runtime._process cimport Interruptible


cdef extern from "kernel/hashing/token_store.h":
    ctypedef struct token_store:
        size_t words


cdef class Vocabulary(Interruptible):
    cdef interner tokens
    cdef token_store store
    cdef int32_t stored              # tokens whose content is our own
    cdef bint plain                  # whether `tokens` holds all, else `known` does
    cdef dict known                  # token to id; for a plain vocabulary made when it is needed
    cdef bint adding
    cdef Py_ssize_t finding          # reads in progress that add nothing

    cdef int enter(self, bint known_only) except -1
    cdef void leave(self, bint known_only) noexcept
    cdef int check_room(self, Py_ssize_t tokens) except -1 nogil
    cdef int reserve(self, Py_ssize_t tokens) except -1 nogil
    cdef int keep(self) noexcept nogil
    cdef bint read_plain(self, object sequence, int32_t *ids, bint known_only) except -1
    cdef int read_objects(self, tuple tokens, int32_t *ids, bint known_only, object checks,
                          Py_ssize_t sentence) except -1
    cdef int read_numbers(self, const int64_t *numbers, Py_ssize_t length, int32_t *ids,
                          bint known_only) except -1 nogil
    cdef int read_numbers_as_objects(self, const int64_t *numbers, Py_ssize_t length, int32_t *ids,
                                     bint known_only) except -1
    cdef dict all_known(self)
    cdef dict numbered_tokens(self)

"""N-grams of sentences, numbered. See _ngrams.pyx."""

from libc.stdint cimport int32_t, uint32_t, uint64_t

from fastbleu.core.kernel.hashing cimport hash_seed, number_table
from fastbleu.matrix._sentences cimport Sentences
from fastbleu.core.runtime._process cimport Interruptible


cdef extern from "kernel/hashing/number_index.h":
    ctypedef struct number_index:
        uint64_t *numbers
        uint32_t *slots
        size_t slot_count
        int32_t count
        int32_t capacity
        hash_seed seed
        size_t wider_count
        int32_t moved
    void number_index_free(number_index *index) noexcept nogil
    void number_index_clear(number_index *index) noexcept nogil
    void number_index_trim(number_index *index) noexcept nogil
    int number_index_reserve(number_index *index, size_t more) noexcept nogil
    int number_index_widen(number_index *index, size_t more) noexcept nogil
    int number_index_move(number_index *index, int32_t most) noexcept nogil
    int32_t number_index_add(number_index *index, uint64_t number) noexcept nogil
    int32_t number_index_find(const number_index *index, uint64_t number) noexcept nogil


cdef enum:
    # Initial room for features, if there are as many tokens: 200 kB for each order, so that small sets stay
    # cheap and large ones grow only a few times.
    GROW_FROM = 1 << 14


# The numbers that tables hold. That of a further occurrence of an n-gram has the top bit set, then
# the n-gram's feature in 31 bits, then how often it occurred before.

cdef inline bint is_repeat(uint64_t number) noexcept nogil:
    return number >> 63


cdef inline uint64_t repeat_of(int32_t ngram, int32_t earlier) noexcept nogil:
    return <uint64_t> 1 << 63 | <uint64_t> ngram << 32 | <uint64_t> earlier


cdef inline int32_t ngram_of(const number_index *known, int32_t feature) noexcept nogil:
    """The n-gram of which a feature is an occurrence: the feature of its first occurrence."""
    cdef uint64_t number = known.numbers[feature]
    return <int32_t> (number >> 32 & 0x7fffffff) if is_repeat(number) else feature


cdef class Scratch(Interruptible):
    """Memory for one sentence at a time; one per thread."""

    cdef number_table different
    cdef int32_t *ngrams             # numbers of those of one order, by position
    cdef int32_t *earlier            # by position: how often the n-gram occurred before
    cdef int32_t *seen               # by number in `different`
    cdef readonly Py_ssize_t capacity            # in tokens

    cdef int reserve(self, Py_ssize_t length) except -1 nogil
    cdef bint count_earlier(self, Py_ssize_t length) except -1 nogil


cdef class Ngrams:
    cdef readonly int max_order
    cdef number_index *orders        # by order: its n-grams and their repeats

    cdef int reserve(self, int n, Py_ssize_t more, Scratch scratch) except -1 nogil
    cdef int number(self, const int32_t *tokens, Py_ssize_t length, bint known_only, Scratch scratch,
                    int32_t *features, Py_ssize_t stride) except -1 nogil


cdef class Features:
    """Features of sentences, by order: those of sentence s at order n (from 0) begin at
    features + n * stride + starts[s]; -1 stands for an unknown n-gram."""

    cdef Sentences sentences
    cdef readonly int orders         # how many: no sentence has longer n-grams, or no more were requested
    cdef Py_ssize_t stride
    cdef int32_t *features

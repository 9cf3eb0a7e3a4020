"""The vocabulary of many sentences: every token has one number in all of them.

Packers number the tokens of each segment by themselves (_core.pxd); sentences that are paired with many
others are numbered once, over a vocabulary that is kept. Plain tokens (exact str, bytes, int) and token
ids go to an interner, compared by content, with the content of long ones copied
(kernel/hashing/token_store.h). At the first token of another kind, a dict is made from all tokens so far, and
from then on everything goes through it, by Python's own hash() and ==, so that 1 == 1.0 == True whichever
came first.

Ownership. A Vocabulary owns its table, the content of its tokens, and a reference to each token in its
dict.
Thread-safety. Any number of reads may find tokens at the same time, or one may add some: others are refused
meanwhile. Reading plain tokens of text and token ids needs no GIL, everything else holds it.
"""

import cython
from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.exc cimport PyErr_CheckSignals
from cpython.object cimport PyObject
from libc.stdint cimport INT32_MAX, uint64_t

from fastbleu.core.counting._token_packer cimport find_reference, intern_hypothesis
from fastbleu.core.kernel.numbering cimport number_objects
from fastbleu.core.kernel.sequences cimport PySequence_Fast_ITEMS, size_of
from fastbleu.core.kernel.hashing cimport interner_begin, interner_free, token_content
from fastbleu.core.runtime._process cimport process_seed
from fastbleu.core.tokenizers._compiled cimport PyUnicode_FromKindAndData


cdef extern from "kernel/hashing/token_store.h":
    enum:
        KIND_BYTES
        KIND_LARGE_INTEGER
        KIND_LARGE_NEGATIVE
        KIND_INTEGER
    void token_store_free(token_store *store) noexcept
    void token_store_clear(token_store *store) noexcept
    int store_tokens(token_store *store, interner *table, int32_t first) noexcept nogil
    void intern_numbers(
        interner *table, const int64_t *numbers, Py_ssize_t length, int32_t *ids) noexcept nogil
    void find_numbers(
        const interner *table, const int64_t *numbers, Py_ssize_t length, int32_t *ids) noexcept nogil
    unsigned int stored_token(
        const interner *table, int32_t id, uint64_t *room, token_content *content) noexcept

cdef extern from "kernel/objects/large_integers.h":
    object integer_of_digits(const unsigned char *bytes, size_t size, unsigned int kind)


# Tokens between two checks for signals, like READ_TOKENS in _token_packer.pyx.
cdef Py_ssize_t POLL_TOKENS = 1 << 14

# A larger table is not kept for the next vocabulary.
cdef size_t LARGEST_IDLE = 1 << 18


cdef class Vocabulary:

    def __cinit__(self):
        self.tokens.seed = process_seed()
        self.plain = True
        if interner_begin(&self.tokens, 0) < 0:
            raise MemoryError("no memory for a vocabulary")

    def __dealloc__(self):
        interner_free(&self.tokens)
        token_store_free(&self.store)

    def __len__(self):
        return self.tokens.count if self.plain else len(self.known)

    @property
    def nbytes(self):
        """Memory in bytes, without tokens that are Python objects."""
        # Slots of 8 bytes; half as many keys and contents of 16 bytes each.
        return self.tokens.slot_count * (8 + 32 // 2) + self.store.words * sizeof(uint64_t)

    def forget(self):
        """Forget all tokens; keep the memory, unless it is large."""
        self.enter(False)
        _forgotten, self.known = self.known, None  # freed last, because that may run user code
        self.plain = True
        self.stored = 0
        if self.tokens.slot_count > LARGEST_IDLE:
            interner_free(&self.tokens)
            token_store_free(&self.store)
        token_store_clear(&self.store)
        begun = interner_begin(&self.tokens, 0)
        self.leave(False)
        if begun < 0:
            raise MemoryError("no memory for a vocabulary")

    def all_tokens(self):
        """All tokens, in the order of their ids."""
        self.enter(True)
        try:
            return list(self.numbered_tokens() if self.plain else self.known)
        finally:
            self.leave(True)

    cdef int enter(self, bint known_only) except -1:
        """Begin a read; `leave` ends it."""
        with cython.critical_section(self):
            if self.adding or (self.finding and not known_only):
                raise RuntimeError(
                    "this vocabulary is being read into, by another thread or by a token's own code; "
                    "only one may add to it at a time")
            if known_only:
                self.finding += 1
            else:
                self.adding = True
        return 0

    cdef void leave(self, bint known_only) noexcept:
        with cython.critical_section(self):
            if known_only:
                self.finding -= 1
            else:
                self.adding = False

    cdef int check_room(self, Py_ssize_t tokens) except -1 nogil:
        """Refuse more tokens than there are ids."""
        if tokens >= INT32_MAX - self.tokens.count:
            with gil:
                raise OverflowError(
                    f"{tokens} more tokens than {self.tokens.count} are too many for one vocabulary; "
                    f"at most {INT32_MAX - 1}")
        return 0

    cdef int reserve(self, Py_ssize_t tokens) except -1 nogil:
        """Make room for `tokens` more tokens."""
        self.check_room(tokens)
        return self.make_room(&self.tokens, tokens)

    cdef int keep(self) noexcept nogil:
        """Copy the content of the new tokens before it goes away; returns -1 without memory."""
        cdef int32_t first = self.stored
        self.stored = self.tokens.count
        return store_tokens(&self.store, &self.tokens, first) if first < self.stored else 0

    cdef bint read_plain(self, object sequence, int32_t *ids, bint known_only) except -1:
        """Ids of a list or tuple; False at the first token that is not plain."""
        cdef Py_ssize_t length = size_of(sequence), start = 0, size, i
        cdef PyObject **tokens = PySequence_Fast_ITEMS(sequence)
        cdef bint plain = self.plain
        if not known_only:
            self.reserve(length)
        while plain and start < length:
            if start:
                PyErr_CheckSignals()         # a sequence this long is a copy, which nobody else can change
            size = min(length - start, POLL_TOKENS)
            if known_only:
                plain = find_reference(&self.tokens, tokens + start, size, ids + start)
            else:
                plain = intern_hypothesis(&self.tokens, tokens + start, size, ids + start)
                if self.keep() < 0:
                    raise MemoryError(f"no memory for the tokens of a sentence of {length}")
            start += size
        if known_only:
            for i in range(start if plain else 0):
                if ids[i] == self.tokens.count:
                    ids[i] = -1
        return plain

    cdef int read_objects(self, tuple tokens, int32_t *ids, bint known_only, object checks,
                          Py_ssize_t sentence) except -1:
        """Ids of any hashable tokens, by Python's own equality; the caller holds all of them."""
        cdef dict known = self.all_known()
        if not known_only:
            self.plain = False
        return number_objects(known, tokens, ids, known_only, checks, sentence, None)

    cdef int read_numbers(self, const int64_t *numbers, Py_ssize_t length, int32_t *ids,
                          bint known_only) except -1 nogil:
        """Ids of integers, which equal tokens that are int."""
        if not self.plain:
            with gil:
                self.read_numbers_as_objects(numbers, length, ids, known_only)
        elif known_only:
            find_numbers(&self.tokens, numbers, length, ids)
        else:
            self.reserve(length)
            intern_numbers(&self.tokens, numbers, length, ids)
        return 0

    cdef int read_numbers_as_objects(self, const int64_t *numbers, Py_ssize_t length, int32_t *ids,
                                     bint known_only) except -1:
        cdef Py_ssize_t i
        cdef tuple tokens = tuple([numbers[i] for i in range(length)])
        return self.read_objects(tokens, ids, known_only, None, 0)

    cdef dict all_known(self):
        """Every token and its id."""
        cdef dict known
        with cython.critical_section(self):
            known = self.known
        if known is None or (self.plain and len(known) < self.tokens.count):
            known = self.numbered_tokens()
            with cython.critical_section(self):
                self.known = known
        return known

    cdef dict numbered_tokens(self):
        """Every token of a plain vocabulary, and its id."""
        cdef dict known = {}
        cdef uint64_t room[2]
        cdef token_content content
        cdef unsigned int unit
        cdef int32_t id
        for id in range(self.tokens.count):
            if id % POLL_TOKENS == POLL_TOKENS - 1:
                PyErr_CheckSignals()         # signal handlers may find tokens here, but not add any
            unit = stored_token(&self.tokens, id, room, &content)
            if unit == KIND_INTEGER:
                token = (<int64_t *> room)[0]
            elif unit == KIND_LARGE_INTEGER or unit == KIND_LARGE_NEGATIVE:
                token = integer_of_digits(content.bytes, content.size, unit)
            elif unit == KIND_BYTES:
                token = PyBytes_FromStringAndSize(<const char *> content.bytes, content.size)
            else:
                token = PyUnicode_FromKindAndData(unit, content.bytes, content.size // unit)
            known[token] = id
        return known

"""N-grams of many sentences, numbered over all of them: token ids in, features out.

A sentence is a set. Its features of order n are its n-grams; the first and the second occurrence of an
n-gram are different features. So the clipped matches of two sentences are the features that they share, and
those of a sentence against several references are its features that any of these has: counting becomes
testing for membership.

Numbers. An n-gram is the pair of the numbers of its first and its last n - 1 tokens, and its number is
given out by a table of its order (kernel/hashing/number_index.h), as it is met. A further occurrence is the
pair of the n-gram's number and of how often it occurred before, with the top bit set, in the same table. Both
are exact: nothing depends on a hash not colliding.

Expected matches. The expected count of an n-gram is the weighted mean of its counts in many references; its
matches in a candidate are clipped at that, so that matches may be fractions. Each order takes one pass over
the references and one over the candidates, so that time and memory grow with the number of n-grams, not of
pairs. Sums are added up from the first reference to the last, and from a candidate's first n-gram to its
last, so that they are the same wherever they are computed. With equal weights, the expected count of an
n-gram that all references have equally often is exactly this count.

Ownership. Ngrams owns its tables; expected matches use memory of the call. Thread-safety: finding known
n-grams changes nothing, so that threads may do it at once, each with a Scratch of its own; adding is for
one thread alone.
"""

from cpython.array cimport array, clone
from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree, PyMem_RawMalloc
from libc.math cimport exp, log
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy

from fastbleu.core.kernel.hashing cimport (
    look_up_cost, number_table_add, number_table_begin, number_table_free
)
from fastbleu.core.runtime._process cimport Buffer, buffer_of, grow, process_seed

from fastbleu._core import MAX_ORDER as _MAX_ORDER


cdef class Scratch:

    def __cinit__(self):
        self.different.seed = process_seed()

    def __dealloc__(self):
        number_table_free(&self.different)
        PyMem_RawFree(self.ngrams)
        PyMem_RawFree(self.earlier)
        PyMem_RawFree(self.seen)

    def reset(self):
        """Prepare for the next use; keeps the memory."""
        self.cancelled = False
        self.since_poll = 0

    cdef int reserve(self, Py_ssize_t length) except -1 nogil:
        cdef Py_ssize_t capacity = 0
        if length > self.capacity:
            self.ngrams = <int32_t *> grow(self.ngrams, &capacity, length, sizeof(int32_t))
            self.earlier = <int32_t *> grow(self.earlier, &capacity, length, sizeof(int32_t))
            self.seen = <int32_t *> grow(self.seen, &capacity, length, sizeof(int32_t))
            self.capacity = capacity
        return 0

    cdef bint count_earlier(self, Py_ssize_t length) except -1 nogil:
        """Write how often each of `ngrams` occurred before; return whether any did."""
        cdef bint repeated = False
        cdef Py_ssize_t start = 0, stop, i
        cdef int32_t number, before
        if number_table_begin(&self.different, length) < 0:
            with gil:
                raise MemoryError(f"no memory for {length} n-grams")
        while start < length:
            stop = self.next_stop(start, length, look_up_cost(self.different.slot_count))
            for i in range(start, stop):
                before = self.different.count
                number = number_table_add(&self.different, <uint64_t> self.ngrams[i])
                if number == before:
                    self.seen[number] = 0
                self.earlier[i] = self.seen[number]
                self.seen[number] += 1
                repeated |= self.earlier[i] > 0
            start = stop
        return repeated


cdef class Ngrams:
    """Numbers the n-grams of up to `max_order` tokens of sentences over one vocabulary."""

    def __cinit__(self, int max_order):
        cdef int n
        if not 1 <= max_order <= _MAX_ORDER:
            raise ValueError(f"max_order must lie in 1..{_MAX_ORDER}, not {max_order}")
        self.max_order = max_order
        self.orders = <number_index *> PyMem_RawCalloc(max_order, sizeof(number_index))
        if self.orders == NULL:
            raise MemoryError(f"no memory for {max_order} orders")
        for n in range(max_order):
            self.orders[n].seed = process_seed()

    def __dealloc__(self):
        cdef int n
        if self.orders != NULL:
            for n in range(self.max_order):
                number_index_free(&self.orders[n])
            PyMem_RawFree(self.orders)

    def clear(self):
        """Forget all n-grams; keep the memory."""
        cdef int n
        for n in range(self.max_order):
            number_index_clear(&self.orders[n])

    cdef int reserve(self, int n, Py_ssize_t more, Scratch scratch) except -1 nogil:
        """Make room for `more` features of order n (from 0 on)."""
        cdef Py_ssize_t stop
        cdef int state = number_index_widen(&self.orders[n], more)
        if state < 0:
            with gil:
                raise MemoryError(f"no memory for {more} more n-grams")
        while state:
            stop = scratch.next_stop(self.orders[n].moved, self.orders[n].count,
                                     look_up_cost(self.orders[n].wider_count))
            state = number_index_move(&self.orders[n], stop - self.orders[n].moved)
        return 0

    cdef int number(self, const int32_t *tokens, Py_ssize_t length, bint known_only, Scratch scratch,
                    int32_t *features, Py_ssize_t stride) except -1 nogil:
        """Write the features of a sentence: length - n of order n (from 0 on), at features + n * stride.
        Unknown ones get new numbers, or with `known_only` -1."""
        cdef Py_ssize_t count, start, stop
        cdef bint repeated = True
        cdef int n
        if length == 0:
            return 0                         # pointers may be null
        scratch.reserve(length)
        memcpy(scratch.ngrams, tokens, length * sizeof(int32_t))
        for n in range(min(<Py_ssize_t> self.max_order, length)):
            count = length - n
            if not known_only:
                self.reserve(n, 2 * count, scratch)
            start = 0
            while start < count:
                stop = scratch.next_stop(start, count, look_up_cost(self.orders[n].slot_count))
                number_ngrams(&self.orders[n], scratch.ngrams, start, stop, n, known_only)
                start = stop
            memcpy(features, scratch.ngrams, count * sizeof(int32_t))
            # A repeated n-gram repeats both its halves, of the order before.
            repeated = repeated and scratch.count_earlier(count)
            start = 0 if repeated else count
            while start < count:
                stop = scratch.next_stop(start, count, look_up_cost(self.orders[n].slot_count))
                number_repeats(&self.orders[n], scratch, start, stop, known_only, features)
                start = stop
            features += stride
        return 0


cdef void number_ngrams(number_index *known, int32_t *ngrams, Py_ssize_t start, Py_ssize_t stop, int n,
                        bint known_only) noexcept nogil:
    """Replace the numbers of tokens, or of n-grams, by those of n-grams one token longer, in place."""
    cdef Py_ssize_t i
    if not known_only:
        for i in range(start, stop):
            ngrams[i] = number_index_add(known, key_of(ngrams, i, n))
        return
    for i in range(start, stop):
        if ngrams[i] >= 0 and (n == 0 or ngrams[i + 1] >= 0):
            ngrams[i] = number_index_find(known, key_of(ngrams, i, n))
        else:
            ngrams[i] = -1


cdef void number_repeats(number_index *known, Scratch scratch, Py_ssize_t start, Py_ssize_t stop,
                         bint known_only, int32_t *features) noexcept nogil:
    """Give all occurrences of an n-gram but the first their own numbers."""
    cdef Py_ssize_t i
    cdef uint64_t key
    for i in range(start, stop):
        if scratch.earlier[i] > 0 and scratch.ngrams[i] >= 0:
            key = repeat_of(scratch.ngrams[i], scratch.earlier[i])
            features[i] = number_index_find(known, key) if known_only else number_index_add(known, key)


cdef inline uint64_t key_of(const int32_t *ngrams, Py_ssize_t i, int n) noexcept nogil:
    """The key of the n-gram at i, from the numbers of its tokens or of its two halves."""
    if n == 0:
        return <uint64_t> ngrams[i]
    return <uint64_t> ngrams[i] << 32 | <uint64_t> ngrams[i + 1]


cdef class Features:
    """The features of sentences over one vocabulary; with `known_only` no n-gram gets a new number."""

    def __cinit__(self, Ngrams ngrams not None, Sentences sentences not None, bint known_only=False):
        cdef Py_ssize_t s, start
        cdef Scratch scratch = Scratch()
        cdef int n
        self.sentences = sentences
        self.orders = min(ngrams.max_order, <int> min(sentences.longest, <Py_ssize_t> _MAX_ORDER))
        self.stride = sentences.starts[sentences.count] if sentences.count else 0
        self.features = <int32_t *> PyMem_RawMalloc(self.stride * self.orders * sizeof(int32_t))
        if self.features == NULL:
            raise MemoryError(f"no memory for the n-grams of {self.stride} tokens")
        if self.stride * self.orders == 0:
            return
        with nogil:
            if not known_only:
                for n in range(self.orders):
                    ngrams.reserve(n, min(self.stride, GROW_FROM), scratch)
            for s in range(sentences.count):
                start = sentences.starts[s]
                ngrams.number(sentences.ids + start, sentences.starts[s + 1] - start, known_only,
                              scratch, self.features + start, self.stride)

    def __dealloc__(self):
        PyMem_RawFree(self.features)

    def __len__(self):
        return self.sentences.count


# Expected matches.

cdef array _DOUBLES = array("d")

cdef struct Ngram:
    # What is known about an n-gram.
    double expected            # its expected count
    int32_t seen               # its count in the current sentence; 0 between sentences


cdef int note_references(const number_index *known, Features references, int n, const double *weights,
                         bint logarithms, Ngram *ngrams, Scratch scratch) except -1 nogil:
    """Add up the weighted counts of the n-grams of order n (from 0 on) of all references."""
    cdef const int64_t *starts = references.sentences.starts
    cdef const int32_t *features = references.features + n * references.stride
    cdef Py_ssize_t r, i
    cdef double weight
    cdef Ngram *ngram
    for r in range(references.sentences.count):
        weight = exp(weights[r]) if logarithms else weights[r]
        scratch.worked(starts[r + 1] - starts[r])
        for i in range(starts[r], starts[r + 1] - n):
            ngrams[ngram_of(known, features[i])].seen += 1
        for i in range(starts[r], starts[r + 1] - n):
            ngram = &ngrams[ngram_of(known, features[i])]
            if ngram.seen == 1:
                ngram.expected += weight
            elif ngram.seen > 1:
                ngram.expected += exp(log(ngram.seen) + weights[r]) if logarithms else (
                    weight * ngram.seen)
            ngram.seen = 0
    return 0


cdef int clip_candidates(const number_index *known, Features candidates, int n, Ngram *ngrams,
                         double *rows, Py_ssize_t width, Scratch scratch) except -1 nogil:
    """Add up the expected matches of each candidate's n-grams of order n, into rows[c * width]."""
    cdef const int64_t *starts = candidates.sentences.starts
    cdef const int32_t *features = candidates.features + n * candidates.stride
    cdef Py_ssize_t c, i
    cdef Ngram *ngram
    for c in range(candidates.sentences.count):
        scratch.worked(starts[c + 1] - starts[c])
        for i in range(starts[c], starts[c + 1] - n):
            ngrams[ngram_of(known, features[i])].seen += 1
        for i in range(starts[c], starts[c + 1] - n):
            ngram = &ngrams[ngram_of(known, features[i])]
            if ngram.seen:
                rows[c * width] += min(<double> ngram.seen, ngram.expected)
                ngram.seen = 0
    return 0


def expected_rows(Ngrams ngrams not None, Features candidates not None, Features references not None,
                  weights, bint logarithms=False):
    """Rows of C candidates against the expected counts of R references; `ngrams` numbers both sides.

    `weights` are float64 of shape (R,), at least 0 and not all 0; they need not add up to 1. With
    `logarithms`, they are logarithms of weights that add up to 1; a count is then weighted by adding
    logarithms, which affects the last bits of a sum. Returns a flat array of float64 with C rows of
    2 + 2 * max_order: [hyp_len, expected ref_len, expected matches..., totals...].
    """
    cdef Py_ssize_t count = candidates.sentences.count, width = 2 + 2 * <Py_ssize_t> ngrams.max_order
    cdef const int64_t *starts
    cdef const number_index *known
    cdef Ngram *table
    cdef Scratch scratch = Scratch()
    cdef Buffer buffer = buffer_of(weights, "d", 1)
    cdef const double *weight = <const double *> buffer.view.buf
    cdef array rows
    cdef double *row
    cdef double total = 0.0, ref_len = 0.0
    cdef Py_ssize_t c, r, i, length
    cdef int n
    if buffer.view.shape[0] != references.sentences.count:
        raise ValueError(
            f"there are {buffer.view.shape[0]} weights for {references.sentences.count} references")
    rows = clone(_DOUBLES, count * width, True)
    row = rows.data.as_doubles
    starts = references.sentences.starts
    for r in range(references.sentences.count):
        length = starts[r + 1] - starts[r]
        if not logarithms:
            total += weight[r]
            ref_len += weight[r] * length
        elif length:
            ref_len += exp(log(length) + weight[r])
    if logarithms:
        total = 1.0
    starts = candidates.sentences.starts
    for c in range(count):
        length = starts[c + 1] - starts[c]
        row[c * width] = length
        row[c * width + 1] = ref_len / total
        for n in range(min(<Py_ssize_t> ngrams.max_order, length)):
            row[c * width + 2 + ngrams.max_order + n] = length - n
    for n in range(min(candidates.orders, references.orders)):
        known = &ngrams.orders[n]
        table = <Ngram *> PyMem_RawCalloc(known.count + 1, sizeof(Ngram))
        if table == NULL:
            raise MemoryError(f"no memory for {known.count} n-grams")
        try:
            with nogil:
                note_references(known, references, n, weight, logarithms, table, scratch)
                for i in range(known.count):
                    table[i].expected /= total
                clip_candidates(known, candidates, n, table, row + 2 + n, width, scratch)
        finally:
            PyMem_RawFree(table)
    return rows

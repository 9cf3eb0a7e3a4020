"""Sentences against many references at once: token ids in, rows of sufficient statistics out.

The clipped matches of a sentence with a set of references are its features (_ngrams.pyx) that any of them
has: an n-gram whose matches are clipped at k, its largest count in any reference, has k features in the set,
its first k occurrences. So nothing is counted: a feature is in the set or not.

ReferenceSet is one set for any number of hypotheses. LeaveOneOut scores each sentence of a set with all
the others as references: a feature is matched if any other sentence has it, too. A feature occurs at most
once in a sentence, so all features match except those that only this sentence holds, and one pass finds
these. The usual algorithm keeps for each n-gram the maximum of its counts, the sentence with the maximum, and
the second maximum: the features between the second maximum and the maximum are those with one holder.

The reference length is found among the different lengths by binary search.

Cost. Time and memory grow linearly with the tokens; a token takes 4 bytes, and an n-gram 14 to 20
(number_index.h), 4 more in LeaveOneOut. Ownership. Every class owns its arrays. Thread-safety. While no
thread adds to a ReferenceSet, any number of threads may count with it, each with its own RowScratch.
Counting and adding release the GIL.
"""

from cpython.array cimport array
from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree
from libc.stdint cimport INT32_MAX, int32_t, int64_t, uint32_t, uint64_t

from fastbleu._core cimport FIRST, SHORTEST, numbers
from fastbleu.matrix._ngrams cimport (
    GROW_FROM, Ngrams, Scratch, is_repeat, number_index, number_index_trim)
from fastbleu.matrix._sentences cimport Sentences
from fastbleu.core.runtime._process cimport POLL_EVERY, grow, poll

from fastbleu._core import REFERENCE_LENGTHS as _REFERENCE_LENGTHS, zero_rows

cdef enum:
    COLUMNS = 3                      # of the table of lengths: length, references, first reference


cdef class Lengths:
    """Lengths of references, and the rule of `_core.REFERENCE_LENGTHS` by which one is chosen."""

    cdef int rule                    # an index of REFERENCE_LENGTHS
    cdef dict met                    # by length: [how many have it, the number of the first]
    cdef array table                 # once sorted: COLUMNS numbers of each length, ascending
    cdef const int64_t *sorted
    cdef Py_ssize_t count

    def __cinit__(self, str rule not None):
        self.rule = _REFERENCE_LENGTHS.index(rule)
        self.met = {}

    cdef int add_all(self, Sentences sentences, int64_t before) except -1:
        """Add sentences except padding; `before` is the number of the first."""
        cdef Py_ssize_t s
        cdef set padding = set(sentences.padding)
        for s in range(sentences.count):
            if not padding or s not in padding:
                length = sentences.starts[s + 1] - sentences.starts[s]
                entry = self.met.get(length)
                if entry is None:
                    self.met[length] = [1, before + s]
                else:
                    entry[0] += 1
        return 0

    cdef int sort(self) except -1:
        """Prepare for `choose`; nothing can be added afterwards."""
        self.table = array("q")
        for length, entry in sorted(self.met.items()):
            self.table.extend(array("q", [length, *entry]))
        self.sorted = numbers(self.table)
        self.count = len(self.met)
        return 0

    cdef int64_t choose(self, int64_t length, bint own) noexcept nogil:
        """The reference length for a sentence. With `own`, the sentence is a reference itself, and only the
        others count. If there are none, all others are padding, whose length is 0.
        """
        cdef Py_ssize_t low = 0, high = self.count, middle, below, above
        cdef int64_t further
        while low < high:
            middle = (low + high) >> 1
            if self.sorted[middle * COLUMNS] < length:
                low = middle + 1
            else:
                high = middle
        below, above = low - 1, low
        if low < self.count and self.sorted[low * COLUMNS] == length:
            if own and self.sorted[low * COLUMNS + 1] == 1:
                above = low + 1
            elif self.rule != SHORTEST:
                return length
        if self.rule == SHORTEST and below >= 0:
            return self.sorted[0]
        if above >= self.count:
            return self.sorted[below * COLUMNS] if below >= 0 else 0
        if below < 0:
            return self.sorted[above * COLUMNS]
        further = self.sorted[above * COLUMNS] - length - (length - self.sorted[below * COLUMNS])
        if further == 0 and self.rule == FIRST:
            further = self.sorted[above * COLUMNS + 2] - self.sorted[below * COLUMNS + 2]
        return self.sorted[(above if further < 0 else below) * COLUMNS]


cdef class RowScratch(Scratch):
    """A thread's memory for making rows, with the features of one sentence."""

    cdef int32_t *features
    cdef Py_ssize_t feature_capacity

    def __dealloc__(self):
        PyMem_RawFree(self.features)

    cdef int32_t *features_of(self, Ngrams ngrams, const int32_t *tokens, Py_ssize_t length,
                              bint known_only) except NULL nogil:
        """The features of a sentence, with `length` places for each order."""
        cdef Py_ssize_t needed = length * min(<Py_ssize_t> ngrams.max_order, length)
        if needed >= self.feature_capacity:
            self.features = <int32_t *> grow(
                self.features, &self.feature_capacity, needed + 1, sizeof(int32_t))
        ngrams.number(tokens, length, known_only, self, self.features, length)
        return self.features


cdef void fill_lengths(int64_t *row, int64_t length, int64_t ref_len, int max_order) noexcept nogil:
    """Fill in a row's lengths and totals."""
    cdef int n
    row[0] = length
    row[1] = ref_len
    for n in range(max_order):
        row[2 + max_order + n] = length - n if length > n else 0


cdef class ReferenceSet:
    """The features of references, and their lengths, one of which `rule` chooses."""

    cdef Ngrams ngrams
    cdef Lengths lengths
    cdef RowScratch scratch          # for adding
    cdef readonly list sentences     # as they were added
    cdef readonly Py_ssize_t different_ngrams    # once it is finished

    def __cinit__(self, int max_order, str rule not None):
        self.ngrams = Ngrams(max_order)
        self.lengths = Lengths(rule)
        self.scratch = RowScratch()
        self.sentences = []

    def __len__(self):
        return sum([len(sentences) for sentences in self.sentences])

    def add(self, Sentences sentences not None):
        """Add references; all sentences are over one vocabulary, which grows."""
        cdef Py_ssize_t s, start, length, before = len(self)
        self.sentences.append(sentences)     # first: until a Ctrl-C, numbers below len(self) are noted
        with nogil:
            for s in range(sentences.count):
                start = sentences.starts[s]
                length = sentences.starts[s + 1] - start
                self.note(before + s, length, self.scratch.features_of(
                    self.ngrams, sentences.ids + start, length, False))
        self.lengths.add_all(sentences, before)
        poll(&self.scratch.cancelled)

    cdef int note(self, Py_ssize_t number, Py_ssize_t length, const int32_t *features) except -1 nogil:
        """For subclasses: note the features of a reference that has been added."""
        return 0

    def finish(self):
        """Prepare for counting, once all references are there."""
        cdef number_index *index
        cdef Py_ssize_t ngrams = 0, i
        cdef int n
        for n in range(self.ngrams.max_order):
            index = &self.ngrams.orders[n]
            number_index_trim(index)
            with nogil:
                for i in range(index.count):
                    ngrams += not is_repeat(index.numbers[i])
        self.lengths.sort()
        self.different_ngrams = ngrams

    @property
    def nrefs(self):
        """The number of references; 1 if all of them are padding."""
        cdef Py_ssize_t i
        return max(1, sum([self.lengths.sorted[i * COLUMNS + 1] for i in range(self.lengths.count)]))

    @property
    def nbytes(self):
        """Memory in bytes."""
        cdef Py_ssize_t size = len(self.lengths.table) * sizeof(int64_t)
        cdef Sentences sentences
        cdef int n
        for n in range(self.ngrams.max_order):
            size += self.ngrams.orders[n].count * sizeof(uint64_t)
            size += self.ngrams.orders[n].slot_count * sizeof(uint32_t)
        for sentences in self.sentences:
            size += (sentences.count + 1) * sizeof(int64_t)
            size += sentences.starts[sentences.count] * sizeof(int32_t)
        return size

    def count(self, Sentences hypotheses not None, array rows not None, Py_ssize_t start, Py_ssize_t stop,
              Py_ssize_t first, RowScratch scratch not None):
        """Fill the rows of hypotheses `start` to `stop` - 1, beginning at row `first`. Their ids are those of
        the references' vocabulary, with -1 for tokens that it lacks."""
        cdef int max_order = self.ngrams.max_order, n
        cdef Py_ssize_t width = 2 + 2 * <Py_ssize_t> max_order, s, i, length, matches
        cdef int64_t *row = numbers(rows) + first * width
        cdef const int32_t *tokens
        cdef const int32_t *features
        if not 0 <= start <= stop <= hypotheses.count:
            raise ValueError(f"there are {hypotheses.count} hypotheses, not {start} to {stop}")
        if first < 0 or len(rows) < (first + stop - start) * width:
            raise ValueError(
                f"rows has room for {len(rows) // width} hypotheses, not for {stop - start} from row "
                f"{first} on")
        with nogil:
            for s in range(start, stop):
                tokens = hypotheses.ids + hypotheses.starts[s]
                length = hypotheses.starts[s + 1] - hypotheses.starts[s]
                features = scratch.features_of(self.ngrams, tokens, length, True)
                fill_lengths(row, length, self.lengths.choose(length, False), max_order)
                for n in range(max_order):
                    matches = 0
                    for i in range(length - n):
                        matches += features[n * length + i] >= 0
                    row[2 + n] = matches
                row += width
        poll(&scratch.cancelled)


cdef struct Holders:
    # The features of an order.
    int32_t *of                      # by feature: the only sentence that has it, or -1
    Py_ssize_t capacity
    int32_t known                    # features so far


cdef class LeaveOneOut(ReferenceSet):
    """Rows of sentences, each with all the others as its references."""

    cdef int max_order
    cdef Holders *holders            # by order

    def __cinit__(self, int max_order, str rule not None):
        self.holders = <Holders *> PyMem_RawCalloc(max_order, sizeof(Holders))
        if self.holders == NULL:
            raise MemoryError(f"no memory for {max_order} orders")
        self.max_order = max_order

    def __dealloc__(self):
        cdef int n
        for n in range(self.max_order):
            PyMem_RawFree(self.holders[n].of)
        PyMem_RawFree(self.holders)

    def add(self, Sentences sentences not None):
        """Add sentences; all are over one vocabulary, which grows."""
        cdef int n
        if self.lengths.table is not None:
            raise ValueError("nothing can be added once there are rows")
        if len(self) + sentences.count >= INT32_MAX:
            raise OverflowError(f"at most {INT32_MAX - 1} sentences")
        with nogil:
            for n in range(min(<Py_ssize_t> self.max_order, sentences.longest)):
                self.ngrams.reserve(
                    n, min(<Py_ssize_t> sentences.starts[sentences.count], GROW_FROM), self.scratch)
        ReferenceSet.add(self, sentences)

    cdef int note(self, Py_ssize_t number, Py_ssize_t length, const int32_t *features) except -1 nogil:
        """The sentence becomes the holder of its new features; features that were met before no longer have
        a single holder."""
        cdef Holders *holders
        cdef Py_ssize_t i
        cdef int n
        for n in range(<int> min(<Py_ssize_t> self.max_order, length)):
            holders = &self.holders[n]
            if self.ngrams.orders[n].count > holders.capacity:
                holders.of = <int32_t *> grow(
                    holders.of, &holders.capacity, self.ngrams.orders[n].count, sizeof(int32_t))
            self.scratch.worked(length)
            for i in range(length - n):
                if features[i] < holders.known:
                    holders.of[features[i]] = -1
            for i in range(holders.known, self.ngrams.orders[n].count):
                holders.of[i] = <int32_t> number
            holders.known = self.ngrams.orders[n].count
            features += length
        return 0

    def rows(self, array indices not None):
        """The rows, int64, of the sentences with these numbers; nothing can be added afterwards."""
        cdef int max_order = self.max_order, orders = 0, n
        cdef Py_ssize_t width = 2 + 2 * <Py_ssize_t> max_order, count = 0, r
        cdef array rows = zero_rows(len(indices), max_order), lengths = array("q")
        cdef int64_t *row = numbers(rows)
        cdef const int64_t *index = numbers(indices)
        cdef set padding = set()
        cdef int32_t *own
        cdef Sentences sentences
        for sentences in self.sentences:
            padding.update([count + number for number in sentences.padding])
            lengths.extend(sentences.lengths)
            orders = <int> max(orders, min(<Py_ssize_t> max_order, sentences.longest))
            count += sentences.count
        for r in range(len(indices)):
            if not 0 <= index[r] < count:
                raise IndexError(f"there are {count} sentences, but none has the number {index[r]}")
        if self.lengths.table is None:
            self.lengths.sort()
        own = <int32_t *> PyMem_RawCalloc(count * orders + 1, sizeof(int32_t))
        if own == NULL:
            raise MemoryError(f"no memory for the counts of {count} sentences")
        try:
            with nogil:
                self.count_own(own, orders)
            for s in indices:
                length = lengths[s]
                fill_lengths(row, length, self.lengths.choose(length, s not in padding), max_order)
                for n in range(orders):
                    row[2 + n] = row[2 + max_order + n] - own[<Py_ssize_t> s * orders + n]
                row += width
        finally:
            PyMem_RawFree(own)
        return rows

    cdef int count_own(self, int32_t *own, int orders) except -1 nogil:
        """For each sentence and order, how many features no other sentence has."""
        cdef int32_t holder, i
        cdef int n
        for n in range(orders):
            for i in range(self.holders[n].known):
                if i % POLL_EVERY == 0:
                    poll(&self.scratch.cancelled)
                holder = self.holders[n].of[i]
                if holder >= 0:
                    own[<Py_ssize_t> holder * orders + n] += 1
        return 0

"""Pairs of sentences: features in, scores of every hypothesis with every reference out.

For a block of up to 512 references, each of their features (_ngrams.pyx) has a bitmap of the references that
have it. The matches of a hypothesis with all of these are the sums of its features' bitmaps, bit by bit
(kernel/simd/bit_counts.h): a few instructions per pair, independent of its content.

In most dialects, the score of a pair is the brevity penalty times a function of the hypothesis' length and
the matches. There are far fewer such rows than pairs: each row is numbered when it is first met and scored
once by the dialect, and its score is looked up for all other pairs. So this module does not deal with
smoothing, and its scores are the dialect's by construction. For dialects with other penalties, row numbers
are looked up instead of scores (all_pairs.py).

Ownership. All classes own their C arrays. Thread-safety. A ReferenceBlock may be read by any number of
threads while no thread fills it; each thread has its own PairCounter. Counting releases the GIL.
"""

from cpython.array cimport array, clone
from cpython.buffer cimport PyBUF_STRIDES, PyBUF_WRITABLE
from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree, PyMem_RawMalloc
from libc.math cimport exp
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memcpy, memset

from fastbleu._core cimport numbers
from fastbleu.matrix._ngrams cimport (
    Features, Ngrams, number_index, number_index_add, number_index_clear, number_index_free,
    number_index_reserve)
from fastbleu.core.runtime._process cimport (
    POLL_EVERY, Buffer, Interruptible, buffer_of, grow, process_seed)


cdef extern from "kernel/simd/bit_counts.h":
    enum:
        BLOCK_WORDS
        BLOCK_BITS
        MAX_PLANES
    void count_bits(const uint64_t *bitmaps, const int32_t *chosen, Py_ssize_t count, int words,
                    int plane_count, uint64_t *planes) noexcept nogil
    void gather_counts(const uint64_t *planes, int words, int plane_count, int byte,
                       uint8_t *counts) noexcept nogil

# If bitmaps would have more bytes, a block has fewer references, if it can. Those of 512 sentences of
# 100 tokens have 13 MB at most; this bounds the memory for very long ones.
cdef Py_ssize_t BITMAP_BYTES = 1 << 26

# If there are more rows, which take 30 MB, they are forgotten: real text has far fewer.
cdef Py_ssize_t KEPT_ROWS = 1 << 20

cdef enum:
    NEEDS_NONE = -1                  # instead of a bitmap's number
    MAX_BITMAPS = 1 << 30            # so that the numbers of one more block fit into int32
    KEY_BYTES = 4                    # bytes of numbers of matches that one look-up takes

cdef array _ROWS = array("q")


cdef inline int bit_length(uint64_t number) noexcept nogil:
    cdef int bits = 0
    while number:
        bits += 1
        number >>= 1
    return bits


cdef class ReferenceBlock(Interruptible):
    """Which references of a block have which features; features that no hypothesis has need no bitmap."""

    cdef Py_ssize_t first, count     # references
    cdef int words                   # of a bitmap
    cdef Features features, hypotheses
    cdef int32_t *bitmap_of          # by order and feature: the number of its bitmap, if above `before`
    cdef int64_t *offsets            # by order: where its features begin in `bitmap_of`
    cdef int32_t before              # bitmaps numbered up to this belonged to earlier blocks
    cdef uint64_t *bitmaps           # those of this block; the first is not used
    cdef Py_ssize_t bitmap_count, bitmap_capacity
    cdef int64_t *lengths            # the different lengths
    cdef int32_t *length_numbers     # by reference: its place in `lengths`
    cdef Py_ssize_t length_count

    def __cinit__(self, Ngrams ngrams not None, Features references not None, Features hypotheses not None):
        cdef int n
        cdef Py_ssize_t orders = references.orders
        self.features = references
        self.offsets = <int64_t *> PyMem_RawCalloc(orders + 1, sizeof(int64_t))
        self.length_numbers = <int32_t *> PyMem_RawCalloc(BLOCK_BITS, sizeof(int32_t))
        self.lengths = <int64_t *> PyMem_RawCalloc(BLOCK_BITS, sizeof(int64_t))
        if self.offsets == NULL or self.length_numbers == NULL or self.lengths == NULL:
            raise MemoryError("no memory for a block of references")
        for n in range(orders):
            self.offsets[n + 1] = self.offsets[n] + ngrams.orders[n].count
        self.bitmap_of = <int32_t *> PyMem_RawMalloc((self.offsets[orders] + 1) * sizeof(int32_t))
        if self.bitmap_of == NULL:
            raise MemoryError(f"no memory for {self.offsets[orders]} n-grams")
        with nogil:
            self.forget_bitmaps(hypotheses)
        self.hypotheses = hypotheses

    def __dealloc__(self):
        PyMem_RawFree(self.bitmap_of)
        PyMem_RawFree(self.offsets)
        PyMem_RawFree(self.bitmaps)
        PyMem_RawFree(self.lengths)
        PyMem_RawFree(self.length_numbers)

    def __len__(self):
        return self.count

    cdef int forget_bitmaps(self, Features hypotheses) except -1 nogil:
        """Forget all bitmaps, and note which features need none, because no hypothesis has them."""
        cdef const int64_t *starts = hypotheses.sentences.starts
        cdef const int32_t *features
        cdef int32_t *bitmap_of
        cdef Py_ssize_t s, start = 0, stop, i, length
        cdef int n
        while start < self.offsets[self.features.orders]:
            stop = self.next_stop(start, self.offsets[self.features.orders], 1)
            for i in range(start, stop):
                self.bitmap_of[i] = NEEDS_NONE
            start = stop
        for s in range(hypotheses.sentences.count):
            length = starts[s + 1] - starts[s]
            for n in range(min(<Py_ssize_t> min(hypotheses.orders, self.features.orders), length)):
                features = hypotheses.features + n * hypotheses.stride + starts[s]
                bitmap_of = self.bitmap_of + self.offsets[n]
                self.worked(length)
                for i in range(length - n):
                    if i % POLL_EVERY == POLL_EVERY - 1:
                        self.worked(POLL_EVERY)
                    if features[i] >= 0:
                        bitmap_of[features[i]] = 0
        self.before = self.bitmap_count = 0
        return 0

    def fill(self, Py_ssize_t first):
        """Replace the references by those from number `first` on; return how many."""
        cdef const int64_t *starts = self.features.sentences.starts
        cdef Py_ssize_t end = self.features.sentences.count, features, count = 0
        self.first = first
        self.words = 1
        while first + count < end and count < BLOCK_BITS:
            if count == 64 * self.words:
                self.words *= 2
            features = (starts[first + count + 1] - starts[first]) * self.features.orders
            if count and features * self.words * 8 > BITMAP_BYTES:
                break
            count += 1
        self.count = count
        with nogil:
            self.set_bits()
            self.number_lengths()
        return count

    cdef int set_bits(self) except -1 nogil:
        """Give each feature of the block a bitmap, with a bit for each reference that has it."""
        cdef const int64_t *starts = self.features.sentences.starts
        cdef const int32_t *features
        cdef Py_ssize_t k, i, start, length
        cdef int32_t *bitmap_of
        cdef int32_t number
        cdef uint64_t *bitmap
        cdef int n
        # Bitmaps are numbered on from block to block, so that those of earlier blocks need not be cleared.
        self.before += self.bitmap_count
        if self.before > MAX_BITMAPS:
            self.forget_bitmaps(self.hypotheses)
        self.bitmap_count = 1
        for k in range(self.count):
            start = starts[self.first + k]
            length = starts[self.first + k + 1] - start
            for n in range(min(<Py_ssize_t> self.features.orders, length)):
                features = self.features.features + n * self.features.stride + start
                bitmap_of = self.bitmap_of + self.offsets[n]
                if self.bitmap_count + length > self.bitmap_capacity:
                    self.bitmaps = <uint64_t *> grow(self.bitmaps, &self.bitmap_capacity,
                                                     self.bitmap_count + length, BLOCK_WORDS * 8)
                self.worked(length)
                for i in range(length - n):
                    if i % POLL_EVERY == POLL_EVERY - 1:
                        self.worked(POLL_EVERY)
                    number = bitmap_of[features[i]]
                    if number == NEEDS_NONE:
                        continue
                    if number <= self.before:
                        number = <int32_t> (self.before + self.bitmap_count)
                        bitmap_of[features[i]] = number
                        memset(self.bitmaps + self.bitmap_count * self.words, 0, self.words * 8)
                        self.bitmap_count += 1
                    bitmap = self.bitmaps + (number - self.before) * self.words
                    bitmap[k >> 6] |= <uint64_t> 1 << (k & 63)
        return 0

    cdef void number_lengths(self) noexcept nogil:
        """Number the different lengths of the block's references."""
        cdef const int64_t *starts = self.features.sentences.starts
        cdef Py_ssize_t k, place
        cdef int64_t length
        self.length_count = 0
        for k in range(self.count):
            length = starts[self.first + k + 1] - starts[self.first + k]
            place = 0
            while place < self.length_count and self.lengths[place] != length:
                place += 1
            if place == self.length_count:
                self.lengths[place] = length
                self.length_count += 1
            self.length_numbers[k] = <int32_t> place


cdef class PairCounter(Interruptible):
    """Counts and scores pairs; one per thread. Rows have `max_order` orders, features `orders`; no number
    of matches is greater than `longest`."""

    cdef readonly int max_order
    cdef int count_bytes             # bytes of a number of matches
    cdef int keys                    # number of tables
    cdef number_index *tables        # the last one's ids are those of the rows
    cdef int64_t *new_rows           # rows without a value
    cdef Py_ssize_t new_count, new_capacity
    cdef double *values              # by row: its score without brevity penalty
    cdef Py_ssize_t value_count, value_capacity
    cdef int32_t *pairs              # the rows of the pairs that were counted last
    cdef Py_ssize_t pair_capacity
    cdef int32_t *present            # the numbers of one hypothesis' bitmaps
    cdef Py_ssize_t present_capacity
    cdef uint8_t *matches            # by order, byte of the number, and reference of the block

    def __cinit__(self, int max_order, int orders, Py_ssize_t longest):
        cdef int k
        self.max_order = max_order
        self.count_bytes = max(1, (bit_length(longest) + 7) // 8)
        self.keys = max(1, (orders * self.count_bytes + KEY_BYTES - 1) // KEY_BYTES)
        self.tables = <number_index *> PyMem_RawCalloc(self.keys, sizeof(number_index))
        self.matches = <uint8_t *> PyMem_RawMalloc(self.keys * KEY_BYTES * BLOCK_BITS)
        if self.tables == NULL or self.matches == NULL:
            raise MemoryError(f"no memory for matches of {orders} orders")
        for k in range(self.keys):
            self.tables[k].seed = process_seed()

    def __dealloc__(self):
        cdef int k
        if self.tables != NULL:
            for k in range(self.keys):
                number_index_free(&self.tables[k])
        PyMem_RawFree(self.tables)
        PyMem_RawFree(self.new_rows)
        PyMem_RawFree(self.values)
        PyMem_RawFree(self.pairs)
        PyMem_RawFree(self.present)
        PyMem_RawFree(self.matches)

    def count(self, ReferenceBlock block not None, Features hypotheses not None, Py_ssize_t first,
              Py_ssize_t last):
        """Count hypotheses `first` to `last` - 1 with all references of a block.

        Returns the rows that were not met before, with hyp_len in place of ref_len, as an array of int64 of
        shape (rows * (2 + 2 * max_order),). Their scores must be passed to `score`.
        """
        cdef Py_ssize_t width = 2 + 2 * <Py_ssize_t> self.max_order, h, start, length
        cdef const int64_t *starts = hypotheses.sentences.starts
        cdef int orders = min(hypotheses.orders, block.features.orders), k
        cdef array rows
        if not 0 <= first <= last <= hypotheses.sentences.count:
            raise ValueError(f"there are no hypotheses {first} to {last}")
        if self.value_count > KEPT_ROWS:
            self.value_count = 0
            for k in range(self.keys):
                number_index_clear(&self.tables[k])
        self.new_count = 0
        with nogil:
            if (last - first) * block.count >= self.pair_capacity:
                self.pairs = <int32_t *> grow(self.pairs, &self.pair_capacity,
                                              (last - first) * block.count + 1, sizeof(int32_t))
            for h in range(first, last):
                start = starts[h]
                length = starts[h + 1] - start
                self.count_hypothesis(block, hypotheses.features + start, hypotheses.stride, length,
                                      <int> min(<Py_ssize_t> orders, length),
                                      self.pairs + (h - first) * block.count)
        rows = clone(_ROWS, self.new_count * width, False)
        if self.new_count:
            memcpy(numbers(rows), self.new_rows, self.new_count * width * sizeof(int64_t))
        return rows

    cdef int count_hypothesis(self, ReferenceBlock block, const int32_t *features, Py_ssize_t stride,
                              Py_ssize_t length, int orders, int32_t *pairs) except -1 nogil:
        """Write the row number of each pair of one hypothesis to `pairs`."""
        cdef uint64_t planes[MAX_PLANES * BLOCK_WORDS]
        cdef Py_ssize_t i, present, references = block.count
        cdef Py_ssize_t used = 0, size = 64 * block.words
        cdef const int32_t *bitmap_of
        cdef const uint8_t *matches
        cdef number_index *first = &self.tables[0]
        cdef int32_t bitmap, row, rows_met = <int32_t> (self.value_count + self.new_count)
        cdef int n, byte, bits, k, keys = self.keys
        self.worked(references)
        if length > self.present_capacity:
            self.present = <int32_t *> grow(
                self.present, &self.present_capacity, length, sizeof(int32_t))
        for n in range(orders):
            self.worked(length)
            bitmap_of = block.bitmap_of + block.offsets[n]
            present = 0
            for i in range(length - n):
                # No branch, because whether a reference of the block has the feature is unpredictable.
                bitmap = bitmap_of[features[i]] - block.before if features[i] >= 0 else 0
                self.present[present] = bitmap
                present += bitmap > 0
            if present == 0:
                break
            bits = bit_length(present)
            count_bits(block.bitmaps, self.present, present, block.words, bits, planes)
            for byte in range(self.count_bytes):
                gather_counts(planes, block.words, bits, byte, self.matches + used * size)
                used += 1
            features += stride
        memset(self.matches + used * size, 0, (keys * KEY_BYTES - used) * size)
        for k in range(keys):
            if number_index_reserve(&self.tables[k], references) < 0:
                with gil:
                    raise MemoryError(f"no memory for the counts of {references} more pairs")
        matches = self.matches
        for i in range(references):
            # One look-up for up to 4 orders with fewer than 256 matches each: nearly always.
            row = number_index_add(first, <uint64_t> length << 32 | key_of(matches + i, size))
            for k in range(1, keys):
                row = number_index_add(&self.tables[k], <uint64_t> row << 32 | key_of(
                    matches + k * KEY_BYTES * size + i, size))
            pairs[i] = row
            if row == rows_met:
                self.add_row(length, matches + i, size)
                rows_met += 1
        return 0

    cdef int add_row(self, Py_ssize_t length, const uint8_t *matches, Py_ssize_t size) except -1 nogil:
        """Note a row that has no score yet. Byte k of the matches of order n is at
        matches[(n * count_bytes + k) * size]."""
        cdef Py_ssize_t width = 2 + 2 * <Py_ssize_t> self.max_order
        cdef int64_t *row
        cdef int n, k, counted = self.keys * KEY_BYTES // self.count_bytes
        if (self.new_count + 1) * width > self.new_capacity:
            self.new_rows = <int64_t *> grow(
                self.new_rows, &self.new_capacity, (self.new_count + 1) * width, sizeof(int64_t))
        row = self.new_rows + self.new_count * width
        memset(row, 0, width * sizeof(int64_t))
        row[0] = row[1] = length
        for n in range(self.max_order):
            if n < counted:
                for k in range(self.count_bytes):
                    row[2 + n] |= <int64_t> matches[(n * self.count_bytes + k) * size] << 8 * k
            if n < length:
                row[2 + self.max_order + n] = length - n
        self.new_count += 1
        return 0

    def score(self, scores):
        """Take the scores, float64, of the rows that `count` returned, in their order."""
        cdef Buffer buffer = buffer_of(scores, "d", 1)
        if buffer.view.shape[0] != self.new_count:
            raise ValueError(f"there are {buffer.view.shape[0]} scores for {self.new_count} rows")
        if self.value_count + self.new_count > self.value_capacity:
            self.values = <double *> grow(self.values, &self.value_capacity,
                                          self.value_count + self.new_count, sizeof(double))
        if self.new_count:
            memcpy(self.values + self.value_count, buffer.view.buf, self.new_count * sizeof(double))
        self.value_count += self.new_count
        self.new_count = 0

    def write(self, ReferenceBlock block not None, Features hypotheses not None, Py_ssize_t first,
              Py_ssize_t last, out, bint penalize=True):
        """Write the scores of the pairs counted last: float64 or float32, shape (last - first, block).

        Without `penalize`, the values that `score` took are written as they are.
        """
        cdef Buffer buffer = buffer_of(out, "df", 2, PyBUF_STRIDES | PyBUF_WRITABLE)
        cdef Py_buffer *view = &buffer.view
        cdef const int64_t *starts = hypotheses.sentences.starts
        cdef Py_ssize_t h
        if view.shape[0] != last - first or view.shape[1] != block.count:
            raise ValueError("out has the wrong shape")
        if self.new_count or (last - first) * block.count > self.pair_capacity:
            raise ValueError("these pairs were not counted and scored")
        with nogil:
            for h in range(first, last):
                self.write_row(block, starts[h + 1] - starts[h],
                               self.pairs + (h - first) * block.count,
                               <char *> view.buf + (h - first) * view.strides[0],
                               view.strides[1], buffer.kind == c"d", penalize)

    cdef void write_row(self, ReferenceBlock block, int64_t length, const int32_t *pairs, char *out,
                        Py_ssize_t stride, bint doubles, bint penalize) noexcept nogil:
        """Write the scores of one hypothesis."""
        cdef double penalties[BLOCK_BITS]
        cdef double score
        cdef const double *values = self.values
        cdef Py_ssize_t i
        for i in range(block.length_count):
            # As nltk and sacreBLEU compute it; an empty hypothesis scores 0 whatever its penalty.
            penalties[i] = 1.0 if block.lengths[i] <= length or length == 0 or not penalize else (
                exp(1.0 - <double> block.lengths[i] / <double> length))
        for i in range(block.count):
            score = penalties[block.length_numbers[i]] * values[pairs[i]]
            if doubles:
                (<double *> out)[0] = score
            else:
                (<float *> out)[0] = <float> score
            out += stride


cdef inline uint64_t key_of(const uint8_t *matches, Py_ssize_t size) noexcept nogil:
    """KEY_BYTES bytes of one pair's numbers of matches, which lie `size` bytes apart."""
    return (<uint64_t> matches[0] | <uint64_t> matches[size] << 8
            | <uint64_t> matches[2 * size] << 16 | <uint64_t> matches[3 * size] << 24)

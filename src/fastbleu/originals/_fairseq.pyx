"""libbleu's counts: n-grams with the same 64-bit hash count as equal, even if they differ.

Ids in, rows out. The hash is FNV-1a over the bytes of a token's id, the lowest first, but each byte is
extended by its sign, which is why hashes collide (fairseq 0.12.2, clib/libbleu/libbleu.cpp). The hash of
an n-gram is that of its first n - 1 tokens, extended by the last one, so that each order takes one step
for each token. The hashes of a hypothesis are numbered (kernel/hashing/number_table.h) and counted; each hash
of the reference takes one away.

Ownership. A counter owns its arrays and its table. Thread-safety. One counter per call; without the GIL.
"""

from cpython.array cimport array, clone
from cpython.mem cimport PyMem_RawFree
from libc.stdint cimport int8_t, int32_t, int64_t, uint32_t, uint64_t

from fastbleu.core.kernel.hashing cimport (
    look_up_cost, number_table, number_table_add, number_table_begin, number_table_find,
    number_table_free)
from fastbleu.core.runtime._process cimport Buffer, Interruptible, buffer_of, grow, process_seed

from array import array as _array

cdef array _ROW = _array("q")

cdef enum:
    ORDERS = 4
    WIDTH = 2 + 2 * ORDERS

cdef const uint64_t BASIS = <uint64_t> -3750763034362895579        # 14695981039346656037
cdef const uint64_t PRIME = 0x100000001B3U


cdef inline uint64_t extended(uint64_t hash, int32_t id) noexcept nogil:
    cdef int byte
    for byte in range(4):
        hash = (hash ^ <uint64_t> <int64_t> <int8_t> (<uint32_t> id >> 8 * byte)) * PRIME
    return hash


cdef class HashCounter(Interruptible):
    cdef number_table numbers
    cdef uint64_t *hashes            # of a segment's n-grams: of the hypothesis, then of the reference
    cdef Py_ssize_t hash_capacity
    cdef int32_t *counts             # of the hypothesis' n-grams, by number
    cdef Py_ssize_t count_capacity

    def __cinit__(self):
        self.numbers.seed = process_seed()

    def __dealloc__(self):
        number_table_free(&self.numbers)
        PyMem_RawFree(self.hashes)
        PyMem_RawFree(self.counts)

    cdef int count(self, const int32_t *ids, Py_ssize_t hyp_len, Py_ssize_t ref_len,
                   int64_t *row) except -1 nogil:
        """Write the row of a segment; `ids` are the hypothesis', then the reference's."""
        cdef Py_ssize_t order, i
        if hyp_len + ref_len > self.hash_capacity:
            self.hashes = <uint64_t *> grow(
                self.hashes, &self.hash_capacity, hyp_len + ref_len, sizeof(uint64_t))
        if hyp_len > self.count_capacity:
            self.counts = <int32_t *> grow(
                self.counts, &self.count_capacity, hyp_len, sizeof(int32_t))
        for i in range(hyp_len + ref_len):
            self.hashes[i] = BASIS
        row[0], row[1] = hyp_len, ref_len
        for order in range(1, ORDERS + 1):
            row[1 + order] = 0
            row[1 + ORDERS + order] = max(hyp_len - order + 1, 0)
            if min(hyp_len, ref_len) >= order:
                self.extend(ids, self.hashes, hyp_len, order)
                self.extend(ids + hyp_len, self.hashes + hyp_len, ref_len, order)
                row[1 + order] = self.matches(hyp_len - order + 1, ref_len - order + 1, hyp_len)
        return 0

    cdef int extend(self, const int32_t *ids, uint64_t *hashes, Py_ssize_t length,
                    Py_ssize_t order) except -1 nogil:
        """Compute the hashes of n-grams from those of the (n-1)-grams at the same positions."""
        cdef Py_ssize_t start = 0, stop, i
        while start <= length - order:
            stop = self.next_stop(start, length - order + 1, 1)
            for i in range(start, stop):
                hashes[i] = extended(hashes[i], ids[i + order - 1])
            start = stop
        return 0

    cdef Py_ssize_t matches(self, Py_ssize_t hypothesis_hashes, Py_ssize_t reference_hashes,
                            Py_ssize_t hyp_len) except -1 nogil:
        """The clipped matches of so many hashes of each side; those of the reference begin at `hyp_len`."""
        cdef const uint64_t *other = self.hashes + hyp_len
        cdef Py_ssize_t start = 0, stop, cost, i, found = 0
        cdef int32_t number, known
        if number_table_begin(&self.numbers, hypothesis_hashes) < 0:
            with gil:
                raise MemoryError(f"no memory for a segment of {hypothesis_hashes} n-grams")
        cost = look_up_cost(self.numbers.slot_count)
        while start < hypothesis_hashes:
            stop = self.next_stop(start, hypothesis_hashes, cost)
            for i in range(start, stop):
                known = self.numbers.count
                number = number_table_add(&self.numbers, self.hashes[i])
                self.counts[number] = 1 if number == known else self.counts[number] + 1
            start = stop
        start = 0
        while start < reference_hashes:
            stop = self.next_stop(start, reference_hashes, cost)
            for i in range(start, stop):
                number = number_table_find(&self.numbers, other[i], -1)
                if number >= 0 and self.counts[number] > 0:
                    self.counts[number] -= 1
                    found += 1
            start = stop
        return found


def hashed_rows(ids, lengths):
    """The rows of segments, an array of int64, shape (segments * 10,).

    `ids` are int32: those of each hypothesis, followed by its reference's; `lengths`, int64, how many
    they are, shape (2 * segments,).
    """
    cdef Buffer flat = buffer_of(ids, "i", 1), flat_lengths = buffer_of(lengths, "q", 1)
    cdef const int64_t *length = <const int64_t *> flat_lengths.view.buf
    cdef const int32_t *first = <const int32_t *> flat.view.buf
    cdef Py_ssize_t segments = flat_lengths.view.shape[0] // 2, _
    cdef array rows = clone(_ROW, segments * WIDTH, False)
    cdef int64_t *row = <int64_t *> rows.data.as_longlongs
    cdef HashCounter counter = HashCounter()
    if sum(lengths) != len(ids):
        raise ValueError(f"there are {len(ids)} ids, but lengths add up to {sum(lengths)}")
    with nogil:
        for _ in range(segments):
            counter.count(first, length[0], length[1], row)
            counter.worked(1)
            first += length[0] + length[1]
            length += 2
            row += WIDTH
    return rows

"""Counting: packed token ids in, int64 rows of sufficient statistics out.

Data. A row is [hyp_len, ref_len, matches_1..N, totals_1..N] of one segment: the hypothesis' length,
the length of the reference closest to it (REFERENCE_LENGTHS has other rules), the clipped n-gram
matches and the n-grams of the hypothesis, per order. This module knows no strings, no smoothing and
no dialect; ids come from _tokens.pyx, _text.pyx and _ids.pyx.

Algorithm. Segments whose hypothesis and references have at most 64 tokens go through bit masks of
positions (kernel/masks.h), which is nearly every segment of real text. Longer ones go through
hierarchical ids: an n-gram's id is the id of the pair (id of its first n-1 tokens, id of its last
n-1 tokens), so that every order costs one table look-up per position; positions whose halves found no
match drop out, because no longer n-gram there can match. Both are exact for every order.

Ownership. PackedSegments and SegmentCounter own their C arrays and free them when they die.
Thread-safety. Nothing is shared: a thread counts with its own SegmentCounter, without the GIL.
Long counts poll for signals (main thread) and for `cancelled` (any thread) every 65,536 tokens.
"""

import cython
from cpython.array cimport array
from cpython.mem cimport PyMem_RawFree, PyMem_RawRealloc
from libc.string cimport memset

import os

from fastbleu._rows import accumulate_rows, zero_rows
from fastbleu._interrupts cimport poll
from fastbleu._rows cimport numbers
from fastbleu._tables cimport (
    look_up_cost, number_table_add, number_table_begin, number_table_find, number_table_free)


cdef extern from "kernel/masks.h":
    ctypedef void (*mask_kernel)(const uint64_t *, const uint64_t *, int, int, uint64_t *) noexcept nogil
    simd_level simd_supported() noexcept nogil
    mask_kernel mask_kernel_for(simd_level level) noexcept nogil
    int popcount_portable(uint64_t word) noexcept nogil

SIMD_LEVELS = ("portable", "avx2", "avx512")
MAX_ORDER = 1 << 20

# Which reference's length is compared with the hypothesis': the closest one, and of two equally close
# the shorter or the one that comes first; or the shortest of all.
REFERENCE_LENGTHS = ("closest", "first", "shortest")

cdef hash_seed _seed
cdef simd_level _level
cdef mask_kernel match_masks


def active_simd():
    """Name of the instruction set that the kernels use: one of SIMD_LEVELS."""
    return SIMD_LEVELS[<int> _level]


def use_simd(str name=None):
    """Choose the kernels' instruction set; the best one by default. It changes no result.

    Parameters
    ----------
    name : str, optional
        One of SIMD_LEVELS.

    Raises
    ------
    ValueError
        The name is unknown, or this processor lacks the instructions.
    """
    global _level, match_masks
    level = <int> simd_supported()
    if name is not None:
        if name not in SIMD_LEVELS:
            raise ValueError(f"SIMD level {name!r} is unknown; choose one of {', '.join(SIMD_LEVELS)}")
        if SIMD_LEVELS.index(name) > level:
            raise ValueError(f"this processor lacks {name}")
        level = SIMD_LEVELS.index(name)
    _level = <simd_level> <int> level
    match_masks = mask_kernel_for(_level)


cdef simd_level simd_in_use() noexcept:
    return _level


def reseed(uint64_t first, uint64_t second):
    """Set the seed of hash tables made from now on. It changes no result; for tests."""
    _seed.first = first
    _seed.second = second


cdef hash_seed process_seed():
    return _seed


cdef void *grow(void *memory, Py_ssize_t *capacity, Py_ssize_t needed, size_t item) except NULL nogil:
    """`memory` with room for `needed` items and half as many to spare, or MemoryError."""
    cdef Py_ssize_t roomy = needed + (needed >> 1) + 64
    cdef void *grown = PyMem_RawRealloc(memory, <size_t> roomy * item)
    if grown == NULL:
        with gil:
            raise MemoryError(f"no memory for {roomy} items of {item} bytes")
    capacity[0] = roomy
    return grown


cdef class KeptMemory:

    cdef bint claim(self) noexcept:
        """Whether the memory is the caller's now, until `give_back`."""
        cdef bint free
        with cython.critical_section(self):
            free = not self.busy
            self.busy = True
        return free

    cdef void give_back(self) noexcept:
        with cython.critical_section(self):
            self.busy = False


cdef class PackedSegments:

    def __dealloc__(self):
        PyMem_RawFree(self.ids)
        PyMem_RawFree(self.lengths)
        PyMem_RawFree(self.reference_counts)
        PyMem_RawFree(self.distinct)

    def __len__(self):
        return self.segment_count

    @property
    def capacity(self):
        """How many ids, or references, there is memory for."""
        return max(self.id_capacity, self.length_capacity)

    def reset(self):
        """Forget the segments and what was noted of them; keep the memory."""
        self.clear()
        self.nrefs = self.tokenized_periods = 0
        self.label_padding = False

    cdef int finish(self) except -1 nogil:
        """What is left to do before counting, and needs no GIL; for subclasses."""
        return 0

    cdef void clear(self) noexcept nogil:
        self.segment_count = self.id_count = self.length_count = 0

    cdef void note_references(self, Py_ssize_t count) noexcept nogil:
        """Note the number of one segment's references."""
        if self.nrefs != count:
            self.nrefs = -1 if self.nrefs else count

    cdef int reserve_segment(self) except -1 nogil:
        cdef Py_ssize_t capacity = 0
        if self.segment_count == self.segment_capacity:
            self.reference_counts = <int64_t *> grow(
                self.reference_counts, &capacity, self.segment_count + 1, sizeof(int64_t))
            self.distinct = <int32_t *> grow(
                self.distinct, &capacity, self.segment_count + 1, sizeof(int32_t))
            self.segment_capacity = capacity
        return 0

    cdef int32_t *reserve_ids(self, Py_ssize_t extra) except NULL nogil:
        if self.id_count + extra >= self.id_capacity:
            self.ids = <int32_t *> grow(
                self.ids, &self.id_capacity, self.id_count + extra + 1, sizeof(int32_t))
        return self.ids + self.id_count

    cdef int64_t *reserve_lengths(self, Py_ssize_t extra) except NULL nogil:
        if self.length_count + extra >= self.length_capacity:
            self.lengths = <int64_t *> grow(
                self.lengths, &self.length_capacity, self.length_count + extra + 1, sizeof(int64_t))
        return self.lengths + self.length_count


cdef int64_t reference_length(const int64_t *lengths, int64_t references, int rule) noexcept nogil:
    """The reference length that a hypothesis of length lengths[0] is compared with."""
    cdef int64_t best = lengths[1], best_rank = rank_of(lengths, 1, rule), k, rank
    for k in range(2, references + 1):
        rank = rank_of(lengths, k, rule)
        if rank < best_rank or (rank == best_rank and rule == CLOSEST and lengths[k] < best):
            best = lengths[k]
            best_rank = rank
    return best


cdef inline int64_t rank_of(const int64_t *lengths, int64_t k, int rule) noexcept nogil:
    """What is least for the reference whose length counts."""
    if rule == SHORTEST:
        return lengths[k]
    return lengths[k] - lengths[0] if lengths[k] > lengths[0] else lengths[0] - lengths[k]


cdef class SegmentCounter:

    def __cinit__(self, int max_order, str reference_length="closest"):
        if not 1 <= max_order <= MAX_ORDER:
            raise ValueError(f"max_order must lie in 1..{MAX_ORDER}, not {max_order}")
        self.max_order = max_order
        self.rule = REFERENCE_LENGTHS.index(reference_length)
        self.pairs.seed = _seed

    def __dealloc__(self):
        number_table_free(&self.pairs)
        PyMem_RawFree(self.work)

    def count(self, PackedSegments packed not None, array rows not None, Py_ssize_t first=0):
        """Count every segment into `rows`, without the GIL.

        Parameters
        ----------
        packed : PackedSegments
        rows : array of int64, shape (segments * (2 + 2 * max_order),)
        first : int, default 0
            Row of the first packed segment.
        """
        cdef Py_ssize_t width = 2 + 2 * <Py_ssize_t> self.max_order
        cdef int64_t *row = numbers(rows) + first * width
        if first < 0 or len(rows) < (first + packed.segment_count) * width:
            raise ValueError(
                f"rows has room for {len(rows) // width} segments of width {width}, "
                f"not for {packed.segment_count} from row {first} on")
        with nogil:
            self.count_all(packed, row, NULL, False)
        poll(&self.cancelled)

    def count_sum(self, PackedSegments packed not None, array total not None, bint floor=False):
        """Add the sum of every segment's row to the one row `total`, which no count must leave int64.

        Parameters
        ----------
        packed : PackedSegments
        total : array of int64, shape (2 + 2 * max_order,)
        floor : bool, default False
            Raise every total of every segment to at least 1 before: nltk's rule.
        """
        cdef array sums = zero_rows(1, self.max_order)
        cdef array row = zero_rows(1, self.max_order)
        cdef int64_t *sums_of_chunk = numbers(sums)
        cdef int64_t *row_of_segment = numbers(row)
        with nogil:
            self.count_all(packed, row_of_segment, sums_of_chunk, floor)
        poll(&self.cancelled)
        with cython.critical_section(total):      # to which other threads add, too
            accumulate_rows(sums, 1, total)

    cdef int count_all(self, PackedSegments packed, int64_t *row, int64_t *sums,
                       bint floor) except -1 nogil:
        """Fill a row for each segment, or where there are `sums` add up the one row."""
        cdef Py_ssize_t segment, column, width = 2 + 2 * <Py_ssize_t> self.max_order
        cdef const int32_t *ids
        cdef const int64_t *lengths
        cdef int64_t references, k
        packed.finish()
        ids = packed.ids
        lengths = packed.lengths
        for segment in range(packed.segment_count):
            references = packed.reference_counts[segment]
            self.count_segment(ids, lengths, references, packed.distinct[segment], row)
            if sums == NULL:
                row += width
            else:
                for column in range(width):
                    # A chunk is too short for its sums to leave int64.
                    sums[column] += 1 if (
                        floor and column >= width - self.max_order and row[column] == 0) else row[column]
            for k in range(references + 1):
                ids += lengths[k]
            lengths += references + 1
        return 0

    cdef int count_segment(self, const int32_t *ids, const int64_t *lengths, int64_t references,
                           int32_t distinct, int64_t *row) except -1 nogil:
        """Fill the row of one segment with at least one reference."""
        cdef int64_t longest = lengths[0], k
        cdef int n
        cdef int64_t *matches = row + 2
        row[0] = lengths[0]
        row[1] = reference_length(lengths, references, self.rule)
        for n in range(self.max_order):
            matches[n] = 0
            matches[self.max_order + n] = lengths[0] - n if lengths[0] > n else 0
        for k in range(1, references + 1):
            if lengths[k] > longest:
                longest = lengths[k]
        if longest <= MASK_TOKENS:
            self.match_short(ids, lengths, references, distinct, matches)
        else:
            self.match_long(ids, lengths, references, distinct, matches)
        return 0

    cdef int match_short(self, const int32_t *ids, const int64_t *lengths, int64_t references,
                         int32_t distinct, int64_t *matches) except -1 nogil:
        """Matches by position masks: nothing here is longer than 64 tokens."""
        cdef int hyp_len = <int> lengths[0], max_order = min(self.max_order, hyp_len)
        cdef const int32_t *reference = ids + hyp_len
        cdef int64_t k
        cdef int i, n
        memset(self.by_token, 0, (distinct + 1) * sizeof(uint64_t))
        memset(self.matched, 0, max_order * sizeof(uint64_t))
        memset(self.in_reference + hyp_len, 0, (max_order + 8) * sizeof(uint64_t))
        for i in range(hyp_len):
            self.in_hypothesis[i] = self.by_token[ids[i]]
            self.by_token[ids[i]] |= <uint64_t> 1 << i
        for k in range(1, references + 1):
            memset(self.by_token, 0, (distinct + 1) * sizeof(uint64_t))
            for i in range(<int> lengths[k]):
                self.by_token[reference[i]] |= <uint64_t> 1 << i
            for i in range(hyp_len):
                self.in_reference[i] = self.by_token[ids[i]]
            match_masks(self.in_reference, self.in_hypothesis, hyp_len, max_order, self.matched)
            reference += lengths[k]
            self.worked(MASK_TOKENS)
        for n in range(max_order):
            matches[n] = popcount_portable(self.matched[n])
        return 0

    cdef int match_long(self, const int32_t *ids, const int64_t *lengths, int64_t references,
                        int32_t distinct, int64_t *matches) except -1 nogil:
        """Matches by hierarchical ids: any length.

        Hypothesis and references are lists of entries (position, id), one for each n-gram that can
        still match; they shrink from order to order. Loops write every entry and advance only over
        those to keep, because whether a position matches is nothing that a processor can predict.
        `clip[id]` is the maximum count over the references, `seen[id]` the count so far.
        """
        cdef Py_ssize_t hyp_len = lengths[0], longest = hyp_len, total = hyp_len, k
        cdef Py_ssize_t *live
        cdef int32_t *clip
        cdef int32_t *seen
        cdef uint64_t *keys
        cdef ngram_entry *hypothesis
        cdef ngram_entry *reference
        cdef const int32_t *reference_ids = ids + hyp_len
        cdef int n
        for k in range(1, references + 1):
            total += lengths[k]
            longest = max(longest, <Py_ssize_t> lengths[k])
        keys = <uint64_t *> self.workspace(
            longest * sizeof(uint64_t) + (references + 1) * sizeof(Py_ssize_t)
            + total * sizeof(ngram_entry) + 2 * hyp_len * sizeof(int32_t))
        live = <Py_ssize_t *> (keys + longest)          # number of entries of each sequence
        hypothesis = <ngram_entry *> (live + references + 1)
        clip = <int32_t *> (hypothesis + total)
        seen = clip + hyp_len

        live[0] = self.keep_known(hypothesis, ids, hyp_len, distinct)
        reference = hypothesis + hyp_len
        for k in range(1, references + 1):
            live[k] = self.keep_known(reference, reference_ids, lengths[k], distinct)
            reference += lengths[k]
            reference_ids += lengths[k]
        for n in range(min(<Py_ssize_t> self.max_order, hyp_len)):
            if n > 0:
                live[0] = self.keep_pairs(hypothesis, live[0], keys)
                distinct = self.number_pairs(hypothesis, live[0], keys)
            memset(clip, 0, distinct * sizeof(int32_t))
            memset(seen, 0, distinct * sizeof(int32_t))
            reference = hypothesis + hyp_len
            for k in range(1, references + 1):
                if n > 0:
                    live[k] = self.keep_pairs(reference, live[k], keys)
                    live[k] = self.find_pairs(reference, live[k], keys)
                self.raise_clips(reference, live[k], references == 1, clip, seen)
                reference += lengths[k]
            live[0] = self.keep_matched(hypothesis, live[0], clip, seen, matches + n)
            if live[0] == 0:
                break
        return 0

    # The steps of match_long; all hear signals from time to time.

    cdef Py_ssize_t keep_known(self, ngram_entry *entries, const int32_t *ids, Py_ssize_t length,
                               int32_t distinct) except -1 nogil:
        """Entries of the tokens that the hypothesis holds; the number of them."""
        cdef Py_ssize_t i = 0, kept = 0, stop
        while i < length:
            stop = self.next_stop(i, length, 1)
            for i in range(i, stop):
                entries[kept].position = <int32_t> i
                entries[kept].id = ids[i]
                kept += ids[i] < distinct
            i = stop
        return kept

    cdef Py_ssize_t keep_pairs(self, ngram_entry *entries, Py_ssize_t count, uint64_t *keys) except -1 nogil:
        """From order n - 1 to n: the entries whose right neighbour is present too, and the pairs' keys."""
        cdef Py_ssize_t i = 0, kept = 0, stop
        while i < count - 1:
            stop = self.next_stop(i, count - 1, 1)
            for i in range(i, stop):
                keys[kept] = <uint64_t> entries[i].id << 32 | <uint64_t> entries[i + 1].id
                entries[kept].position = entries[i].position
                kept += entries[i].position + 1 == entries[i + 1].position
            i = stop
        return kept

    cdef int raise_clips(self, const ngram_entry *entries, Py_ssize_t count, bint only_one,
                         int32_t *clip, int32_t *seen) except -1 nogil:
        """Raise `clip` to the counts of one reference; `seen` is zero before and after."""
        cdef Py_ssize_t i = 0, stop
        while i < count:
            stop = self.next_stop(i, count, 1)
            if only_one:
                for i in range(i, stop):
                    clip[entries[i].id] += 1
            else:
                for i in range(i, stop):
                    seen[entries[i].id] += 1
                    clip[entries[i].id] = max(clip[entries[i].id], seen[entries[i].id])
            i = stop
        i = count if only_one else 0
        while i < count:
            stop = self.next_stop(i, count, 1)
            for i in range(i, stop):
                seen[entries[i].id] = 0
            i = stop
        return 0

    cdef Py_ssize_t keep_matched(self, ngram_entry *entries, Py_ssize_t count, const int32_t *clip,
                                 int32_t *seen, int64_t *matches) except -1 nogil:
        """Count the clipped matches of one order; keep the entries that any reference holds."""
        cdef Py_ssize_t i = 0, kept = 0, stop
        cdef ngram_entry entry
        while i < count:
            stop = self.next_stop(i, count, 1)
            for i in range(i, stop):
                entry = entries[i]
                matches[0] += seen[entry.id] < clip[entry.id]
                seen[entry.id] += 1
                entries[kept] = entry
                kept += clip[entry.id] > 0
            i = stop
        return kept

    cdef void *workspace(self, size_t size) except NULL nogil:
        """Scratch memory of at least `size` bytes."""
        if <Py_ssize_t> size > self.work_capacity:
            self.work = grow(self.work, &self.work_capacity, size, 1)
        return self.work

    cdef int32_t number_pairs(self, ngram_entry *entries, Py_ssize_t count,
                              const uint64_t *keys) except -1 nogil:
        """Give the hypothesis' n-grams their ids; the number of different ones."""
        cdef Py_ssize_t i = 0, stop
        if number_table_begin(&self.pairs, count) < 0:
            with gil:
                raise MemoryError(f"no memory for {count} n-grams")
        while i < count:
            stop = self.next_stop(i, count, look_up_cost(self.pairs.slot_count))
            for i in range(i, stop):
                entries[i].id = number_table_add(&self.pairs, keys[i])
            i = stop
        return self.pairs.count

    cdef Py_ssize_t find_pairs(self, ngram_entry *entries, Py_ssize_t count,
                               const uint64_t *keys) except -1 nogil:
        """Look up a reference's n-grams and keep those that the hypothesis holds; their number."""
        cdef Py_ssize_t i = 0, kept = 0, stop
        self.worked(MASK_TOKENS)
        while i < count:
            stop = self.next_stop(i, count, look_up_cost(self.pairs.slot_count))
            for i in range(i, stop):
                entries[kept].position = entries[i].position
                entries[kept].id = number_table_find(&self.pairs, keys[i], -1)
                kept += entries[kept].id >= 0
            i = stop
        return kept


use_simd()
reseed(*memoryview(os.urandom(16)).cast("Q"))

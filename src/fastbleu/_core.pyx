"""The core: counts packed token ids into int64 rows of sufficient statistics, which can be added up.

Data. A row is [hyp_len, ref_len, matches_1..N, totals_1..N] of one segment: the hypothesis' length,
the length of the reference closest to it (REFERENCE_LENGTHS has other choices), and per order the clipped
n-gram matches and the n-grams of the hypothesis. This module knows no strings, no smoothing and no dialect;
ids come from packers. Rows are `array('q')`, not numpy's arrays. Additions check for overflow.

Algorithm. Segments whose sequences have at most 512 tokens, which are nearly all, are counted by bit masks of
positions (kernel/simd/masks.h). Masks of up to 64 tokens are made by packers, if the
processor can compare tokens (kernel/simd/compare.h); others are made from ids. Longer segments are counted by
hierarchical ids: an n-gram's id is that of the pair (id of its first n-1 tokens, id of its last n-1 tokens),
so that each order takes one table look-up per position. A position drops out once a half has no match,
because no longer n-gram can match there. Both ways are exact for every order.

Ownership. SegmentCounter owns its C arrays.
Thread-safety. Nothing is shared: each thread counts with its own SegmentCounter, without the GIL.
Long counts poll for signals (main thread) and for `cancelled` (any thread) every 65,536 tokens.
"""

import cython
from cpython.array cimport array, clone
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.exc cimport PyErr_CheckSignals
from cpython.mem cimport PyMem_RawFree
from libc.string cimport memset

from fastbleu.core.counting._packed cimport MASK_LANES, MASK_TOKENS, MASK_WORDS, PLANED_TOKENS, PackedSegments
from fastbleu.core.kernel.hashing cimport (
    look_up_cost, number_table_add, number_table_begin, number_table_find, number_table_free)
from fastbleu.core.runtime._process cimport (
    Buffer, buffer_of, grow, poll, process_seed, simd_in_use, simd_level)


cdef extern from "Python.h":
    Py_ssize_t PY_SSIZE_T_MAX

cdef extern from "kernel/arithmetic/checked.h":
    bint add_overflows(int64_t a, int64_t b, int64_t *total) noexcept nogil

cdef extern from "kernel/simd/masks.h":
    const int MASK_ORDERS
    ctypedef struct mask_planes:
        uint64_t *in_reference
        uint64_t *in_hypothesis
    ctypedef void (*mask_kernel)(const uint64_t *, const uint64_t *, int, int, int, uint64_t *) noexcept nogil
    mask_kernel mask_kernel_for(simd_level level) noexcept nogil
    int mask_words(int64_t positions) noexcept nogil
    int mask_tokens_for(simd_level level) noexcept nogil
    void fill_planes_of_earlier(
        mask_planes *, int words, const int32_t *ids, int length, int distinct) noexcept nogil
    void fill_planes_of_reference(mask_planes *, int words, const int32_t *ids, int length,
                                  const int32_t *reference, int, int distinct) noexcept nogil
    ctypedef void (*match_counter)(const uint64_t *, const uint64_t *, int, int, int64_t *) noexcept nogil
    match_counter match_counter_for(simd_level level) noexcept nogil
    int lowest_bit(uint64_t word) noexcept nogil
    int popcount_portable(uint64_t word) noexcept nogil

MAX_ORDER = 1 << 20

# The reference length: the closest one (of two equally close the shorter, or the first), or the shortest.
REFERENCE_LENGTHS = ("closest", "first", "shortest")

# Rows, and bytes of new memory, between two checks for signals.
cdef Py_ssize_t POLL_ROWS = 1 << 16
cdef Py_ssize_t POLL_BYTES = 1 << 24

cdef array _ROWS = array("q")
cdef Py_ssize_t APART = 32          # numbers between the sums of two threads: 256 bytes


cdef int64_t *numbers(array values) except? NULL:
    """The memory of an array of int64."""
    if values is None or values.ob_descr.typecode != c"q":
        raise TypeError(f"expected an array of typecode 'q', not {values!r}")
    return <int64_t *> values.data.as_longlongs


cpdef array zero_rows(Py_ssize_t segments, int max_order):
    """A flat array of `segments` rows, all zero."""
    cdef Py_ssize_t width = 2 + 2 * <Py_ssize_t> max_order, start = 0, size
    cdef array rows
    if not 1 <= max_order <= MAX_ORDER:
        raise ValueError(f"max_order must lie in 1..{MAX_ORDER}, not {max_order}")
    if segments > PY_SSIZE_T_MAX // width:      # the size must not wrap around
        raise MemoryError(f"no memory for {segments} rows")
    rows = clone(_ROWS, segments * width, False)
    size = segments * width * sizeof(int64_t)
    while start < size:
        memset(rows.data.as_chars + start, 0, min(size - start, POLL_BYTES))
        start += POLL_BYTES
        if start < size:
            PyErr_CheckSignals()
    return rows


cdef int poll_at(Py_ssize_t number) except -1:
    """Check for signals every POLL_ROWS rows. Callers hold buffers: no handler can resize the arrays."""
    if number % POLL_ROWS == POLL_ROWS - 1:
        PyErr_CheckSignals()
    return 0


def add_rows(array a not None, array b not None, array total not None):
    """Add rows element by element; OverflowError if a sum does not fit into int64."""
    cdef Buffer of_a = buffer_of(a, "q"), of_b = buffer_of(b, "q"), of_total = buffer_of(total, "q")
    cdef const int64_t *left = <const int64_t *> of_a.view.buf
    cdef const int64_t *right = <const int64_t *> of_b.view.buf
    cdef int64_t *sums = <int64_t *> of_total.view.buf
    cdef Py_ssize_t i, size = min(len(a), len(b), len(total))
    for i in range(size):
        poll_at(i)
        if add_overflows(left[i], right[i], &sums[i]):
            raise OverflowError(f"{left[i]} + {right[i]} does not fit into int64")


cpdef accumulate_rows(array rows, Py_ssize_t count, array total):
    """Add `count` rows to the row `total`; OverflowError if a sum does not fit into int64."""
    cdef Py_ssize_t row, width = len(total)
    cdef const int64_t *values
    cdef int64_t *sums
    cdef tuple _held
    if len(rows) != count * width:
        raise ValueError(f"there are {len(rows)} numbers, not {count} rows of {width}")
    if count >= POLL_ROWS:
        _held = buffer_of(rows, "q"), buffer_of(total, "q")
    values, sums = numbers(rows), numbers(total)
    for row in range(count):
        poll_at(row)
        add_to_sums(values + row * width, sums, width)


cdef int add_to_sums(const int64_t *row, int64_t *sums, Py_ssize_t width) except -1:
    """Add a row to sums; OverflowError if one does not fit into int64."""
    cdef Py_ssize_t column
    cdef int64_t added
    for column in range(width):
        if add_overflows(sums[column], row[column], &added):
            raise OverflowError(f"{sums[column]} + {row[column]} does not fit into int64")
        sums[column] = added
    return 0


def raise_totals(array rows not None, int max_order, int64_t least_total):
    """Raise smaller totals in rows to `least_total`."""
    cdef Py_ssize_t row, column, width = 2 + 2 * max_order
    cdef Buffer of_rows = buffer_of(rows, "q")
    cdef int64_t *values = <int64_t *> of_rows.view.buf
    for row in range(len(rows) // width):
        poll_at(row)
        for column in range(row * width + 2 + max_order, (row + 1) * width):
            values[column] = max(values[column], least_total)


cdef void add_row(const int64_t *row, int64_t *sums, int max_order, int64_t least_total) noexcept nogil:
    """Add the row of one segment to sums that cannot overflow; smaller totals count as `least_total`."""
    cdef Py_ssize_t column, width = 2 + 2 * <Py_ssize_t> max_order
    for column in range(width - max_order):
        sums[column] += row[column]
    for column in range(width - max_order, width):
        sums[column] += max(row[column], least_total)


cdef int64_t reference_length(
        int64_t hyp_len, const int64_t *lengths, int64_t references, int choice) noexcept nogil:
    """The reference length for a hypothesis, out of the lengths of its references."""
    cdef int64_t best = lengths[0], best_rank = rank_of(hyp_len, best, choice), k, rank
    for k in range(1, references):
        rank = rank_of(hyp_len, lengths[k], choice)
        if rank < best_rank or (rank == best_rank and choice == CLOSEST and lengths[k] < best):
            best = lengths[k]
            best_rank = rank
    return best


cdef inline int64_t rank_of(int64_t hyp_len, int64_t length, int choice) noexcept nogil:
    """Sort key: the reference with the smallest key sets the reference length."""
    if choice == SHORTEST:
        return length
    return length - hyp_len if length > hyp_len else hyp_len - length


cdef inline int64_t longest_of(const int64_t *lengths, int64_t references) noexcept nogil:
    """The length of the longest sequence of a segment."""
    cdef int64_t longest = lengths[0], k
    for k in range(1, references + 1):
        longest = max(longest, lengths[k])
    return longest


cdef class SegmentCounter:

    def __cinit__(self, int max_order, str reference_length="closest", int64_t least_total=0):
        if not 1 <= max_order <= MAX_ORDER:
            raise ValueError(f"max_order must lie in 1..{MAX_ORDER}, not {max_order}")
        self.max_order = max_order
        self.choice = REFERENCE_LENGTHS.index(reference_length)
        self.least_total = least_total
        self.pairs.seed = process_seed()
        self.mask_tokens = PLANED_TOKENS

    def __dealloc__(self):
        number_table_free(&self.pairs)
        PyMem_RawFree(self.work)
        PyMem_RawFree(self.sums)

    cpdef count(self, PackedSegments packed, array rows, Py_ssize_t first=0):
        """Count every segment into a row of the flat array `rows`, from row `first` on, without the GIL."""
        cdef Py_ssize_t width = 2 + 2 * <Py_ssize_t> self.max_order
        cdef int64_t *row = numbers(rows) + first * width
        if first < 0 or len(rows) < (first + packed.segment_count) * width:
            raise ValueError(
                f"rows has room for {len(rows) // width} segments of width {width}, "
                f"not for {packed.segment_count} from row {first} on")
        with nogil:
            packed.finish()
            self.count_all(packed, row, NULL, NULL)
        poll(&self.cancelled)

    cpdef count_sum(self, PackedSegments packed, array total):
        """Add the rows of all segments to the row `total`; smaller totals count as `least_total`."""
        cdef Py_ssize_t width = 2 + 2 * <Py_ssize_t> self.max_order
        cdef int64_t *added = numbers(total)
        if len(total) != width:
            raise ValueError(f"total has {len(total)} numbers, not {width}")
        with nogil:
            self.reserve_sums()
            packed.finish()
            self.count_all(packed, self.sums + width, self.sums, NULL)
        poll(&self.cancelled)
        with cython.critical_section(total):      # other threads add to it, too
            add_to_sums(self.sums, added, width)

    cdef int reserve_sums(self) except -1 nogil:
        """Reserve a chunk's sum (0), a row, and a gap: threads that write to one cache line are slow."""
        cdef Py_ssize_t width = 2 + 2 * <Py_ssize_t> self.max_order, capacity = 0
        if self.sums == NULL:
            self.sums = <int64_t *> grow(NULL, &capacity, 2 * width + APART, sizeof(int64_t))
        memset(self.sums, 0, width * sizeof(int64_t))
        return 0

    def match_positions(self, PackedSegments packed not None):
        """Where n-grams match: a byte for each token of all hypotheses, and the rows.

        Bit n - 1 is set where the n-gram of order n that starts at the token is a clipped match, so that the
        bits add up to the matches of the rows. If an n-gram occurs more often than in any reference, its
        first occurrences match. Orders above MATCH_BITS are in the rows only.
        """
        cdef array rows = zero_rows(len(packed), self.max_order)
        cdef int64_t *row = numbers(rows)
        cdef Py_ssize_t segment, first = 0, total = 0
        cdef bytes positions
        cdef unsigned char *match_bits
        packed.finish()
        for segment in range(packed.segment_count):
            total += packed.lengths[first]
            first += packed.segments[segment].references + 1
        positions = PyBytes_FromStringAndSize(NULL, total)
        match_bits = <unsigned char *> PyBytes_AS_STRING(positions)
        memset(match_bits, 0, total)
        with nogil:
            self.count_all(packed, row, NULL, match_bits)
        poll(&self.cancelled)
        return positions, rows

    cdef int count_all(self, PackedSegments packed, int64_t *row, int64_t *sums,
                       unsigned char *match_bits) except -1 nogil:
        """Fill a row per segment; with `sums`, use one row for all and add each to them.

        `match_bits`, if not NULL, has a byte for each token of the hypotheses: see match_positions.
        """
        cdef Py_ssize_t segment, k, width = 2 + 2 * <Py_ssize_t> self.max_order
        cdef packed_segment current
        cdef const int32_t *ids = packed.ids
        cdef const uint64_t *masks = packed.masks
        cdef const int64_t *lengths = packed.lengths
        for segment in range(packed.segment_count):
            current = packed.segments[segment]
            self.count_segment(current, ids, masks, lengths, row, match_bits)
            packed.signs.blank_references += blank_in(lengths, current.references)
            if sums == NULL:
                row += width
            else:
                add_row(row, sums, self.max_order, self.least_total)
            if match_bits != NULL:
                match_bits += lengths[0]
            if current.is_masks:
                masks += (current.references + 1) * (lengths[0] + MASK_LANES)
            else:
                for k in range(current.references + 1):
                    ids += lengths[k]
            lengths += current.references + 1
        return 0

    cdef int count_only(self, PackedSegments packed, int64_t *row) except -1 nogil:
        """Fill the row of the only packed segment."""
        packed.finish()
        return self.count_segment(packed.segments[0], packed.ids, packed.masks, packed.lengths, row, NULL)

    cdef int count_segment(self, packed_segment segment, const int32_t *ids, const uint64_t *masks,
                           const int64_t *lengths, int64_t *row, unsigned char *match_bits) except -1 nogil:
        """Fill the row of one segment with at least one reference."""
        cdef int n
        cdef int64_t *matches = row + 2
        row[0] = lengths[0]
        row[1] = reference_length(lengths[0], lengths + 1, segment.references, self.choice)
        for n in range(self.max_order):
            matches[n] = 0
            matches[self.max_order + n] = lengths[0] - n if lengths[0] > n else 0
        if segment.is_masks and segment.references == 1 and match_bits == NULL:
            match_counter_for(simd_in_use())(
                masks + lengths[0] + MASK_LANES, masks, <int> lengths[0], self.max_order, matches)
            self.worked(MASK_TOKENS)
        elif segment.is_masks or (
                min(self.max_order, lengths[0]) <= MASK_ORDERS and longest_of(lengths, segment.references)
                <= min(self.mask_tokens, mask_tokens_for(simd_in_use()))):
            self.match_masks(segment, ids, masks, lengths, matches, match_bits)
        else:
            self.match_long(segment, ids, lengths, matches, match_bits)
        return 0

    cdef int match_masks(self, packed_segment segment, const int32_t *ids, const uint64_t *masks,
                         const int64_t *lengths, int64_t *matches, unsigned char *match_bits) except -1 nogil:
        """Count matches by position masks, which were packed or are made from ids."""
        cdef int hyp_len = <int> lengths[0], max_order = min(self.max_order, hyp_len)
        cdef mask_planes *planes = NULL
        cdef const uint64_t *in_hypothesis = masks
        cdef const uint64_t *in_reference = masks
        cdef const int32_t *reference = NULL
        cdef mask_kernel match = mask_kernel_for(simd_in_use())
        cdef uint64_t word
        cdef int64_t k
        cdef int n, w, words = mask_words(longest_of(lengths, segment.references))
        memset(self.matched, 0, max_order * MASK_WORDS * sizeof(uint64_t))
        if not segment.is_masks:
            reference = ids + hyp_len
            planes = <mask_planes *> self.workspace(sizeof(mask_planes))
            in_hypothesis, in_reference = planes.in_hypothesis, planes.in_reference
            fill_planes_of_earlier(planes, words, ids, hyp_len, segment.distinct)
        for k in range(1, segment.references + 1):
            if planes == NULL:
                in_reference += hyp_len + MASK_LANES
            else:
                fill_planes_of_reference(
                    planes, words, ids, hyp_len, reference, <int> lengths[k], segment.distinct)
                reference += lengths[k]
            match(in_reference, in_hypothesis, words, hyp_len, max_order, self.matched)
            self.worked(words * MASK_TOKENS)
        for n in range(max_order):
            for w in range(words):
                word = self.matched[n * MASK_WORDS + w]
                matches[n] += popcount_portable(word)
                while word and match_bits != NULL and n < MATCH_BITS:
                    match_bits[w * 64 + lowest_bit(word)] |= 1 << n
                    word &= word - 1
        return 0

    cdef int match_long(self, packed_segment segment, const int32_t *ids, const int64_t *lengths,
                        int64_t *matches, unsigned char *match_bits) except -1 nogil:
        """Count matches by hierarchical ids, for any length, in steps that poll for signals.

        Sequences are entries (position, id), one for each n-gram that can still match; they shrink from
        order to order. Loops write every entry but advance only past those to keep, without a branch.
        `clip[id]` is the maximum count over the references, `seen[id]` the count so far.
        """
        cdef Py_ssize_t hyp_len = lengths[0], total = hyp_len, references = segment.references, k
        cdef Py_ssize_t longest = longest_of(lengths, references)
        cdef int32_t distinct = segment.distinct
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
            live[0] = self.keep_matched(hypothesis, live[0], clip, seen, n, matches, match_bits)
            if live[0] == 0:
                break
        return 0

    cdef Py_ssize_t keep_known(self, ngram_entry *entries, const int32_t *ids, Py_ssize_t length,
                               int32_t distinct) except -1 nogil:
        """Write entries for the tokens that the hypothesis has; return their number."""
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
        """From order n - 1 to n: keep entries whose right neighbor is present, and write their keys."""
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
                                 int32_t *seen, int n, int64_t *matches,
                                 unsigned char *match_bits) except -1 nogil:
        """Count the clipped matches of order n (from 0 on); keep the entries that any reference has."""
        cdef Py_ssize_t i = 0, kept = 0, stop
        cdef ngram_entry entry
        cdef bint is_match, writes_bits = match_bits != NULL and n < MATCH_BITS
        while i < count:
            stop = self.next_stop(i, count, 1)
            for i in range(i, stop):
                entry = entries[i]
                is_match = seen[entry.id] < clip[entry.id]
                matches[n] += is_match
                if writes_bits:
                    match_bits[entry.position] |= is_match << n
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
        """Assign ids to the hypothesis' n-grams; return the number of distinct ones."""
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
        """Keep those n-grams of a reference that the hypothesis has; return their number."""
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

"""Rows of token ids in, packed ids out, without copies of arrays, Python objects or the GIL.

IdPacker compares or numbers the ids of a chunk of segments as TokenPacker does tokens (PackedSegments in
_packed.pxd); kernel/objects/id_rows.h reads ids of any type, and leaves out those that do not count.

Ownership. IdPacker owns its arrays and its table, and holds the rows of the chunk.
Thread-safety. One packer per thread.
"""

from cpython.array cimport array
from cpython.exc cimport PyErr_CheckSignals
from cpython.mem cimport PyMem_RawFree
from libc.stdint cimport INT32_MAX, uint64_t
from libc.string cimport memset

from fastbleu.core.counting._packed cimport (
    CHUNK_IDS, CHUNK_SEGMENTS, IS_PADDING, KEYS_INSUFFICIENT, KEYS_WERE_READ
)
from fastbleu.core.kernel.hashing cimport (
    LISTED_TOKENS, all_keys, key_list, key_view, list_numbers, look_up_cost, number_table_add,
    number_table_begin, number_table_find, number_table_free)
from fastbleu.core.runtime._process cimport POLL_EVERY, grow, process_seed, simd_in_use, simd_level


cdef extern from "kernel/objects/id_rows.h":
    const Py_ssize_t ID_LANES
    bint was_padding(const id_progress *read) noexcept nogil
    id_reader id_reader_for(simd_level level) noexcept nogil


cdef Py_ssize_t KEPT_IDS = 1 << 18        # memory for longer rows is not kept
cdef Py_ssize_t PREFIX_BLOCK = 64


cdef class IdPacker(PackedSegments):
    """Packs rows of ids chunk by chunk, without padding (`ignored`) and `skipped` ids, up to a stop."""

    def __cinit__(self, ignored=(), skipped=(), stops=()):
        self.sets = []
        self.filter.padding = self.set_of(ignored)
        self.filter.skipped = self.set_of(skipped)
        self.filter.stops = self.set_of(stops)
        self.numbers.seed = process_seed()

    def __dealloc__(self):
        number_table_free(&self.numbers)
        PyMem_RawFree(self.row_ids)

    cdef id_set set_of(self, object ids) except *:
        """A set of ids, whose memory the packer owns."""
        cdef array sorted_ids = array("q", sorted(set(ids)))
        cdef id_set made = [<const int64_t *> sorted_ids.data.as_longlongs, len(sorted_ids)]
        self.sets.append(sorted_ids)
        return made

    cdef void clear(self) noexcept nogil:
        PackedSegments.clear(self)
        self.read_some = id_reader_for(simd_in_use())

    cpdef reset(self):
        """Forget the last segments; keep the memory, except that of a long row."""
        PackedSegments.reset(self)
        self.hypotheses = self.references = None
        if self.row_capacity > KEPT_IDS:
            PyMem_RawFree(self.row_ids)
            self.row_ids = NULL
            self.row_capacity = 0

    cpdef Py_ssize_t fill(self, hypotheses, references, Py_ssize_t start, Py_ssize_t before) except -1:
        """See PackedSegments; takes IdRows."""
        cdef IdRows of_hypotheses = <IdRows?> hypotheses, of_references = <IdRows?> references
        cdef Py_ssize_t segment = start, ids = 0, k
        cdef Py_ssize_t end = min(of_hypotheses.segment_count, of_references.segment_count)
        cdef id_row row
        self.clear()
        self.finished = False
        PyErr_CheckSignals()
        self.hypotheses, self.references = of_hypotheses, of_references
        self.first_segment = start
        while segment < end and self.segment_count < CHUNK_SEGMENTS and ids < CHUNK_IDS:
            self.reserve_segment()
            of_hypotheses.find_row(segment, 0, &row)
            ids += row.length
            for k in range(of_references.rows_of(segment)):
                of_references.find_row(segment, k, &row)
                ids += 1 + row.length
            segment += 1
            self.segment_count += 1
        return self.segment_count

    cdef int finish(self) except -1 nogil:
        """Read and pack the chunk's rows, once; after an interruption, from the first one on."""
        cdef Py_ssize_t segment, references
        cdef int64_t *lengths
        if self.finished:
            return 0
        self.id_count = self.length_count = self.mask_count = 0
        for segment in range(self.segment_count):
            references = self.references.rows_of(self.first_segment + segment)
            lengths = self.reserve_lengths(references + 2)
            if self.pack_keys(segment, references, lengths):
                references = self.segments[segment].references
            else:
                references = self.pack_ids(segment, lengths)
            self.note_references(segment, references)
            self.length_count += references + 1
        self.finished = True
        return 0

    cdef int read_keys(self, Py_ssize_t segment, Py_ssize_t k, key_list *own, key_view *keys) except -1 nogil:
        cdef Py_ssize_t number = self.first_segment + segment, length
        cdef bint is_padding
        cdef id_row row
        if k > 0:
            self.references.find_row(number, k - 1, &row)
        else:
            self.hypotheses.find_row(number, 0, &row)
        if row.length <= LISTED_TOKENS:
            length = self.read_to(<int64_t *> own.low, &row, &is_padding)
            list_numbers(own, <const int64_t *> own.low, <int> length)
        else:
            length = self.read(&row, &is_padding)
            if length > LISTED_TOKENS:
                return KEYS_INSUFFICIENT
            list_numbers(own, self.row_ids, <int> length)
        keys[0] = all_keys(own)
        self.worked(length)
        return IS_PADDING if is_padding else KEYS_WERE_READ

    cdef int count_prefixes(self, Py_ssize_t segment, int64_t *counts, Py_ssize_t length) except -1 nogil:
        """Tell for each of the first `length` positions of a hypothesis how many ids up to it count."""
        cdef Py_ssize_t at = 0, stop, step = PREFIX_BLOCK, found, kept = 0, i
        cdef id_progress progress, before
        cdef id_row row
        self.hypotheses.find_row(self.first_segment + segment, 0, &row)
        if PREFIX_BLOCK + ID_LANES > self.row_capacity:
            self.row_ids = <int64_t *> grow(
                self.row_ids, &self.row_capacity, PREFIX_BLOCK + ID_LANES, sizeof(int64_t))
        memset(&progress, 0, sizeof(id_progress))
        while at < min(row.length, length):
            stop = min(at + step, row.length, length)
            before = progress
            found = self.read_some(&row, &self.filter, stop - at, &progress, self.row_ids)
            if 0 < found < stop - at:
                # Some count: shorter steps tell which.
                progress = before
                step = (stop - at) // 2
                continue
            for i in range(at, stop):
                kept += found > 0
                counts[i] = kept
            self.worked(stop - at)
            at = stop
            step = min(2 * step, PREFIX_BLOCK)
        for i in range(at, length):
            counts[i] = kept
        return 0

    cdef Py_ssize_t pack_ids(self, Py_ssize_t segment, int64_t *lengths) except -1 nogil:
        """Pack a segment as ids; return the number of its references."""
        cdef Py_ssize_t number = self.first_segment + segment, k, length, references = 0
        cdef bint is_padding
        cdef id_row row
        self.hypotheses.find_row(number, 0, &row)
        lengths[0] = self.read(&row, &is_padding)
        if number_table_begin(&self.numbers, lengths[0]) < 0:
            with gil:
                raise MemoryError(f"no memory for a segment of {lengths[0]} ids")
        self.number_ids(lengths[0], True)
        self.note_ids(segment, 0, self.numbers.count)
        for k in range(self.references.rows_of(number)):
            self.references.find_row(number, k, &row)
            length = self.read(&row, &is_padding)
            if is_padding and (references > 0 or k < self.references.rows_of(number) - 1):
                continue
            self.number_ids(length, False)
            references += 1
            lengths[references] = length
        return references

    cdef int number_ids(self, Py_ssize_t length, bint is_hypothesis) except -1 nogil:
        """Pack the ids that were read."""
        cdef int32_t *ids = self.reserve_ids(length)
        cdef int32_t absent = self.numbers.count
        cdef Py_ssize_t cost = look_up_cost(self.numbers.slot_count)
        cdef Py_ssize_t start = 0, stop, i
        while start < length:
            stop = self.next_stop(start, length, cost)
            if is_hypothesis:
                for i in range(start, stop):
                    ids[i] = number_table_add(&self.numbers, <uint64_t> self.row_ids[i])
            else:
                for i in range(start, stop):
                    ids[i] = number_table_find(&self.numbers, <uint64_t> self.row_ids[i], absent)
            start = stop
        self.id_count += length
        return 0

    cdef Py_ssize_t read(self, const id_row *row, bint *is_padding) except -1 nogil:
        """Read the ids of a row that count into `row_ids`; return their number."""
        if row.length >= INT32_MAX:
            with gil:
                raise OverflowError(f"a sequence of {row.length} ids is too long; at most {INT32_MAX - 1}")
        if row.length + ID_LANES > self.row_capacity:
            self.row_ids = <int64_t *> grow(
                self.row_ids, &self.row_capacity, row.length + ID_LANES, sizeof(int64_t))
        return self.read_to(self.row_ids, row, is_padding)

    cdef Py_ssize_t read_to(self, int64_t *ids, const id_row *row, bint *is_padding) except -1 nogil:
        """Like `read`, into memory with room for all ids and ID_LANES more."""
        cdef Py_ssize_t length = 0, count
        cdef id_progress progress
        memset(&progress, 0, sizeof(id_progress))
        while progress.at < row.length:
            count = min(row.length - progress.at, POLL_EVERY)
            length += self.read_some(row, &self.filter, count, &progress, ids + length)
            if progress.at < row.length:
                self.worked(count)
        is_padding[0] = was_padding(&progress)
        self.signs.label_padding |= progress.label_padding
        return length

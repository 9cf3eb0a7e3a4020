"""Packed segments: packers (counting/) make them of tokens, and SegmentCounter (_core.pyx) counts them.

Texts, token lists and rows of ids share two ways to pack a segment by the keys of its tokens
(kernel/hashing/key_list.h). Up to 64 tokens are compared with each other, which gives their masks
(kernel/simd/compare.h); up to 512 are numbered by their positions (kernel/hashing/position_ids.h). For other
segments each packer has a table of tokens.

Ownership. PackedSegments owns its C arrays.
Thread-safety. One packer per thread.
"""

import cython
from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree, PyMem_RawMalloc

from fastbleu.core.kernel.hashing cimport (
    compare_lists, compare_masks, compare_with_earlier, find_list, key_comparer_for, key_list, number_list)
from fastbleu.core.runtime._process cimport grow, process_seed, simd_in_use


@cython.freelist(8)
cdef class Signs:

    cpdef add(self, Signs other):
        """Add those of other segments."""
        self.tokenized_periods += other.tokenized_periods
        self.blank_references += other.blank_references
        self.label_padding |= other.label_padding


cdef class PackedSegments:

    def __cinit__(self):
        self.signs = Signs.__new__(Signs)
        self.own_keys = <key_list *> PyMem_RawMalloc(2 * sizeof(key_list))
        if self.own_keys == NULL:        # not zeros: they would take longer than a segment
            raise MemoryError

    def __dealloc__(self):
        PyMem_RawFree(self.own_keys)
        PyMem_RawFree(self.ids)
        PyMem_RawFree(self.lengths)
        PyMem_RawFree(self.segments)
        PyMem_RawFree(self.masks)
        PyMem_RawFree(self.positions)

    def __len__(self):
        return self.segment_count

    @property
    def capacity(self):
        """See `memory`."""
        return self.memory()

    cpdef Py_ssize_t fill(self, hypotheses, references, Py_ssize_t start, Py_ssize_t before) except -1:
        """Replace the segments by the next chunk; return how many it has, 0 at the end. For subclasses.

        The chunk begins at segment `start` of lists or rows, which follow `before` other segments.
        """
        return 0

    cpdef reset(self):
        """Remove all segments and the notes on them; keep the memory."""
        self.clear()
        self.nrefs = 0
        self.signs = Signs.__new__(Signs)

    cdef int finish(self) except -1 nogil:
        """Complete the packing without the GIL; for subclasses."""
        return 0

    cdef void clear(self) noexcept nogil:
        self.segment_count = self.id_count = self.length_count = self.mask_count = 0
        self.compare = key_comparer_for(simd_in_use())

    cdef int reserve_segment(self) except -1 nogil:
        if self.segment_count == self.segment_capacity:
            self.segments = <packed_segment *> grow(
                self.segments, &self.segment_capacity, self.segment_count + 1, sizeof(packed_segment))
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

    cdef bint pack_keys(self, Py_ssize_t segment, Py_ssize_t references, int64_t *lengths) except -1 nogil:
        """Pack a segment by the keys of its tokens; False if they do not suffice, so that it needs a table.

        Packs only the references that count, and sets the number of these and their lengths.
        """
        cdef bint are_short
        if self.read_keys(
                segment, 0, &self.own_keys[0], &self.hypothesis_keys) == KEYS_INSUFFICIENT:
            return False
        lengths[0] = self.hypothesis_keys.length
        are_short = lengths[0] <= MASK_TOKENS and references <= MASK_REFERENCES
        if are_short and self.compare != NULL and self.pack_masks(segment, references, lengths):
            return True
        return self.pack_positions(segment, references, lengths)

    cdef bint pack_masks(self, Py_ssize_t segment, Py_ssize_t references, int64_t *lengths) except -1 nogil:
        """As `pack_keys`, by masks; False if a reference is too long for them."""
        cdef Py_ssize_t k, count = 0, stride = lengths[0] + MASK_LANES
        cdef uint64_t *masks = self.reserve_masks((references + 1) * stride)
        cdef int read
        for k in range(1, references + 1):
            read = self.read_keys(segment, k, &self.own_keys[1], &self.reference_keys)
            if read == KEYS_INSUFFICIENT or self.reference_keys.length > MASK_TOKENS:
                return False
            if read == IS_PADDING and (count > 0 or k < references):
                continue
            count += 1
            lengths[count] = self.reference_keys.length
            compare_lists(
                self.compare, self.hypothesis_keys, self.reference_keys, masks + count * stride)
        if count == 1:                   # cheaper, but wrong for several references
            compare_masks(self.compare, masks + stride, self.hypothesis_keys.length, masks)
        else:
            compare_with_earlier(self.compare, self.hypothesis_keys, masks)
        self.segments[segment].is_masks = True
        self.segments[segment].references = count
        self.mask_count += (count + 1) * stride
        return True

    cdef bint pack_positions(self, Py_ssize_t segment, Py_ssize_t references,
                             int64_t *lengths) except -1 nogil:
        """As `pack_keys`, by ids, which are positions in the hypothesis.

        Reads again the references that pack_masks has read: segments with a short hypothesis and a long
        reference are rare.
        """
        cdef Py_ssize_t k, count = 0, total = lengths[0]
        cdef int32_t *ids = self.reserve_ids(total)
        cdef int read
        self.reserve_positions()
        if not number_list(self.positions, self.hypothesis_keys, ids):
            return False
        for k in range(1, references + 1):
            read = self.read_keys(segment, k, &self.own_keys[1], &self.reference_keys)
            if read == KEYS_INSUFFICIENT:
                return False
            if read == IS_PADDING and (count > 0 or k < references):
                continue
            count += 1
            lengths[count] = self.reference_keys.length
            ids = self.reserve_ids(total + lengths[count]) + total
            if not find_list(self.positions, self.hypothesis_keys, self.reference_keys, ids):
                return False
            total += lengths[count]
        self.note_ids(segment, total, self.hypothesis_keys.length)
        self.segments[segment].references = count
        return True

    cdef int read_keys(self, Py_ssize_t segment, Py_ssize_t k, key_list *own, key_view *keys) except -1 nogil:
        """Read the keys of sequence k of a segment, where 0 is the hypothesis; for subclasses.

        Sets `keys` to those of `own`, a list to fill, or of another list. Returns a `keys_read`.
        """
        return KEYS_INSUFFICIENT

    cdef uint64_t *reserve_masks(self, Py_ssize_t extra) except NULL nogil:
        if self.mask_count + extra + MASK_LANES > self.mask_capacity:      # counters read beyond the end
            self.masks = <uint64_t *> grow(
                self.masks, &self.mask_capacity, self.mask_count + extra + MASK_LANES, sizeof(uint64_t))
        return self.masks + self.mask_count

    cdef int reserve_positions(self) except -1 nogil:
        cdef position_table *table = self.positions
        if table == NULL:
            table = <position_table *> PyMem_RawCalloc(1, sizeof(position_table))
            if table == NULL:
                with gil:
                    raise MemoryError(f"no memory for a table of {sizeof(position_table)} bytes")
            with gil:
                table.seed = process_seed()
            self.positions = table
        return 0

"""Packed segments: what packers (counting/) make of tokens, and SegmentCounter (_core.pyx) counts.

Texts, token lists and rows of ids share two ways to pack a segment by the keys of its tokens
(kernel/tables/key_list.h). Up to 64 tokens are compared with each other, which gives their masks
(kernel/simd/compare.h); up to 512 are numbered by their positions (kernel/tables/position_ids.h). For other
segments each packer has a table of tokens.

Ownership. PackedSegments owns its C arrays.
Thread-safety. One packer per thread.
"""

from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree

from fastbleu.kernel.tables cimport (
    compare_lists, compare_masks, compare_with_earlier, find_list, key_comparer_for, number_list)
from fastbleu.runtime._process cimport grow, process_seed, simd_in_use


cdef class PackedSegments:

    def __dealloc__(self):
        PyMem_RawFree(self.ids)
        PyMem_RawFree(self.lengths)
        PyMem_RawFree(self.segments)
        PyMem_RawFree(self.masks)
        PyMem_RawFree(self.positions)

    def __len__(self):
        return self.segment_count

    @property
    def capacity(self):
        """The number of ids, of masks, or of references, that the memory holds."""
        return max(self.id_capacity, self.mask_capacity, self.length_capacity)

    def reset(self):
        """Remove all segments and the notes on them; keep the memory."""
        self.clear()
        self.nrefs = self.tokenized_periods = 0
        self.label_padding = False

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

    cdef Py_ssize_t pack_keys(self, Py_ssize_t segment, Py_ssize_t references,
                              int64_t *lengths) except -2 nogil:
        """Pack a segment by the keys of its tokens, without a table of these.

        Returns the number of references that count; -1 if keys are not sufficient and an interner is needed.
        """
        cdef Py_ssize_t packed = -1
        self.hypothesis_keys = &self.own_hypothesis_keys
        if self.read_keys(segment, 0, &self.hypothesis_keys) == KEYS_INSUFFICIENT:
            return -1
        lengths[0] = self.hypothesis_keys.length
        if (self.compare != NULL and lengths[0] <= MASK_TOKENS
                and references <= MASK_REFERENCES):
            packed = self.pack_masks(segment, references, lengths)
        return self.pack_positions(segment, references, lengths) if packed < 0 else packed

    cdef Py_ssize_t pack_masks(self, Py_ssize_t segment, Py_ssize_t references,
                               int64_t *lengths) except -2 nogil:
        """pack_keys as masks; -1 if a reference is too long for masks."""
        cdef Py_ssize_t k, count = 0, stride = lengths[0] + MASK_LANES
        cdef uint64_t *masks = self.reserve_masks((references + 1) * stride)
        for k in range(1, references + 1):
            if not self.read_reference(segment, k, count == 0 and k == references, &lengths[count + 1]):
                continue
            if not 0 <= lengths[count + 1] <= MASK_TOKENS:
                return -1
            count += 1
            compare_lists(
                self.compare, self.hypothesis_keys, self.reference_keys, masks + count * stride)
        if count == 1:                   # cheaper, but wrong for several references
            compare_masks(self.compare, masks + stride, self.hypothesis_keys.length, masks)
        else:
            compare_with_earlier(self.compare, self.hypothesis_keys, masks)
        self.segments[segment].is_masks = True
        self.mask_count += (count + 1) * stride
        return count

    cdef Py_ssize_t pack_positions(self, Py_ssize_t segment, Py_ssize_t references,
                                   int64_t *lengths) except -2 nogil:
        """pack_keys as ids, which are positions in the hypothesis."""
        cdef Py_ssize_t k, count = 0, total = lengths[0]
        cdef int32_t *ids = self.reserve_ids(total)
        self.reserve_positions()
        if not number_list(self.positions, self.hypothesis_keys, ids):
            return -1
        for k in range(1, references + 1):
            if not self.read_reference(segment, k, count == 0 and k == references, &lengths[count + 1]):
                continue
            count += 1
            if lengths[count] < 0:
                return -1
            ids = self.reserve_ids(total + lengths[count]) + total
            if not find_list(self.positions, self.hypothesis_keys, self.reference_keys, ids):
                return -1
            total += lengths[count]
        self.note_ids(segment, total, self.hypothesis_keys.length)
        return count

    cdef bint read_reference(self, Py_ssize_t segment, Py_ssize_t k, bint is_only,
                             int64_t *length) except -1 nogil:
        """Read reference k, from 1 on; whether it counts. Sets its length, -1 if keys are insufficient."""
        cdef int read
        self.reference_keys = &self.own_reference_keys
        read = self.read_keys(segment, k, &self.reference_keys)
        length[0] = -1 if read == KEYS_INSUFFICIENT else self.reference_keys.length
        return is_only or read != IS_PADDING

    cdef int read_keys(self, Py_ssize_t segment, Py_ssize_t k, key_list **keys) except -1 nogil:
        """Read the keys of sequence k of a segment, where 0 is the hypothesis; for subclasses.

        `keys[0]` is a list to fill; it may also be set to another list.
        """
        return KEYS_INSUFFICIENT

    cdef uint64_t *reserve_masks(self, Py_ssize_t extra) except NULL nogil:
        if self.mask_count + extra + MASK_LANES > self.mask_capacity:      # counters read beyond the last
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

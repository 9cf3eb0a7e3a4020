"""Packed segments, as they come from packers. See _packed.pyx."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint64_t

from fastbleu.core.kernel.hashing cimport key_comparer, key_list, key_view, position_table
from fastbleu.core.runtime._process cimport Interruptible


cdef extern from "kernel/simd/masks.h":
    enum:
        MASK_TOKENS
        MASK_WORDS
        MASK_LANES
        PLANED_TOKENS

cdef enum:
    # Segments with more are packed as ids, because masks of many short references take more memory.
    MASK_REFERENCES = 1 << 12
    # Either ends a chunk: enough that its overhead is negligible, few enough that its ids stay in the cache.
    CHUNK_SEGMENTS = 512
    CHUNK_IDS = 1 << 15

cdef enum keys_read:
    KEYS_WERE_READ
    KEYS_INSUFFICIENT                # too many tokens, or tokens that are not plain
    IS_PADDING                       # no tokens, and no reference unless it is the only one


@cython.final
cdef class Signs:
    """Signs of likely mistakes, which are noted where segments are read, packed and counted."""

    cdef public Py_ssize_t tokenized_periods   # hypotheses (text) ending in " ."
    cdef public Py_ssize_t blank_references    # without tokens, in segments that have others with some
    cdef public bint label_padding             # whether the id -100 was counted as a token

    cpdef add(self, Signs other)


cdef struct packed_segment:
    Py_ssize_t references
    bint is_masks                    # packed as masks, not as ids
    int32_t distinct                 # of a segment of ids: the hypothesis' tokens have smaller ids


cdef class PackedSegments(Interruptible):
    """Consecutive segments, each as the masks or as the ids of its tokens, in flat arrays.

    A segment of ids is its hypothesis, whose tokens have ids from 0 to distinct - 1, where `distinct` is
    at most their number; then its references, with the id `distinct` for every token that the hypothesis
    lacks.

    A segment of masks (kernel/simd/masks.h) has at most MASK_TOKENS tokens in each sequence: the masks of
    the hypothesis' earlier tokens, then those of each reference, each time for all tokens of the
    hypothesis and MASK_LANES zeros.
    """

    # About all segments packed since the last reset():
    cdef readonly Py_ssize_t nrefs   # references per segment; -1: varies; 0: no segments
    cdef readonly Signs signs
    cdef int32_t *ids
    cdef int64_t *lengths            # per segment: hypothesis, references
    cdef packed_segment *segments
    cdef uint64_t *masks
    cdef Py_ssize_t segment_count, id_count, length_count, mask_count
    cdef Py_ssize_t segment_capacity, id_capacity, length_capacity, mask_capacity
    cdef key_comparer compare        # NULL: all segments are packed as ids
    cdef key_view hypothesis_keys    # of the segment that is being packed
    cdef key_view reference_keys     # of its reference that was read last
    cdef key_list *own_keys          # of the hypothesis, and of a reference
    cdef position_table *positions   # NULL until it is needed

    cpdef Py_ssize_t fill(self, hypotheses, references, Py_ssize_t start, Py_ssize_t before) except -1
    cpdef reset(self)
    cdef int finish(self) except -1 nogil
    cdef void clear(self) noexcept nogil
    cdef int reserve_segment(self) except -1 nogil
    cdef int32_t *reserve_ids(self, Py_ssize_t extra) except NULL nogil
    cdef int64_t *reserve_lengths(self, Py_ssize_t extra) except NULL nogil
    cdef uint64_t *reserve_masks(self, Py_ssize_t extra) except NULL nogil
    cdef int reserve_positions(self) except -1 nogil
    cdef bint pack_keys(self, Py_ssize_t segment, Py_ssize_t references, int64_t *lengths) except -1 nogil
    cdef bint pack_masks(self, Py_ssize_t segment, Py_ssize_t references, int64_t *lengths) except -1 nogil
    cdef bint pack_positions(self, Py_ssize_t segment, Py_ssize_t references,
                             int64_t *lengths) except -1 nogil
    cdef int read_keys(self, Py_ssize_t segment, Py_ssize_t k, key_list *own, key_view *keys) except -1 nogil

    @cython.final
    cdef inline Py_ssize_t memory(self) noexcept nogil:
        """How many ids, masks or references the memory has room for: the largest of these numbers."""
        return max(self.id_capacity, self.mask_capacity, self.length_capacity)

    @cython.final
    cdef inline void note_references(self, Py_ssize_t segment, Py_ssize_t count) noexcept nogil:
        """Note the number of a segment's references."""
        self.segments[segment].references = count
        if self.nrefs != count:
            self.nrefs = -1 if self.nrefs else count

    @cython.final
    cdef inline void note_ids(self, Py_ssize_t segment, Py_ssize_t count, int32_t distinct) noexcept nogil:
        """Note that a segment was packed as `count` ids."""
        self.segments[segment].is_masks = False
        self.segments[segment].distinct = distinct
        self.id_count += count

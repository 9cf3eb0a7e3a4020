"""Raw text in, packed ids out. See _text.pyx."""

from cpython.object cimport PyObject
from libc.stdint cimport int32_t, int64_t

from fastbleu._core cimport SegmentCounter
from fastbleu.counting._rounds cimport PlainPacker
from fastbleu.kernel.tables cimport hash_seed, interner, key_list
from fastbleu.runtime._process cimport KeptMemory, simd_level
from fastbleu.tokenizers._compiled cimport classifier, line_buffers, line_reader, text_line, text_rules


cdef extern from "kernel/text/line_keys.h":
    ctypedef int (*key_lister)(line_reader *line, key_list *keys, const hash_seed *seed) noexcept nogil


cdef enum:
    HYPOTHESIS = -1              # in place of the number of a reference
    # Ends a chunk: as in _tokens.pyx.
    CHUNK_SEGMENTS = 512
    CHUNK_LINES = 4096
    CHUNK_CHARS = 1 << 19
    BLOCK_STEPS = 16             # that a block of characters counts for


cdef class TextPacker(PlainPacker):
    cdef object checks
    cdef bint lowercase, missing, finished
    cdef bint is_plain               # whether nothing may fail that reads the lines at hand
    cdef const text_rules *rules
    cdef classifier classify
    cdef key_lister list_keys
    cdef interner own_tokens
    cdef interner *tokens            # a subclass may number by a vocabulary of somebody else
    cdef line_buffers hypothesis_buffers, reference_buffers
    cdef text_line *lines
    cdef PyObject **held             # the strings that `lines` point into
    cdef const text_line *segment_lines      # of the segment that is being packed
    cdef Py_ssize_t line_count, line_capacity
    cdef Py_ssize_t first_segment

    cdef void use_simd(self, simd_level level) noexcept nogil
    cdef void release(self) noexcept
    cdef int reserve_lines(self, Py_ssize_t extra) except -1
    cdef Py_ssize_t pack_next(self, Py_ssize_t segment, const text_line *line) except -1 nogil
    cdef int gather(self, object hypothesis, object references) except -1
    cdef int add_line(self, object text, Py_ssize_t segment, Py_ssize_t reference) except -1
    cdef int lower_line(self, text_line *text, line_buffers *buffers) except -1 nogil
    cdef int pack_ids(self, Py_ssize_t segment, const text_line *lines, int64_t *lengths) except -1 nogil
    cdef Py_ssize_t read_line(self, text_line text, bint is_hypothesis) except -1 nogil
    cdef int forget_line(self) noexcept nogil


cdef class SegmentReader(KeptMemory):
    cdef TextPacker packer
    cdef SegmentCounter counter

    cdef bint read(self, object hypothesis, object references, int64_t *row) except -1

"""Raw text in, packed ids out. See _text_packer.pyx."""

from cpython.object cimport PyObject
from libc.stdint cimport int32_t, int64_t

from fastbleu._core cimport SegmentCounter
from fastbleu._packed cimport PackedSegments
from fastbleu.counting._utf8_reader cimport Utf8Reader
from fastbleu.kernel.tables cimport hash_seed, interner, key_list
from fastbleu.runtime._process cimport KeptMemory
from fastbleu.tokenizers._compiled cimport (
    classifier, line_buffers, line_reader, text_line, tokenizer_tables, write_function)


cdef extern from "kernel/text/line_tokens.h":
    bint ends_in_tokenized_period(text_line text) noexcept nogil

cdef extern from "kernel/text/line_keys.h":
    ctypedef int (*key_lister)(line_reader *line, key_list *keys, const hash_seed *seed) noexcept nogil


cdef enum:
    HYPOTHESIS = -1              # instead of the number of a reference
    # Ends a chunk, as CHUNK_SEGMENTS does.
    CHUNK_LINES = 4096
    CHUNK_CHARS = 1 << 19
    BLOCK_STEPS = 16             # of work for a block of characters


cdef class TextPacker(PackedSegments):
    cdef object checks, prepared
    cdef Utf8Reader utf8         # of chunks that are Utf8Rows; None: chunks are lists of str
    cdef bint lowercase, missing, finished
    cdef write_function write_line      # replaces each line first, instead of lowering it; or NULL
    cdef const tokenizer_tables *tables
    cdef classifier classify
    cdef key_lister list_keys
    cdef interner own_tokens
    cdef interner *tokens            # own_tokens, or the vocabulary that a subclass was given
    cdef line_buffers hypothesis_buffers, reference_buffers
    cdef text_line *lines
    cdef PyObject **held             # the strings that `lines` point into
    cdef const text_line *segment_lines      # of the segment that is being packed
    cdef Py_ssize_t line_count, line_capacity
    cdef Py_ssize_t first_segment

    cdef void release(self) noexcept
    cdef int reserve_lines(self, Py_ssize_t extra) except -1
    cdef Py_ssize_t pack_next(self, Py_ssize_t segment, text_line *line) except -1 nogil
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

"""Raw text in, packed ids out. See _text_packer.pyx."""

from libc.stdint cimport int32_t, int64_t

from fastbleu._core cimport SegmentCounter
from fastbleu.core.counting._packed cimport PackedSegments
from fastbleu.core.counting._text_side cimport TextSide, line_run
from fastbleu.core.inputs._utf8_rows cimport Utf8Rows, utf8_line
from fastbleu.core.kernel.hashing cimport hash_seed, interner, key_list, key_view
from fastbleu.core.runtime._process cimport KeptMemory
from fastbleu.core.tokenizers._compiled cimport classifier, line_reader, tokenizer_tables


cdef extern from "kernel/text/line_tokens.h":
    bint ends_in_tokenized_period(utf8_line text) noexcept nogil

cdef extern from "kernel/text/line_keys.h":
    ctypedef int (*key_lister)(line_reader *line, key_list *keys, const hash_seed *seed) noexcept nogil


cdef enum:
    # Ends a chunk, as CHUNK_SEGMENTS does.
    CHUNK_LINES = 4096
    CHUNK_BYTES = 1 << 19
    BLOCK_STEPS = 16             # of work for a block of characters


cdef class TextPacker(PackedSegments):
    cdef object checks, prepared
    cdef TextSide hypotheses, references
    cdef bint missing, finished
    cdef const tokenizer_tables *tables
    cdef classifier classify
    cdef key_lister list_keys
    cdef interner own_tokens
    cdef interner *tokens            # own_tokens, or the vocabulary that a subclass was given
    cdef Py_ssize_t first_segment
    cdef Py_ssize_t periods_before           # tokenized_periods without those of the chunk
    cdef Py_ssize_t segment, reference       # the current segment's lines: their numbers on both sides

    cdef Py_ssize_t take_rows(self, Utf8Rows hypotheses, Utf8Rows references, Py_ssize_t start,
                              Py_ssize_t before) except -1
    cdef int gather(self, object hypothesis, object references) except -1
    cdef int add_line(self, TextSide side, object text, Py_ssize_t segment, object reference) except -1
    cdef int own_rows(self) except -1 nogil
    cdef Py_ssize_t pack_from_runs(self, Py_ssize_t segment) except -1 nogil
    cdef int pack_segment(self, Py_ssize_t segment) except -1 nogil
    cdef int find_line(self, Py_ssize_t k, utf8_line *line) except -1 nogil
    cdef int read_again(self, line_reader *reader, Py_ssize_t k, utf8_line line) except -1 nogil
    cdef int pack_ids(self, Py_ssize_t segment, int64_t *lengths) except -1 nogil
    cdef Py_ssize_t read_line(self, Py_ssize_t k, bint adds) except -1 nogil
    cdef int forget_line(self) noexcept nogil


cdef class SegmentReader(KeptMemory):
    cdef TextPacker packer
    cdef SegmentCounter counter

    cdef bint read(self, object hypothesis, object references, int64_t *row) except -1

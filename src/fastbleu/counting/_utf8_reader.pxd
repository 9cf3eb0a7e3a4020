"""Lines of UTF-8 for a packer of text. See _utf8_reader.pyx."""

cimport cython
from libc.stdint cimport int64_t, uint8_t, uint64_t

from fastbleu._packed cimport PackedSegments
from fastbleu.inputs._utf8_rows cimport Utf8Rows, utf8_line
from fastbleu.kernel.tables cimport hash_seed, key_comparer, key_list
from fastbleu.runtime._process cimport simd_level
from fastbleu.tokenizers._compiled cimport text_line, tokenizer_tables


cdef extern from "kernel/text/line_run.h":
    ctypedef struct line_run:
        const uint8_t *bytes
        size_t size
        int lines
        int read_lines
    ctypedef void (*run_reader)(
        line_run *run, const tokenizer_tables *tables, const hash_seed *seed) noexcept nogil

cdef extern from "kernel/text/utf8.h":
    ctypedef struct utf8_decoding:
        const uint8_t *bytes
        size_t size
        void *out
        int char_width
        size_t at
        size_t written
    ctypedef enum utf8_content:
        UTF8_ASCII
        UTF8_WIDE
        UTF8_WIDE_SPACES
        UTF8_WRONG
    ctypedef struct utf8_functions:
        utf8_content (*scan)(const uint8_t *bytes, size_t size) noexcept nogil
        int (*decode)(utf8_decoding *line, size_t stop) noexcept nogil


# A run of one column, or a line by itself.
cdef struct utf8_run:
    Py_ssize_t first             # the number of the first line
    Py_ssize_t stop              # the number of the first line after the run
    size_t end                   # the address after the last line
    size_t least                 # a line that begins before this address is read from a copy,
    size_t most                  # and one that ends after this
    utf8_content content         # the most that any line holds; UTF8_WRONG: scan each line
    line_run lines               # the keys of the first ones were read, if lines are read as bytes


@cython.final
cdef class Utf8Reader:
    cdef object checks
    cdef bint as_bytes          # whether all lines are read as bytes
    cdef const tokenizer_tables *tables
    cdef hash_seed seed
    cdef const bint *cancelled           # the packer's
    cdef Utf8Rows hypotheses, references
    cdef Py_ssize_t start                # the chunk's first segment in these
    cdef Py_ssize_t reference_start      # the number of the chunk's first reference
    cdef Py_ssize_t before               # segments before the rows, for messages
    cdef Py_ssize_t segment, reference   # numbers in the rows: the current segment, and its first reference
    cdef utf8_content plain              # what a line may hold at most to be read in place
    cdef uint8_t *characters             # of lines that were copied
    cdef Py_ssize_t used, room           # bytes there
    cdef utf8_functions utf8
    cdef run_reader run_reader
    cdef utf8_run hypothesis_run, reference_run

    cdef void forget(self)
    cdef Py_ssize_t fill(self, PackedSegments packed, Utf8Rows hypotheses, Utf8Rows references,
                         Py_ssize_t start, Py_ssize_t before) except -1
    cdef Py_ssize_t pack_from_runs(self, PackedSegments packed, Py_ssize_t segment,
                                   Py_ssize_t lines_before) except -1 nogil
    cdef int take_lines(self, text_line *lines, Py_ssize_t references) except -1 nogil
    cdef key_list *keys_of(self, Py_ssize_t k) noexcept nogil
    cdef int take_line(self, text_line *line, Utf8Rows rows, Py_ssize_t number, utf8_run *run,
                       Py_ssize_t k) except -1 nogil
    cdef void find_run(self, Utf8Rows rows, Py_ssize_t number, utf8_run *run) noexcept nogil
    cdef void begin_run(self, Utf8Rows rows, Py_ssize_t number, utf8_run *run) noexcept nogil
    cdef void read_run(self, Utf8Rows rows, Py_ssize_t number, utf8_run *run) noexcept nogil
    cdef utf8_content scan_long(self, utf8_line text) except? UTF8_WRONG nogil
    cdef int refuse(self, utf8_line text, Py_ssize_t k) except -1 nogil
    cdef int copy(self, text_line *line, utf8_line text, utf8_content content) except -1 nogil
    cdef int decode(self, text_line *line, utf8_line text) except -1 nogil
    cdef uint8_t *reserve(self, size_t size, Py_ssize_t char_width) except NULL nogil
    cdef void note_copy(self, text_line *line, size_t length, int char_width) noexcept nogil

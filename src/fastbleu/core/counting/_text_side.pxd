"""One side of a chunk of text: its hypotheses, or its references. See _text_side.pyx."""

cimport cython
from libc.stdint cimport uint8_t, uint16_t

from fastbleu.core.inputs._utf8_rows cimport Utf8Rows, utf8_line
from fastbleu.core.kernel.hashing cimport hash_seed, key_view
from fastbleu.core.tokenizers._compiled cimport line_copy, tokenizer_tables, write_function


cdef extern from "kernel/text/line_run.h":
    ctypedef struct line_run:
        const uint8_t *bytes
        size_t size, limit
        int lines
        int read_lines
    ctypedef void (*run_reader)(
        line_run *run, const tokenizer_tables *tables, const hash_seed *seed) noexcept nogil

cdef extern from "kernel/text/utf8.h":
    ctypedef enum utf8_content:
        UTF8_ASCII
        UTF8_WIDE
        UTF8_WIDE_SPACES
        UTF8_WRONG
    ctypedef utf8_content (*utf8_scanner)(const uint8_t *bytes, size_t size) noexcept nogil


cdef object lower(object text)
cdef const uint16_t *small_letters_of_python() except NULL


@cython.final
cdef class TextSide:
    cdef object checks
    cdef const tokenizer_tables *tables
    cdef hash_seed seed
    cdef const bint *cancelled           # the packer's
    cdef bint lowercase
    cdef write_function write_line       # replaces each line first, instead of lowering it; or NULL
    cdef Utf8Rows rows                   # a column's
    cdef bint are_own                    # whether the chunk is of our own lines, not of rows
    cdef const utf8_line *lines
    cdef Py_ssize_t count, first         # of these lines; the number of the chunk's first one
    # Our own lines, one after the other in `text`; `take_own` sets their addresses.
    cdef uint8_t *text
    cdef utf8_line *own_lines
    cdef Py_ssize_t own_count, capacity, used, room
    cdef line_copy copy                  # of the line that was read last
    cdef utf8_scanner scan
    # A run of lines, or a line by itself:
    cdef bint in_runs                    # whether lines are read in runs
    cdef run_reader read_run
    cdef Py_ssize_t run_start, run_stop  # the numbers of its first line, and of the first one after it
    cdef size_t run_end                  # the address after its last line
    cdef size_t least, most              # a line that begins before or ends after these is read from a copy
    cdef utf8_content content            # the most that any line holds; UTF8_WRONG: scan each line
    cdef line_run *run                   # the keys of the first lines were read, if lines are read in runs

    cdef void begin_chunk(self) noexcept nogil
    cdef int add(self, object text) except -1
    cdef Py_ssize_t put(self, object text) except -1
    cdef uint8_t *reserve(self, size_t size) except NULL nogil
    cdef bint lower_own(self, Py_ssize_t size) except -1 nogil
    cdef int add_row(self, Py_ssize_t number, Py_ssize_t segment, Py_ssize_t k) except -1 nogil
    cdef void take_rows(self, Utf8Rows rows, Py_ssize_t start) noexcept
    cdef void take_own(self) noexcept nogil
    cdef void forget(self)
    cdef bint find_keys(self, Py_ssize_t number, key_view *keys) noexcept nogil
    cdef int read_line(self, Py_ssize_t number, Py_ssize_t segment, Py_ssize_t k,
                       utf8_line *line) except -1 nogil
    cdef utf8_content content_of(self, Py_ssize_t number, Py_ssize_t segment,
                                 Py_ssize_t k) except UTF8_WRONG nogil
    cdef int copy_to(self, uint8_t *out, utf8_line line) except -1 nogil
    cdef void find_run(self, Py_ssize_t number) noexcept nogil
    cdef void gather_run(self, Py_ssize_t number) noexcept nogil
    cdef void read_keys_of_run(self) noexcept nogil
    cdef utf8_content scan_long(self, utf8_line text) except? UTF8_WRONG nogil
    cdef int refuse(self, utf8_line text, Py_ssize_t segment, Py_ssize_t k) except -1 nogil

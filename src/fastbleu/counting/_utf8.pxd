"""Lines of UTF-8 in, packed ids out. See _utf8.pyx."""

from libc.stdint cimport uint8_t

from fastbleu.counting._text cimport TextPacker
from fastbleu.inputs._utf8 cimport Utf8Rows, utf8_line
from fastbleu.tokenizers._compiled cimport text_line


cdef extern from "kernel/text/utf8.h":
    ctypedef struct utf8_decoding:
        const uint8_t *bytes
        size_t size
        void *out
        int unit
        size_t at
        size_t written
    ctypedef enum utf8_content:
        UTF8_ASCII
        UTF8_WIDE
        UTF8_WIDE_SPACES
        UTF8_WRONG
    ctypedef struct utf8_reader:
        utf8_content (*scan)(const uint8_t *bytes, size_t size) noexcept nogil
        int (*decode)(utf8_decoding *line, size_t stop) noexcept nogil


cdef class Utf8Packer(TextPacker):
    cdef Utf8Rows hypotheses, references
    cdef Py_ssize_t start                # the chunk's first segment in these
    cdef bint as_bytes                   # whether all lines are read as bytes
    cdef list lowered                    # strings or bytes that `lines` point into
    cdef uint8_t *characters             # of lines that were copied
    cdef Py_ssize_t used, room           # bytes there
    cdef bint decoded
    cdef utf8_reader reader
    cdef size_t size                     # bytes of the chunk's lines

    cdef int take_lines(self) except -1 nogil
    cdef int take_line(self, text_line *line, Utf8Rows rows, Py_ssize_t number, Py_ssize_t segment,
                       Py_ssize_t reference) except -1 nogil
    cdef utf8_content scan_long(self, utf8_line text) except? UTF8_WRONG nogil
    cdef int refuse(self, utf8_line text, Py_ssize_t segment, Py_ssize_t reference) except -1 nogil
    cdef int copy(self, text_line *line, utf8_line text, utf8_content content) except -1 nogil
    cdef int decode(self, text_line *line, utf8_line text) except -1 nogil
    cdef int lower_line(self, text_line *line, utf8_decoding text) except -1 nogil
    cdef uint8_t *reserve(self, size_t size, Py_ssize_t unit) except NULL nogil
    cdef void note_copy(self, text_line *line, size_t length, int unit) noexcept nogil

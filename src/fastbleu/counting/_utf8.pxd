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
    ctypedef struct utf8_reader:
        bint (*copy)(uint8_t *out, const uint8_t *bytes, size_t size, bint lower) noexcept nogil
        int (*decode)(utf8_decoding *line, size_t stop) noexcept nogil


cdef class Utf8Packer(TextPacker):
    cdef Utf8Rows hypotheses, references
    cdef Py_ssize_t start                # the chunk's first segment in these
    cdef list lowered                    # strings that `lines` point into
    cdef uint8_t *characters             # of all other lines
    cdef Py_ssize_t used, room           # bytes there
    cdef bint decoded
    cdef utf8_reader reader
    cdef size_t size                     # bytes of the chunk's lines

    cdef int decode(self) except -1 nogil
    cdef int decode_line(self, text_line *line, utf8_line text, Py_ssize_t segment,
                         Py_ssize_t reference) except -1 nogil
    cdef bint copy_long(self, uint8_t *out, utf8_line text) except -1 nogil
    cdef int decode_wide(self, text_line *line, utf8_line text, Py_ssize_t segment,
                         Py_ssize_t reference) except -1 nogil
    cdef uint8_t *reserve(self, size_t size, Py_ssize_t unit) except NULL nogil

"""Lines of UTF-8. See _utf8_rows.pyx."""

from libc.stdint cimport int64_t, uint8_t


cdef extern from "kernel/text/utf8.h":
    ctypedef struct utf8_line:
        const uint8_t *bytes
        size_t size


cdef class Utf8Rows:
    cdef list owners                     # of the memory that the lines point into
    cdef utf8_line *lines                # NULL bytes: missing
    cdef int64_t *ends                   # by segment: the number of lines, or of lists, up to its end
    cdef int64_t *list_ends              # by list: the number of lines up to its end
    cdef readonly Py_ssize_t levels      # of lists around a line
    cdef public Py_ssize_t before        # lines of a file before the first
    cdef const char *errors              # how PyUnicode_DecodeUTF8 handles errors when an item becomes a str
    cdef readonly size_t size            # bytes of all lines
    cdef Py_ssize_t line_count, list_count, segment_count
    cdef Py_ssize_t line_capacity, list_capacity, segment_capacity

    cdef utf8_line *reserve(self, Py_ssize_t extra) except NULL nogil
    cdef int add_line(self, utf8_line line) except -1 nogil
    cdef int end_list(self) except -1 nogil
    cdef int end_segment(self) except -1 nogil
    cdef Py_ssize_t first_line(self, Py_ssize_t segment) noexcept nogil
    cdef object decoded(self, Py_ssize_t line, object place_of)
    cdef int put_together(self) except -1


cdef class Utf8Lines:
    cdef object read
    cdef const char *errors
    cdef object block                    # what was read last: `size` bytes at `bytes`
    cdef const uint8_t *bytes
    cdef Py_ssize_t size
    cdef Py_ssize_t at                   # in the block: the first byte that was not taken
    cdef bytearray begun                 # of a line that began in earlier blocks
    cdef readonly Py_ssize_t taken       # lines
    cdef readonly bint ended             # whether there are no more

    cdef int next_block(self) except -1
    cdef int split(self, Utf8Rows rows, Py_ssize_t count) except -1
    cdef int add_whole(self, Utf8Rows rows, Py_ssize_t count) except -1 nogil
    cdef Py_ssize_t line_end(self) noexcept nogil
    cdef int join(self, Utf8Rows rows) except -1
    cdef void count_lines(self, Utf8Rows rows, Py_ssize_t added, size_t size) noexcept nogil


cdef object not_utf8(object where, Py_ssize_t byte, int value)

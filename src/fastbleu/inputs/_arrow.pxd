"""Columns by the Arrow C data interface. See _arrow.pyx."""

from libc.stdint cimport int64_t

from fastbleu.inputs._ids cimport IdRows, id_kind, id_row
from fastbleu.inputs._utf8 cimport Utf8Rows, utf8_line


cdef extern from "kernel/objects/arrow.h":
    enum:
        ARROW_LEVELS
    struct ArrowSchema:
        const char *format
        const char *name
        int64_t n_children
        ArrowSchema **children
        ArrowSchema *dictionary
        void (*release)(ArrowSchema *) noexcept
    struct ArrowArray:
        int64_t length
        int64_t offset
        ArrowArray **children
        void (*release)(ArrowArray *) noexcept
    struct ArrowArrayStream:
        int (*get_schema)(ArrowArrayStream *, ArrowSchema *out) noexcept nogil
        int (*get_next)(ArrowArrayStream *, ArrowArray *out) noexcept nogil
        const char *(*get_last_error)(ArrowArrayStream *) noexcept nogil
        void (*release)(ArrowArrayStream *) noexcept
    ctypedef enum arrow_leaf:
        ARROW_TEXT
        ARROW_LARGE_TEXT
        ARROW_TEXT_VIEW
        ARROW_IDS
    ctypedef enum arrow_list:
        ARROW_LIST
        ARROW_LARGE_LIST
        ARROW_FIXED_LIST
    ctypedef struct arrow_column:
        bint in_struct
        int levels
        arrow_list *lists
        int64_t *widths
        bint has_dictionary
        arrow_leaf leaf
        id_kind kind
    ctypedef enum arrow_fault:
        ARROW_GOOD
        ARROW_STRUCTURE


cdef class Schema:
    """A schema that this object releases."""

    cdef ArrowSchema schema


cdef class Chunk:
    """An array that this object releases."""

    cdef ArrowArray array


cdef class ArrowColumn:
    cdef readonly str name
    cdef ArrowArrayStream stream
    cdef arrow_column type
    cdef Chunk chunk                     # the array that is being read; None at the end
    cdef const ArrowArray *outer         # of the column's first level
    cdef int64_t chunk_start             # rows of the arrays before
    cdef int64_t length, at              # of the chunk: rows, and those read
    cdef readonly Py_ssize_t before      # rows of earlier reads

    cdef int read_schema(self, const ArrowSchema *schema) except -1
    cdef int take_chunk(self, Chunk chunk) except -1
    cdef bint next_chunk(self) except -1
    cdef int check(self, int status) except -1
    cdef bint is_missing(self, const ArrowArray *lists, int64_t row, int64_t at) noexcept nogil
    cdef int gather_text(self, Utf8Rows rows, Py_ssize_t count, list missing) except -1 nogil
    cdef int add_texts(self, Utf8Rows rows, const ArrowArray *leaf, int64_t start, int64_t end, int64_t row,
                       list missing, Py_ssize_t k) except -1 nogil
    cdef int add_parts(self, Utf8Rows rows, const ArrowArray *lists, int64_t start, int64_t end, int64_t row,
                       list missing) except -1 nogil
    cdef int add_missing(self, Utf8Rows rows, list missing, Py_ssize_t k) except -1 nogil
    cdef int gather_ids(self, IdRows rows, Py_ssize_t count, list missing) except -1 nogil
    cdef int add_ids(self, IdRows rows, const ArrowArray *leaf, int64_t start, int64_t end,
                     int64_t row) except -1 nogil
    cdef int refuse(self, arrow_fault fault, int64_t row) except -1 nogil

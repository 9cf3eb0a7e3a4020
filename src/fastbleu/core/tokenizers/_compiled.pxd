"""Reading lines with a compiled tokenizer. See _compiled.pyx."""

from libc.stdint cimport uint8_t

from fastbleu.core.inputs._utf8_rows cimport utf8_line
from fastbleu.core.runtime._process cimport simd_level


cdef extern from "kernel/text/line_tokens.h":
    ctypedef struct char_table:
        pass
    ctypedef struct tokenizer_tables:
        char_table classes
    ctypedef struct classifier:
        pass
    ctypedef struct line_reader:
        const tokenizer_tables *tables
        classifier classify
        bint rewritten
    void open_line(line_reader *line, const tokenizer_tables *tables, classifier classify,
                   utf8_line text) noexcept nogil
    bint line_ended(const line_reader *line) noexcept nogil
    classifier classifier_for(simd_level level) noexcept nogil

cdef extern from "kernel/text/line_copy.h":
    ctypedef struct line_copy:
        uint8_t *bytes
    int reserve_copy(line_copy *copy, size_t size) noexcept nogil
    void free_copy(line_copy *copy) noexcept nogil

cdef extern from "Python.h":
    bint PyUnicode_Check(object text)
    bint PyUnicode_CheckExact(object text)
    bint PyUnicode_IS_ASCII(object text)
    bint PyUnicode_IS_COMPACT(object text)
    int PyUnicode_KIND(object text)
    void *PyUnicode_DATA(object text)
    Py_ssize_t PyUnicode_GET_LENGTH(object text)
    int PyUnicode_READY(object text) except -1
    object PyUnicode_FromKindAndData(int kind, const void *chars, Py_ssize_t length)
    object PyUnicode_DecodeUTF8(const char *bytes, Py_ssize_t size, const char *errors)


# Replaces a line by another one in the copy, before it is read. It may take the GIL.
ctypedef int (*write_function)(utf8_line *line, line_copy *copy) except -1 nogil


cdef const tokenizer_tables *tables_of(str tokenizer) except NULL
cdef int no_memory(size_t size) except -1 nogil
cdef uint8_t *put_characters_of(object text, bint tabs, uint8_t *out) except NULL
cdef int put_line(object text, utf8_line *line, line_copy *copy) except -1
cdef int begin_rewritten(line_reader *reader, utf8_line line, line_copy *copy,
                         const bint *cancelled) except -1 nogil


# Inline, because each of these is called once or more for every line.

cdef inline object compact(object text):
    """`text` as an exact str whose characters follow its header."""
    PyUnicode_READY(text)
    if PyUnicode_CheckExact(text) and PyUnicode_IS_COMPACT(text):
        return text
    return PyUnicode_FromKindAndData(
        PyUnicode_KIND(text), PyUnicode_DATA(text), PyUnicode_GET_LENGTH(text))


cdef inline size_t room_of(object text) noexcept:
    """The most bytes that a compact str can have as UTF-8."""
    cdef int kind = PyUnicode_KIND(text)
    return PyUnicode_GET_LENGTH(text) * (1 if PyUnicode_IS_ASCII(text) else kind + 1 if kind < 4 else 4)


cdef inline object decoded(utf8_line line):
    """A line as a str."""
    return PyUnicode_DecodeUTF8(<const char *> line.bytes, line.size, b"surrogatepass")

"""Reading lines with a compiled tokenizer. See _compiled.pyx."""

from fastbleu.runtime._process cimport simd_level


cdef extern from "kernel/text/line_tokens.h":
    ctypedef struct char_table:
        pass
    ctypedef struct tokenizer_tables:
        char_table classes
    ctypedef struct text_line:
        const void *chars
        size_t length
        int char_width
    ctypedef struct line_buffers:
        void *lowered
    ctypedef struct classifier:
        pass
    ctypedef struct line_reader:
        const tokenizer_tables *tables
        classifier classify
    int reserve_buffers(line_buffers *buffers, text_line text) noexcept nogil
    void open_line(line_reader *line, const tokenizer_tables *tables, classifier classify, text_line text,
                   const line_buffers *buffers) noexcept nogil
    bint line_ended(const line_reader *line) noexcept nogil
    void free_buffers(line_buffers *buffers) noexcept
    classifier classifier_for(simd_level level) noexcept nogil

cdef extern from "kernel/text/lower.h":
    int reserve_lowered(line_buffers *buffers, size_t length, int char_width) noexcept nogil

cdef extern from "Python.h":
    bint PyUnicode_Check(object text)
    bint PyUnicode_CheckExact(object text)
    bint PyUnicode_IS_COMPACT(object text)
    int PyUnicode_KIND(object text)
    void *PyUnicode_DATA(object text)
    Py_ssize_t PyUnicode_GET_LENGTH(object text)
    int PyUnicode_READY(object text) except -1
    object PyUnicode_FromKindAndData(int kind, const void *chars, Py_ssize_t length)


cdef const tokenizer_tables *tables_of(str tokenizer, bint utf8=*) except NULL
cdef int no_memory(size_t length) except -1 nogil
cdef int put_line(str text, text_line *line, line_buffers *buffers) except -1
cdef int begin_rewritten(line_reader *reader, text_line text, line_buffers *buffers,
                         const bint *cancelled) except -1 nogil


# Replaces a line by another one in the buffers, before it is read. It may take the GIL.
ctypedef int (*write_function)(text_line *text, line_buffers *buffers) except -1 nogil


# Inline, because each of these is called once or more for every line.

cdef inline object compact(object text):
    """`text` as an exact str whose characters follow its header."""
    PyUnicode_READY(text)
    if PyUnicode_CheckExact(text) and PyUnicode_IS_COMPACT(text):
        return text
    return PyUnicode_FromKindAndData(
        PyUnicode_KIND(text), PyUnicode_DATA(text), PyUnicode_GET_LENGTH(text))


cdef inline text_line line_of(object text) noexcept:
    cdef text_line line
    line.chars = PyUnicode_DATA(text)
    line.length = PyUnicode_GET_LENGTH(text)
    line.char_width = PyUnicode_KIND(text)
    return line


cdef inline int begin_line(line_reader *reader, const tokenizer_tables *tables, classifier classify,
                           text_line text, line_buffers *buffers) except -1 nogil:
    if reserve_buffers(buffers, text) < 0:
        no_memory(text.length)
    open_line(reader, tables, classify, text, buffers)
    return 0

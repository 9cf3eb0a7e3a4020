"""Reading lines with a compiled tokenizer. See _compiled.pyx."""

from fastbleu.runtime._process cimport simd_level


cdef extern from "kernel/text/line_tokens.h":
    ctypedef struct char_table:
        pass
    ctypedef struct text_rules:
        char_table table
    ctypedef struct text_line:
        const void *chars
        size_t length
        int unit
    ctypedef struct line_buffers:
        pass
    ctypedef struct classifier:
        pass
    ctypedef struct line_reader:
        const text_rules *rules
        classifier classify
    bint line_ended(const line_reader *line) noexcept nogil
    void free_buffers(line_buffers *buffers) noexcept
    classifier classifier_for(simd_level level) noexcept nogil


cdef const text_rules *rules_of(str tokenizer) except NULL
cdef object compact(object text)
cdef text_line line_of(object text) noexcept
cdef int no_memory(size_t length) except -1 nogil
cdef int begin_line(line_reader *reader, const text_rules *rules, classifier classify, text_line text,
                    line_buffers *buffers) except -1 nogil
cdef int begin_rewritten(line_reader *reader, text_line text, line_buffers *buffers,
                         const bint *cancelled) except -1 nogil

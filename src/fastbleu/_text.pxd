"""Raw text in, packed ids out. See _text.pyx."""

from cpython.object cimport PyObject
from libc.stdint cimport int32_t, int64_t, uint64_t

from fastbleu._core cimport KeptMemory, PackedSegments, SegmentCounter, simd_level
from fastbleu._tables cimport hash_seed, interner


cdef extern from "kernel/line_tokens.h":
    ctypedef struct class_masks:
        pass
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


cdef class TextPacker(PackedSegments):
    cdef object door
    cdef bint lowercase, missing, finished
    cdef const text_rules *rules
    cdef classifier classify
    cdef interner own_tokens
    cdef interner *tokens            # a subclass may number by a vocabulary of somebody else
    cdef line_buffers hypothesis_buffers, reference_buffers
    cdef text_line *lines
    cdef PyObject **held             # the strings that `lines` point into
    cdef Py_ssize_t line_count, line_capacity
    cdef Py_ssize_t first_segment

    cdef void release(self) noexcept
    cdef int gather(self, object hypothesis, object references) except -1
    cdef int add_line(self, object text, Py_ssize_t segment, Py_ssize_t reference) except -1
    cdef Py_ssize_t read_line(self, text_line text, bint is_hypothesis) except -1 nogil
    cdef int forget_line(self) noexcept nogil


cdef class SegmentReader(KeptMemory):
    cdef TextPacker packer
    cdef SegmentCounter counter

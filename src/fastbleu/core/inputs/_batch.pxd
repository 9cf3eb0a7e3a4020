"""Segments that were checked, to be counted. See _batch.pyx."""


cdef class InputKind:
    cdef public bint is_text
    cdef public bint reads_utf8          # as columns or lines, without Python strings
    cdef public object id_filter         # an IdFilter or None


cdef class Batch:
    cdef public object hypotheses, references, present
    cdef public Py_ssize_t before
    cdef public bint warns


cdef Batch plain_batch(object hypotheses, object references, InputKind kind)

"""Segments that were checked, to be counted. See _batch.pyx."""


cdef class Batch:
    cdef public object hypotheses, references, present
    cdef public Py_ssize_t before
    cdef public bint warns

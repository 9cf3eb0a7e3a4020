"""sacreBLEU's scores of rows. See _sacrebleu.pyx."""

from libc.stdint cimport int64_t


cdef enum:
    LAZY_ORDERS = 4            # with more, attributes are made at once


cdef class LazyScore:
    cdef bint pending          # what follows is not among the attributes yet
    cdef bint whole_value
    cdef int orders, raised    # see ScoreOptions and Scored
    cdef int64_t hyp_len, ref_len
    cdef double score, bp
    cdef double numbers[3 * LAZY_ORDERS]      # precisions, matches, totals

    cdef int make(self) except -1


cdef object score_object(type cls, const int64_t *row, int max_order, object smoothing, object value,
                         bint effective_order)

"""sacreBLEU's score of one of many rows. See _kept_logs.pyx."""

from libc.stdint cimport int64_t

from fastbleu.core.runtime._process cimport KeptMemory


cdef enum:
    MAX_FAST_ORDER = 64        # above it rows are scored with Python's own objects

cdef KeptMemory kept_logs      # to be acquired before `score_usual` is called

cdef double added(const double *terms, int count) noexcept nogil
cdef bint score_usual(int max_order, bint effective_order, const int64_t *row, double *score) noexcept nogil

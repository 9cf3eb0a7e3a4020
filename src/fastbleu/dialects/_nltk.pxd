"""From the sums of rows to a float. See _score.pyx."""

from libc.stdint cimport int64_t


cdef enum:
    MAX_SCORED_ORDER = 64      # above it the callers take Python's own arithmetic

cdef enum Smoothing:
    SMOOTH_NONE                # nltk's method0: the smallest normal float where nothing matched
    SMOOTH_FLOOR               # method1
    SMOOTH_ADD_K               # method2
    SMOOTH_EXP                 # method3
    SMOOTH_LENGTH              # method4
    SMOOTH_AVERAGE             # method5
    SMOOTH_LENGTH_AVERAGE      # method7

cdef bint log_precisions(const int64_t *row, int max_order, Smoothing smoothing, double value,
                         const int64_t *fifth, double *logs, bint *counted) noexcept nogil
cdef bint average(const int64_t *matches, const int64_t *totals, int max_order,
                  const int64_t *fifth, const bint *raw, double *precisions) noexcept nogil
cdef bint combine(const int64_t *row, const double *logs, const bint *counted,
                  const double *weights, int orders, double *score) noexcept nogil

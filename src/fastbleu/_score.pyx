"""Scoring: a row (or a sum of rows) in, a float out, equal to the original's to the last bit.

The formula is nltk's: BP * exp(fsum(w_n * log p_n)), over the orders with p_n > 0. Every step is the
same IEEE operation on the same doubles that Python performs there: integers below 2**53 divide as
Python divides them, log and exp are the C library's, the sum is rounded once. Where a step would leave
that ground (huge integers, infinities, overflow) the functions return False and the caller computes
the same formula with Python's own objects, which also raises Python's own errors.

Pure functions of their arguments; any thread may call them.
"""

from libc.float cimport DBL_MIN
from libc.math cimport exp, isfinite, log

cdef extern from "kernel/exact_sum.h":
    double exact_sum(const double *terms, int count) noexcept nogil

cdef int64_t EXACT_IN_DOUBLE = <int64_t> 1 << 53


cdef bint log_precisions(const int64_t *row, int max_order, Smoothing smoothing, double value,
                         double *logs, bint *counted) noexcept nogil:
    """Logarithms of the smoothed precisions; `counted` tells the orders whose precision is positive.

    `value` is epsilon for SMOOTH_FLOOR, k for SMOOTH_ADD_K and SMOOTH_LENGTH. Every total is at
    least 1. False where doubles do not suffice.
    """
    cdef const int64_t *matches = row + 2
    cdef const int64_t *totals = matches + max_order
    cdef double precision, doubling = 1.0
    cdef int n
    if row[0] >= EXACT_IN_DOUBLE or row[1] >= EXACT_IN_DOUBLE or max_order > MAX_SCORED_ORDER:
        return False
    for n in range(max_order):
        if totals[n] >= EXACT_IN_DOUBLE:
            return False
        precision = <double> matches[n] / <double> totals[n]
        if smoothing == SMOOTH_ADD_K:
            if n > 0:
                precision = (<double> matches[n] + value) / (<double> totals[n] + value)
        elif matches[n] == 0:
            if smoothing == SMOOTH_NONE:
                precision = DBL_MIN
            elif smoothing == SMOOTH_FLOOR:
                precision = value / <double> totals[n]
            elif smoothing == SMOOTH_EXP:
                doubling *= 2.0
                precision = 1.0 / (doubling * <double> totals[n])
            elif row[0] > 1:
                doubling *= 2.0
                precision = 1.0 / (doubling * value / log(<double> row[0])) / <double> totals[n]
        if not isfinite(precision):
            return False
        counted[n] = precision > 0.0
        logs[n] = log(precision) if counted[n] else 0.0
    return True


cdef bint combine(const int64_t *row, const double *logs, const bint *counted,
                  const double *weights, int orders, double *score) noexcept nogil:
    """The score for one weight vector of `orders` weights; False where a double does not hold it."""
    cdef double terms[MAX_SCORED_ORDER]
    cdef double mean
    cdef int n, count = 0
    for n in range(orders):
        if counted[n]:
            terms[count] = weights[n] * logs[n]
            if not isfinite(terms[count]):
                return False
            count += 1
    mean = exact_sum(terms, count)
    if not isfinite(mean):
        return False
    mean = exp(mean)
    if row[0] <= row[1]:
        mean = exp(1.0 - <double> row[1] / <double> row[0]) * mean
    score[0] = mean
    return isfinite(mean)

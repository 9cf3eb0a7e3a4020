"""nltk's scoring: a row (or a sum of rows) in, a float out, equal to nltk's to the last bit.

The formula is nltk's: BP * exp(fsum(w_n * log p_n)), over the orders with p_n > 0. Every step is the
same IEEE operation on the same doubles that Python performs there: integers below 2**53 divide as
Python divides them, log and exp are the C library's, the sum is rounded once. If a step cannot be done
in this way (huge integers, infinities, overflow), the functions return False, and the caller computes
the same formula with Python's own objects (nltk_arithmetic.py), which also raises Python's own errors.

Pure functions of their arguments; any thread may call them. The loop over rows runs without the GIL.
"""

from cpython.array cimport array, clone
from libc.float cimport DBL_MIN
from libc.math cimport NAN, exp, isfinite, log

from fastbleu.core.scoring.smoothings cimport (
    SMOOTH_ADD_K, SMOOTH_AVERAGE, SMOOTH_EXP, SMOOTH_FLOOR, SMOOTH_IN_PYTHON, SMOOTH_INTERPOLATE,
    SMOOTH_LENGTH_AVERAGE, SMOOTH_NONE, Smoothing, smoothing_named)
from fastbleu.core.kernel.sequences cimport (
    is_list_or_tuple, PySequence_Fast_ITEMS, size_of, unchanging_lists)
from fastbleu.core.runtime._process cimport Buffer, buffer_of, poll

cdef extern from "kernel/arithmetic/exact_sum.h":
    double exact_sum(const double *terms, int count) noexcept nogil

cdef extern from "kernel/arithmetic/double_pair.h":
    ctypedef struct double_pair:
        double high
        double low
    double_pair pair_times_double(double_pair a, double b) noexcept nogil
    double_pair pair_times(double_pair a, double_pair b) noexcept nogil
    double_pair pair_plus_double(double_pair a, double b) noexcept nogil
    double_pair pair_over(double_pair a, double_pair b) noexcept nogil
    bint pair_rounds(double_pair a, double error) noexcept nogil

cdef enum:
    POLL_ROWS = 1 << 16

cdef int64_t EXACT_IN_DOUBLE = <int64_t> 1 << 53
cdef array _DOUBLES = array("d")


cdef bint plain_number(object number, double *value):
    """Convert a float, or an int that fits, to a double; False for anything else."""
    if type(number) is float:
        value[0] = <double> number
        return True
    if type(number) is int and -(1 << 53) < number < 1 << 53:
        value[0] = <double> number
        return True
    return False


cdef bint read_vector(ScoreOptions *options, object vector, int *used):
    cdef Py_ssize_t i, length = size_of(vector)
    if length == 0 or length > MAX_SCORED_ORDER or used[0] + length > MAX_WEIGHTS:
        return False
    for i in range(length):
        if not plain_number(<object> PySequence_Fast_ITEMS(vector)[i], &options.weights[used[0] + i]):
            return False
    used[0] += <int> length
    options.orders[options.vectors] = <int> length
    options.vectors += 1
    options.max_order = max(options.max_order, <int> length)
    return True


cdef bint read_weights(ScoreOptions *options, object weights):
    """Read one weight vector or several; False unless they are lists or tuples of plain numbers."""
    cdef int used = 0
    options.vectors = options.max_order = 0
    weights = unchanging_lists(weights)
    if not is_list_or_tuple(weights) or size_of(weights) == 0:
        return False
    if not is_list_or_tuple(<object> PySequence_Fast_ITEMS(weights)[0]):
        return read_vector(options, weights, &used)
    for vector in weights:
        if not is_list_or_tuple(vector) or not read_vector(options, vector, &used):
            return False
    return True


cdef bint log_precisions(const int64_t *row, int max_order, Smoothing smoothing, double value,
                         const int64_t *fifth, double *logs, bint *counted) noexcept nogil:
    """Logarithms of the smoothed precisions; `counted` tells the orders whose precision is positive.

    Every total is at least 1. False where doubles do not suffice.
    """
    cdef double precisions[MAX_SCORED_ORDER]
    cdef bint raw[MAX_SCORED_ORDER]      # still matches / total
    cdef const int64_t *matches = row + 2
    cdef const int64_t *totals = matches + max_order
    cdef double doubling = 1.0
    cdef int n
    if row[0] >= EXACT_IN_DOUBLE or row[1] >= EXACT_IN_DOUBLE or max_order > MAX_SCORED_ORDER:
        return False
    for n in range(max_order):
        if totals[n] >= EXACT_IN_DOUBLE:
            return False
        raw[n] = smoothing == SMOOTH_AVERAGE or matches[n] > 0
        precisions[n] = <double> matches[n] / <double> totals[n]
        if smoothing == SMOOTH_ADD_K:
            if n > 0:
                precisions[n] = (<double> matches[n] + value) / (<double> totals[n] + value)
        elif not raw[n] and smoothing != SMOOTH_INTERPOLATE:
            if smoothing == SMOOTH_NONE:
                precisions[n] = DBL_MIN
            elif smoothing == SMOOTH_FLOOR:
                precisions[n] = value / <double> totals[n]
            elif smoothing == SMOOTH_EXP:
                doubling *= 2.0
                precisions[n] = 1.0 / (doubling * <double> totals[n])
            elif row[0] > 1:
                doubling *= 2.0
                precisions[n] = 1.0 / (doubling * value / log(<double> row[0])) / <double> totals[n]
            else:
                raw[n] = True
    if smoothing == SMOOTH_AVERAGE or smoothing == SMOOTH_LENGTH_AVERAGE:
        if not average(matches, totals, max_order, fifth, raw, precisions):
            return False
    if smoothing == SMOOTH_INTERPOLATE and not interpolate(row, max_order, value, precisions):
        return False
    for n in range(max_order):
        if not isfinite(precisions[n]):
            return False
        counted[n] = precisions[n] > 0.0
        logs[n] = log(precisions[n]) if counted[n] else 0.0
    return True


cdef bint average(const int64_t *matches, const int64_t *totals, int max_order,
                  const int64_t *fifth, const bint *raw, double *precisions) noexcept nogil:
    """nltk's method 5 in place: m_n = (m_{n-1} + p_n + p_{n+1}) / 3, with m_0 = p_1 + 1.

    nltk adds fractions as long as it meets no float, and so does this: m is `numerator` over
    `denominator`, the product of all totals times a power of 3, until a precision that is already
    a float turns it into a double. False if the integers exceed the range in which doubles are exact.
    """
    cdef double bound = 2.0 * <double> fifth[1], mean = 0.0
    cdef int64_t denominator = fifth[1], numerator
    cdef bint fraction = True, neighbor_raw
    cdef int64_t neighbor_matches, neighbor_total
    cdef double neighbor
    cdef int n, side
    for n in range(max_order):
        bound *= 3.0 * <double> totals[n]
        if bound >= <double> EXACT_IN_DOUBLE:
            return False
        denominator *= totals[n]
    numerator = matches[0] * (denominator // totals[0]) + denominator
    for n in range(max_order):
        for side in range(2):
            if n + side < max_order:
                neighbor_raw = raw[n + side]
                neighbor_matches = matches[n + side]
                neighbor_total = totals[n + side]
            else:
                neighbor_raw = True
                neighbor_matches = fifth[0]
                neighbor_total = fifth[1]
            if fraction and neighbor_raw:
                numerator += neighbor_matches * (denominator // neighbor_total)
                continue
            if fraction:
                mean = <double> numerator / <double> denominator
                fraction = False
            # The previous order is overwritten already, the two that are read are not.
            neighbor = precisions[n + side] if n + side < max_order else (
                <double> fifth[0] / <double> fifth[1])
            mean += neighbor
        if fraction:
            denominator *= 3
            precisions[n] = <double> numerator / <double> denominator
        else:
            mean /= 3.0
            precisions[n] = mean
    return True


cdef bint interpolate(const int64_t *row, int max_order, double alpha, double *precisions) noexcept nogil:
    """nltk's method 6 in place: p_n = (m_n + alpha * prior) / (l_n + alpha), prior = p_{n-1}**2 / p_{n-2}.

    `alpha` is a positive integer, so that nltk computes with fractions; l_n is the number of n-grams. Pairs
    of doubles hold the fractions with a relative error of at most `error` * PAIR_UNIT. False where one may
    lie between two doubles, or an order up to 3 has no match.
    """
    cdef double_pair lowest, lower, fraction
    cdef double error_of_lowest = 16.0, error_of_lower = 16.0, error
    cdef const int64_t *matches = row + 2
    cdef int n
    if max_order < 3 or matches[0] == 0 or matches[1] == 0 or matches[2] == 0:
        return False
    if <double> row[0] + alpha >= <double> EXACT_IN_DOUBLE:
        return False
    lowest = ratio(<double> matches[0], <double> matches[max_order])
    lower = ratio(<double> matches[1], <double> matches[max_order + 1])
    for n in range(2, max_order):
        fraction = pair_over(pair_times(lower, lower), lowest)
        fraction = pair_plus_double(pair_times_double(fraction, alpha), <double> matches[n])
        fraction = pair_over(fraction, [<double> max(0, row[0] - n) + alpha, 0.0])
        error = 2.0 * error_of_lower + error_of_lowest + 64.0
        if not (1e-60 < fraction.high < 1e60 and pair_rounds(fraction, error)):
            return False
        precisions[n] = fraction.high
        lowest, lower = lower, fraction
        error_of_lowest, error_of_lower = error_of_lower, error
    return True


cdef inline double_pair ratio(double numerator, double denominator) noexcept nogil:
    """The quotient of two integers below 2**53."""
    return pair_over([numerator, 0.0], [denominator, 0.0])


cdef bint combine(const int64_t *row, const double *logs, const bint *counted,
                  const double *weights, int orders, double *score) noexcept nogil:
    """The score for one weight vector of `orders` weights; False if it does not fit into a double."""
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


cdef bint score_row(const ScoreOptions *options, const int64_t *row, const int64_t *fifth,
                    double *scores) noexcept nogil:
    """Write the score of a row, 0-1, for each weight vector; False if doubles do not suffice.

    `fifth` holds matches and total of order 5 of the last segment, for the methods that average.
    """
    cdef double logs[MAX_SCORED_ORDER]
    cdef bint counted[MAX_SCORED_ORDER]
    cdef const double *weights = &options.weights[0]
    cdef int vector
    if row[2] == 0:
        for vector in range(options.vectors):
            scores[vector] = 0.0
        return True
    if not log_precisions(row, options.max_order, options.smoothing, options.value, fifth, logs, counted):
        return False
    for vector in range(options.vectors):
        if not combine(row, logs, counted, weights, options.orders[vector], &scores[vector]):
            return False
        weights += options.orders[vector]
    return True


def score_rows(array rows not None, weights, smoothing, value):
    """nltk's score of each row, 0-1; NaN where nltk_arithmetic.py has to be used.

    `rows` is a flat array of int64 with totals of at least 1; `value` is the smoothing's epsilon or k.
    """
    cdef ScoreOptions options
    cdef Buffer buffer = buffer_of(rows, "q")      # keeps others from resizing them
    cdef const int64_t *numbers = <const int64_t *> buffer.view.buf
    cdef Py_ssize_t row, width, segments
    cdef bint cancelled = False, fast = read_weights(&options, weights)
    cdef array scores
    cdef double *out
    options.smoothing = smoothing_named(smoothing)
    options.value = 1.0      # nltk's k for "add-k"
    if value is not None:
        fast = plain_number(value, &options.value) and fast
    fast = fast and options.smoothing != SMOOTH_IN_PYTHON
    width = 2 + 2 * <Py_ssize_t> len(weights)
    if len(rows) % width:
        raise ValueError(f"{len(rows)} numbers are not rows of {width}")
    segments = len(rows) // width
    scores = clone(_DOUBLES, segments, zero=False)
    out = scores.data.as_doubles
    with nogil:
        for row in range(segments):
            if row % POLL_ROWS == POLL_ROWS - 1:
                poll(&cancelled)
            if not (fast and score_row(&options, numbers + row * width, NULL, out + row)):
                out[row] = NAN
    return scores

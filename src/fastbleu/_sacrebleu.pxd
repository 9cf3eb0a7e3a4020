"""From rows to sacreBLEU's floats. See _sacrebleu.pyx."""

from libc.stdint cimport int64_t


cdef enum:
    MAX_FAST_ORDER = 64        # above it rows are scored with Python's own objects

cdef enum Smoothing:
    SMOOTH_NONE
    SMOOTH_FLOOR
    SMOOTH_ADD_K
    SMOOTH_EXP

cdef enum Arithmetic:
    DOUBLES                    # Python's int and float
    SINGLES                    # numpy's float32 where a Python number adapts to it (numpy 2)
    WIDENED_SINGLES            # numpy's float32 where a Python number widens it (numpy 1)
    TRUNCATED                  # an int64 array that cuts off what add-k adds to it

cdef struct Rules:
    # How to score, read from the arguments once.
    int max_order
    Smoothing smoothing
    Arithmetic arithmetic
    bint effective_order
    bint whole_value           # the smoothing value is an int, so that counts stay ints
    double value

cdef struct Scored:
    double score               # 0-100
    double bp                  # 0-1
    int raised                 # add-k was added to the orders 2 to `raised`
    double precisions[MAX_FAST_ORDER]      # 0-100, smoothed
    double counts[2 * MAX_FAST_ORDER]      # matches, then totals, after add-k

cdef bint read_rules(Rules *rules, int max_order, object smoothing, object value,
                     bint effective_order, object arithmetic=*) except -1
cdef bint score_counts(const Rules *rules, double hyp_len, double ref_len,
                       Scored *scored) noexcept nogil
cdef tuple row_details(const int64_t *row, int max_order, object smoothing, object value,
                       bint effective_order)

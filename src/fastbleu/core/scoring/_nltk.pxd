"""nltk's arithmetic. See _nltk.pyx."""

from libc.stdint cimport int64_t

from fastbleu.core.scoring.smoothings cimport Smoothing


cdef enum:
    MAX_SCORED_ORDER = 64      # above it the callers use nltk_arithmetic.py
    MAX_WEIGHTS = 1024

cdef struct ScoreOptions:
    # Options of the score, read from the arguments before anything is counted.
    int vectors                       # number of weight vectors
    int max_order
    Smoothing smoothing
    double value                      # epsilon of SMOOTH_FLOOR, alpha of SMOOTH_INTERPOLATE, k of the others
    int orders[MAX_WEIGHTS]           # length of each vector
    double weights[MAX_WEIGHTS]       # the vectors, end to end

cdef bint plain_number(object number, double *value)
cdef bint read_weights(ScoreOptions *options, object weights)
cdef bint score_row(const ScoreOptions *options, const int64_t *row, const int64_t *fifth,
                    double *scores) noexcept nogil

"""Sums of the rows that chance has picked: the inner loops of the significance tests.

The loops and what they cost stand in kernel/resample.h. All numbers are integers, so that no sum
depends on the order of its terms. Arrays are the caller's and are checked for their shapes only: that
indices are rows, that no sum leaves its type, is up to resampling.py, which has drawn and bounded them.
The GIL is released; nothing is shared, any thread may call.
"""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t


cdef extern from "kernel/arithmetic/resample.h":
    enum: FB_NARROW
    void add_drawn_narrow(const uint16_t *rows, size_t columns, const int64_t *indices, size_t count,
                          int32_t *sums) noexcept nogil
    void add_drawn_wide(const int64_t *rows, size_t columns, const int64_t *indices, size_t count,
                        int64_t *sums) noexcept nogil
    void add_tossed_narrow(const uint16_t *rows, size_t segments, size_t columns, const uint32_t *words,
                           size_t first_bit, size_t trials, uint16_t *subsets, int32_t *sums) noexcept nogil
    void add_tossed_wide(const int64_t *rows, size_t segments, size_t columns, const uint32_t *words,
                         size_t first_bit, size_t trials, int64_t *subsets, int64_t *sums) noexcept nogil

# Where all numbers of a table are less than this, it may be of uint16.
NARROW = FB_NARROW

cdef enum:
    SUBSETS = 8 * 16       # rows of memory that add_tossed_* works with


cdef bint is_narrow(object rows, object sums, Py_ssize_t samples, Py_ssize_t draws) except -1:
    """Whether the narrow loops are meant; ValueError where the arrays do not go together."""
    cdef bint narrow = rows.itemsize == 2
    if sums.itemsize != (4 if narrow else 8) or sums.shape != (samples, rows.shape[1]):
        raise ValueError(f"sums is {sums.dtype} of shape {sums.shape}; rows, {rows.dtype} with "
                         f"{rows.shape[1]} columns, and {samples} samples do not go with that")
    if not (rows.size and sums.size and draws):
        raise ValueError("there is nothing to add up")
    return narrow


def add_drawn(rows, const int64_t[:, ::1] indices not None, sums):
    """Sums of the rows that bootstrap samples consist of.

    Parameters
    ----------
    rows : array of uint16 (below NARROW) or int64, shape (segments, columns)
    indices : array of int64, shape (samples, draws)
        Row numbers.
    sums : array of int32 where `rows` is uint16, else int64, shape (samples, columns)
        Is overwritten.
    """
    cdef const uint16_t[:, ::1] narrow
    cdef const int64_t[:, ::1] wide
    cdef int32_t[:, ::1] narrow_sums
    cdef int64_t[:, ::1] wide_sums
    cdef Py_ssize_t sample, samples = indices.shape[0], draws = indices.shape[1]
    if is_narrow(rows, sums, samples, draws):
        narrow, narrow_sums = rows, sums
        with nogil:
            for sample in range(samples):
                add_drawn_narrow(&narrow[0, 0], narrow.shape[1], &indices[sample, 0], draws,
                                 &narrow_sums[sample, 0])
    else:
        wide, wide_sums = rows, sums
        with nogil:
            for sample in range(samples):
                add_drawn_wide(&wide[0, 0], wide.shape[1], &indices[sample, 0], draws,
                               &wide_sums[sample, 0])


def add_tossed(rows, const uint32_t[::1] words not None, Py_ssize_t first_bit, sums):
    """Sums of the rows whose coin shows heads.

    Parameters
    ----------
    rows : array of uint16 (below NARROW) or int64, shape (segments, columns)
    words : array of uint32
        A stream of bits, the lowest of each word first: after `first_bit` of them those of the first
        trial's segments, then those of the next trial, and so on; and one word more.
    first_bit : int
    sums : array of int32 where `rows` is uint16, else int64, shape (trials, columns)
        Is overwritten.
    """
    cdef const uint16_t[:, ::1] narrow
    cdef const int64_t[:, ::1] wide
    cdef int32_t[:, ::1] narrow_sums
    cdef int64_t[:, ::1] wide_sums
    cdef void *subsets
    cdef Py_ssize_t trials = len(sums), segments = len(rows)
    cdef bint of_uint16 = is_narrow(rows, sums, trials, segments)
    if first_bit < 0 or (first_bit + trials * segments + 31) // 32 >= words.shape[0]:
        raise ValueError(f"{words.shape[0]} words are too few for {trials} trials of {segments} bits")
    subsets = PyMem_Malloc(SUBSETS * rows.shape[1] * rows.itemsize)
    if subsets == NULL:
        raise MemoryError(f"no memory for {SUBSETS} rows")
    try:
        if of_uint16:
            narrow, narrow_sums = rows, sums
            with nogil:
                add_tossed_narrow(&narrow[0, 0], segments, narrow.shape[1], &words[0], first_bit,
                                  trials, <uint16_t *> subsets, &narrow_sums[0, 0])
        else:
            wide, wide_sums = rows, sums
            with nogil:
                add_tossed_wide(&wide[0, 0], segments, wide.shape[1], &words[0], first_bit,
                                trials, <int64_t *> subsets, &wide_sums[0, 0])
    finally:
        PyMem_Free(subsets)

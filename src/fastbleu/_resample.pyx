"""Sums of the rows that chance has picked: the inner loops of the significance tests.

The loops and what they cost stand in kernel/resample.h. All numbers are integers, so that no sum
depends on the order of its terms. Arrays are the caller's and are checked for their shapes only: that
indices are rows, that no sum leaves its type, is up to resampling.py, which has drawn and bounded them.
The GIL is released; nothing is shared, any thread may call.
"""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stdint cimport int32_t, int64_t, uint32_t


cdef extern from "kernel/resample.h":
    void add_drawn_int32(const int32_t *rows, size_t columns, const int64_t *indices, size_t count,
                         int32_t *sums) noexcept nogil
    void add_drawn_int64(const int64_t *rows, size_t columns, const int64_t *indices, size_t count,
                         int64_t *sums) noexcept nogil
    void add_tossed_int32(const int32_t *rows, size_t segments, size_t columns, const uint32_t *words,
                          size_t first_bit, size_t trials, int32_t *subsets, int32_t *sums) noexcept nogil
    void add_tossed_int64(const int64_t *rows, size_t segments, size_t columns, const uint32_t *words,
                          size_t first_bit, size_t trials, int64_t *subsets, int64_t *sums) noexcept nogil

cdef enum:
    SUBSETS = 8 * 16       # rows of memory that add_tossed_* works with


cdef bint is_narrow(object rows, object sums) except -1:
    """Whether both are int32 and not int64; ValueError where they do not go together."""
    if rows.dtype != sums.dtype or rows.shape[1] != sums.shape[1]:
        raise ValueError(f"sums is {sums.dtype} of shape {sums.shape}, which does not go with rows, "
                         f"{rows.dtype} of shape {rows.shape}")
    return rows.itemsize == 4


def add_drawn(rows, const int64_t[:, ::1] indices not None, sums):
    """Sums of the rows that bootstrap samples consist of.

    Parameters
    ----------
    rows : array of int32 or int64, shape (segments, columns)
    indices : array of int64, shape (samples, segments)
        Row numbers.
    sums : array of the type of `rows`, shape (samples, columns)
        Is overwritten.
    """
    cdef const int32_t[:, ::1] narrow
    cdef const int64_t[:, ::1] wide
    cdef int32_t[:, ::1] narrow_sums
    cdef int64_t[:, ::1] wide_sums
    cdef Py_ssize_t sample, samples = indices.shape[0], count = indices.shape[1]
    if len(sums) != samples:
        raise ValueError(f"sums has room for {len(sums)} samples, indices has {samples}")
    if not count or not samples:
        raise ValueError("there is nothing to add up")
    if is_narrow(rows, sums):
        narrow, narrow_sums = rows, sums
        with nogil:
            for sample in range(samples):
                add_drawn_int32(&narrow[0, 0], narrow.shape[1], &indices[sample, 0], count,
                                &narrow_sums[sample, 0])
    else:
        wide, wide_sums = rows, sums
        with nogil:
            for sample in range(samples):
                add_drawn_int64(&wide[0, 0], wide.shape[1], &indices[sample, 0], count,
                                &wide_sums[sample, 0])


def add_tossed(rows, const uint32_t[::1] words not None, Py_ssize_t first_bit, sums):
    """Sums of the rows whose coin shows heads.

    Parameters
    ----------
    rows : array of int32 or int64, shape (segments, columns)
    words : array of uint32
        A stream of bits, the lowest of each word first: after `first_bit` of them those of the first
        trial's segments, then those of the next trial, and so on; and one word more.
    first_bit : int
    sums : array of the type of `rows`, shape (trials, columns)
        Is overwritten.
    """
    cdef const int32_t[:, ::1] narrow
    cdef const int64_t[:, ::1] wide
    cdef int32_t[:, ::1] narrow_sums
    cdef int64_t[:, ::1] wide_sums
    cdef void *subsets
    cdef Py_ssize_t trials = len(sums), segments = len(rows)
    if not trials or not segments:
        raise ValueError("there is nothing to add up")
    if first_bit < 0 or (first_bit + trials * segments + 31) // 32 >= words.shape[0]:
        raise ValueError(f"{words.shape[0]} words are too few for {trials} trials of {segments} bits")
    subsets = PyMem_Malloc(SUBSETS * rows.shape[1] * rows.itemsize)
    if subsets == NULL:
        raise MemoryError(f"no memory for {SUBSETS} rows")
    try:
        if is_narrow(rows, sums):
            narrow, narrow_sums = rows, sums
            with nogil:
                add_tossed_int32(&narrow[0, 0], segments, narrow.shape[1], &words[0], first_bit,
                                 trials, <int32_t *> subsets, &narrow_sums[0, 0])
        else:
            wide, wide_sums = rows, sums
            with nogil:
                add_tossed_int64(&wide[0, 0], segments, wide.shape[1], &words[0], first_bit,
                                 trials, <int64_t *> subsets, &wide_sums[0, 0])
    finally:
        PyMem_Free(subsets)

"""Sums of randomly drawn rows: the inner loops of the significance tests.

The loops and their cost are documented in kernel/arithmetic/resample.h. All numbers are integers, so that no
sum depends on the order of its terms. Only the shapes of arrays are checked here: resampling.py ensures that
indices are valid rows and that no sum overflows. The GIL is released; nothing is shared, any thread may call.
"""

from cpython.buffer cimport PyBUF_C_CONTIGUOUS, PyBUF_WRITABLE
from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from fastbleu.core.runtime._process cimport Buffer, buffer_of


cdef extern from "kernel/arithmetic/resample.h":
    enum: FB_NARROW
    void add_drawn_narrow(const uint16_t *rows, size_t columns, const int64_t *indices, size_t count,
                          int32_t *sums) noexcept nogil
    void add_drawn_wide(const int64_t *rows, size_t columns, const int64_t *indices, size_t count,
                        int64_t *sums) noexcept nogil
    enum: FB_TURNED
    ctypedef struct uint128_pair:
        uint64_t high, low
    size_t count_drawn(uint128_pair state, uint128_pair increment, uint64_t *position, uint64_t end,
                       uint32_t segments, size_t draws, uint8_t *times) noexcept nogil
    void add_counted_narrow(const uint16_t *rows, size_t segments, size_t columns, const uint8_t *times,
                            size_t samples, uint16_t *turned, int64_t *sums) noexcept nogil
    void add_counted_wide(const int64_t *rows, size_t segments, size_t columns, const uint8_t *times,
                          size_t samples, int64_t *turned, int64_t *sums) noexcept nogil
    void add_tossed_narrow(const uint16_t *rows, size_t segments, size_t columns, const uint32_t *words,
                           size_t first_bit, size_t trials, uint16_t *subsets, int32_t *sums) noexcept nogil
    void add_tossed_wide(const int64_t *rows, size_t segments, size_t columns, const uint32_t *words,
                         size_t first_bit, size_t trials, int64_t *subsets, int64_t *sums) noexcept nogil

NARROW = FB_NARROW         # a table of numbers less than this may be uint16

cdef enum:
    SUBSETS = 8 * 16       # rows of memory that add_tossed_* works with


cdef Buffer sums_for(object sums, Buffer rows, Py_ssize_t samples, Py_ssize_t draws):
    """The buffer of the sums; ValueError if the shapes of the arrays do not match."""
    cdef Buffer buffer = buffer_of(sums, "iq", 2, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE)
    cdef Py_ssize_t columns = rows.view.shape[1]
    if (buffer.kind == c"i") != (rows.kind == c"H") or (
            buffer.view.shape[0] != samples or buffer.view.shape[1] != columns):
        raise ValueError(f"sums of {sums.dtype} and shape {sums.shape} do not match {samples} samples of "
                         f"{columns} columns in integers of {rows.view.itemsize} bytes")
    if not (rows.view.shape[0] and columns and samples and draws):
        raise ValueError("there is nothing to add up")
    return buffer


def add_drawn(rows, indices, sums):
    """Overwrite `sums`, shape (samples, columns), with the sums of the rows in each bootstrap sample.

    `rows` are uint16 (below NARROW) or int64, shape (segments, columns), `sums` int32 or int64; `indices`,
    int64 of shape (samples, draws), are row numbers.
    """
    cdef Buffer table = buffer_of(rows, "Hq", 2), drawn = buffer_of(indices, "q", 2)
    cdef Py_ssize_t sample, samples = drawn.view.shape[0], draws = drawn.view.shape[1]
    cdef Buffer out = sums_for(sums, table, samples, draws)
    cdef Py_ssize_t columns = table.view.shape[1]
    cdef const int64_t *index = <const int64_t *> drawn.view.buf
    with nogil:
        for sample in range(samples):
            if table.kind == c"H":
                add_drawn_narrow(<const uint16_t *> table.view.buf, columns, index + sample * draws, draws,
                                 <int32_t *> out.view.buf + sample * columns)
            else:
                add_drawn_wide(<const int64_t *> table.view.buf, columns, index + sample * draws, draws,
                               <int64_t *> out.view.buf + sample * columns)


def count_drawn_rows(state, increment, uint64_t position, uint64_t end, Py_ssize_t draws, times):
    """Add to `times`, uint8 of shape (segments,), how often the words of numpy's PCG64 draw each segment.

    Reads the 32-bit words from `position` to `end` of a generator with this state and increment, but stops
    after `draws` draws. Returns the position of the next word, and how many draws are left.
    """
    cdef Buffer counts = buffer_of(times, "B", 1, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE)
    cdef uint128_pair seed = halves(state), step = halves(increment)
    cdef size_t left = max(draws, 0)
    if not 0 < counts.view.shape[0] < 1 << 32:
        raise ValueError(f"there are {counts.view.shape[0]} segments, expected 1 to 2**32 - 1")
    with nogil:
        left = count_drawn(seed, step, &position, end, <uint32_t> counts.view.shape[0], left,
                           <uint8_t *> counts.view.buf)
    return position, left


cdef uint128_pair halves(number):
    cdef uint128_pair pair
    pair.high, pair.low = number >> 64, number & ((1 << 64) - 1)
    return pair


def add_counted(rows, times, sums):
    """Add to `sums`, int64 of shape (samples, columns), each row as many times as it was drawn.

    `rows` are as in `add_drawn`; `times` is uint8 of shape (samples, segments).
    """
    cdef Buffer table = buffer_of(rows, "Hq", 2), counts = buffer_of(times, "B", 2)
    cdef Buffer out = buffer_of(sums, "q", 2, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE)
    cdef Py_ssize_t segments = table.view.shape[0], columns = table.view.shape[1]
    cdef Py_ssize_t samples = counts.view.shape[0]
    cdef void *turned
    if counts.view.shape[1] != segments or out.view.shape[0] != samples or out.view.shape[1] != columns:
        raise ValueError(f"sums of shape {sums.shape} and counts of shape {times.shape} do not match rows "
                         f"of shape {rows.shape}")
    turned = PyMem_RawMalloc(FB_TURNED * max(columns, 1) * table.view.itemsize)
    if turned == NULL:
        raise MemoryError(f"no memory for {FB_TURNED} rows")
    with nogil:
        if table.kind == c"H":
            add_counted_narrow(<const uint16_t *> table.view.buf, segments, columns,
                               <const uint8_t *> counts.view.buf, samples, <uint16_t *> turned,
                               <int64_t *> out.view.buf)
        else:
            add_counted_wide(<const int64_t *> table.view.buf, segments, columns,
                             <const uint8_t *> counts.view.buf, samples, <int64_t *> turned,
                             <int64_t *> out.view.buf)
    PyMem_RawFree(turned)


def add_tossed(rows, words, Py_ssize_t first_bit, sums):
    """Overwrite `sums`, shape (trials, columns), with the sums of the rows whose coin shows heads.

    `rows` and `sums` are as in `add_drawn`. `words`, uint32, are a stream of bits, lowest bit first: after
    `first_bit` bits comes one bit per segment, trial by trial. There must be one extra word at the end.
    """
    cdef Buffer table = buffer_of(rows, "Hq", 2), bits = buffer_of(words, "I", 1)
    cdef Py_ssize_t trials = len(sums), segments = table.view.shape[0], columns = table.view.shape[1]
    cdef Buffer out = sums_for(sums, table, trials, segments)
    cdef const uint32_t *word = <const uint32_t *> bits.view.buf
    cdef void *subsets
    if first_bit < 0 or (first_bit + trials * segments + 31) // 32 >= bits.view.shape[0]:
        raise ValueError(
            f"{bits.view.shape[0]} words are too few for {trials} trials of {segments} bits")
    subsets = PyMem_RawMalloc(SUBSETS * columns * table.view.itemsize)
    if subsets == NULL:
        raise MemoryError(f"no memory for {SUBSETS} rows")
    with nogil:
        if table.kind == c"H":
            add_tossed_narrow(<const uint16_t *> table.view.buf, segments, columns, word, first_bit,
                              trials, <uint16_t *> subsets, <int32_t *> out.view.buf)
        else:
            add_tossed_wide(<const int64_t *> table.view.buf, segments, columns, word, first_bit,
                            trials, <int64_t *> subsets, <int64_t *> out.view.buf)
    PyMem_RawFree(subsets)

"""Rows of sufficient statistics as flat arrays of int64: making them, adding them up.

Rows travel as `array('q')`, so that numpy is loaded only where an array of numpy is asked for. What is
added never leaves int64 in silence. Functions of their arguments; they hold the GIL, but signals are heard
meanwhile.
"""

from cpython.array cimport array, clone
from cpython.exc cimport PyErr_CheckSignals
from libc.string cimport memset

cdef extern from "Python.h":
    Py_ssize_t PY_SSIZE_T_MAX

cdef extern from "kernel/checked.h":
    bint add_overflows(int64_t a, int64_t b, int64_t *total) noexcept nogil

# Rows, and bytes of memory that is new, between two looks for signals.
cdef Py_ssize_t POLL_ROWS = 1 << 16
cdef Py_ssize_t POLL_BYTES = 1 << 24

cdef array _ROWS = array("q")


cdef int64_t *numbers(array values) except? NULL:
    """The memory of an array of int64."""
    if values.typecode != "q":
        raise TypeError(f"expected an array of typecode 'q', not {values.typecode!r}")
    return <int64_t *> values.data.as_longlongs


def zero_rows(Py_ssize_t segments, int max_order):
    """A flat array of `segments` rows, all zero."""
    cdef Py_ssize_t width = 2 + 2 * <Py_ssize_t> max_order
    # An absurd number of segments must not wrap round into a small one.
    if segments > PY_SSIZE_T_MAX // width:
        raise MemoryError(f"no memory for {segments} rows")
    if segments == 0:
        return array("q")
    if segments * width * <Py_ssize_t> sizeof(int64_t) <= POLL_BYTES:
        return clone(_ROWS, segments * width, True)
    return _large_zeros(segments * width)


cdef array _large_zeros(Py_ssize_t length):
    """Memory that nobody else knows yet, made zero part by part."""
    cdef array rows = clone(_ROWS, length, False)
    cdef Py_ssize_t start = 0, size = length * sizeof(int64_t)
    while start < size:
        memset(rows.data.as_chars + start, 0, min(size - start, POLL_BYTES))
        start += POLL_BYTES
        PyErr_CheckSignals()
    return rows


cdef int poll_at(Py_ssize_t number) except -1:
    """Look for signals from time to time. The caller holds views of its arrays, or the user code that
    this runs might resize them."""
    if number % POLL_ROWS == POLL_ROWS - 1:
        PyErr_CheckSignals()
    return 0


def add_rows(array a not None, array b not None, array total not None):
    """Add rows number by number; OverflowError where a sum leaves int64."""
    cdef const int64_t *left = numbers(a)
    cdef const int64_t *right = numbers(b)
    cdef int64_t *sums = numbers(total)
    cdef Py_ssize_t i
    cdef Py_ssize_t size = min(len(a), len(b), len(total))
    _held = [memoryview(a), memoryview(b), memoryview(total)] if size >= POLL_ROWS else None
    for i in range(size):
        poll_at(i)
        if add_overflows(left[i], right[i], &sums[i]):
            raise OverflowError(f"{left[i]} + {right[i]} does not fit into int64")


def accumulate_rows(array rows not None, Py_ssize_t count, array total not None):
    """Add the first `count` rows to the one row `total`; OverflowError where that leaves int64."""
    cdef Py_ssize_t row, column, width = len(total)
    cdef const int64_t *values = numbers(rows)
    cdef int64_t *sums = numbers(total)
    count = min(count, len(rows) // width)
    _held = [memoryview(rows), memoryview(total)] if count >= POLL_ROWS else None
    for row in range(count):
        poll_at(row)
        for column in range(width):
            if add_overflows(sums[column], values[row * width + column], &sums[column]):
                raise OverflowError(f"the sum of the first {row + 1} rows does not fit into int64")


def floor_totals(array rows not None, Py_ssize_t count, int max_order):
    """Raise the totals of the first `count` rows to at least 1: nltk's rule for short segments."""
    cdef Py_ssize_t row, column, width = 2 + 2 * max_order
    cdef int64_t *values = numbers(rows)
    count = min(count, len(rows) // width)
    _held = memoryview(rows) if count >= POLL_ROWS else None
    for row in range(count):
        poll_at(row)
        for column in range(row * width + 2 + max_order, (row + 1) * width):
            if values[column] < 1:
                values[column] = 1

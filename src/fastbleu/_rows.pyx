"""Rows of sufficient statistics as flat arrays of int64: making them, adding them up.

Rows travel as `array('q')`, so that numpy is loaded only where an array of numpy is asked for. What is
added never leaves int64 in silence. Functions of their arguments; they hold the GIL.
"""

from cpython.array cimport array, clone

cdef extern from "Python.h":
    Py_ssize_t PY_SSIZE_T_MAX

cdef extern from "kernel/checked.h":
    bint add_overflows(int64_t a, int64_t b, int64_t *total) noexcept nogil

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
    return clone(_ROWS, segments * width, True)


def add_rows(array a not None, array b not None, array total not None):
    """Add rows number by number; OverflowError where a sum leaves int64."""
    cdef const int64_t *left = numbers(a)
    cdef const int64_t *right = numbers(b)
    cdef int64_t *sums = numbers(total)
    cdef Py_ssize_t i
    for i in range(min(len(a), len(b), len(total))):
        if add_overflows(left[i], right[i], &sums[i]):
            raise OverflowError(f"{left[i]} + {right[i]} does not fit into int64")


def accumulate_rows(array rows not None, Py_ssize_t count, array total not None):
    """Add the first `count` rows to the one row `total`; OverflowError where that leaves int64."""
    cdef Py_ssize_t row, column, width = len(total)
    cdef const int64_t *values = numbers(rows)
    cdef int64_t *sums = numbers(total)
    for row in range(min(count, len(rows) // width)):
        for column in range(width):
            if add_overflows(sums[column], values[row * width + column], &sums[column]):
                raise OverflowError(f"the sum of the first {row + 1} rows does not fit into int64")


def floor_totals(array rows not None, Py_ssize_t count, int max_order):
    """Raise the totals of the first `count` rows to at least 1: nltk's rule for short segments."""
    cdef Py_ssize_t row, column, width = 2 + 2 * max_order
    cdef int64_t *values = numbers(rows)
    for row in range(min(count, len(rows) // width)):
        for column in range(row * width + 2 + max_order, (row + 1) * width):
            if values[column] < 1:
                values[column] = 1

"""The memory of rows. See _rows.pyx."""

from cpython.array cimport array
from libc.stdint cimport int64_t

cdef int64_t *numbers(array values) except? NULL

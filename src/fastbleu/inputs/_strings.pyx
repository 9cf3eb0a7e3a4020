"""Arrays of numpy's StringDType, read like columns: as Utf8Rows, without Python strings.

Ownership. Rows own a copy of their strings, because numpy's may move as soon as its allocator is released.
Thread-safety. One thread reads a column. The array may change meanwhile: each read takes it as it is then.
"""

from cpython.exc cimport PyErr_CheckSignals
from cpython.mem cimport PyMem_RawFree
from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.stdint cimport SIZE_MAX, uint8_t, uintptr_t
from libc.string cimport memcpy

from fastbleu.inputs._utf8 cimport Utf8Rows, utf8_line
from fastbleu.runtime._process cimport grow


cdef extern from "kernel/objects/string_array.h":
    ctypedef struct numpy_strings:
        void *(*acquire)(const void *dtype) noexcept nogil
        void (*release)(void *allocator) noexcept nogil
    bint find_numpy_strings(void **table, numpy_strings *functions) noexcept
    int load_string(const numpy_strings *functions, void *allocator, const void *packed,
                    utf8_line *line) noexcept nogil


cdef Py_ssize_t READ_STRINGS = 1 << 12         # between two checks for signals


cdef class Copies:
    """Memory of strings."""

    cdef uint8_t *bytes
    cdef Py_ssize_t room

    def __dealloc__(self):
        PyMem_RawFree(self.bytes)


cdef class StringColumn:
    """An array of strings of one dimension, with the interface of an ArrowColumn."""

    cdef readonly str name
    cdef readonly Py_ssize_t before            # rows of earlier reads
    cdef readonly bint is_text
    cdef readonly Py_ssize_t levels
    cdef object array
    cdef numpy_strings functions

    def __cinit__(self, array, str name not None):
        """Open an array of a numpy module that exports its functions; ImportError if it is another."""
        from numpy._core._multiarray_umath import _ARRAY_API

        if not find_numpy_strings(<void **> PyCapsule_GetPointer(_ARRAY_API, NULL), &self.functions):
            raise ImportError("this numpy is not of version 2")
        self.array, self.name = array, name
        self.is_text = True

    def read(self, Py_ssize_t limit, size_t most_bytes=SIZE_MAX):
        """The next rows, `limit` at most, fewer at the end and where these have `most_bytes` of text.

        Returns
        -------
        rows : Utf8Rows
        missing : list of (int, None)
            Rows, by their numbers among these, that are missing.
        """
        cdef Utf8Rows rows = Utf8Rows()
        cdef Copies copies = Copies()
        cdef Py_ssize_t line, used = 0, step, count
        cdef const void *dtype
        cdef list missing = []
        cdef const char *packed
        part = self.array[self.before:self.before + limit]
        its_dtype, count = part.dtype, len(part)
        dtype = <const void *> its_dtype
        packed = <const char *> <uintptr_t> part.__array_interface__["data"][0]
        step = part.strides[0]
        rows.owners.append(copies)
        while rows.line_count < count and rows.size < most_bytes:
            PyErr_CheckSignals()
            with nogil:
                self.copy(rows, copies, dtype, packed + rows.line_count * step, step,
                          min(count - rows.line_count, READ_STRINGS))
        used = 0
        for line in range(rows.line_count):      # only now, because the memory has moved while it grew
            if rows.lines[line].bytes == NULL:
                missing.append((line, None))
            else:
                rows.lines[line].bytes = copies.bytes + used
            used += rows.lines[line].size
        rows.segment_count = rows.line_count
        self.before += rows.line_count
        return rows, missing

    cdef int copy(self, Utf8Rows rows, Copies copies, const void *dtype, const char *packed, Py_ssize_t step,
                  Py_ssize_t count) except -1 nogil:
        """Add strings, whose bytes are in `copies` then."""
        cdef utf8_line *lines = rows.reserve(count)
        cdef size_t size = 0
        cdef Py_ssize_t number
        cdef uint8_t *out
        cdef int status = 0
        cdef void *allocator = NULL
        while allocator == NULL:
            allocator = self.functions.acquire(dtype)
            size = 0
            for number in range(count):
                status |= load_string(&self.functions, allocator, packed + number * step, &lines[number])
                size += lines[number].size
            if rows.size + size > <size_t> copies.room or status < 0:
                # No memory is asked for, and no error is made, by who has the allocator.
                self.functions.release(allocator)
                allocator = NULL
                if status < 0:
                    self.refuse(rows.line_count)
                copies.bytes = <uint8_t *> grow(copies.bytes, &copies.room, rows.size + size, 1)
        out = copies.bytes + rows.size
        for number in range(count):
            if lines[number].size:
                memcpy(out, lines[number].bytes, lines[number].size)
            out += lines[number].size
        self.functions.release(allocator)
        rows.line_count += count
        rows.size += size
        return 0

    cdef int refuse(self, Py_ssize_t row) except -1 nogil:
        with gil:
            raise ValueError(f"numpy cannot unpack {self.name} from row {self.before + row} on")

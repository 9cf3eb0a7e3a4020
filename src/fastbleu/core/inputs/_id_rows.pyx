"""Rows of token ids in arrays, read in place: no copies and no Python objects.

Data. IdRows points to rows: those of one array of the shape (segments, length) or (segments, rows of a
segment, length), with any strides, or rows of several arrays, gathered one by one. ids.py checks shapes and
types; `plain_batch` (_batch.pyx) reads what needs no checks. Ids in lists are copied.

Ownership. IdRows holds the buffers that it points into, and frees its table of rows and its copies.
Thread-safety. IdRows is only read while segments are counted.
"""

import cython
from cpython.array cimport array
from cpython.buffer cimport PyBUF_STRIDES
from cpython.exc cimport PyErr_CheckSignals
from cpython.mem cimport PyMem_RawFree
from cpython.object cimport PyObject
from libc.string cimport strchr

from fastbleu.core.kernel.exceptions cimport is_raised, Py_DECREF, take_exception
from fastbleu.core.kernel.sequences cimport (
    is_list_or_tuple, item_at, PySequence_Fast_ITEMS, size_of, unchanging_lists)
from fastbleu.core.runtime._process cimport POLL_EVERY, Buffer, buffer_of, grow

from .errors import InputError


cdef extern from "Python.h":
    PyObject *PyNumber_Index(object number)
    bint PyLong_CheckExact(PyObject *number)
    long long PyLong_AsLongLong(PyObject *number)
    long long PyLong_AsLongLongAndOverflow(PyObject *number, int *overflow)

cdef extern from "kernel/objects/id_rows.h":
    void widen_row(const id_row *row, int64_t *out) noexcept nogil


# The kinds of ids, in the order of `id_kind`.
cdef const char *KINDS = "bhiqBHIQ"
cdef tuple MASK_SIZES = (1, 2, 4, 8)      # of the first four


cdef bint ends_in_run(id_row row, bint is_one_of_few, int64_t *last) noexcept:
    """Whether a row ends in equal ids: two, or in one of few rows four, which follow other ids."""
    cdef int64_t other
    cdef Py_ssize_t before, run = 0, length = row.length
    cdef const char *ids = row.ids
    row.length = 1
    for before in range(length):
        row.ids = ids + (length - 1 - before) * row.stride
        widen_row(&row, &other)
        if run == before and (run == 0 or other == last[0]):
            last[0], run = other, run + 1
        elif is_one_of_few and other == last[0]:
            return False
        if not is_one_of_few and before == 1:
            break
    return 4 <= run < length if is_one_of_few else run == 2


@cython.freelist(8)
cdef class IdRows:
    """The rows of ids of all hypotheses or of all references.

    `ids` is an array of integers in native byte order, shape (segments, length) or (segments, rows,
    length), `mask` one of integers or bool of the same shape; without `ids` call `add` and `end_segment`.
    """

    def __cinit__(self, ids=None, mask=None):
        cdef Buffer buffer
        self.buffers = []
        if ids is None:
            return
        self.first = self.row_of(ids, mask)
        buffer = self.buffers[0]
        if not 2 <= buffer.view.ndim <= 3:
            raise ValueError(f"ids have {buffer.view.ndim} dimensions, expected 2 or 3")
        self.segment_count = buffer.view.shape[0]
        self.width = buffer.view.shape[1] if buffer.view.ndim == 3 else 1
        self.segment_stride, self.row_stride = buffer.view.strides[0], buffer.view.strides[1]
        buffer = self.buffers[len(self.buffers) - 1]           # the mask, if there is one
        self.mask_segment_stride = buffer.view.strides[0]
        self.mask_row_stride = buffer.view.strides[1]

    def __dealloc__(self):
        PyMem_RawFree(self.rows)
        PyMem_RawFree(self.ends)
        PyMem_RawFree(self.listed)

    def __len__(self):
        return self.segment_count

    @property
    def size(self):
        """The number of ids, including those that do not count."""
        cdef Py_ssize_t k, ids = 0
        if self.ends == NULL:
            return self.segment_count * self.width * self.first.length
        for k in range(self.row_count):
            ids += self.rows[k].length
        return ids

    @property
    def longest(self):
        """The largest number of ids in a row, including those that do not count."""
        cdef Py_ssize_t k, ids = 0
        if self.ends == NULL:
            return self.first.length
        for k in range(self.row_count):
            ids = max(ids, self.rows[k].length)
        return ids

    def run_at(self, bint start):
        """The id whose runs end, or start, more than half of the rows, as padding does, or None."""
        cdef Py_ssize_t segment, k, count = 0, rows = 0
        cdef int64_t last = 0, run = 0
        cdef id_row row
        for segment in range(self.segment_count):
            for k in range(self.rows_of(segment)):
                self.find_row(segment, k, &row)
                rows += 1
                if start and row.length:            # the row is read backwards
                    row.ids += (row.length - 1) * row.stride
                    row.stride = -row.stride
                if row.mask != NULL or not ends_in_run(row, self.segment_count < 4, &last):
                    continue
                if count == 0 or last == run:
                    run = last
                    count += 1
        return run if 2 * count > rows else None

    cdef id_row row_of(self, object ids, object mask) except *:
        """The first row of an array, along its last dimension; keeps the array alive."""
        cdef id_row row
        cdef Buffer buffer = buffer_of(ids, KINDS, 0, PyBUF_STRIDES)
        cdef Buffer mask_buffer
        cdef int last = buffer.view.ndim - 1, i
        if last < 0:
            raise ValueError("ids have no dimension")
        self.buffers.append(buffer)
        row.ids = <const char *> buffer.view.buf
        row.length = buffer.view.shape[last]
        row.stride = buffer.view.strides[last]
        row.kind = <id_kind> (strchr(KINDS, buffer.kind) - KINDS)
        row.mask = NULL
        row.mask_stride = 0
        row.mask_kind = row.kind
        if mask is not None:
            # The shapes were checked, but user code may have run since then.
            mask_buffer = buffer_of(mask, "", 0, PyBUF_STRIDES)
            if mask_buffer.view.ndim != last + 1 or mask_buffer.view.itemsize not in MASK_SIZES:
                raise InputError("the mask has changed while it was read")
            for i in range(last + 1):
                if mask_buffer.view.shape[i] != buffer.view.shape[i]:
                    raise InputError("the mask has changed while it was read")
            self.buffers.append(mask_buffer)
            row.mask = <const char *> mask_buffer.view.buf
            row.mask_stride = mask_buffer.view.strides[last]
            row.mask_kind = <id_kind> <int> MASK_SIZES.index(mask_buffer.view.itemsize)
        return row

    def add(self, ids, mask=None):
        """Add a row, a 1-d array, to the current segment."""
        cdef id_row row = self.row_of(ids, mask)
        cdef Buffer buffer = self.buffers[len(self.buffers) - 1]
        if buffer.view.ndim != 1:
            raise ValueError(f"a row has {buffer.view.ndim} dimensions, expected 1")
        self.append(row)

    cdef int append(self, id_row row) except -1 nogil:
        """Add a row, whose memory `buffers` keeps, to the current segment."""
        if self.row_count == self.row_capacity:
            self.rows = <id_row *> grow(
                self.rows, &self.row_capacity, self.row_count + 1, sizeof(id_row))
        self.rows[self.row_count] = row
        self.row_count += 1
        return 0

    def end_segment(self):
        """End the current segment."""
        self.close_segment()

    cdef int close_segment(self) except -1 nogil:
        """See `end_segment`."""
        if self.segment_count == self.segment_capacity:
            self.ends = <int64_t *> grow(
                self.ends, &self.segment_capacity, self.segment_count + 1, sizeof(int64_t))
        self.ends[self.segment_count] = self.row_count
        self.segment_count += 1
        return 0

    cdef bint add_lists(self, object segments, bint nested) except -1:
        """Add segments: each a list of int or, if `nested`, a list of these; False for other types."""
        cdef Py_ssize_t segment = 0, polled = 0, k
        cdef const int64_t *ids
        while segment < size_of(segments):
            rows = item_at(segments, segment)
            if not is_list_or_tuple(rows):
                return False
            if not nested:
                rows = (rows,)
            rows = unchanging_lists(rows)
            for k in range(size_of(rows)):
                if not self.add_list(<object> PySequence_Fast_ITEMS(rows)[k]):
                    return False
            if size_of(rows) == 0:
                return False
            self.close_segment()
            segment += 1
            if self.listed_count - polled >= POLL_EVERY or segment % POLL_EVERY == 0:
                polled = self.listed_count
                PyErr_CheckSignals()
        # Only now, because the copies move while they grow.
        ids = self.listed
        for k in range(self.row_count):
            self.rows[k].ids = <const char *> ids
            ids += self.rows[k].length
        return True

    cdef bint add_list(self, object ids) except -1:
        """Add a list of int as a row; False if it is not one, or very long. Runs no Python code."""
        cdef Py_ssize_t length, i
        cdef PyObject *number
        cdef int overflow = 0
        cdef id_row row
        if not is_list_or_tuple(ids) or size_of(ids) > POLL_EVERY:
            return False
        length = size_of(ids)
        if self.listed_count + length >= self.listed_capacity:
            self.listed = <int64_t *> grow(
                self.listed, &self.listed_capacity, self.listed_count + length + 1, sizeof(int64_t))
        for i in range(length):
            number = PySequence_Fast_ITEMS(ids)[i]
            if not PyLong_CheckExact(number):
                return False
            self.listed[self.listed_count + i] = PyLong_AsLongLongAndOverflow(number, &overflow)
            if overflow:
                return False
        self.listed_count += length
        row = [NULL, length, sizeof(int64_t), ID_INT64, NULL, 0, ID_INT64]
        self.append(row)
        return True

    def as_lists(self, bint are_lists=False):
        """The ids of each segment as a list of int; with `are_lists` as a list of lists."""
        cdef list made = [], rows
        cdef array ids
        cdef id_row row
        cdef Py_ssize_t segment, k
        for segment in range(self.segment_count):
            rows = []
            for k in range(self.rows_of(segment)):
                self.find_row(segment, k, &row)
                ids = array("q", bytes(8 * row.length))
                widen_row(&row, <int64_t *> ids.data.as_longlongs)
                rows.append(ids.tolist())
            made.append(rows if are_lists else rows[0])
            PyErr_CheckSignals()
        return made

    def without(self, left_out not None):
        """All segments, of gathered rows, except those whose numbers are in a set."""
        cdef IdRows kept = IdRows()
        cdef Py_ssize_t segment, k
        cdef id_row row
        kept.buffers.append(self)
        for segment in range(self.segment_count):
            if segment % POLL_EVERY == POLL_EVERY - 1:
                PyErr_CheckSignals()
            if segment not in left_out:
                for k in range(self.rows_of(segment)):
                    self.find_row(segment, k, &row)
                    kept.append(row)
                kept.close_segment()
        return kept

    cdef inline Py_ssize_t rows_of(self, Py_ssize_t segment) noexcept nogil:
        """The number of a segment's rows."""
        if self.ends == NULL:
            return self.width
        return self.ends[segment] - (self.ends[segment - 1] if segment else 0)

    cdef inline void find_row(self, Py_ssize_t segment, Py_ssize_t k, id_row *row) noexcept nogil:
        """Row number k of a segment."""
        if self.ends != NULL:
            row[0] = self.rows[(self.ends[segment - 1] if segment else 0) + k]
            return
        row[0] = self.first
        row.ids += segment * self.segment_stride + k * self.row_stride
        if row.mask != NULL:
            row.mask += segment * self.mask_segment_stride + k * self.mask_row_stride


cdef int64_t as_int64(object number) noexcept:
    """A Python integer as int64; -1 with an exception set if that fails."""
    cdef PyObject *index = PyNumber_Index(number)
    cdef int64_t value = -1
    if index != NULL:
        value = PyLong_AsLongLong(index)
        Py_DECREF(index)
    return value


def ids_of(list tokens not None):
    """Return (integers as an array of int64, position of the first that does not fit, or -1)."""
    cdef array ids = array("q", bytes(8 * len(tokens)))
    cdef Py_ssize_t i
    for i in range(len(tokens)):
        ids.data.as_longlongs[i] = as_int64(tokens[i])
        if ids.data.as_longlongs[i] == -1 and is_raised():
            error = take_exception()
            if isinstance(error, (TypeError, OverflowError)):
                return ids, i
            raise error
        if i % POLL_EVERY == POLL_EVERY - 1:
            PyErr_CheckSignals()
    return ids, -1

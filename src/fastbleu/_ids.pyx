"""Token ids in arrays in, packed ids out: no copies of arrays, no Python objects, no GIL.

Data. IdRows points to the rows of arrays: either those of one array (segments, length) or (segments,
rows of a segment, length), of any strides, or rows gathered one by one. IdPacker numbers the ids of a
chunk of segments as TokenPacker numbers tokens (PackedSegments in _core.pxd); kernel/id_rows.h reads
them, whatever their type, and leaves out what does not count.

Checks of shapes and types, and their messages, are the door's business (ids.py).

Ownership. IdRows holds the buffers that it points into and frees its table of rows; IdPacker owns its
arrays and its two tables.
Thread-safety. IdRows is only read while segments are counted; one packer per thread.
"""

from cpython.array cimport array
from cpython.buffer cimport PyBUF_FORMAT, PyBUF_STRIDES, PyBuffer_Release, PyObject_GetBuffer
from cpython.exc cimport PyErr_CheckSignals
from cpython.mem cimport PyMem_RawFree
from cpython.object cimport PyObject
from libc.stdint cimport INT32_MAX

from fastbleu._core cimport grow, process_seed
from fastbleu._exceptions cimport is_raised, take_exception
from fastbleu._interrupts cimport POLL_EVERY
from fastbleu._tables cimport (
    look_up_cost, number_table_add, number_table_begin, number_table_find, number_table_free)


cdef extern from "Python.h":
    PyObject *PyNumber_Index(object number)
    long long PyLong_AsLongLong(PyObject *number)
    void Py_DECREF(PyObject *number)

cdef extern from "kernel/id_rows.h":
    void widen_row(const id_row *row, int64_t *out) noexcept nogil
    ctypedef struct id_progress:
        Py_ssize_t at
        Py_ssize_t padding
        bint stopped
    bint was_padding(const id_progress *read) noexcept nogil
    Py_ssize_t read_ids(const id_row *row, const id_filter *filter, Py_ssize_t count, id_progress *read,
                        int64_t *out) noexcept nogil

cdef extern from "kernel/direct_table.h":
    const uint64_t DIRECT_NUMBERS
    void direct_table_free(direct_table *table) noexcept nogil
    int direct_table_begin(direct_table *table, uint64_t largest) noexcept nogil
    uint64_t largest_of(const int64_t *numbers, Py_ssize_t length) noexcept nogil
    void direct_table_add(
        direct_table *table, const int64_t *numbers, Py_ssize_t length, int32_t *ids) noexcept nogil
    void direct_table_find(
        const direct_table *table, const int64_t *numbers, Py_ssize_t length, int32_t absent,
        int32_t *ids) noexcept nogil

# Ends a chunk: as in _tokens.pyx.
cdef Py_ssize_t chunk_segments = 512
cdef Py_ssize_t chunk_ids = 1 << 15
CHUNK_IDS = chunk_ids

# Memory for longer rows is not kept.
cdef Py_ssize_t KEPT_IDS = 1 << 18

cdef enum:
    LABEL_PADDING = -100                 # pads labels by convention, and hardly ever is a token


cdef id_kind kind_of(bytes format, Py_ssize_t size) except *:
    """The type of the integers of a buffer, which are of native byte order."""
    cdef int power = {1: 0, 2: 1, 4: 2, 8: 3}[size]
    format = format.lstrip(b"@=<>^")
    if format not in (b"b", b"B", b"h", b"H", b"i", b"I", b"l", b"L", b"q", b"Q"):
        raise TypeError(f"expected native integers, not the format {format!r}")
    return <id_kind> (<int> (ID_INT8 if format.islower() else ID_UINT8) + power)


cdef class Buffer:
    """Holds the memory of an array."""

    cdef Py_buffer view

    def __cinit__(self, owner):
        PyObject_GetBuffer(owner, &self.view, PyBUF_STRIDES | PyBUF_FORMAT)

    def __dealloc__(self):
        PyBuffer_Release(&self.view)


cdef class IdRows:
    """The rows of ids of one side of a corpus.

    Parameters
    ----------
    ids : array of integers, shape (segments, length) or (segments, rows, length), optional
        Of native byte order. Without it, rows are gathered by `add` and `end_segment`.
    mask : array of integers or bool of the same shape, optional
    """

    def __cinit__(self, ids=None, mask=None):
        cdef Buffer buffer
        self.held = []
        if ids is None:
            return
        self.first = self.row_of(ids, mask)
        buffer = self.held[0]
        if not 2 <= buffer.view.ndim <= 3:
            raise ValueError(f"ids have {buffer.view.ndim} dimensions, expected 2 or 3")
        self.segment_count = buffer.view.shape[0]
        self.width = buffer.view.shape[1] if buffer.view.ndim == 3 else 1
        self.segment_stride, self.row_stride = buffer.view.strides[0], buffer.view.strides[1]
        buffer = self.held[len(self.held) - 1]           # the mask, if there is one
        self.mask_segment_stride = buffer.view.strides[0]
        self.mask_row_stride = buffer.view.strides[1]

    def __dealloc__(self):
        PyMem_RawFree(self.rows)
        PyMem_RawFree(self.ends)

    def __len__(self):
        return self.segment_count

    @property
    def size(self):
        """The number of ids, those included that do not count."""
        cdef Py_ssize_t k, ids = 0
        if self.ends == NULL:
            return self.segment_count * self.width * self.first.length
        for k in range(self.row_count):
            ids += self.rows[k].length
        return ids

    def run_at_end(self):
        """The id that most rows end with, twice at least: padding; None if there is none."""
        cdef Py_ssize_t segment, k, count = 0, rows = 0
        cdef int64_t last[2]
        cdef int64_t run = 0
        cdef id_row row
        for segment in range(self.segment_count):
            for k in range(self.rows_of(segment)):
                row = self.row(segment, k)
                rows += 1
                if row.mask != NULL or row.length < 2:
                    continue
                row.ids += (row.length - 2) * row.stride
                row.length = 2
                widen_row(&row, last)
                if last[0] == last[1] and (count == 0 or last[0] == run):
                    run = last[0]
                    count += 1
        return run if 2 * count > rows else None

    cdef id_row row_of(self, object ids, object mask) except *:
        """The first row of an array, with the last dimension as its length; holds the array."""
        cdef id_row row
        cdef Buffer buffer = Buffer(ids)
        cdef Buffer its_mask
        cdef int last = buffer.view.ndim - 1, i
        if last < 0:
            raise ValueError("ids have no dimension")
        self.held.append(buffer)
        row.ids = <const char *> buffer.view.buf
        row.length = buffer.view.shape[last]
        row.stride = buffer.view.strides[last]
        row.kind = kind_of(buffer.view.format, buffer.view.itemsize)
        row.mask = NULL
        row.mask_stride = row.mask_size = 0
        if mask is not None:
            # The door has compared them, but the user's code may have run since then.
            its_mask = Buffer(mask)
            if its_mask.view.ndim != last + 1 or its_mask.view.itemsize > <Py_ssize_t> sizeof(int64_t):
                raise ValueError("the mask has changed while it was read")
            for i in range(last + 1):
                if its_mask.view.shape[i] != buffer.view.shape[i]:
                    raise ValueError("the mask has changed while it was read")
            self.held.append(its_mask)
            row.mask = <const char *> its_mask.view.buf
            row.mask_stride = its_mask.view.strides[last]
            row.mask_size = <int> its_mask.view.itemsize
        return row

    def add(self, ids, mask=None):
        """Add a row to the segment that has begun: arrays of one dimension, as for the class."""
        cdef id_row row = self.row_of(ids, mask)
        cdef Buffer buffer = self.held[len(self.held) - 1]
        if buffer.view.ndim != 1:
            raise ValueError(f"a row has {buffer.view.ndim} dimensions, expected 1")
        if self.row_count == self.row_capacity:
            self.rows = <id_row *> grow(
                self.rows, &self.row_capacity, self.row_count + 1, sizeof(id_row))
        self.rows[self.row_count] = row
        self.row_count += 1

    def end_segment(self):
        """The rows added since the last end are those of one segment."""
        if self.segment_count == self.segment_capacity:
            self.ends = <int64_t *> grow(
                self.ends, &self.segment_capacity, self.segment_count + 1, sizeof(int64_t))
        self.ends[self.segment_count] = self.row_count
        self.segment_count += 1

    cdef inline Py_ssize_t rows_of(self, Py_ssize_t segment) noexcept nogil:
        """The number of a segment's rows."""
        if self.ends == NULL:
            return self.width
        return self.ends[segment] - (self.ends[segment - 1] if segment else 0)

    cdef inline id_row row(self, Py_ssize_t segment, Py_ssize_t k) noexcept nogil:
        """Row number k of a segment."""
        cdef id_row row
        if self.ends != NULL:
            return self.rows[(self.ends[segment - 1] if segment else 0) + k]
        row = self.first
        row.ids += segment * self.segment_stride + k * self.row_stride
        if row.mask != NULL:
            row.mask += segment * self.mask_segment_stride + k * self.mask_row_stride
        return row


cdef int64_t as_int64(object number) noexcept:
    """A Python integer; with an exception set where it is none that fits."""
    cdef PyObject *index = PyNumber_Index(number)
    cdef int64_t value = -1
    if index != NULL:
        value = PyLong_AsLongLong(index)
        Py_DECREF(index)
    return value


def ids_of(list tokens not None):
    """Python integers as an array of int64, and the position of the first that is none.

    Returns
    -------
    (array, int)
        -1 if all are integers that fit into int64.
    """
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


cdef class IdPacker(PackedSegments):
    """Packs rows of ids chunk by chunk.

    Parameters
    ----------
    ignored : tuple of int
        Ids that stand for no token: padding.
    skipped : tuple of int
        Ids of tokens to leave out.
    stops : tuple of int
        Any of these ends a row where it is not masked.
    """

    def __cinit__(self, ignored=(), skipped=(), stops=()):
        ignored = frozenset(ignored)
        dropped = sorted({*ignored, *skipped})
        self.dropped = array("q", dropped)
        self.padding = bytes([number in ignored for number in dropped])
        self.filter.dropped = <const int64_t *> self.dropped.data.as_longlongs
        self.filter.is_padding = <const uint8_t *> <const char *> self.padding
        self.filter.dropped_count = len(dropped)
        self.stops = array("q", stops)
        self.filter.stops = <const int64_t *> self.stops.data.as_longlongs
        self.filter.stop_count = len(stops)
        self.numbers.seed = process_seed()

    def __dealloc__(self):
        direct_table_free(&self.small_numbers)
        number_table_free(&self.numbers)
        PyMem_RawFree(self.row_ids)

    def reset(self):
        """Forget the last segments; keep the memory, but for that of a long row."""
        PackedSegments.reset(self)
        self.hypotheses = self.references = None
        if self.row_capacity > KEPT_IDS:
            PyMem_RawFree(self.row_ids)
            self.row_ids = NULL
            self.row_capacity = 0

    def fill(self, IdRows hypotheses not None, IdRows references not None, Py_ssize_t start):
        """Take the next chunk's segments in place of the last one's; 0 at the end."""
        cdef Py_ssize_t segment = start, ids = 0, k, end = min(len(hypotheses), len(references))
        self.clear()
        self.finished = False
        PyErr_CheckSignals()
        self.hypotheses, self.references = hypotheses, references
        self.first_segment = start
        while segment < end and self.segment_count < chunk_segments and ids < chunk_ids:
            self.reserve_segment()
            ids += hypotheses.row(segment, 0).length
            for k in range(references.rows_of(segment)):
                ids += references.row(segment, k).length
            segment += 1
            self.segment_count += 1
        return self.segment_count

    cdef int finish(self) except -1 nogil:
        """Read and pack the chunk's rows, once."""
        cdef Py_ssize_t segment
        if self.finished:
            return 0
        for segment in range(self.segment_count):
            self.pack(segment)
        self.finished = True
        return 0

    cdef int pack(self, Py_ssize_t segment) except -1 nogil:
        """Pack one segment. A reference of nothing but padding is none, unless it is the only one."""
        cdef Py_ssize_t number = self.first_segment + segment, k, length
        cdef Py_ssize_t rows = self.references.rows_of(number), references = 0
        cdef int64_t *lengths = self.reserve_lengths(rows + 2)
        cdef bint are_small, is_padding = False
        length = self.read(self.hypotheses.row(number, 0), &is_padding)
        lengths[0] = length
        are_small = self.number_hypothesis(length, &self.distinct[segment])
        for k in range(rows):
            length = self.read(self.references.row(number, k), &is_padding)
            if is_padding and (references > 0 or k < rows - 1):
                continue
            self.find_reference(length, are_small, self.distinct[segment])
            references += 1
            lengths[references] = length
        self.reference_counts[segment] = references
        self.note_references(references)
        self.length_count += references + 1
        return 0

    cdef bint number_hypothesis(self, Py_ssize_t length, int32_t *distinct) except -1 nogil:
        """Pack the ids that were read; whether they went through the table of small numbers."""
        cdef uint64_t largest = largest_of(self.row_ids, length)
        cdef bint are_small = largest < DIRECT_NUMBERS
        cdef int32_t *ids = self.reserve_ids(length)
        cdef const int64_t *row_ids = self.row_ids
        cdef Py_ssize_t start = 0, stop, cost, i
        if (direct_table_begin(&self.small_numbers, largest) if are_small
                else number_table_begin(&self.numbers, length)) < 0:
            with gil:
                raise MemoryError(f"no memory for a segment of {length} ids")
        cost = 1 if are_small else look_up_cost(self.numbers.slot_count)
        while start < length:
            stop = self.next_stop(start, length, cost)
            if are_small:
                direct_table_add(&self.small_numbers, row_ids + start, stop - start, ids + start)
            else:
                for i in range(start, stop):
                    ids[i] = number_table_add(&self.numbers, <uint64_t> row_ids[i])
            start = stop
        distinct[0] = self.small_numbers.count if are_small else self.numbers.count
        self.id_count += length
        return are_small

    cdef int find_reference(self, Py_ssize_t length, bint are_small, int32_t absent) except -1 nogil:
        """Pack the ids that were read as those of a reference."""
        cdef int32_t *ids = self.reserve_ids(length)
        cdef const int64_t *row_ids = self.row_ids
        cdef Py_ssize_t start = 0, stop, cost, i
        cost = 1 if are_small else look_up_cost(self.numbers.slot_count)
        while start < length:
            stop = self.next_stop(start, length, cost)
            if are_small:
                direct_table_find(
                    &self.small_numbers, row_ids + start, stop - start, absent, ids + start)
            else:
                for i in range(start, stop):
                    ids[i] = number_table_find(&self.numbers, <uint64_t> row_ids[i], absent)
            start = stop
        self.id_count += length
        return 0

    cdef Py_ssize_t read(self, id_row row, bint *is_padding) except -1 nogil:
        """Read a row's ids that count into `row_ids`; their number."""
        cdef Py_ssize_t length = 0, count, kept, i
        cdef bint label_padding = False
        cdef id_progress progress = [0, 0, False]
        cdef int64_t *ids
        if row.length >= INT32_MAX:
            with gil:
                raise OverflowError(f"a sequence of {row.length} ids is too long; at most {INT32_MAX - 1}")
        if row.length > self.row_capacity:
            self.row_ids = <int64_t *> grow(
                self.row_ids, &self.row_capacity, row.length, sizeof(int64_t))
        while progress.at < row.length:
            ids = self.row_ids + length
            count = min(row.length - progress.at, POLL_EVERY)
            kept = read_ids(&row, &self.filter, count, &progress, ids)
            for i in range(kept):
                label_padding |= ids[i] == LABEL_PADDING
            length += kept
            if progress.at < row.length:
                self.worked(count)
        is_padding[0] = was_padding(&progress)
        self.label_padding |= label_padding
        return length

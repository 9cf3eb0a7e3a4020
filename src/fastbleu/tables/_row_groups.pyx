"""Group the rows of a frame by their keys, and sum their counts.

Data. Groups are numbered in the order of their first rows. Text is compared as UTF-8, a missing one being
equal to others that are missing, and numbers by their 64 bits. A row costs one or two look-ups per key, and
less if its text equals that of the previous row.

Ownership. RowGroups owns its arrays and its table; keys are borrowed while rows are split by them.
Thread-safety. One thread uses a RowGroups.
"""

from cpython.array cimport array, clone
from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcmp

from fastbleu._core cimport numbers
from fastbleu.inputs._utf8 cimport Utf8Rows, utf8_line
from fastbleu.kernel.tables cimport (
    interner, interner_add, interner_begin, interner_free, token_content, token_key)
from fastbleu.runtime._process cimport POLL_EVERY, Buffer, buffer_of, process_seed


cdef extern from "kernel/tables/token_store.h":
    token_key number_key(int64_t number) noexcept nogil
    int32_t intern_content(interner *table, token_content content, unsigned int unit) noexcept nogil


cdef enum:
    # Units that distinguish texts from missing values.
    TEXT = 1
    MISSING = 2

# Columns of the totals of a group, before the counts.
cdef enum:
    FIRST
    SEGMENTS
    FEWEST
    MOST
    COUNTS

cdef array _INT32 = array("i")
cdef array _INT64 = array("q")
cdef token_content NO_CONTENT


cdef class RowGroups:
    """The groups of rows: one, until they are split by a key.

    Parameters
    ----------
    rows : int
    width : int
        How many counts a row has.
    """

    # Of each group: the first row, segments, fewest and most references, and the counts.
    # None: nothing was added.
    cdef readonly array totals
    cdef array groups                # of each row, int32
    cdef Py_ssize_t rows, count, width
    cdef interner known

    def __cinit__(self, Py_ssize_t rows, Py_ssize_t width):
        self.groups = clone(_INT32, rows, True)
        self.rows, self.width = rows, width
        self.count = min(rows, 1)
        self.known.seed = process_seed()

    def __dealloc__(self):
        interner_free(&self.known)

    def split(self, keys not None):
        """Split groups by a key: Utf8Rows of single lines, or a buffer of int64."""
        cdef int32_t *group = <int32_t *> self.groups.data.as_ints
        cdef int64_t *value
        cdef array values = clone(_INT64, self.rows, False)
        cdef Buffer buffer
        cdef Py_ssize_t row
        if len(keys) != self.rows:
            raise ValueError(f"there are {self.rows} rows, but {len(keys)} keys")
        value = numbers(values)
        self.forget()
        if isinstance(keys, Utf8Rows):
            self.number_lines(keys, value)
        else:
            buffer = buffer_of(keys, "q", 1)
            self.number(<const int64_t *> buffer.view.buf, value)
        if self.count > 1:
            for row in range(self.rows):
                value[row] |= <int64_t> group[row] << 32
            self.forget()
            self.number(value, value)
        for row in range(self.rows):
            group[row] = <int32_t> value[row]
        self.count = self.known.count
        self.totals = None

    cdef int forget(self) except -1:
        PyErr_CheckSignals()
        if interner_begin(&self.known, self.rows) < 0:
            raise MemoryError("no memory for the keys of rows")
        return 0

    cdef int number(self, const int64_t *values, int64_t *found) except -1:
        """Number the values; equal values get equal numbers."""
        cdef Py_ssize_t row
        for row in range(self.rows):
            if row % POLL_EVERY == POLL_EVERY - 1:
                PyErr_CheckSignals()
            found[row] = interner_add(&self.known, number_key(values[row]), NO_CONTENT)
        return 0

    cdef int number_lines(self, Utf8Rows keys, int64_t *found) except -1:
        cdef const utf8_line *lines = keys.lines
        cdef token_content content
        cdef Py_ssize_t row
        if keys.levels:
            raise ValueError("keys are single lines")
        for row in range(self.rows):
            if row % POLL_EVERY == POLL_EVERY - 1:
                PyErr_CheckSignals()
            if row and are_equal(lines[row], lines[row - 1]):
                found[row] = found[row - 1]
            else:
                content.bytes, content.size = lines[row].bytes, lines[row].size
                found[row] = intern_content(&self.known, content, TEXT if content.bytes else MISSING)
        return 0

    def add(self, rows not None, array counts not None, nrefs not None):
        """Add segments to the totals of their groups.

        Parameters
        ----------
        rows : buffer of int64
            The numbers of the segments' rows, rising also from call to call.
        counts : array of int64
            Their rows of a Stats, end to end.
        nrefs : buffer of int64
            How many references each has.
        """
        cdef Buffer of_rows = buffer_of(rows, "q", 1), of_nrefs = buffer_of(nrefs, "q", 1)
        cdef const int64_t *row = <const int64_t *> of_rows.view.buf
        cdef const int64_t *references = <const int64_t *> of_nrefs.view.buf
        cdef const int64_t *count = numbers(counts)
        cdef int64_t *total
        cdef Py_ssize_t segment, column, segments = len(rows), width = COUNTS + self.width
        if len(counts) != segments * self.width or len(nrefs) != segments:
            raise ValueError(f"expected {segments} rows of {self.width} counts, and numbers of references")
        if self.totals is None:
            self.totals = clone(_INT64, self.count * width, True)
        for segment in range(segments):
            if segment % POLL_EVERY == POLL_EVERY - 1:
                PyErr_CheckSignals()
            if not 0 <= row[segment] < self.rows:
                raise IndexError(f"there are {self.rows} rows")
            total = <int64_t *> self.totals.data.as_longlongs + self.groups.data.as_ints[row[segment]] * width
            if total[SEGMENTS] == 0:
                total[FIRST] = row[segment]
                total[FEWEST] = total[MOST] = references[segment]
            total[SEGMENTS] += 1
            total[FEWEST] = min(total[FEWEST], references[segment])
            total[MOST] = max(total[MOST], references[segment])
            for column in range(self.width):
                total[COUNTS + column] += count[column]
            count += self.width


cdef bint are_equal(utf8_line one, utf8_line other) noexcept:
    """Whether two texts are equal, or both missing."""
    return (one.size == other.size and (one.bytes == NULL) == (other.bytes == NULL)
            and (one.size == 0 or memcmp(one.bytes, other.bytes, one.size) == 0))

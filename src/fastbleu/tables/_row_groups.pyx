"""Group the rows of a frame by their keys, and sum their counts.

Data. Groups are numbered in the order of their first rows. Texts are compared as UTF-8, where missing ones
are equal to each other, and numbers by their 64 bits. Keys are read in blocks, which stay in the
cache. A row costs one or two look-ups per key.

Ownership. RowGroups owns its arrays and its tables; keys are borrowed while rows are split by them.
Thread-safety. One thread uses a RowGroups.
"""

from cpython.array cimport array, clone
from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memcmp

from fastbleu._core cimport numbers
from fastbleu.core.inputs._utf8_rows cimport Utf8Rows, utf8_line
from fastbleu.core.kernel.hashing cimport (
    interner, interner_add, interner_begin, interner_free, number_table, number_table_add,
    number_table_begin, number_table_free, token_content, token_key)
from fastbleu.core.runtime._process cimport Buffer, buffer_of, process_seed


cdef extern from "kernel/hashing/token_store.h":
    token_key number_key(int64_t number) noexcept nogil
    int32_t intern_content(interner *table, token_content content, unsigned int kind) noexcept nogil


cdef enum:
    BLOCK_ROWS = 1 << 12
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

cdef inline bint equal_lines(const utf8_line *one, const utf8_line *other) noexcept nogil:
    if one.bytes == NULL or other.bytes == NULL:
        return one.bytes == other.bytes
    return one.size == other.size and memcmp(one.bytes, other.bytes, one.size) == 0


cdef array _INT32 = array("i")
cdef array _INT64 = array("q")
cdef token_content NO_CONTENT


cdef class RowGroups:
    """The groups of rows: one, until they are split by a key.

    Parameters
    ----------
    rows : int
    width : int
        The number of counts in a row.
    """

    # For each group: the first row, segments, fewest and most references, and the counts.
    # None: nothing was added.
    cdef readonly array totals
    cdef readonly array groups       # of each row, int32
    cdef Py_ssize_t rows, count, width
    cdef interner known              # values of the key
    cdef number_table pairs          # of a group and a value
    cdef int32_t values[BLOCK_ROWS]  # of the rows of a block

    def __cinit__(self, Py_ssize_t rows, Py_ssize_t width):
        # Without rows there is nothing to clear: memset of no memory would get a null pointer.
        self.groups = clone(_INT32, rows, rows > 0)
        self.rows, self.width = rows, width
        self.count = min(rows, 1)
        self.known.seed = self.pairs.seed = process_seed()

    def __dealloc__(self):
        interner_free(&self.known)
        number_table_free(&self.pairs)

    def split(self, keys not None):
        """Split groups by a key: a column of text, such as an ArrowColumn, or a buffer of int64."""
        cdef Buffer buffer
        cdef Utf8Rows lines
        cdef const int64_t *integers = NULL
        cdef Py_ssize_t row = 0, size
        cdef list owners = []            # of texts that `known` borrows
        if not hasattr(keys, "read"):
            if len(keys) != self.rows:
                raise ValueError(f"there are {self.rows} rows, but {len(keys)} keys")
            buffer = buffer_of(keys, "q", 1)
            integers = <const int64_t *> buffer.view.buf
        if interner_begin(&self.known, self.rows) < 0 or number_table_begin(&self.pairs, self.rows) < 0:
            raise MemoryError("no memory for the keys of rows")
        while row < self.rows:
            PyErr_CheckSignals()
            size = min(self.rows - row, BLOCK_ROWS)
            if integers != NULL:
                self.number(integers + row, size)
            else:
                lines = keys.read(size)[0]
                size = len(lines)
                if lines.levels or not size:
                    raise ValueError(f"expected {self.rows} keys of single lines")
                owners.append(lines.owners)
                self.number_lines(lines.lines, size)
            self.split_block(<int32_t *> self.groups.data.as_ints + row, size)
            row += size
        self.count = self.known.count if self.count <= 1 else self.pairs.count
        self.totals = None

    cdef void number(self, const int64_t *integers, Py_ssize_t size) noexcept:
        """Number the values of a block; equal ones get equal numbers."""
        cdef Py_ssize_t row
        for row in range(size):
            self.values[row] = interner_add(&self.known, number_key(integers[row]), NO_CONTENT)

    cdef void number_lines(self, const utf8_line *lines, Py_ssize_t size) noexcept:
        cdef token_content content
        cdef Py_ssize_t row
        for row in range(size):
            # Rows of a group often follow each other.
            if row and equal_lines(lines + row, lines + row - 1):
                self.values[row] = self.values[row - 1]
                continue
            content.bytes, content.size = lines[row].bytes, lines[row].size
            self.values[row] = intern_content(&self.known, content, TEXT if content.bytes else MISSING)

    cdef void split_block(self, int32_t *groups, Py_ssize_t size) noexcept:
        """Replace the groups of a block by those of the pairs of a group and a value."""
        cdef uint64_t pair, before = 0
        cdef Py_ssize_t row
        for row in range(size):
            if self.count > 1:
                pair = <uint64_t> groups[row] << 32 | <uint64_t> self.values[row]
                if row and pair == before:
                    groups[row] = groups[row - 1]
                else:
                    groups[row] = number_table_add(&self.pairs, pair)
                before = pair
            else:
                groups[row] = self.values[row]

    def add(self, rows not None, array counts not None, nrefs not None):
        """Add segments, at most some ten thousands at a time, to the totals of their groups.

        Parameters
        ----------
        rows : slice, or buffer of int64
            The numbers of the segments' rows, in ascending order, also from call to call.
        counts : array of int64
            Their rows of a Stats, end to end.
        nrefs : int, or buffer of int64
            The number of references, of all segments or of each.
        """
        cdef Buffer of_rows, of_nrefs
        cdef const int64_t *row = NULL
        cdef const int64_t *references = NULL
        cdef const int64_t *count = numbers(counts)
        cdef const int32_t *groups = <const int32_t *> self.groups.data.as_ints
        cdef int64_t *totals
        cdef int64_t *total
        cdef int64_t at = 0, nref = 0
        cdef Py_ssize_t segment, column, width = self.width, segments = len(counts) // width
        cdef bint fits
        if isinstance(rows, slice):
            at = rows.start
            fits = rows.stop - at == segments
        else:
            fits = len(rows) == segments
            of_rows = buffer_of(rows, "q", 1)
            row = <const int64_t *> of_rows.view.buf
        if isinstance(nrefs, int):
            nref = nrefs
        else:
            fits = fits and len(nrefs) == segments
            of_nrefs = buffer_of(nrefs, "q", 1)
            references = <const int64_t *> of_nrefs.view.buf
        if len(counts) != segments * width or not fits:
            raise ValueError(f"expected {segments} rows of {width} counts, and numbers of references")
        if self.totals is None:
            self.totals = clone(_INT64, self.count * (COUNTS + width), self.count > 0)
        PyErr_CheckSignals()
        totals = numbers(self.totals)
        for segment in range(segments):
            if row != NULL:
                at = row[segment]
            if references != NULL:
                nref = references[segment]
            if not 0 <= at < self.rows:
                raise IndexError(f"there are {self.rows} rows")
            total = totals + groups[at] * (COUNTS + width)
            if total[SEGMENTS] == 0:
                total[FIRST] = at
                total[FEWEST] = total[MOST] = nref
            total[SEGMENTS] += 1
            total[FEWEST] = min(total[FEWEST], nref)
            total[MOST] = max(total[MOST], nref)
            for column in range(width):
                total[COUNTS + column] += count[column]
            count += width
            at += 1

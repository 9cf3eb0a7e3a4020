"""Segments of UTF-8 text in place: pointers to lines, no copies and no Python strings.

Data. Utf8Rows is a table of lines and of how many belong to each segment. A column or a file is read as one
such table after the other. With `levels` 0 a segment is a line, with 1 a list of lines, and with 2 a list of
lists of lines. A line that is missing has NULL bytes and size 0. Utf8Lines cuts a stream of bytes into rows
of lines; it searches for line ends, and copies lines that are split between two blocks. StringColumn reads
arrays of numpy's StringDType like columns.

Ownership. Utf8Rows frees its tables and holds the objects that own the bytes. A StringColumn copies its
strings, because numpy's may move as soon as their allocator is released. Thread-safety. Utf8Rows is only read
while segments are counted. One thread at a time uses a Utf8Lines or a StringColumn, whose array may change
meanwhile: each read takes it as it is then.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.exc cimport PyErr_CheckSignals
from cpython.mem cimport PyMem_RawFree
from cpython.object cimport PyObject
from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.stdint cimport SIZE_MAX
from libc.string cimport memchr, memcpy

from fastbleu.core.kernel.exceptions cimport Py_DECREF, take_exception
from fastbleu.core.kernel.sequences cimport is_object_array as is_array_of_objects
from fastbleu.core.runtime._process cimport POLL_EVERY, grow

from fastbleu.core.runtime.import_lock import import_locked, lazy
from .errors import InputError

cdef object numpy = lazy("numpy")


cdef extern from "Python.h":
    PyObject *PyUnicode_DecodeUTF8(const char *bytes, Py_ssize_t size, const char *errors)
    object decoded_text "PyUnicode_DecodeUTF8"(const char *bytes, Py_ssize_t size, const char *errors)

cdef extern from "kernel/text/utf8.h":
    size_t size_without_white_space(utf8_line line) noexcept nogil

cdef extern from "kernel/objects/string_array.h":
    ctypedef struct numpy_strings:
        void *(*acquire)(const void *dtype) noexcept nogil
        void (*release)(void *allocator) noexcept nogil
    bint find_numpy_strings(void **table, numpy_strings *functions) noexcept
    const char *array_data(object array) noexcept
    int load_string(const numpy_strings *functions, void *allocator, const void *packed,
                    utf8_line *line) noexcept nogil


cdef Py_ssize_t DECODED_LINES = 1 << 10        # between two checks for signals
cdef Py_ssize_t READ_STRINGS = 1 << 12


cdef object not_utf8(object where, Py_ssize_t byte, int value):
    """The error for a line that is not UTF-8 from a byte on."""
    problem = (
        f" is not UTF-8: byte {byte} is 0x{value:02x}, which starts no character; decode the text first, "
        'with its own encoding or with errors="replace"')
    return InputError.at(where, problem)


cdef class _Copies:
    """Memory of strings."""

    cdef uint8_t *bytes
    cdef Py_ssize_t room

    def __dealloc__(self):
        PyMem_RawFree(self.bytes)


cdef class Utf8Rows:
    """The lines of some segments."""

    def __cinit__(self, Py_ssize_t levels=0):
        self.levels = levels
        self.owners = []

    def __dealloc__(self):
        PyMem_RawFree(self.lines)
        PyMem_RawFree(self.list_ends)
        PyMem_RawFree(self.ends)

    def __len__(self):
        return self.segment_count

    def __getitem__(self, Py_ssize_t number):
        """A line as a str; UnicodeDecodeError if it is not UTF-8."""
        if not 0 <= number < self.line_count:
            raise IndexError(f"there are {self.line_count} lines")
        return decoded_text(<const char *> self.lines[number].bytes, self.lines[number].size, self.errors)

    def contain(self, int byte):
        """Whether any line has a byte of this value."""
        cdef Py_ssize_t line
        for line in range(self.line_count):
            if self.lines[line].size and memchr(self.lines[line].bytes, byte, self.lines[line].size) != NULL:
                return True
        return False

    def rstrip(self):
        """Drop whitespace at the ends of all lines, as str.rstrip() does."""
        cdef Py_ssize_t line
        self.size = 0
        with nogil:
            for line in range(self.line_count):
                self.lines[line].size = size_without_white_space(self.lines[line])
                self.size += self.lines[line].size

    def drop_carriage_returns(self):
        """Drop a carriage return at the end of each line."""
        cdef Py_ssize_t line
        cdef size_t size
        for line in range(self.line_count):
            size = self.lines[line].size
            if size and self.lines[line].bytes[size - 1] == c"\r":
                self.lines[line].size -= 1
                self.size -= 1

    cdef utf8_line *reserve(self, Py_ssize_t extra) except NULL nogil:
        """Make room for more lines; the caller adds them to `line_count` and `size`."""
        if self.line_count + extra >= self.line_capacity:
            self.lines = <utf8_line *> grow(
                self.lines, &self.line_capacity, self.line_count + extra + 1, sizeof(utf8_line))
        return self.lines + self.line_count

    cdef int add_line(self, utf8_line line) except -1 nogil:
        self.reserve(1)[0] = line
        self.line_count += 1
        self.size += line.size
        return 0

    cdef int end_list(self) except -1 nogil:
        """End a list; it belongs to the segment that ends next."""
        if self.list_count == self.list_capacity:
            self.list_ends = <int64_t *> grow(
                self.list_ends, &self.list_capacity, self.list_count + 1, sizeof(int64_t))
        self.list_ends[self.list_count] = self.line_count
        self.list_count += 1
        return 0

    cdef int end_segment(self) except -1 nogil:
        if self.levels:
            if self.segment_count == self.segment_capacity:
                self.ends = <int64_t *> grow(
                    self.ends, &self.segment_capacity, self.segment_count + 1, sizeof(int64_t))
            self.ends[self.segment_count] = self.line_count if self.levels == 1 else self.list_count
        self.segment_count += 1
        return 0

    cdef Py_ssize_t first_line(self, Py_ssize_t segment) noexcept nogil:
        """The number of a segment's first line; for the end of the segments, the number of all lines."""
        cdef Py_ssize_t number = segment
        if self.levels > 0:
            number = self.ends[number - 1] if number else 0
        if self.levels > 1:
            number = self.list_ends[number - 1] if number else 0
        return number

    cdef int put_together(self) except -1:
        """If most lines do not follow the one before in memory, copy all, because runs are read faster."""
        cdef Py_ssize_t line, scattered = 0
        cdef utf8_line text
        cdef size_t end = 0
        cdef _Copies copies
        cdef uint8_t *out
        for line in range(self.line_count):
            text = self.lines[line]
            scattered += text.size > 0 and <size_t> text.bytes != end
            end = <size_t> text.bytes + text.size
        if 2 * scattered < self.line_count or not self.size:
            return 0
        PyErr_CheckSignals()
        copies = _Copies()
        out = copies.bytes = <uint8_t *> grow(NULL, &copies.room, self.size, 1)
        with nogil:
            for line in range(self.line_count):
                if self.lines[line].size:
                    memcpy(out, self.lines[line].bytes, self.lines[line].size)
                    self.lines[line].bytes = out
                    out += self.lines[line].size
        self.owners.append(copies)
        return 0

    @staticmethod
    def side_by_side(list columns not None):
        """Segments that are lists: of the lines that several columns have for a segment."""
        cdef Utf8Rows joint = Utf8Rows(1), column
        cdef Py_ssize_t segment, line, segments = min([len(column) for column in columns])
        for column in columns:
            if column.levels > 1:
                raise ValueError("columns of lists of lists cannot be put side by side")
            joint.owners.append(column)
        for segment in range(segments):
            for column in columns:
                for line in range(column.first_line(segment), column.first_line(segment + 1)):
                    joint.add_line(column.lines[line])
            joint.end_segment()
            if segment % POLL_EVERY == POLL_EVERY - 1:
                PyErr_CheckSignals()
        return joint

    def without(self, left_out not None):
        """All segments, of `levels` 0 or 1, except those whose numbers are in a set."""
        cdef Utf8Rows kept = Utf8Rows(self.levels)
        cdef Py_ssize_t segment, line
        if self.levels > 1:
            raise ValueError("segments that are lists of lists cannot be left out")
        kept.owners.append(self)
        for segment in range(self.segment_count):
            if segment % POLL_EVERY == POLL_EVERY - 1:
                PyErr_CheckSignals()
            if segment not in left_out:
                for line in range(self.first_line(segment), self.first_line(segment + 1)):
                    kept.add_line(self.lines[line])
                kept.end_segment()
        return kept

    def as_lists(self, place_of, bint are_tokens=False):
        """The segments as str, or as lists or lists of lists of str.

        A missing value is an empty text, or no line if lines are tokens. `place_of(segment, k)` names line
        number k of a segment, None if a segment is a line, for the ValueError if it is not UTF-8.
        """
        cdef list made = []
        cdef Py_ssize_t line
        for line in range(self.line_count):
            if line % DECODED_LINES == DECODED_LINES - 1:
                PyErr_CheckSignals()
            if self.lines[line].bytes == NULL:
                made.append(None if are_tokens else "")
            else:
                made.append(self.decoded(line, place_of))
        if self.levels == 2:
            made = grouped(made, self.list_ends, self.list_count)
        if self.levels:
            made = grouped(made, self.ends, self.segment_count)
        return made

    cdef object decoded(self, Py_ssize_t line, object place_of):
        """A line as a str."""
        cdef utf8_line text = self.lines[line]
        cdef Py_ssize_t segment = 0
        cdef PyObject *made = PyUnicode_DecodeUTF8(<const char *> text.bytes, text.size, NULL)
        if made != NULL:
            found = <object> made
            Py_DECREF(made)
            return found
        error = take_exception()
        if not isinstance(error, UnicodeDecodeError):
            raise error
        if self.levels == 0:
            where = place_of(line, None)
        else:
            while self.first_line(segment + 1) <= line:
                segment += 1
            where = place_of(segment, line - self.first_line(segment))
        raise not_utf8(where, error.start, text.bytes[error.start])


cdef list grouped(list values, const int64_t *ends, Py_ssize_t count):
    """The values up to each end, without those that are None."""
    cdef list made = []
    cdef Py_ssize_t number, start = 0
    for number in range(count):
        made.append([value for value in values[start:ends[number]] if value is not None])
        start = ends[number]
    return made


cdef class Utf8Lines:
    """The lines of a stream of bytes.

    Parameters
    ----------
    read : callable
        Returns the next bytes; none at the end.
    surrogates : bool
        Whether surrogates are decoded as they are; otherwise they are not UTF-8.
    """

    def __cinit__(self, read, bint surrogates=False):
        self.read = read
        if surrogates:
            self.errors = b"surrogatepass"
        self.begun = bytearray()

    @property
    def unfinished(self):
        """The bytes of the next, unfinished line, once all finished lines are taken."""
        return bytes(self.begun)

    def take(self, Py_ssize_t count, Utf8Rows rows=None):
        """Utf8Rows of the next `count` lines, fewer at the end; `rows`, if given, is filled up to `count`."""
        if rows is None:
            rows = Utf8Rows()
            rows.before = self.taken
            rows.errors = self.errors
        while rows.segment_count < count and not self.ended:
            if self.at < self.size:
                self.split(rows, count)
                continue
            self.next_block()
            if self.ended and self.begun:
                self.join(rows)
        return rows

    cdef int next_block(self) except -1:
        cdef bytes block = self.read()
        if block is None:
            raise TypeError("expected bytes")
        self.block = block
        self.bytes = <const uint8_t *> PyBytes_AS_STRING(block)
        self.size = PyBytes_GET_SIZE(block)
        self.at = 0
        self.ended = self.size == 0
        return 0

    cdef int split(self, Utf8Rows rows, Py_ssize_t count) except -1:
        """Take lines of the block, up to `count` in all; keep the start of one that goes on in the next."""
        cdef Py_ssize_t end
        rows.owners.append(self.block)
        if not self.begun:
            with nogil:                  # others count meanwhile
                self.add_whole(rows, count)
        if rows.segment_count < count and self.at < self.size:
            end = self.line_end()
            self.begun += self.block[self.at:end]
            if end < self.size:
                self.join(rows)
            self.at = min(end + 1, self.size)
        return 0

    cdef int add_whole(self, Utf8Rows rows, Py_ssize_t count) except -1 nogil:
        """Add the lines that end in the block until there are `count`."""
        cdef Py_ssize_t most = min(count - rows.segment_count, self.size - self.at), added = 0
        cdef utf8_line *lines = rows.reserve(most)
        cdef const uint8_t *start = self.bytes + self.at
        cdef const uint8_t *stop = self.bytes + self.size
        cdef const uint8_t *at = start
        cdef const void *end
        while added < most:
            end = memchr(at, c"\n", stop - at)
            if end == NULL:
                break
            lines[added].bytes, lines[added].size = at, <const uint8_t *> end - at
            added += 1
            at = <const uint8_t *> end + 1
        self.at += at - start
        self.count_lines(rows, added, at - start - added)
        return 0

    cdef Py_ssize_t line_end(self) noexcept nogil:
        """The offset in the block at which the next line ends; the block's size if it does not."""
        cdef const void *found = memchr(self.bytes + self.at, c"\n", self.size - self.at)
        return self.size if found == NULL else <const uint8_t *> found - self.bytes

    cdef int join(self, Utf8Rows rows) except -1:
        """Add the unfinished line, which has ended."""
        cdef bytes text = bytes(self.begun)
        cdef utf8_line *line
        rows.owners.append(text)
        self.begun.clear()
        line = rows.reserve(1)
        line.bytes, line.size = <const uint8_t *> PyBytes_AS_STRING(text), PyBytes_GET_SIZE(text)
        self.count_lines(rows, 1, line.size)
        return 0

    cdef void count_lines(self, Utf8Rows rows, Py_ssize_t added, size_t size) noexcept nogil:
        """Count lines that were added, each as a segment."""
        rows.line_count += added
        rows.segment_count += added
        rows.size += size
        self.taken += added


def is_object_array(value):
    """Whether a value is an array of Python's objects that a TextPacker reads as it reads a list."""
    return is_array_of_objects(value)


cdef class StringColumn:
    """An array of strings of one dimension, with the interface of an ArrowColumn."""

    cdef readonly str name
    cdef readonly Py_ssize_t before            # rows of earlier reads
    cdef readonly bint is_text, copies
    cdef readonly Py_ssize_t levels
    cdef object array
    cdef numpy_strings functions

    def __cinit__(self, array, str name not None):
        """Open an array; ImportError if its numpy module does not export the functions."""
        functions = import_locked("numpy._core._multiarray_umath")._ARRAY_API
        if not find_numpy_strings(<void **> PyCapsule_GetPointer(functions, NULL), &self.functions):
            raise ImportError("this is not numpy 2")
        self.array, self.name = numpy.asarray(array), name      # no subclass, whose slices could be anything
        self.is_text = self.copies = True

    def read(self, Py_ssize_t limit, size_t most_bytes=SIZE_MAX):
        """The next rows: at most `limit`, fewer at the end, or once they have `most_bytes` of text.

        Returns
        -------
        rows : Utf8Rows
        missing : list of (int, None)
            Missing rows, by their numbers among these.
        """
        cdef Utf8Rows rows = Utf8Rows()
        cdef _Copies copies = _Copies()
        cdef Py_ssize_t line, used = 0, step, count
        cdef const void *dtype
        cdef list missing = []
        cdef const char *packed
        part = self.array[self.before:self.before + limit]
        dtype_object, count = part.dtype, len(part)
        dtype = <const void *> dtype_object
        packed = array_data(part)
        step = part.strides[0]
        rows.owners.append(copies)
        while rows.line_count < count and rows.size < most_bytes:
            PyErr_CheckSignals()
            with nogil:
                self.copy(rows, copies, dtype, packed + rows.line_count * step, step,
                          min(count - rows.line_count, READ_STRINGS))
        used = 0
        for line in range(rows.line_count):      # only now, because the memory may have moved while it grew
            if rows.lines[line].bytes == NULL:
                missing.append((line, None))
            else:
                rows.lines[line].bytes = copies.bytes + used
            used += rows.lines[line].size
        rows.segment_count = rows.line_count
        self.before += rows.line_count
        return rows, missing

    cdef int copy(self, Utf8Rows rows, _Copies copies, const void *dtype, const char *packed, Py_ssize_t step,
                  Py_ssize_t count) except -1 nogil:
        """Add strings, and copy their bytes to `copies`."""
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
                # While the allocator is held, memory is not allocated and no exception is created.
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

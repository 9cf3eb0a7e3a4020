"""Columns of text or of token ids by the Arrow C data interface, from any library that has it.

An ArrowColumn opens what `__arrow_c_stream__` or `__arrow_c_array__` returns and reads it in blocks: as
Utf8Rows or IdRows, which point into the column's own buffers. kernel/objects/arrow.h says which parts of the
buffers are checked and which are trusted.

Ownership. Structs are moved out of their capsules, and released once: a schema as soon as it is read, an
array when neither the column nor its rows need it any more, a stream when the column is closed or freed.
Thread-safety. One thread reads a column. Producers are asked for the next array without the GIL, because
some compute it on threads that need it.
"""

import cython
from cpython.exc cimport PyErr_CheckSignals
from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.errno cimport ENOMEM
from libc.stdint cimport SIZE_MAX, int64_t

from fastbleu.core.inputs._id_rows cimport IdRows, id_kind, id_row
from fastbleu.core.inputs._utf8_rows cimport Utf8Rows, utf8_line
from fastbleu.core.runtime._process cimport POLL_EVERY, poll

from .checks import TokenChecks
from .errors import InputError, InputTypeError


cdef extern from "kernel/objects/arrow.h":
    enum:
        ARROW_LEVELS
    struct ArrowSchema:
        const char *format
        const char *name
        int64_t n_children
        ArrowSchema **children
        ArrowSchema *dictionary
        void (*release)(ArrowSchema *) noexcept
    struct ArrowArray:
        int64_t length
        int64_t offset
        ArrowArray **children
        void (*release)(ArrowArray *) noexcept
    struct ArrowArrayStream:
        int (*get_schema)(ArrowArrayStream *, ArrowSchema *out) noexcept nogil
        int (*get_next)(ArrowArrayStream *, ArrowArray *out) noexcept nogil
        const char *(*get_last_error)(ArrowArrayStream *) noexcept nogil
        void (*release)(ArrowArrayStream *) noexcept
    ctypedef enum arrow_leaf:
        ARROW_TEXT
        ARROW_LARGE_TEXT
        ARROW_TEXT_VIEW
        ARROW_IDS
    ctypedef enum arrow_list:
        ARROW_LIST
        ARROW_LARGE_LIST
        ARROW_FIXED_LIST
    ctypedef struct arrow_column:
        bint in_struct
        int levels
        arrow_list *lists
        int64_t *widths
        bint has_dictionary
        arrow_leaf leaf
        id_kind kind
    ctypedef enum arrow_fault:
        ARROW_GOOD
        ARROW_STRUCTURE
    bint is_null(const ArrowArray *array, int64_t at) noexcept nogil
    const ArrowArray *outer_array(const arrow_column *column, const ArrowArray *array) noexcept nogil
    arrow_fault list_span(const arrow_column *column, int level, const ArrowArray *lists, int64_t at,
                          int64_t *start, int64_t *end) noexcept nogil
    bint has_validity(const ArrowArray *array) noexcept nogil
    int64_t read_texts(const arrow_column *column, const ArrowArray *leaf, int64_t start, int64_t count,
                       utf8_line *lines, size_t *size, int64_t *nulls, arrow_fault *fault) noexcept nogil
    arrow_fault ids_at(const arrow_column *column, const ArrowArray *leaf, int64_t start, int64_t end,
                       id_row *row) noexcept nogil


# Formats of the specification: integers in the order of `id_kind`, then texts, lists and other names.
cdef str INTEGERS = "csilCSIL"
cdef dict TEXTS = {"u": ARROW_TEXT, "U": ARROW_LARGE_TEXT, "vu": ARROW_TEXT_VIEW}
cdef dict LISTS = {"+l": ARROW_LIST, "+L": ARROW_LARGE_LIST}
cdef dict NAMES = {
    "n": "null", "b": "bool", "e": "float16", "f": "float", "g": "double", "z": "binary", "Z": "large_binary",
    "vz": "binary_view", "u": "string", "U": "large_string", "vu": "string_view", "+vl": "list_view",
    "+vL": "large_list_view", "+m": "map", "+r": "run_end_encoded", "+s": "struct",
}
NAMES.update(zip(INTEGERS, ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")))
cdef list FAULTS = [
    "", "lengths, children or buffers do not fit its type", "offsets run backwards or beyond the data",
    "an index lies beyond the dictionary", "a string view lies beyond its buffer",
    "a null is among the integers of a list; fill it, or drop it", "an id does not fit into int64",
]


cdef enum:
    # Instead of the number of an element: each string is an element itself, or the rows are not lists.
    OWN_NUMBER = -2
    NO_LIST = -1


cdef class _Schema:
    """A schema that this object releases."""

    cdef ArrowSchema schema

    def __dealloc__(self):
        if self.schema.release != NULL:
            self.schema.release(&self.schema)


cdef class _Array:
    """An array that this object releases."""

    cdef ArrowArray value

    def __dealloc__(self):
        if self.value.release != NULL:
            self.value.release(&self.value)


cdef str name_of(const ArrowSchema *schema):
    """The name of a type for messages."""
    cdef const char *name
    cdef int64_t k
    cdef str format = schema.format.decode("utf-8", "replace")
    if schema.dictionary != NULL:
        return f"dictionary of {name_of(schema.dictionary)}"
    if format[:2] in ("+l", "+L", "+w") and schema.n_children == 1:
        return f"list of {name_of(schema.children[0])}"
    if format == "+s":
        fields = []
        for k in range(min(schema.n_children, 20)):
            name = schema.children[k].name
            fields.append("?" if name == NULL else name.decode("utf-8", "replace"))
        return f"struct of {schema.n_children} columns ({', '.join(fields)})"
    return NAMES.get(format, f"Arrow's format {format!r}")


@cython.final
cdef class ArrowColumn:
    """A column of strings, or of integers in lists, and of lists of either.

    Attributes
    ----------
    is_text : bool
        Whether it holds strings; otherwise integers.
    levels : int
        Of lists: 0 to 2 around strings, 1 or 2 around integers.
    copies : bool
        Whether strings that do not follow each other in memory are copied.
    """

    cdef readonly str name
    cdef ArrowArrayStream stream
    cdef arrow_column type
    cdef _Array array                    # the array that is being read; None at the end
    cdef const ArrowArray *outer         # of the column's first level
    cdef int64_t rows_before             # rows of the arrays before
    cdef int64_t length, at              # of the array: rows, and those read
    cdef readonly Py_ssize_t before      # rows of earlier reads

    def __cinit__(self, column, str name not None):
        """Open an object with the interface; `name` is the argument, for messages."""
        cdef _Schema schema = _Schema.__new__(_Schema)
        cdef _Array array = None
        cdef ArrowArrayStream *stream
        cdef ArrowSchema *given_schema
        cdef ArrowArray *given_array
        cdef int status
        self.name = name
        if hasattr(column, "__arrow_c_stream__"):
            capsule = column.__arrow_c_stream__()
            stream = <ArrowArrayStream *> PyCapsule_GetPointer(capsule, "arrow_array_stream")
            if stream.release == NULL:
                raise InputError(f"{name} is an Arrow stream that was read before; create a new one")
            self.stream = stream[0]
            stream.release = NULL
            with nogil:
                status = self.stream.get_schema(&self.stream, &schema.schema)
            self.check(status)
        else:
            schema_capsule, array_capsule = column.__arrow_c_array__()
            given_schema = <ArrowSchema *> PyCapsule_GetPointer(schema_capsule, "arrow_schema")
            given_array = <ArrowArray *> PyCapsule_GetPointer(array_capsule, "arrow_array")
            if given_schema.release == NULL or given_array.release == NULL:
                raise InputError(f"{name} is an Arrow array that was released before; create a new one")
            schema.schema = given_schema[0]
            given_schema.release = NULL
            array = _Array.__new__(_Array)
            array.value = given_array[0]
            given_array.release = NULL
        self.read_schema(&schema.schema)
        if array is not None:
            self.take_array(array)

    def __dealloc__(self):
        if self.stream.release != NULL:
            self.stream.release(&self.stream)

    @property
    def is_text(self):
        return self.type.leaf != ARROW_IDS

    @property
    def levels(self):
        return self.type.levels

    @property
    def copies(self):
        return self.type.leaf == ARROW_TEXT_VIEW

    cdef int check(self, int status) except -1:
        """Raise the error of a stream's callback."""
        cdef const char *why = NULL
        PyErr_CheckSignals()
        if status == 0:
            return 0
        if status == ENOMEM:
            raise MemoryError(f"no memory for the Arrow stream of {self.name}")
        why = self.stream.get_last_error(&self.stream)
        text = "" if why == NULL else f": {why.decode('utf-8', 'replace')}"
        raise OSError(status, f"the Arrow stream of {self.name} failed after {self.before} rows{text}")

    cdef int read_schema(self, const ArrowSchema *schema) except -1:
        """Read the column's type, or raise the error for one that cannot be read."""
        cdef const ArrowSchema *part = schema
        cdef str format
        cdef int level
        if part.format == b"+s" and part.n_children == 1:
            self.type.in_struct = True
            part = part.children[0]
        while part.format[0] == c"+" and part.n_children == 1 and self.type.levels < ARROW_LEVELS:
            format = part.format.decode()
            level = self.type.levels
            if format in LISTS:
                self.type.lists[level] = <arrow_list> <int> LISTS[format]
            elif format.startswith("+w:"):
                self.type.lists[level] = ARROW_FIXED_LIST
                self.type.widths[level] = max(0, int(format[3:]))
            else:
                break
            self.type.levels += 1
            part = part.children[0]
        format = part.format.decode("utf-8", "replace")
        if part.dictionary != NULL and len(format) == 1 and format in INTEGERS:
            self.type.has_dictionary = True
            self.type.kind = <id_kind> INTEGERS.index(format)
            format = part.dictionary.format.decode("utf-8", "replace")
        elif len(format) == 1 and format in INTEGERS and self.type.levels:
            self.type.leaf = ARROW_IDS
            self.type.kind = <id_kind> INTEGERS.index(format)
            return 0
        if format in TEXTS:
            self.type.leaf = <arrow_leaf> <int> TEXTS[format]
            return 0
        name = name_of(schema)
        fix = "cast it to string"
        if schema.format == b"+s":
            fix = 'pass one of them, such as table["column"]'
        elif "list_view" in name:
            fix = "cast it to a list"
        elif self.type.levels and not self.type.has_dictionary:
            fix = "token ids are lists of integers"
        elif format in INTEGERS:
            fix = "token ids are a column with a list for each segment"
        raise InputTypeError(f"{self.name} is an Arrow column of the type {name}, which cannot be scored; {fix}")

    cdef int take_array(self, _Array array) except -1:
        """Continue with this array."""
        self.outer = outer_array(&self.type, &array.value)
        if self.outer == NULL:
            self.refuse(ARROW_STRUCTURE, 0)
        self.array = array
        self.rows_before += self.length
        self.length = array.value.length
        self.at = 0
        return 0

    cdef bint next_array(self) except -1:
        """Go to the next array that has rows; False at the end, where the stream is released."""
        cdef _Array array
        cdef int status
        while self.at == self.length:
            if self.stream.release == NULL:
                self.array = None
                return False
            array = _Array.__new__(_Array)
            with nogil:
                status = self.stream.get_next(&self.stream, &array.value)
            self.check(status)
            if array.value.release == NULL:
                self.stream.release(&self.stream)
                self.stream.release = NULL
                continue
            self.take_array(array)
        return True

    def read(self, Py_ssize_t limit, size_t most_bytes=SIZE_MAX):
        """The next rows: at most `limit`, fewer at the end, or once they have `most_bytes` of text.

        Returns
        -------
        rows : Utf8Rows or IdRows
        missing : list of (int, int or None)
            Null rows, by their numbers among these, and null elements of their lists.
        """
        cdef Utf8Rows lines = None
        cdef IdRows ids = None
        cdef Py_ssize_t count, taken = 0
        cdef list missing = []
        if self.type.leaf == ARROW_IDS:
            ids = IdRows()
        else:
            lines = Utf8Rows(self.type.levels)
        while taken < limit and (lines is None or lines.size < most_bytes) and self.next_array():
            count = min(limit - taken, self.length - self.at)
            if lines is None:
                ids.buffers.append(self.array)
            else:
                lines.owners.append(self.array)
            with nogil:
                self.gather(lines, ids, count, missing)
            self.at += count
            taken += count
        self.before += taken
        if self.copies:
            lines.put_together()
        return ids if lines is None else lines, missing

    cdef inline bint is_missing(self, const ArrowArray *lists, int64_t row, int64_t at) noexcept nogil:
        """Whether a row of the array is null: of the struct, or of the lists, which are NULL without any."""
        if self.type.in_struct and is_null(&self.array.value, self.array.value.offset + row):
            return True
        return lists != NULL and is_null(lists, at)

    cdef int gather(self, Utf8Rows lines, IdRows ids, Py_ssize_t count, list missing) except -1 nogil:
        """Point to the strings, or to the lists of integers, of the array's next rows.

        One of `lines` and `ids` is None, also below.
        """
        cdef const ArrowArray *outer = self.outer
        cdef const ArrowArray *inner = outer.children[0] if self.type.levels == 2 else outer
        cdef const ArrowArray *leaf = inner.children[0] if self.type.levels else outer
        cdef int64_t shift = self.array.value.offset if self.type.in_struct else 0
        cdef int64_t row, at, start, end, part, first, last
        cdef bint cancelled = False
        if self.type.levels == 0 and not (self.type.in_struct and has_validity(&self.array.value)):
            at = self.at + shift
            return self.add_texts(lines, outer, at, at + count, self.at, missing, NO_LIST)
        for row in range(self.at, self.at + count):
            if row % POLL_EVERY == POLL_EVERY - 1:
                poll(&cancelled)
            at = row + shift
            if self.is_missing(outer if self.type.levels else NULL, row, at + outer.offset):
                self.add_missing(lines, ids, missing, NO_LIST)
                if self.type.levels == 2 and lines is not None:
                    lines.end_list()
            elif self.type.levels == 0:
                self.add_texts(lines, outer, at, at + 1, row, missing, NO_LIST)
                continue
            else:
                self.refuse(list_span(&self.type, 0, outer, at + outer.offset, &start, &end), row)
                if self.type.levels == 1:
                    self.add_list(lines, ids, leaf, start, end, row, missing, OWN_NUMBER)
                elif start == end and lines is None:
                    with gil:
                        TokenChecks().refuse_no_references(self.rows_before + row)
                for part in range(start, end if self.type.levels == 2 else start):
                    if is_null(inner, part + inner.offset):
                        self.add_missing(lines, ids, missing, part - start)
                    else:
                        self.refuse(list_span(&self.type, 1, inner, part + inner.offset, &first, &last), row)
                        self.add_list(lines, ids, leaf, first, last, row, missing, part - start)
                    if lines is not None:
                        lines.end_list()
            if lines is None:
                ids.close_segment()
            else:
                lines.end_segment()
        return 0

    cdef int add_list(self, Utf8Rows lines, IdRows ids, const ArrowArray *leaf, int64_t start, int64_t end,
                      int64_t row, list missing, Py_ssize_t k) except -1 nogil:
        """Point to the strings or to the integers [start, end) of the leaf: see add_texts."""
        cdef id_row found
        if lines is not None:
            return self.add_texts(lines, leaf, start, end, row, missing, k)
        self.refuse(ids_at(&self.type, leaf, start, end, &found), row)
        return ids.append(found)

    cdef int add_texts(self, Utf8Rows rows, const ArrowArray *leaf, int64_t start, int64_t end, int64_t row,
                       list missing, Py_ssize_t k) except -1 nogil:
        """Point to the strings [start, end) of the leaf: rows from `row` on, or elements of that one.

        k : the number of the element that they belong to, or OWN_NUMBER, or NO_LIST
        """
        cdef arrow_fault fault = ARROW_GOOD
        cdef int64_t first = start, count, taken, at, nulls
        cdef utf8_line *lines
        cdef bint cancelled = False
        while start < end:
            count = min(end - start, POLL_EVERY)
            lines = rows.reserve(count)
            nulls = 0
            taken = read_texts(&self.type, leaf, start, count, lines, &rows.size, &nulls, &fault)
            if taken < count:
                self.refuse(fault, row + (taken if k == NO_LIST else 0))
            for at in range(count if nulls else 0):
                if lines[at].bytes == NULL:
                    with gil:
                        if k == NO_LIST:
                            missing.append((rows.segment_count + at, None))
                        else:
                            missing.append((rows.segment_count, start - first + at if k == OWN_NUMBER else k))
            rows.line_count += count
            start += count
            if k == NO_LIST:
                rows.segment_count += count
                row += count
            if start < end:
                poll(&cancelled)
        return 0

    cdef int add_missing(self, Utf8Rows lines, IdRows ids, list missing, Py_ssize_t k) except -1 nogil:
        """Add a line or list of integers that is null: element k of a list, or the whole row."""
        cdef utf8_line line = [NULL, 0]
        cdef id_row row = [b"", 0, 1, self.type.kind, NULL, 0, self.type.kind]
        if lines is None:
            ids.append(row)
        else:
            lines.add_line(line)
        with gil:
            missing.append((ids.segment_count if lines is None else lines.segment_count,
                            None if k == NO_LIST else k))
        return 0

    cdef int refuse(self, arrow_fault fault, int64_t row) except -1 nogil:
        """Raise the error for a fault in a row of the array, if there is one."""
        if fault == ARROW_GOOD:
            return 0
        with gil:
            number, problem = self.rows_before + row, FAULTS[<int> fault]
            raise InputError(
                f"the Arrow array of {self.name} cannot be read at row {number}: {problem}",
                segment=number, problem=f"the Arrow array cannot be read: {problem}")

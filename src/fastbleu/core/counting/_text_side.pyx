"""One side of a chunk of text, its hypotheses or its references: lines of UTF-8.

Lines are our own, which were str (`add`), or a column's (`take_rows`), which are scanned when they are read
(kernel/text/utf8.h); to be lowercased, these become our own, too (`add_row`). If a column's line has white
space beyond ASCII, it becomes tabs in a copy.

Most lines follow each other in memory, in runs. Lines of a run that need no copy are tokenized together
(kernel/text/line_run.h).

Reading a line also reads memory before and after it. If that memory belongs to its neighbors, the line is
read in place, otherwise from a copy.

Ownership. A TextSide owns its lines and the copy, and holds a column's rows. Thread-safety. One thread at a
time.
"""

import cython
from cpython.exc cimport PyErr_CheckSignals
from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.stdint cimport uint16_t
from libc.string cimport memcpy, memset

from fastbleu.core.inputs._utf8_rows cimport not_utf8
from fastbleu.core.runtime._process cimport grow, poll, process_seed, simd_in_use, simd_level
from fastbleu.core.tokenizers._compiled cimport (
    PyUnicode_GET_LENGTH, PyUnicode_READY, compact, decoded, free_copy, no_memory, put_characters_of,
    reserve_copy, room_of)


cdef extern from "kernel/text/line_copy.h":
    const Py_ssize_t LEAD
    const Py_ssize_t TAIL

cdef extern from "kernel/hashing/content_keys.h":
    const size_t INLINE_BYTES

cdef extern from "kernel/text/line_run.h":
    void begin_run(line_run *run, const uint8_t *bytes) noexcept nogil
    bint add_to_run(line_run *run, utf8_line line) noexcept nogil
    void cut_run(line_run *run, int lines) noexcept nogil
    key_view keys_of_line(const line_run *run, int number) noexcept nogil
    run_reader run_reader_for(simd_level level) noexcept nogil

cdef extern from "kernel/text/utf8.h":
    void replace_wide_spaces(uint8_t *bytes, size_t size) noexcept nogil
    bint is_continuation(uint8_t byte) noexcept nogil
    size_t scan_characters(const uint8_t *bytes, size_t size, utf8_content *content) noexcept nogil
    utf8_scanner utf8_scanner_for(simd_level level) noexcept nogil

cdef extern from "kernel/text/lower.h":
    ctypedef struct small_letters:
        uint16_t *small
    void find_capitals(small_letters *letters) noexcept nogil
    bint lower_utf8(const small_letters *letters, uint8_t *bytes, size_t size) noexcept nogil

cdef extern from "Python.h":
    object PyUnicode_Substring(object text, Py_ssize_t start, Py_ssize_t stop)


cdef size_t POLL_BYTES = 1 << 20             # bytes of a line between two checks for signals
cdef Py_ssize_t LOWER_CHARS = 1 << 20        # characters that Python lowers between two checks
cdef Py_ssize_t KEPT_BYTES = 1 << 22         # memory for more is not kept

cdef small_letters letters
cdef bint has_small_letters
cdef object small_letters_lock_owner = object()


cdef const uint16_t *small_letters_of_python() except NULL:
    """The small letter of each character below U+10000; see lower.h. Python is asked once."""
    global has_small_letters
    cdef int first, i
    cdef str lowered
    with cython.critical_section(small_letters_lock_owner):
        if has_small_letters:
            return letters.small
        for first in range(0, 1 << 16, 256):
            lowered = lower("".join([chr(first + i) for i in range(256)]))
            for i in range(256):
                letter = lowered[i] if len(lowered) == 256 else lower(chr(first + i))
                letters.small[first + i] = <uint16_t> ord(letter) if len(letter) == 1 else 0
        letters.small[<int> 0x3A3] = 0
        find_capitals(&letters)
        has_small_letters = True
    return letters.small


cdef object lower(object text):
    """text.lower(), polling for signals in long texts, which are split where that affects no sigma."""
    cdef Py_ssize_t start = 0, stop, length
    cdef list parts
    cdef bint cut_anywhere
    PyUnicode_READY(text)
    length = PyUnicode_GET_LENGTH(text)
    if length <= LOWER_CHARS:
        return str.lower(text)
    parts = []
    cut_anywhere = str.find(text, "\u03a3") < 0
    while start < length:
        stop = min(start + LOWER_CHARS, length)
        if stop < length and not cut_anywhere:
            stop = str.find(text, " ", stop)
            if stop < 0:
                stop = length
        parts.append(str.lower(PyUnicode_Substring(text, start, stop)))
        start = stop
        PyErr_CheckSignals()
    return "".join(parts)


cdef inline bint is_after(utf8_line line, size_t end) noexcept nogil:
    """Whether a line begins at an address or one byte after it, and is not empty."""
    return line.size > 0 and <size_t> line.bytes - end <= 1


cdef size_t next_poll(utf8_line text, size_t at) noexcept nogil:
    """Where to poll next in a line that was read up to `at`: at a character's end, if the UTF-8 is valid."""
    cdef size_t end = min(text.size, at + POLL_BYTES), least = end - 3
    while end < text.size and end > least and is_continuation(text.bytes[end]):
        end -= 1
    return end


@cython.final
cdef class TextSide:

    def __cinit__(self, checks, bint lowercase):
        self.checks = checks
        self.lowercase = lowercase
        self.seed = process_seed()
        self.run = <line_run *> PyMem_RawMalloc(sizeof(line_run))
        if self.run == NULL:
            raise MemoryError
        self.run.limit = 0
        if lowercase:
            small_letters_of_python()

    def __dealloc__(self):
        PyMem_RawFree(self.run)
        PyMem_RawFree(self.text)
        PyMem_RawFree(self.own_lines)
        free_copy(&self.copy)

    cdef void begin_chunk(self) noexcept nogil:
        """Drop all lines."""
        self.own_count = self.run_start = self.run_stop = 0
        self.used = LEAD
        self.run_end = 0
        self.scan = utf8_scanner_for(simd_in_use())
        self.read_run = run_reader_for(simd_in_use())

    cdef void forget(self):
        """Drop the text of all lines; keep the memory, except that of many or long ones."""
        self.rows = None
        free_copy(&self.copy)
        if self.room > KEPT_BYTES:
            PyMem_RawFree(self.text)
            self.text = NULL
            self.room = 0

    cdef int add(self, object text) except -1:
        """Add a line that is a compact str."""
        cdef Py_ssize_t size = self.put(text)
        if self.lowercase and not self.lower_own(size):
            size = self.put(compact(lower(text)))
        self.own_lines[self.own_count].size = size
        self.used += size
        self.own_count += 1
        return 0

    cdef Py_ssize_t put(self, object text) except -1:
        """Write a compact str after our own lines; return the number of bytes."""
        cdef uint8_t *start = self.reserve(room_of(text))
        return put_characters_of(text, self.write_line == NULL, start) - start

    cdef uint8_t *reserve(self, size_t size) except NULL nogil:
        """Room for another line of our own."""
        cdef Py_ssize_t needed = self.used + <Py_ssize_t> size + TAIL
        if needed > self.room:
            self.text = <uint8_t *> grow(self.text, &self.room, needed, 1)
        if self.own_count == self.capacity:
            self.own_lines = <utf8_line *> grow(
                self.own_lines, &self.capacity, self.own_count + 1, sizeof(utf8_line))
        return self.text + self.used

    cdef bint lower_own(self, Py_ssize_t size) except -1 nogil:
        """Lower what was written last, in place; False if Python has to."""
        cdef utf8_line line
        cdef size_t at = 0, end
        line.bytes, line.size = self.text + self.used, size
        memset(self.text + self.used + size, 0, TAIL)        # some of it is read
        while at < line.size:
            if at > 0:
                poll(self.cancelled)
            end = next_poll(line, at)
            if not lower_utf8(&letters, self.text + self.used + at, end - at):
                return False
            at = end
        return True

    cdef int add_row(self, Py_ssize_t number, Py_ssize_t segment, Py_ssize_t k) except -1 nogil:
        """Make a column's line one of our own: reference k of a segment, or the hypothesis if k is -1."""
        cdef utf8_line line = self.lines[number]
        cdef utf8_content content = self.content_of(number, segment, k)
        cdef uint8_t *start = self.reserve(line.size)
        self.copy_to(start, line)
        if not self.lower_own(line.size):
            with gil:
                return self.add(compact(decoded(line)))
        if content == UTF8_WIDE_SPACES:
            replace_wide_spaces(start, line.size)
        self.own_lines[self.own_count].size = line.size
        self.used += line.size
        self.own_count += 1
        return 0

    cdef void take_rows(self, Utf8Rows rows, Py_ssize_t start) noexcept:
        """Take a column's lines from number `start` on as the chunk."""
        self.rows = rows
        self.are_own = False
        self.lines, self.count, self.first = rows.lines, rows.line_count, start

    cdef void take_own(self) noexcept nogil:
        """Take the lines that were added as the chunk; their memory does not move any more."""
        cdef Py_ssize_t start = LEAD
        self.are_own = True
        self.lines, self.count, self.first = self.own_lines, self.own_count, 0
        for i in range(self.own_count):
            self.own_lines[i].bytes = self.text + start
            start += self.own_lines[i].size

    cdef bint find_keys(self, Py_ssize_t number, key_view *keys) noexcept nogil:
        """Find the keys of a line; False unless they were read in a run."""
        if not self.in_runs:
            return False
        self.find_run(number)
        number -= self.run_start
        if number >= self.run.read_lines:
            return False
        keys[0] = keys_of_line(self.run, number)
        return True

    cdef int read_line(self, Py_ssize_t number, Py_ssize_t segment, Py_ssize_t k,
                       utf8_line *line) except -1 nogil:
        """The line as it is tokenized, valid until the next one is read: reference k of a segment, or the
        hypothesis if k is -1."""
        cdef utf8_content content
        line[0] = self.lines[number]
        if self.write_line != NULL:
            return self.write_line(line, &self.copy)
        if self.are_own:
            return 0
        content = self.content_of(number, segment, k)
        if (content == UTF8_WIDE_SPACES or <size_t> line.bytes < self.least
                or <size_t> line.bytes + line.size > self.most):
            if reserve_copy(&self.copy, line.size) < 0:
                no_memory(line.size)
            self.copy_to(self.copy.bytes, line[0])
            line.bytes = self.copy.bytes
        if content == UTF8_WIDE_SPACES:
            replace_wide_spaces(self.copy.bytes, line.size)
        return 0

    cdef utf8_content content_of(self, Py_ssize_t number, Py_ssize_t segment,
                                 Py_ssize_t k) except UTF8_WRONG nogil:
        """What a line of a column holds; also finds its run, and so whether it may be read in place."""
        cdef utf8_line text = self.lines[number]
        cdef utf8_content content
        self.find_run(number)
        if number - self.run_start < self.run.read_lines:
            return UTF8_WIDE
        content = self.content
        if content > UTF8_WIDE:
            content = self.scan(text.bytes, text.size) if text.size <= POLL_BYTES else self.scan_long(text)
            if content == UTF8_WRONG:
                self.refuse(text, segment, k)
        return content

    cdef int copy_to(self, uint8_t *out, utf8_line line) except -1 nogil:
        cdef size_t at = 0, size
        while at < line.size:
            if at > 0:
                poll(self.cancelled)
            size = min(line.size - at, POLL_BYTES)
            memcpy(out + at, line.bytes + at, size)
            at += size
        return 0

    cdef inline void find_run(self, Py_ssize_t number) noexcept nogil:
        """Find the run of a line, unless it is in the last one."""
        if not self.run_start <= number < self.run_stop:
            self.gather_run(number)

    cdef void gather_run(self, Py_ssize_t number) noexcept nogil:
        """Find the run that begins with a line; scan its lines, and read their keys."""
        cdef utf8_line line
        cdef size_t end
        cdef Py_ssize_t stop = number
        cdef bint is_followed = False, joins = self.in_runs
        cdef bint is_split = False       # whether a line's end splits a character
        if not is_after(self.lines[number], self.run_end):
            self.least = <size_t> self.lines[number].bytes + INLINE_BYTES
        begin_run(self.run, self.lines[number].bytes)
        while stop < self.count:
            line = self.lines[stop]
            end = <size_t> line.bytes + line.size
            if not self.are_own:
                is_followed = stop + 1 < self.count and is_after(self.lines[stop + 1], end)
                joins = is_followed and <size_t> line.bytes >= self.least
            if not joins or not add_to_run(self.run, line):
                break
            is_split |= not self.are_own and is_continuation(line.bytes[0])
            self.run_end = end
            stop += 1
        self.content = UTF8_WRONG
        self.most = self.run_end
        if stop == number:               # a line by itself
            self.run_end = end
            self.most = end if is_followed else end - 1
            stop += 1
        self.run_start, self.run_stop = number, stop
        if self.run.lines and not is_split:
            self.content = UTF8_WIDE if self.are_own else self.scan(self.run.bytes, self.run.size)
            if self.in_runs:
                self.read_keys_of_run()

    cdef void read_keys_of_run(self) noexcept nogil:
        """Read the keys of the first lines of a run, up to one that has to be copied or rewritten."""
        cdef utf8_line line
        cdef int plain = 0
        if self.content > UTF8_WIDE:
            while plain < self.run.lines:
                line = self.lines[self.run_start + plain]
                if self.scan(line.bytes, line.size) > UTF8_WIDE:
                    break
                plain += 1
            cut_run(self.run, plain)
        self.read_run(self.run, self.tables, &self.seed)

    cdef utf8_content scan_long(self, utf8_line text) except? UTF8_WRONG nogil:
        """Scan a line, polling for signals."""
        cdef utf8_content content = UTF8_ASCII
        cdef size_t at = 0, end
        while at < text.size:
            end = next_poll(text, at)
            content = max(content, self.scan(text.bytes + at, end - at))
            at = end
            poll(self.cancelled)
        return content

    cdef int refuse(self, utf8_line text, Py_ssize_t segment, Py_ssize_t k) except -1 nogil:
        """Raise the error for a line that is not UTF-8."""
        cdef utf8_content content
        cdef size_t at = 0, end = 0
        while at == end and end < text.size:
            end = next_poll(text, at)
            at += scan_characters(text.bytes + at, end - at, &content)
            poll(self.cancelled)
        with gil:
            where = self.checks.place(segment, None if k < 0 else k)
            raise not_utf8(where, at, text.bytes[min(at, text.size - 1)])

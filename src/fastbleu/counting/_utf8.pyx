"""Lines of UTF-8 in, packed masks or ids out, without the GIL and without Python strings.

fill() notes which segments make up the chunk. finish() finds out what their lines hold (kernel/text/utf8.h)
and hands them to TextPacker, which tokenizes and packs them as any others, so that the result is that of the
same text as str. A tokenizer that distinguishes only white space among characters beyond ASCII reads all
lines as bytes, and treats other bytes beyond ASCII as parts of words; in lines with such white space, a copy
has tabs instead. For other tokenizers, lines that are not ASCII become characters of 1, 2 or 4 bytes, as in a
str.

Reading a line of bytes also reads memory before and after it. A line is read in place if that memory belongs
to its neighbours in the column, and otherwise from a copy.

Lines that are lowercased are read as characters, too.

Ownership. Utf8Packer owns the copies and holds the rows of the chunk. Thread-safety. One packer per thread.
"""

import cython
from cpython.exc cimport PyErr_CheckSignals
from cpython.mem cimport PyMem_RawFree
from libc.stdint cimport uint8_t
from libc.string cimport memcpy, memset

from fastbleu.counting._text cimport CHUNK_CHARS, CHUNK_LINES, CHUNK_SEGMENTS, HYPOTHESIS, TextPacker
from fastbleu.inputs._utf8 cimport Utf8Rows, not_utf8, utf8_line
from fastbleu.runtime._process cimport grow, poll, simd_in_use, simd_level
from fastbleu.tokenizers._compiled cimport reads_utf8, rules_of, text_line


cdef extern from "kernel/text/line_reader.h":
    const Py_ssize_t LEAD

cdef extern from "kernel/tables/content_keys.h":
    const size_t INLINE_BYTES

cdef extern from "kernel/text/utf8.h":
    ctypedef struct utf8_decoding:
        const uint8_t *bytes
        size_t size
        void *out
        int unit
        size_t at
        size_t written
    ctypedef enum utf8_content:
        UTF8_ASCII
        UTF8_WIDE
        UTF8_WIDE_SPACES
        UTF8_WRONG
    ctypedef struct utf8_reader:
        utf8_content (*scan)(const uint8_t *bytes, size_t size) noexcept nogil
        int (*decode)(utf8_decoding *line, size_t stop) noexcept nogil
    uint8_t largest_byte(const uint8_t *bytes, size_t size) noexcept nogil
    int unit_of_utf8(uint8_t largest) noexcept nogil
    void replace_wide_spaces(uint8_t *bytes, size_t size) noexcept nogil
    void prefetch_line(size_t address) noexcept nogil
    bint is_continuation(uint8_t byte) noexcept nogil
    size_t scan_characters(const uint8_t *bytes, size_t size, utf8_content *content) noexcept nogil
    utf8_reader utf8_reader_for(simd_level level) noexcept nogil


cdef size_t PART = 1 << 20               # bytes of a line between two checks for signals
cdef Py_ssize_t TAIL = 4                 # bytes behind a line that may be read
cdef Py_ssize_t RUN_LINES = 32           # that are scanned at once
cdef Py_ssize_t KEPT_BYTES = 1 << 22     # memory for longer lines is not kept


# Lines that lie one behind the other, as those of a column do, and as those of a file, between which is a
# newline. What their neighbours hold may be read, too.
cdef struct utf8_run:
    Py_ssize_t stop              # the number of the first line behind them
    size_t end                   # the address where the last line ends
    size_t first                 # where a line may begin, and
    size_t last                  # where it may end, to be read in place
    utf8_content content         # of all of them; UTF8_WRONG: to be found out of each


cdef inline size_t address_ahead(Utf8Rows rows, Py_ssize_t number, Py_ssize_t distance) noexcept nogil:
    """Where what is read so many lines later lies."""
    if rows.ahead:
        return <size_t> rows.lines[number].bytes + rows.ahead
    return <size_t> rows.lines[min(number + distance, rows.line_count - 1)].bytes


cdef inline bint is_behind(utf8_line line, size_t end) noexcept nogil:
    """Whether a line, which is not empty, begins at an address or one byte behind it."""
    return line.size > 0 and <size_t> line.bytes - end <= 1


cdef size_t end_of_part(utf8_line text, size_t at) noexcept nogil:
    """The end of a part of a line that begins at a byte: a character's end, if the UTF-8 is valid."""
    cdef size_t end = min(text.size, at + PART), least = end - 3
    while end < text.size and end > least and text.bytes[end] & 0xC0 == 0x80:
        end -= 1
    return end


cdef class Utf8Packer(TextPacker):
    """A TextPacker of lines that are UTF-8: takes Utf8Rows in place of lists."""

    cdef Utf8Rows hypotheses, references
    cdef Py_ssize_t start                # the chunk's first segment in these
    cdef Py_ssize_t reference_start      # the number of the chunk's first reference
    cdef bint as_bytes                   # whether all lines are read as bytes
    cdef utf8_content plain              # the most that lines hold which are read as they are
    cdef uint8_t *characters             # of lines that were copied
    cdef Py_ssize_t used, room           # bytes there
    cdef bint decoded
    cdef utf8_reader reader
    cdef size_t size                     # bytes of the chunk's lines

    def __cinit__(self, checks, str tokenizer not None, *_):
        self.as_bytes = reads_utf8(tokenizer) and not self.lowercase
        self.plain = UTF8_WIDE if self.as_bytes else UTF8_ASCII
        if self.as_bytes:
            self.rules = rules_of(tokenizer, True)

    def __dealloc__(self):
        self.line_count = 0              # of `held`, which has none
        PyMem_RawFree(self.characters)

    def reset(self):
        """Forget the last lines; keep the memory, except that of long lines."""
        self.line_count = 0
        TextPacker.reset(self)
        self.hypotheses = self.references = None
        if self.room > KEPT_BYTES:
            PyMem_RawFree(self.characters)
            self.characters = NULL
            self.room = 0

    def fill(self, Utf8Rows hypotheses not None, Utf8Rows references not None, Py_ssize_t start,
             Py_ssize_t before=0):
        """Take the next chunk's segments in place of the last one's; 0 at the end."""
        cdef Py_ssize_t end = min(len(hypotheses), len(references)), segment = start
        cdef Py_ssize_t line = references.first_line(start), end_line, count, capacity = 0
        if hypotheses.levels or references.levels > 1:
            raise TypeError("hypotheses must be lines, references lines or lists of lines")
        self.clear()
        PyErr_CheckSignals()
        self.hypotheses, self.references = hypotheses, references
        self.start, self.first_segment, self.reference_start = start, before + start, line
        self.line_count = 0
        self.finished = self.decoded = False
        self.size = 0
        while (segment < end and self.segment_count < CHUNK_SEGMENTS and self.line_count < CHUNK_LINES
                and self.size < CHUNK_CHARS):
            end_line = line + 1 if references.levels == 0 else references.ends[segment]
            count = end_line - line
            if count == 0:
                self.checks.refuse_no_references(before + segment)
            self.size += hypotheses.lines[segment].size
            while line < end_line:
                self.size += references.lines[line].size
                line += 1
            self.reserve_segment()
            self.reference_counts[self.segment_count] = count
            self.segment_count += 1
            self.line_count += 1 + count
            self.note_references(count)
            segment += 1
        if self.line_count > self.line_capacity:
            self.lines = <text_line *> grow(self.lines, &capacity, self.line_count, sizeof(text_line))
            self.line_capacity = capacity
        return self.segment_count

    cdef int finish(self) except -1 nogil:
        """Take, tokenize and pack the chunk's lines, once."""
        if not self.decoded:
            self.take_lines()
            self.decoded = True
        return TextPacker.finish(self)

    cdef void look_ahead(self, Py_ssize_t segment, const text_line *line,
                         const text_line *end) noexcept nogil:
        """While this chunk is counted, the next one comes into the cache."""
        cdef Py_ssize_t references = self.line_count - self.segment_count, k
        cdef Py_ssize_t reference = self.reference_start + (line - self.lines) - segment
        prefetch_line(address_ahead(self.hypotheses, self.start + segment, self.segment_count))
        for k in range(self.reference_counts[segment]):
            prefetch_line(address_ahead(self.references, reference + k, references))

    cdef int take_lines(self) except -1 nogil:
        """Make the chunk's lines out of UTF-8."""
        cdef text_line *line = self.lines
        cdef Py_ssize_t segment, k, reference = self.reference_start
        cdef utf8_run ours, theirs
        memset(&ours, 0, sizeof(ours))
        memset(&theirs, 0, sizeof(theirs))
        self.used = LEAD
        self.reader = utf8_reader_for(simd_in_use())
        for segment in range(self.segment_count):
            self.take_line(line, self.hypotheses, self.start + segment, &ours, segment, HYPOTHESIS)
            line += 1
            for k in range(self.reference_counts[segment]):
                self.take_line(line, self.references, reference, &theirs, segment, k)
                line += 1
                reference += 1
        # Only now, because the memory has moved while it grew.
        for k in range(self.line_count):
            if self.lines[k].unit < 0:
                self.lines[k].unit = -self.lines[k].unit
                self.lines[k].chars = self.characters + <size_t> self.lines[k].chars
        return 0

    @cython.final
    cdef inline int take_line(self, text_line *line, Utf8Rows rows, Py_ssize_t number, utf8_run *run,
                              Py_ssize_t segment, Py_ssize_t reference) except -1 nogil:
        """Make one line; of one that is copied see `note_copy`."""
        cdef utf8_line text = rows.lines[number]
        cdef utf8_content content
        if number >= run.stop:
            self.find_run(rows, number, run)
        content = run.content
        if content > self.plain:
            content = self.reader.scan(text.bytes, text.size) if text.size <= PART else self.scan_long(text)
            if content == UTF8_WRONG:
                self.refuse(text, segment, reference)
            if content != UTF8_ASCII and not self.as_bytes:
                return self.decode(line, text)
        if (content == UTF8_WIDE_SPACES or <size_t> text.bytes < run.first
                or <size_t> text.bytes + text.size > run.last):
            return self.copy(line, text, content)
        line.chars = text.bytes
        line.length = text.size
        line.unit = 1
        return 0

    cdef void find_run(self, Utf8Rows rows, Py_ssize_t number, utf8_run *run) noexcept nogil:
        """Find the lines from one on that lie one behind the other, and scan them as if they were one."""
        cdef utf8_line line = rows.lines[number]
        cdef const uint8_t *start = line.bytes
        cdef size_t size
        cdef bint is_split = False       # a character, by the end of a line
        if not is_behind(line, run.end):
            run.first = <size_t> start + INLINE_BYTES
        run.stop = number
        while True:
            run.stop += 1
            run.end = <size_t> line.bytes + line.size
            run.last = run.end - 1
            size = run.end - <size_t> start
            if run.stop == rows.line_count:
                break
            line = rows.lines[run.stop]
            if not is_behind(line, run.end):
                break
            run.last = run.end
            if run.stop == number + RUN_LINES or size + line.size > PART:
                break
            is_split |= is_continuation(start[size]) | is_continuation(line.bytes[0])
        run.content = UTF8_WRONG
        if not is_split and size <= PART:
            run.content = self.reader.scan(start, size)

    cdef utf8_content scan_long(self, utf8_line text) except? UTF8_WRONG nogil:
        """Scan a line part by part."""
        cdef utf8_content content = UTF8_ASCII
        cdef size_t at = 0, end
        while at < text.size:
            end = end_of_part(text, at)
            content = max(content, self.reader.scan(text.bytes + at, end - at))
            at = end
            poll(&self.cancelled)
        return content

    cdef int refuse(self, utf8_line text, Py_ssize_t segment, Py_ssize_t reference) except -1 nogil:
        """Raise the error for a line that is not UTF-8."""
        cdef utf8_content content
        cdef size_t at = 0, end = 0
        while at == end and end < text.size:
            end = end_of_part(text, at)
            at += scan_characters(text.bytes + at, end - at, &content)
            poll(&self.cancelled)
        with gil:
            where = self.checks.place(
                self.first_segment + segment, None if reference == HYPOTHESIS else reference)
            raise not_utf8(where, at, text.bytes[min(at, text.size - 1)])

    cdef int copy(self, text_line *line, utf8_line text, utf8_content content) except -1 nogil:
        """Copy a line of bytes, with tabs for white space beyond ASCII if need be."""
        cdef uint8_t *out = self.reserve(text.size, 1)
        cdef size_t at = 0, size
        while at < text.size:
            size = min(text.size - at, PART)
            memcpy(out + at, text.bytes + at, size)
            at += size
            if at < text.size:
                poll(&self.cancelled)
        if content == UTF8_WIDE_SPACES:
            replace_wide_spaces(out, text.size)
        self.note_copy(line, text.size, 1)
        return 0

    cdef int decode(self, text_line *line, utf8_line text) except -1 nogil:
        """Make characters of a line that is not ASCII."""
        cdef utf8_decoding decoding
        cdef size_t at = 0, size
        cdef uint8_t largest = 0
        while at < text.size:
            if at > 0:
                poll(&self.cancelled)
            size = min(text.size - at, PART)
            largest = max(largest, largest_byte(text.bytes + at, size))
            at += size
        decoding.bytes = text.bytes
        decoding.size = text.size
        decoding.unit = unit_of_utf8(largest)
        decoding.out = self.reserve(text.size, decoding.unit)
        decoding.at = decoding.written = 0
        while decoding.at < text.size:
            if decoding.at > 0:
                poll(&self.cancelled)
            if self.reader.decode(&decoding, min(text.size, decoding.at + PART)) < 0:
                break                    # another thread has changed it meanwhile
        self.note_copy(line, decoding.written, decoding.unit)
        return 0

    cdef uint8_t *reserve(self, size_t size, Py_ssize_t unit) except NULL nogil:
        """Room for a line of `size` characters at `used`, which it aligns."""
        self.used += -self.used & (unit - 1)
        cdef Py_ssize_t needed = self.used + <Py_ssize_t> size * unit + TAIL
        if needed > self.room:
            self.characters = <uint8_t *> grow(self.characters, &self.room, needed, 1)
        return self.characters + self.used

    cdef void note_copy(self, text_line *line, size_t length, int unit) noexcept nogil:
        """Make a line of a copy; until all are made it has its place there, and the negative unit."""
        line.chars = <const void *> self.used
        line.length = length
        line.unit = -unit
        self.used += <Py_ssize_t> length * unit + TAIL

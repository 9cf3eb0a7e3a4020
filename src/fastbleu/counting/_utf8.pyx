"""Lines of UTF-8 in, packed masks or ids out, without the GIL and without Python strings.

fill() notes which segments make up the chunk. finish() copies their lines, those that are not ASCII as
characters of 1, 2 or 4 bytes, as a str has them (kernel/text/utf8.h); then TextPacker tokenises and packs
them as any others, so that the result is that of the same text as str. Lines are copied, and not read in
place, because what reads them needs memory before and behind.

The only lines that become a str are those to be lowered that are not ASCII: by Python's own rules.

Ownership. Utf8Packer owns the copies and holds the rows of the chunk. Thread-safety. One packer per thread.
"""

import cython
from cpython.exc cimport PyErr_CheckSignals
from cpython.mem cimport PyMem_RawFree

from fastbleu.counting._text cimport CHUNK_CHARS, CHUNK_LINES, CHUNK_SEGMENTS, HYPOTHESIS, lower
from fastbleu.inputs._utf8 cimport not_utf8
from fastbleu.runtime._process cimport grow, poll, simd_in_use, simd_level
from fastbleu.tokenizers._compiled cimport PyUnicode_FromKindAndData, compact, line_of


cdef extern from "kernel/text/line_reader.h":
    const Py_ssize_t LEAD

cdef extern from "kernel/text/utf8.h":
    uint8_t largest_byte(const uint8_t *bytes, size_t size) noexcept nogil
    int unit_of_utf8(uint8_t largest) noexcept nogil
    utf8_reader utf8_reader_for(simd_level level) noexcept nogil


cdef size_t PART = 1 << 20               # bytes of a line between two checks for signals
cdef Py_ssize_t TAIL = 4                 # bytes behind a line that may be read
cdef Py_ssize_t KEPT_BYTES = 1 << 22     # memory for longer lines is not kept


cdef class Utf8Packer(TextPacker):
    """A TextPacker of lines that are UTF-8: takes Utf8Rows in place of lists."""

    def __cinit__(self, *_):
        self.lowered = []

    def __dealloc__(self):
        self.line_count = 0              # of `held`, which has none
        PyMem_RawFree(self.characters)

    def reset(self):
        """Forget the last lines; keep the memory, except that of long lines."""
        self.line_count = 0
        TextPacker.reset(self)
        self.hypotheses = self.references = None
        self.lowered.clear()
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
        self.start, self.first_segment = start, before + start
        self.line_count = 0
        self.lowered.clear()
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
        """Decode, tokenise and pack the chunk's lines, once."""
        if not self.decoded:
            self.decode()
            self.decoded = True
        return TextPacker.finish(self)

    cdef int decode(self) except -1 nogil:
        """Make the chunk's lines out of UTF-8."""
        cdef text_line *line = self.lines
        cdef const utf8_line *reference
        cdef Py_ssize_t segment, k
        self.used = LEAD
        self.reader = utf8_reader_for(simd_in_use())
        reference = self.references.lines + self.references.first_line(self.start)
        for segment in range(self.segment_count):
            self.decode_line(line, self.hypotheses.lines[self.start + segment], segment, HYPOTHESIS)
            line += 1
            for k in range(self.reference_counts[segment]):
                self.decode_line(line, reference[0], segment, k)
                line += 1
                reference += 1
        # Only now, because the memory has moved while it grew.
        for k in range(self.line_count):
            if self.lines[k].unit < 0:
                self.lines[k].unit = -self.lines[k].unit
                self.lines[k].chars = self.characters + <size_t> self.lines[k].chars
        return 0

    @cython.final
    cdef inline int decode_line(self, text_line *line, utf8_line text, Py_ssize_t segment,
                                Py_ssize_t reference) except -1 nogil:
        """Make one line; until all are made it has its place in `characters`, and the negative unit."""
        cdef uint8_t *out
        if self.used + <Py_ssize_t> text.size + TAIL > self.room:
            self.reserve(text.size, 1)
        out = self.characters + self.used
        if not (self.reader.copy(out, text.bytes, text.size, self.lowercase) if text.size <= PART
                else self.copy_long(out, text)):
            return self.decode_wide(line, text, segment, reference)
        line.chars = <const void *> self.used
        line.length = text.size
        line.unit = -1
        self.used += <Py_ssize_t> text.size + TAIL
        return 0

    cdef bint copy_long(self, uint8_t *out, utf8_line text) except -1 nogil:
        """Copy a line part by part; whether all of it is ASCII."""
        cdef size_t at = 0, size
        while at < text.size:
            size = min(text.size - at, PART)
            if not self.reader.copy(out + at, text.bytes + at, size, self.lowercase):
                return False
            at += size
            poll(&self.cancelled)
        return True

    cdef int decode_wide(self, text_line *line, utf8_line text, Py_ssize_t segment,
                         Py_ssize_t reference) except -1 nogil:
        """The same for a line that is not ASCII."""
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
                with gil:
                    where = self.checks.place(
                        self.first_segment + segment, None if reference == HYPOTHESIS else reference)
                    raise not_utf8(where, decoding.at, text.bytes[decoding.at])
        if self.lowercase:
            with gil:
                lowered = compact(lower(PyUnicode_FromKindAndData(
                    decoding.unit, decoding.out, decoding.written)))
                self.lowered.append(lowered)
                line[0] = line_of(lowered)
            return 0
        line.chars = <const void *> self.used
        line.length = decoding.written
        line.unit = -decoding.unit
        self.used += <Py_ssize_t> decoding.written * decoding.unit + TAIL
        return 0

    cdef uint8_t *reserve(self, size_t size, Py_ssize_t unit) except NULL nogil:
        """Room for a line of `size` characters at `used`, which it aligns."""
        self.used += -self.used & (unit - 1)
        cdef Py_ssize_t needed = self.used + <Py_ssize_t> size * unit + TAIL
        if needed > self.room:
            self.characters = <uint8_t *> grow(self.characters, &self.room, needed, 1)
        return self.characters + self.used

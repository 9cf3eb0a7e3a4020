"""Lines of UTF-8 in, packed masks or ids out, without the GIL and without Python strings.

fill() notes which segments make up the chunk. finish() finds out what their lines hold (kernel/text/utf8.h)
and has TextPacker tokenize and pack them as any others, so that the result is that of the same text as str. A
tokenizer that distinguishes only white space among characters beyond ASCII reads all lines as bytes, and
treats other bytes beyond ASCII as parts of words; in lines with such white space, a copy has tabs instead.
For other tokenizers, and to be lowercased, lines that are not ASCII become characters of 1, 2 or 4 bytes, as
in a str.

The lines of a column mostly lie one behind the other: a run. Those that are read as bytes are tokenized
together (kernel/text/line_run.h), and their segments packed together if each has one reference.

Reading a line of bytes also reads memory before and after it. A line is read in place if that memory belongs
to its neighbors in the column, and otherwise from a copy.

Ownership. Utf8Packer owns the copies and holds the rows of the chunk. Thread-safety. One packer per thread.
"""

import cython
from cpython.exc cimport PyErr_CheckSignals
from cpython.mem cimport PyMem_RawFree
from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.string cimport memcpy

from fastbleu._packed cimport IS_MASKS, KEYS_WERE_READ
from fastbleu.counting._text cimport (
    BLOCK_STEPS, CHUNK_CHARS, CHUNK_LINES, CHUNK_SEGMENTS, HYPOTHESIS, TextPacker)
from fastbleu.inputs._utf8 cimport Utf8Rows, not_utf8, utf8_line
from fastbleu.kernel.tables cimport hash_seed, key_comparer, key_list
from fastbleu.runtime._process cimport grow, poll, simd_in_use, simd_level
from fastbleu.tokenizers._compiled cimport reads_utf8, rules_of, text_line, text_rules


cdef extern from "kernel/text/line_reader.h":
    const Py_ssize_t LEAD

cdef extern from "kernel/tables/content_keys.h":
    const size_t INLINE_BYTES

cdef extern from "kernel/text/line_run.h":
    ctypedef struct line_run:
        const uint8_t *bytes
        size_t size
        int lines
        int read_lines
    ctypedef void (*run_reader)(line_run *run, const text_rules *rules, const hash_seed *seed) noexcept nogil
    void begin_run(line_run *run, const uint8_t *bytes) noexcept nogil
    bint add_to_run(line_run *run, utf8_line line) noexcept nogil
    void cut_run(line_run *run, int lines) noexcept nogil
    key_list *keys_of_line(line_run *run, int number) noexcept nogil
    run_reader run_reader_for(simd_level level) noexcept nogil
    const Py_ssize_t RUN_MASKS
    ctypedef struct run_masks:
        int segments
        int masks
        int tokens
        int tokenized_periods
    run_masks compare_runs(key_comparer compare, line_run *hypotheses, int ours, line_run *references,
                           int theirs, int count, uint64_t *masks, int64_t *lengths) noexcept nogil

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
    bint is_continuation(uint8_t byte) noexcept nogil
    size_t scan_characters(const uint8_t *bytes, size_t size, utf8_content *content) noexcept nogil
    utf8_reader utf8_reader_for(simd_level level) noexcept nogil


cdef size_t PART = 1 << 20               # bytes of a line between two checks for signals
cdef Py_ssize_t TAIL = 4                 # bytes behind a line that may be read
cdef Py_ssize_t KEPT_BYTES = 1 << 22     # memory for longer lines is not kept


# A run of one column, or a line by itself.
cdef struct utf8_run:
    Py_ssize_t first             # the number of the first line
    Py_ssize_t stop              # that of the first line behind them
    size_t end                   # the address behind the last line
    size_t least                 # of a line that is read in place: the least address where it begins,
    size_t most                  # and the largest behind it
    utf8_content content         # the most that a line holds; UTF8_WRONG: to be found out of each
    line_run lines               # the keys of the first ones were read, if lines are read as bytes


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
    cdef utf8_reader reader
    cdef run_reader run_reader
    cdef utf8_run our_run, their_run
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
        self.finished = False
        self.our_run.stop = self.their_run.stop = 0
        self.our_run.end = self.their_run.end = 0
        self.reader = utf8_reader_for(simd_in_use())
        self.run_reader = run_reader_for(simd_in_use())
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

    cdef Py_ssize_t pack_next(self, Py_ssize_t segment, const text_line *line) except -1 nogil:
        cdef Py_ssize_t packed = 0
        if self.as_bytes and self.references.levels == 0 and self.compare != NULL:
            packed = self.pack_from_runs(segment)
        if packed > 0:
            return packed
        self.take_segment(segment, self.lines + (line - self.lines))
        return TextPacker.pack_next(self, segment, line)

    cdef Py_ssize_t pack_from_runs(self, Py_ssize_t segment) except -1 nogil:
        """Pack the next segments, of one reference each, as long as the keys of both lines were read in runs.

        Returns how many.
        """
        cdef utf8_run *ours = &self.our_run
        cdef utf8_run *theirs = &self.their_run
        cdef Py_ssize_t number = self.start + segment, stop, k
        cdef run_masks packed
        self.find_run(self.hypotheses, number, ours)
        self.find_run(self.references, number, theirs)
        stop = min(self.start + self.segment_count,
                   min(ours.first + ours.lines.read_lines, theirs.first + theirs.lines.read_lines))
        if number >= stop:
            return 0
        packed = compare_runs(
            self.compare, &ours.lines, number - ours.first, &theirs.lines, number - theirs.first,
            stop - number, self.reserve_masks(RUN_MASKS), self.reserve_lengths(2 * (stop - number)))
        for k in range(packed.segments):
            self.distinct[segment + k] = IS_MASKS
        self.mask_count += packed.masks
        self.length_count += 2 * packed.segments
        self.tokenized_periods += packed.tokenized_periods
        self.worked(packed.tokens + 2 * BLOCK_STEPS * packed.segments)
        return packed.segments

    cdef int take_segment(self, Py_ssize_t segment, text_line *lines) except -1 nogil:
        """Make the lines of a segment."""
        cdef Py_ssize_t reference = self.reference_number(segment, lines), k
        self.used = LEAD
        self.take_line(lines, self.hypotheses, self.start + segment, &self.our_run, segment, HYPOTHESIS)
        for k in range(self.reference_counts[segment]):
            self.take_line(
                lines + 1 + k, self.references, reference + k, &self.their_run, segment, k)
        if self.used > LEAD:
            # Only now, because the memory has moved while it grew.
            for k in range(self.reference_counts[segment] + 1):
                if lines[k].unit < 0:
                    lines[k].unit = -lines[k].unit
                    lines[k].chars = self.characters + <size_t> lines[k].chars
        return 0

    @cython.final
    cdef inline Py_ssize_t reference_number(self, Py_ssize_t segment, const text_line *line) noexcept nogil:
        """The number of the first reference of a segment, whose first line is `line`."""
        return self.reference_start + (line - self.lines) - segment

    cdef int read_keys(self, Py_ssize_t segment, Py_ssize_t k, key_list **keys) except -1 nogil:
        cdef utf8_run *run = &self.our_run
        cdef Py_ssize_t number = self.start + segment
        if k > 0:
            run = &self.their_run
            number = self.reference_number(segment, self.segment_lines) + k - 1
        number -= run.first
        if not 0 <= number < run.lines.read_lines:
            return TextPacker.read_keys(self, segment, k, keys)
        keys[0] = keys_of_line(&run.lines, number)
        self.worked(BLOCK_STEPS + keys[0].length)
        return KEYS_WERE_READ

    @cython.final
    cdef inline int take_line(self, text_line *line, Utf8Rows rows, Py_ssize_t number, utf8_run *run,
                              Py_ssize_t segment, Py_ssize_t reference) except -1 nogil:
        """Make one line; of one that is copied see `note_copy`."""
        cdef utf8_line text = rows.lines[number]
        cdef utf8_content content
        self.find_run(rows, number, run)
        if number - run.first >= run.lines.read_lines:
            content = run.content
            if content > self.plain:
                content = (self.reader.scan(text.bytes, text.size) if text.size <= PART
                           else self.scan_long(text))
                if content == UTF8_WRONG:
                    self.refuse(text, segment, reference)
                if content != UTF8_ASCII and not self.as_bytes:
                    return self.decode(line, text)
            if (content == UTF8_WIDE_SPACES or <size_t> text.bytes < run.least
                    or <size_t> text.bytes + text.size > run.most):
                return self.copy(line, text, content)
        line.chars = text.bytes
        line.length = text.size
        line.unit = 1
        return 0

    @cython.final
    cdef inline void find_run(self, Utf8Rows rows, Py_ssize_t number, utf8_run *run) noexcept nogil:
        """Find the run of a line, unless it is in the last one."""
        if not run.first <= number < run.stop:
            self.begin_run(rows, number, run)

    @cython.final
    cdef void begin_run(self, Utf8Rows rows, Py_ssize_t number, utf8_run *run) noexcept nogil:
        """Find the run that begins with a line; scan its lines, and read their keys."""
        cdef line_run *lines = &run.lines
        cdef utf8_line line
        cdef size_t end
        cdef Py_ssize_t stop = number
        cdef bint is_followed
        cdef bint is_split = False       # a character, by the end of a line
        if not is_behind(rows.lines[number], run.end):
            run.least = <size_t> rows.lines[number].bytes + INLINE_BYTES
        begin_run(lines, rows.lines[number].bytes)
        while True:
            line = rows.lines[stop]
            end = <size_t> line.bytes + line.size
            is_followed = stop + 1 < rows.line_count and is_behind(rows.lines[stop + 1], end)
            if not is_followed or <size_t> line.bytes < run.least or not add_to_run(lines, line):
                break
            is_split |= is_continuation(line.bytes[0])
            run.end = end
            stop += 1
        run.content = UTF8_WRONG
        run.most = run.end
        if stop == number:               # a line by itself
            run.end = end
            run.most = end if is_followed else end - 1
            stop += 1
        elif not is_split:
            run.content = self.reader.scan(lines.bytes, lines.size)
            if self.as_bytes:
                self.read_run(rows, number, run)
        run.first, run.stop = number, stop

    @cython.final
    cdef void read_run(self, Utf8Rows rows, Py_ssize_t number, utf8_run *run) noexcept nogil:
        """Read the keys of the first lines of a run, up to one that has to be copied or rewritten."""
        cdef utf8_line line
        cdef int plain = 0
        if run.content > self.plain:
            while plain < run.lines.lines:
                line = rows.lines[number + plain]
                if self.reader.scan(line.bytes, line.size) > self.plain:
                    break
                plain += 1
            cut_run(&run.lines, plain)
        self.run_reader(&run.lines, self.rules, &self.own_tokens.seed)

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

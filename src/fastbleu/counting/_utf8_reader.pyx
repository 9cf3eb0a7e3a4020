"""Lines of UTF-8 for a packer of text, without the GIL and without Python strings.

fill() notes which segments make up the chunk. When a segment is packed its lines are scanned
(kernel/text/utf8.h) and read as bytes; in lines with white space beyond ASCII, a copy has tabs instead. To be
lowercased, lines that are not ASCII become characters of 1, 2 or 4 bytes, as in a str.

The lines of a column mostly follow each other: a run. Those that are read as bytes are tokenized
together (kernel/text/line_run.h), and their segments packed together if each has one reference.

Reading a line of bytes also reads memory before and after it. If that memory belongs to its neighbors in the
column, a line is read in place, otherwise from a copy.

Ownership. Utf8Reader owns the copies and holds the rows of the chunk. Thread-safety. One reader per thread.
"""

import cython
from cpython.mem cimport PyMem_RawFree
from libc.string cimport memcpy

from fastbleu._packed cimport CHUNK_SEGMENTS
from fastbleu.counting._text_packer cimport BLOCK_STEPS, CHUNK_CHARS, CHUNK_LINES
from fastbleu.inputs._utf8_rows cimport not_utf8
from fastbleu.runtime._process cimport grow, poll, process_seed, simd_in_use
from fastbleu.tokenizers._compiled cimport tables_of


cdef extern from "kernel/text/line_reader.h":
    const Py_ssize_t LEAD

cdef extern from "kernel/tables/content_keys.h":
    const size_t INLINE_BYTES

cdef extern from "kernel/text/line_run.h":
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
    run_masks compare_runs(key_comparer compare, line_run *hypotheses, int hypothesis, line_run *references,
                           int reference, int count, uint64_t *masks, int64_t *lengths) noexcept nogil

cdef extern from "kernel/text/utf8.h":
    uint8_t largest_byte(const uint8_t *bytes, size_t size) noexcept nogil
    int char_width_of_utf8(uint8_t largest) noexcept nogil
    void replace_wide_spaces(uint8_t *bytes, size_t size) noexcept nogil
    bint is_continuation(uint8_t byte) noexcept nogil
    size_t scan_characters(const uint8_t *bytes, size_t size, utf8_content *content) noexcept nogil
    utf8_functions utf8_functions_for(simd_level level) noexcept nogil


cdef size_t POLL_BYTES = 1 << 20             # bytes of a line between two checks for signals
cdef Py_ssize_t TAIL = 4                 # bytes after a line that may be read
cdef Py_ssize_t KEPT_BYTES = 1 << 22     # memory for longer lines is not kept


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
cdef class Utf8Reader:
    """Takes Utf8Rows for a TextPacker."""

    def __cinit__(self, checks, str tokenizer not None, bint lowercase):
        self.checks = checks
        self.as_bytes = not lowercase
        self.plain = UTF8_WIDE if self.as_bytes else UTF8_ASCII
        self.tables = tables_of(tokenizer, self.as_bytes)
        self.seed = process_seed()

    def __dealloc__(self):
        PyMem_RawFree(self.characters)

    cdef void forget(self):
        """Let go of the rows; keep the memory, except that of long lines."""
        self.hypotheses = self.references = None
        if self.room > KEPT_BYTES:
            PyMem_RawFree(self.characters)
            self.characters = NULL
            self.room = 0

    cdef Py_ssize_t fill(self, PackedSegments packed, Utf8Rows hypotheses, Utf8Rows references,
                         Py_ssize_t start, Py_ssize_t before) except -1:
        """Replace the chunk by the next one; the number of its lines."""
        cdef Py_ssize_t end = min(len(hypotheses), len(references)), segment = start
        cdef Py_ssize_t line = references.first_line(start), end_line, lines = 0
        cdef size_t size = 0
        if hypotheses.levels or references.levels > 1:
            raise TypeError("hypotheses must be lines, references lines or lists of lines")
        self.hypotheses, self.references = hypotheses, references
        self.start, self.before, self.reference_start = start, before, line
        self.hypothesis_run.stop = self.reference_run.stop = 0
        self.hypothesis_run.end = self.reference_run.end = 0
        self.utf8 = utf8_functions_for(simd_in_use())
        self.run_reader = run_reader_for(simd_in_use())
        while (segment < end and packed.segment_count < CHUNK_SEGMENTS and lines < CHUNK_LINES
                and size < CHUNK_CHARS):
            end_line = line + 1 if references.levels == 0 else references.ends[segment]
            if end_line == line:
                self.checks.refuse_no_references(before + segment)
            packed.reserve_segment()
            packed.note_references(packed.segment_count, end_line - line)
            packed.segment_count += 1
            size += hypotheses.lines[segment].size
            lines += 1 + end_line - line
            while line < end_line:
                size += references.lines[line].size
                line += 1
            segment += 1
        return lines

    cdef Py_ssize_t pack_from_runs(self, PackedSegments packed, Py_ssize_t segment,
                                   Py_ssize_t lines_before) except -1 nogil:
        """Pack segments from `segment` on, as long as the keys of both lines were read in runs.

        The chunk has `lines_before` lines before the segment, which becomes the current one. Returns how many
        were packed; 0 if references are lists or the processor cannot compare keys.
        """
        cdef utf8_run *hypotheses = &self.hypothesis_run
        cdef utf8_run *references = &self.reference_run
        cdef Py_ssize_t number = self.start + segment, stop, k
        cdef run_masks made
        self.segment = number
        self.reference = self.reference_start + lines_before - segment
        if not self.as_bytes or self.references.levels > 0 or packed.compare == NULL:
            return 0
        self.find_run(self.hypotheses, number, hypotheses)
        self.find_run(self.references, number, references)
        stop = min(self.start + packed.segment_count, min(
            hypotheses.first + hypotheses.lines.read_lines, references.first + references.lines.read_lines))
        if number >= stop:
            return 0
        made = compare_runs(
            packed.compare, &hypotheses.lines, number - hypotheses.first, &references.lines,
            number - references.first, stop - number, packed.reserve_masks(RUN_MASKS),
            packed.reserve_lengths(2 * (stop - number)))
        for k in range(made.segments):
            packed.segments[segment + k].is_masks = True
        packed.mask_count += made.masks
        packed.length_count += 2 * made.segments
        packed.tokenized_periods += made.tokenized_periods
        packed.worked(made.tokens + 2 * BLOCK_STEPS * made.segments)
        return made.segments

    cdef int take_lines(self, text_line *lines, Py_ssize_t references) except -1 nogil:
        """Make the lines of the current segment."""
        cdef Py_ssize_t at = LEAD, k
        self.used = LEAD
        self.take_line(&lines[0], self.hypotheses, self.segment, &self.hypothesis_run, 0)
        for k in range(1, references + 1):
            self.take_line(
                &lines[k], self.references, self.reference + k - 1, &self.reference_run, k)
        # Only now, because the memory has moved while it grew.
        for k in range(references + 1 if self.used > LEAD else 0):
            if lines[k].chars == NULL:
                at += -at & (lines[k].char_width - 1)
                lines[k].chars = self.characters + at
                at += <Py_ssize_t> lines[k].length * lines[k].char_width + TAIL
        return 0

    cdef key_list *keys_of(self, Py_ssize_t k) noexcept nogil:
        """The keys of line k of the current segment, if they were read in a run; else NULL."""
        cdef utf8_run *run = &self.hypothesis_run if k == 0 else &self.reference_run
        cdef Py_ssize_t number = (self.segment if k == 0 else self.reference + k - 1) - run.first
        return keys_of_line(&run.lines, number) if 0 <= number < run.lines.read_lines else NULL

    cdef inline int take_line(self, text_line *line, Utf8Rows rows, Py_ssize_t number, utf8_run *run,
                              Py_ssize_t k) except -1 nogil:
        """Make line k of the current segment; `take_lines` sets the address of one that is copied."""
        cdef utf8_line text = rows.lines[number]
        cdef utf8_content content
        self.find_run(rows, number, run)
        if number - run.first >= run.lines.read_lines:
            content = run.content
            if content > self.plain:
                content = (self.utf8.scan(text.bytes, text.size) if text.size <= POLL_BYTES
                           else self.scan_long(text))
                if content == UTF8_WRONG:
                    self.refuse(text, k)
                if content != UTF8_ASCII and not self.as_bytes:
                    return self.decode(line, text)
            if (content == UTF8_WIDE_SPACES or <size_t> text.bytes < run.least
                    or <size_t> text.bytes + text.size > run.most):
                return self.copy(line, text, content)
        line.chars = text.bytes
        line.length = text.size
        line.char_width = 1
        return 0

    cdef inline void find_run(self, Utf8Rows rows, Py_ssize_t number, utf8_run *run) noexcept nogil:
        """Find the run of a line, unless it is in the last one."""
        if not run.first <= number < run.stop:
            self.begin_run(rows, number, run)

    cdef void begin_run(self, Utf8Rows rows, Py_ssize_t number, utf8_run *run) noexcept nogil:
        """Find the run that begins with a line; scan its lines, and read their keys."""
        cdef line_run *lines = &run.lines
        cdef utf8_line line
        cdef size_t end
        cdef Py_ssize_t stop = number
        cdef bint is_followed
        cdef bint is_split = False       # a character, by the end of a line
        if not is_after(rows.lines[number], run.end):
            run.least = <size_t> rows.lines[number].bytes + INLINE_BYTES
        begin_run(lines, rows.lines[number].bytes)
        while True:
            line = rows.lines[stop]
            end = <size_t> line.bytes + line.size
            is_followed = stop + 1 < rows.line_count and is_after(rows.lines[stop + 1], end)
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
            run.content = self.utf8.scan(lines.bytes, lines.size)
            if self.as_bytes:
                self.read_run(rows, number, run)
        run.first, run.stop = number, stop

    cdef void read_run(self, Utf8Rows rows, Py_ssize_t number, utf8_run *run) noexcept nogil:
        """Read the keys of the first lines of a run, up to one that has to be copied or rewritten."""
        cdef utf8_line line
        cdef int plain = 0
        if run.content > self.plain:
            while plain < run.lines.lines:
                line = rows.lines[number + plain]
                if self.utf8.scan(line.bytes, line.size) > self.plain:
                    break
                plain += 1
            cut_run(&run.lines, plain)
        self.run_reader(&run.lines, self.tables, &self.seed)

    cdef utf8_content scan_long(self, utf8_line text) except? UTF8_WRONG nogil:
        """Scan a line, polling for signals."""
        cdef utf8_content content = UTF8_ASCII
        cdef size_t at = 0, end
        while at < text.size:
            end = next_poll(text, at)
            content = max(content, self.utf8.scan(text.bytes + at, end - at))
            at = end
            poll(self.cancelled)
        return content

    cdef int refuse(self, utf8_line text, Py_ssize_t k) except -1 nogil:
        """Raise the error for line k of the current segment, which is not UTF-8."""
        cdef utf8_content content
        cdef size_t at = 0, end = 0
        while at == end and end < text.size:
            end = next_poll(text, at)
            at += scan_characters(text.bytes + at, end - at, &content)
            poll(self.cancelled)
        with gil:
            where = self.checks.place(self.before + self.segment, None if k == 0 else k - 1)
            raise not_utf8(where, at, text.bytes[min(at, text.size - 1)])

    cdef int copy(self, text_line *line, utf8_line text, utf8_content content) except -1 nogil:
        """Copy a line of bytes; white space beyond ASCII becomes tabs."""
        cdef uint8_t *out = self.reserve(text.size, 1)
        cdef size_t at = 0, size
        while at < text.size:
            size = min(text.size - at, POLL_BYTES)
            memcpy(out + at, text.bytes + at, size)
            at += size
            if at < text.size:
                poll(self.cancelled)
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
                poll(self.cancelled)
            size = min(text.size - at, POLL_BYTES)
            largest = max(largest, largest_byte(text.bytes + at, size))
            at += size
        decoding.bytes = text.bytes
        decoding.size = text.size
        decoding.char_width = char_width_of_utf8(largest)
        decoding.out = self.reserve(text.size, decoding.char_width)
        decoding.at = decoding.written = 0
        while decoding.at < text.size:
            if decoding.at > 0:
                poll(self.cancelled)
            if self.utf8.decode(&decoding, min(text.size, decoding.at + POLL_BYTES)) < 0:
                break                    # another thread has changed it meanwhile
        self.note_copy(line, decoding.written, decoding.char_width)
        return 0

    cdef uint8_t *reserve(self, size_t size, Py_ssize_t char_width) except NULL nogil:
        """Room for a line of `size` characters at `used`, which it aligns."""
        self.used += -self.used & (char_width - 1)
        cdef Py_ssize_t needed = self.used + <Py_ssize_t> size * char_width + TAIL
        if needed > self.room:
            self.characters = <uint8_t *> grow(self.characters, &self.room, needed, 1)
        return self.characters + self.used

    cdef void note_copy(self, text_line *line, size_t length, int char_width) noexcept nogil:
        """Make a line of the copy at `used`."""
        line.chars = NULL
        line.length = length
        line.char_width = char_width
        self.used += <Py_ssize_t> length * char_width + TAIL

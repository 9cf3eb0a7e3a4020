"""Raw text in, packed masks or ids out, with no Python string per token.

fill() holds the GIL: it takes a reference to each string of a chunk and notes where its characters are; a
Utf8Reader takes lines of UTF-8. finish(), which counting calls first, needs no GIL: it cuts every line into
tokens (tokenizers/_compiled.pyx) and compares the tokens of a short segment or numbers each as it is found
(kernel/text/line_keys.h, line_tokens.h).

TextChecks (inputs/checks.py) handles shapes and types other than str, list and tuple.

Ownership. TextPacker owns its arrays, its table and one reference to each string of the chunk.
Thread-safety. One packer per thread. The tokenizers' tables are built once and then only read.
"""

import cython
from cpython.array cimport array, clone
from cpython.exc cimport PyErr_CheckSignals
from cpython.mem cimport PyMem_RawFree
from cpython.pycapsule cimport PyCapsule_GetPointer
from cpython.ref cimport Py_DECREF, Py_INCREF
from libc.stdint cimport INT32_MAX, uint16_t

from fastbleu._core cimport numbers
from fastbleu._packed cimport CHUNK_SEGMENTS, KEYS_INSUFFICIENT, KEYS_WERE_READ
from fastbleu.kernel.sequences cimport (
    is_list_or_tuple, is_object_array, item_at, item_of, items_in, prefetch_item_of, size_of, unchanging)
from fastbleu.kernel.tables cimport interner_begin, interner_free, key_list
from fastbleu.runtime._process cimport grow, poll, process_seed, simd_in_use, simd_level
from fastbleu.tokenizers._compiled cimport (
    PyUnicode_Check, PyUnicode_CheckExact, PyUnicode_FromKindAndData, PyUnicode_GET_LENGTH, PyUnicode_READY,
    begin_line, begin_rewritten, classifier_for, compact, free_buffers, line_ended, line_of, line_reader,
    no_memory, put_line, reserve_lowered, tables_of, write_function)

from array import array as _array


cdef extern from "kernel/text/line_tokens.h":
    enum:
        BLOCK_TOKENS
    int intern_block(line_reader *line, interner *table, int32_t *ids) noexcept nogil
    int find_block(line_reader *line, const interner *table, int32_t *ids) noexcept nogil

cdef extern from "kernel/text/utf8.h":
    void prefetch_line(size_t address) noexcept nogil

cdef extern from "kernel/text/lower.h":
    bint lower_some(text_line text, size_t start, size_t stop, const uint16_t *table,
                    line_buffers *buffers) noexcept nogil

cdef extern from "kernel/text/line_keys.h":
    const size_t LISTED_CHARS
    key_lister key_lister_for(simd_level level) noexcept nogil

cdef extern from "Python.h":
    object PyUnicode_Substring(object text, Py_ssize_t start, Py_ssize_t stop)


cdef Py_ssize_t LOWER_CHARS = 1 << 20     # lowered between two checks for signals
cdef Py_ssize_t KEPT_CHARS = 1 << 16      # for longer segments SegmentReader would keep the GIL too long


cdef array _row = _array("q")

cdef uint16_t small_letters[1 << 16]       # see kernel/text/lower.h
cdef bint has_small_letters
cdef object small_letters_lock_owner = object()

cdef int list_small_letters() except -1:
    """Ask Python, once, for the small letter of each character below U+10000."""
    global has_small_letters
    cdef int first, i
    cdef str lowered
    with cython.critical_section(small_letters_lock_owner):
        if has_small_letters:
            return 0
        for first in range(0, 1 << 16, 256):
            lowered = lower("".join([chr(first + i) for i in range(256)]))
            for i in range(256):
                letter = lowered[i] if len(lowered) == 256 else lower(chr(first + i))
                small_letters[first + i] = <uint16_t> ord(letter) if len(letter) == 1 else 0
        small_letters[<int> 0x3A3] = 0
        has_small_letters = True
    return 0


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


# A function of its own, because a function with a Python object among its variables takes the GIL.
cdef int lower_by_python(text_line *text, line_buffers *buffers) except -1 with gil:
    """Put a lowered copy of a line into the buffers."""
    return put_line(lower(PyUnicode_FromKindAndData(text.char_width, text.chars, text.length)), text, buffers)


cdef class TextPacker(PackedSegments):
    """Tokenizes and packs lines chunk by chunk.

    Parameters
    ----------
    checks : TextChecks
    tokenizer : str
        One of COMPILED (tokenizers/_compiled.pyx).
    missing : bool
        Whether references that are None are ignored.
    utf8 : bool
        Whether chunks are Utf8Rows; if not, lists of str.
    prepared : PreparedLines, optional
        Rewrites the lines of lists first.
    line_writer : capsule, optional
        Does so in C, instead of lowering (tokenizers/_ptb.pyx).
    """

    def __cinit__(self, checks, str tokenizer not None, bint lowercase=False, bint missing=False, *,
                  bint utf8=False, prepared=None, line_writer=None):
        self.checks = checks
        if lowercase:
            list_small_letters()
        if line_writer is not None:
            self.write_line = <write_function> PyCapsule_GetPointer(line_writer, "fastbleu.line_writer")
            lowercase = True
        self.prepared = prepared
        self.lowercase = lowercase
        self.missing = missing
        self.tables = tables_of(tokenizer)
        if utf8:
            self.utf8 = Utf8Reader(checks, tokenizer, lowercase)
            self.utf8.cancelled = &self.cancelled
            self.tables = self.utf8.tables
        self.own_tokens.seed = process_seed()
        self.tokens = &self.own_tokens

    def __dealloc__(self):
        self.release()
        PyMem_RawFree(self.lines)
        PyMem_RawFree(self.held)
        free_buffers(&self.hypothesis_buffers)
        free_buffers(&self.reference_buffers)
        interner_free(&self.own_tokens)

    cdef void clear(self) noexcept nogil:
        PackedSegments.clear(self)
        self.classify = classifier_for(simd_in_use())
        self.list_keys = key_lister_for(simd_in_use())

    cdef void release(self) noexcept:
        """Let go of the last chunk's strings."""
        while self.line_count > 0:
            self.line_count -= 1
            Py_DECREF(<object> self.held[self.line_count])

    def reset(self):
        """Forget the last lines; keep the memory, except the buffers."""
        PackedSegments.reset(self)
        self.release()
        if self.utf8 is not None:
            self.utf8.forget()
        if self.prepared is not None:
            self.prepared.reset()
        free_buffers(&self.hypothesis_buffers)
        free_buffers(&self.reference_buffers)

    def fill(self, hypotheses, references, Py_ssize_t start, Py_ssize_t before=0):
        """Replace the chunk by the next one; the number of its segments, 0 at the end.

        The chunk begins at segment `start` of the lists, arrays of objects or Utf8Rows, which have `before`
        segments before them.
        """
        cdef Py_ssize_t segment, ahead
        cdef size_t chars = 0
        self.first_segment = before + start
        self.finished = False
        self.clear()
        self.release()
        PyErr_CheckSignals()
        if self.utf8 is not None:
            self.reserve_lines(self.utf8.fill(self, hypotheses, references, start, before))
            return self.segment_count
        if self.prepared is not None:
            hypotheses, references, start = self.prepared.chunk_at(start, hypotheses, references, before)
            self.tokenized_periods = self.prepared.tokenized_periods
        for side in (hypotheses, references):
            if not (is_list_or_tuple(side) or is_object_array(side)):
                raise TypeError("expected two lists, tuples or arrays of objects")
        segment = start
        # The lists may change while user code runs, so their sizes are asked for every time.
        while segment < min(items_in(hypotheses), items_in(references)):
            ahead = segment + 24
            if ahead < min(items_in(hypotheses), items_in(references)):
                prefetch_item_of(hypotheses, ahead)
                prefetch_item_of(references, ahead)
            hypothesis = item_of(hypotheses, segment)
            segment_references = item_of(references, segment)
            self.gather(hypothesis, segment_references)
            chars += self.lines[self.line_count - 1].length
            segment += 1
            if (self.segment_count == CHUNK_SEGMENTS or self.line_count >= CHUNK_LINES
                    or chars >= CHUNK_CHARS):
                break
        return self.segment_count

    cdef int gather(self, object hypothesis, object references) except -1:
        """Take the lines of one segment."""
        self.finished = False
        cdef Py_ssize_t segment = self.first_segment + self.segment_count, count = 0, k = 0
        self.reserve_segment()
        self.add_line(hypothesis, segment, HYPOTHESIS)
        if PyUnicode_Check(references):
            self.add_line(references, segment, 0)
            count = 1
        else:
            if not is_list_or_tuple(references):
                references = self.checks.references(references, segment)
            references = unchanging(references)
            while k < size_of(references):
                reference = item_at(references, k)
                if reference is not None or not self.missing:
                    self.add_line(reference, segment, k)
                    count += 1
                k += 1
        if count == 0:
            self.checks.refuse_no_references(segment)
        self.note_references(self.segment_count, count)
        self.segment_count += 1
        return 0

    cdef int add_line(self, object text, Py_ssize_t segment, Py_ssize_t reference) except -1:
        if not PyUnicode_Check(text):
            text = self.checks.line(text, segment, None if reference == HYPOTHESIS else reference)
        text = compact(text)
        self.reserve_lines(1)
        self.lines[self.line_count] = line_of(text)
        Py_INCREF(text)
        self.held[self.line_count] = <PyObject *> text
        self.line_count += 1
        return 0

    cdef int reserve_lines(self, Py_ssize_t extra) except -1:
        cdef Py_ssize_t capacity = 0
        if self.line_count + extra > self.line_capacity:
            self.lines = <text_line *> grow(
                self.lines, &capacity, self.line_count + extra, sizeof(text_line))
            self.held = <PyObject **> grow(
                self.held, &capacity, self.line_count + extra, sizeof(PyObject *))
            self.line_capacity = capacity
        return 0

    cdef int finish(self) except -1 nogil:
        """Tokenize and pack the chunk's lines, once."""
        cdef text_line *line = self.lines
        cdef Py_ssize_t segment = 0, stop
        if self.finished:
            return 0
        self.id_count = self.length_count = self.mask_count = 0
        while segment < self.segment_count:
            stop = segment + self.pack_next(segment, line)
            while segment < stop:
                line += self.segments[segment].references + 1
                segment += 1
        self.finished = True
        return 0

    cdef Py_ssize_t pack_next(self, Py_ssize_t segment, text_line *line) except -1 nogil:
        """Pack a segment, whose first line is `line`, or several of UTF-8; returns how many."""
        cdef Py_ssize_t lines = self.segments[segment].references + 1, packed, k
        cdef int64_t *lengths
        if self.utf8 is not None:
            packed = self.utf8.pack_from_runs(self, segment, line - self.lines)
            if packed > 0:
                return packed
            self.utf8.take_lines(line, lines - 1)
        lengths = self.reserve_lengths(lines)
        # Not in a function: compilers drop one that only prefetches.
        for k in range(6, min(lines + 6, self.lines + self.line_count - line)):
            prefetch_line(<size_t> line[k].chars)
        self.segment_lines = line
        if self.pack_keys(segment, lines - 1, lengths) < 0:
            self.pack_ids(segment, line, lengths)
        if self.prepared is None:        # else the lines were rewritten, and counted before
            self.tokenized_periods += ends_in_tokenized_period(line[0])
        self.length_count += lines
        return 1

    cdef int read_keys(self, Py_ssize_t segment, Py_ssize_t k, key_list **keys) except -1 nogil:
        cdef line_buffers *buffers = &self.reference_buffers if k > 0 else &self.hypothesis_buffers
        cdef text_line text = self.segment_lines[k]
        cdef line_reader reader
        cdef key_list *read_before
        cdef int read
        if self.utf8 is not None:
            read_before = self.utf8.keys_of(k)
            if read_before != NULL:
                keys[0] = read_before
                self.worked(BLOCK_STEPS + keys[0].length)
                return KEYS_WERE_READ
        if text.length <= LISTED_CHARS and self.lowercase:
            self.lower_line(&text, buffers)
        if text.length > LISTED_CHARS:
            return KEYS_INSUFFICIENT
        begin_line(&reader, self.tables, self.classify, text, buffers)
        read = self.list_keys(&reader, keys[0], &self.own_tokens.seed)
        if read < 0:
            begin_rewritten(&reader, text, buffers, &self.cancelled)
            read = self.list_keys(&reader, keys[0], &self.own_tokens.seed)
        self.worked(BLOCK_STEPS + keys[0].length)
        return KEYS_WERE_READ if read else KEYS_INSUFFICIENT

    cdef int lower_line(self, text_line *text, line_buffers *buffers) except -1 nogil:
        """Replace a line by a lowered copy; Python lowers what the table cannot."""
        cdef size_t at = 0, stop
        cdef bint is_lowered = True
        if self.write_line != NULL:
            return self.write_line(text, buffers)
        if reserve_lowered(buffers, text.length, text.char_width) < 0:
            no_memory(text.length)
        while at < text.length and is_lowered:
            if at > 0:
                poll(&self.cancelled)
            stop = min(text.length, at + <size_t> LOWER_CHARS)
            is_lowered = lower_some(text[0], at, stop, small_letters, buffers)
            at = stop
        if not is_lowered:
            lower_by_python(text, buffers)
        text.chars = buffers.lowered
        return 0

    cdef int pack_ids(self, Py_ssize_t segment, const text_line *lines, int64_t *lengths) except -1 nogil:
        """Pack a segment as ids."""
        cdef Py_ssize_t k
        if interner_begin(self.tokens, 0) < 0:
            no_memory(0)
        for k in range(self.segments[segment].references + 1):
            lengths[k] = self.read_line(lines[k], k == 0)
        self.note_ids(segment, 0, self.tokens.count)
        return 0

    cdef Py_ssize_t read_line(self, text_line text, bint is_hypothesis) except -1 nogil:
        """Pack one line; the number of its tokens."""
        cdef line_buffers *buffers = &self.hypothesis_buffers if is_hypothesis else &self.reference_buffers
        cdef Py_ssize_t before = self.id_count
        cdef line_reader reader
        cdef int32_t *ids
        cdef int count
        if self.lowercase:
            self.lower_line(&text, buffers)
        begin_line(&reader, self.tables, self.classify, text, buffers)
        while not line_ended(&reader):
            ids = self.reserve_ids(BLOCK_TOKENS)
            if is_hypothesis:
                self.make_room(self.tokens, BLOCK_TOKENS)
                count = intern_block(&reader, self.tokens, ids)
            else:
                count = find_block(&reader, self.tokens, ids)
            if count >= 0:
                self.id_count += count
                self.worked(BLOCK_STEPS)
                continue
            # Discard what was read so far, and begin again with the rewritten line.
            self.id_count = before
            if is_hypothesis and self.forget_line() < 0:
                no_memory(text.length)
            begin_rewritten(&reader, text, buffers, &self.cancelled)
        if self.id_count - before >= INT32_MAX:
            with gil:
                raise OverflowError(
                    f"a line of {self.id_count - before} tokens is too long; at most {INT32_MAX - 1}")
        return self.id_count - before

    cdef int forget_line(self) noexcept nogil:
        """Discard the tokens of the hypothesis; -1 if there is no memory. Subclasses override this."""
        return interner_begin(self.tokens, 0)


cdef class SegmentReader:
    """One segment at a time, straight from its text to its row; keeps its memory between calls.

    Threads may share it: calls that arrive while a segment is being read take the general path.
    """

    def __cinit__(self, str tokenizer not None, bint lowercase, int max_order):
        self.packer = TextPacker(None, tokenizer, lowercase, True)
        self.counter = SegmentCounter(max_order)

    def row(self, hypothesis, references):
        """The row of a segment, an array of int64; None if it needs the general path: see `read`."""
        cdef array row = clone(_row, 2 + 2 * self.counter.max_order, False)
        return row if self.read(hypothesis, references, numbers(row)) else None

    cdef bint read(self, object hypothesis, object references, int64_t *row) except -1:
        """Fill the row of a segment; False if it needs the general path.

        The general path is for types other than str, and for long texts, during which other threads should
        have the GIL. References that are None are ignored.
        """
        cdef TextPacker packer = self.packer
        cdef Py_ssize_t k, chars
        cdef bint present = False
        if not (PyUnicode_CheckExact(hypothesis) and is_list_or_tuple(references)):
            return False
        references = unchanging(references)
        chars = PyUnicode_GET_LENGTH(hypothesis)
        for k in range(size_of(references)):
            reference = item_at(references, k)
            if PyUnicode_CheckExact(reference):
                present = True
                chars += PyUnicode_GET_LENGTH(reference)
            elif reference is not None:
                return False
        if not present or chars > KEPT_CHARS or size_of(references) > CHUNK_LINES:
            return False
        if not self.try_acquire():
            return False
        packer.clear()
        try:
            packer.gather(hypothesis, references)
            self.counter.count_only(packer, row)
        finally:
            packer.release()
            self.release_memory()
        return True

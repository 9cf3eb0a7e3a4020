"""Raw text in, packed masks or ids out, with no Python string per token.

fill() holds the GIL: each str of a chunk becomes UTF-8 in memory of our own, or lines of a column are taken
as they are (_text_side.pyx). finish(), which counting calls first, needs no GIL: it cuts every line into
tokens (tokenizers/_compiled.pyx) and compares the tokens of a short segment or numbers each as it is found
(kernel/text/line_keys.h, line_tokens.h).

TextChecks (inputs/checks.py) handles shapes and types other than str, list and tuple.

Ownership. TextPacker owns its arrays, its table and the lines of both sides.
Thread-safety. One packer per thread. The tokenizers' tables are built once and then only read.
"""

from cpython.array cimport array, clone
from cpython.exc cimport PyErr_CheckSignals
from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.stdint cimport INT32_MAX, uint64_t

from fastbleu._core cimport numbers
from fastbleu.core.counting._packed cimport CHUNK_SEGMENTS, KEYS_INSUFFICIENT, KEYS_WERE_READ
from fastbleu.core.inputs._utf8_rows cimport Utf8Rows
from fastbleu.core.kernel.sequences cimport (
    is_list_or_tuple, is_object_array, item_at, item_of, items_in, prefetch_item, prefetch_texts, size_of,
    unchanging)
from fastbleu.core.kernel.hashing cimport (
    all_keys, interner_begin, interner_free, key_comparer, key_list, key_view
)
from fastbleu.core.runtime._process cimport process_seed, simd_in_use, simd_level
from fastbleu.core.tokenizers._compiled cimport (
    PyUnicode_Check, PyUnicode_CheckExact, PyUnicode_GET_LENGTH, begin_rewritten, classifier_for, compact,
    line_copy, line_ended, line_reader, no_memory, open_line, tables_of, write_function)

from array import array as _array


cdef extern from "kernel/text/line_tokens.h":
    enum:
        BLOCK_TOKENS
    int intern_block(line_reader *line, interner *table, int32_t *ids) noexcept nogil
    int find_block(line_reader *line, const interner *table, int32_t *ids) noexcept nogil

cdef extern from "kernel/text/line_keys.h":
    const size_t LISTED_BYTES
    key_lister key_lister_for(simd_level level) noexcept nogil

cdef extern from "kernel/text/line_run.h":
    const Py_ssize_t RUN_MASKS
    ctypedef struct run_masks:
        int segments
        int masks
        int tokens
        int tokenized_periods
    run_masks compare_runs(key_comparer compare, line_run *hypotheses, int hypothesis, line_run *references,
                           int reference, int count, uint64_t *masks, int64_t *lengths) noexcept nogil


cdef Py_ssize_t KEPT_CHARS = 1 << 16      # for longer segments SegmentReader would keep the GIL too long
cdef Py_ssize_t RUN_SEGMENTS = 4          # a chunk of fewer is not worth a run

cdef array _row = _array("q")


cdef class TextPacker(PackedSegments):
    """Tokenizes and packs lines chunk by chunk.

    Parameters
    ----------
    checks : TextChecks
    tokenizer : str
        One of COMPILED (tokenizers/_compiled.pyx).
    missing : bool
        Whether references that are None are ignored.
    prepared : PreparedLines, optional
        Rewrites the lines of lists first.
    line_writer : capsule, optional
        Does so in C, instead of lowering (originals/_ptb.pyx).
    """

    def __cinit__(self, checks, str tokenizer not None, bint lowercase=False, bint missing=False, *,
                  prepared=None, line_writer=None):
        cdef TextSide side
        self.checks = checks
        self.prepared = prepared
        self.missing = missing
        self.tables = tables_of(tokenizer)
        self.own_tokens.seed = process_seed()
        self.tokens = &self.own_tokens
        self.hypotheses, self.references = TextSide(checks, lowercase), TextSide(checks, lowercase)
        for side in (self.hypotheses, self.references):
            side.tables = self.tables
            side.cancelled = &self.cancelled
            if line_writer is not None:
                side.write_line = <write_function> PyCapsule_GetPointer(line_writer, "fastbleu.line_writer")

    def __dealloc__(self):
        interner_free(&self.own_tokens)

    cdef void clear(self) noexcept nogil:
        PackedSegments.clear(self)
        self.finished = False
        self.periods_before = self.signs.tokenized_periods
        self.hypotheses.begin_chunk()
        self.references.begin_chunk()
        self.classify = classifier_for(simd_in_use())
        self.list_keys = key_lister_for(simd_in_use())

    cpdef reset(self):
        """Forget the last lines; keep the memory, except that of long ones."""
        PackedSegments.reset(self)
        self.hypotheses.forget()
        self.references.forget()
        if self.prepared is not None:
            self.prepared.reset()

    cpdef Py_ssize_t fill(self, hypotheses, references, Py_ssize_t start, Py_ssize_t before) except -1:
        """See PackedSegments; takes lists, arrays of objects or Utf8Rows."""
        cdef Py_ssize_t segment = start
        self.first_segment = before + start
        self.clear()
        PyErr_CheckSignals()
        if isinstance(hypotheses, Utf8Rows):
            return self.take_rows(hypotheses, references, start, before)
        self.hypotheses.are_own = self.references.are_own = True
        if self.prepared is not None:
            hypotheses, references, segment = self.prepared.chunk_at(
                start, hypotheses, references, before, self.signs)
        for side in (hypotheses, references):
            if not (is_list_or_tuple(side) or is_object_array(side)):
                raise TypeError("expected two lists, tuples or arrays of objects")
        # The lists may change while user code runs, so their sizes are asked for every time.
        while segment < min(items_in(hypotheses), items_in(references)):
            prefetch_texts(hypotheses, references, segment)
            hypothesis = item_of(hypotheses, segment)
            segment_references = item_of(references, segment)
            self.gather(hypothesis, segment_references)
            segment += 1
            if (self.segment_count == CHUNK_SEGMENTS or self.references.own_count >= CHUNK_LINES
                    or self.hypotheses.used + self.references.used >= CHUNK_BYTES):
                break
        return self.segment_count

    cdef Py_ssize_t take_rows(self, Utf8Rows hypotheses, Utf8Rows references, Py_ssize_t start,
                              Py_ssize_t before) except -1:
        """Take a chunk of columns; return the number of its segments."""
        cdef Py_ssize_t end = min(len(hypotheses), len(references)), segment = start
        cdef Py_ssize_t first = references.first_line(start), line = first, end_line
        cdef size_t size = 0
        if hypotheses.levels or references.levels > 1:
            raise TypeError("hypotheses must be lines, references lines or lists of lines")
        self.hypotheses.take_rows(hypotheses, start)
        self.references.take_rows(references, first)
        while (segment < end and self.segment_count < CHUNK_SEGMENTS and line - first < CHUNK_LINES
                and size < CHUNK_BYTES):
            end_line = line + 1 if references.levels == 0 else references.ends[segment]
            if end_line == line:
                self.checks.refuse_no_references(before + segment)
            self.reserve_segment()
            self.note_references(self.segment_count, end_line - line)
            self.segment_count += 1
            size += hypotheses.lines[segment].size
            while line < end_line:
                size += references.lines[line].size
                line += 1
            segment += 1
        return self.segment_count

    cdef int gather(self, object hypothesis, object references) except -1:
        """Take the lines of one segment."""
        cdef Py_ssize_t segment = self.first_segment + self.segment_count, count = 0, k = 0
        self.reserve_segment()
        self.add_line(self.hypotheses, hypothesis, segment, None)
        if PyUnicode_Check(references):
            self.add_line(self.references, references, segment, 0)
            count = 1
        else:
            if not is_list_or_tuple(references):
                references = self.checks.references(references, segment)
            references = unchanging(references)
            while k < size_of(references):
                if k + 8 < size_of(references):
                    prefetch_item(references, k + 8)
                reference = item_at(references, k)
                if reference is not None or not self.missing:
                    self.add_line(self.references, reference, segment, k)
                    count += 1
                k += 1
        if count == 0:
            self.checks.refuse_no_references(segment)
        self.note_references(self.segment_count, count)
        self.segment_count += 1
        return 0

    cdef int add_line(self, TextSide side, object text, Py_ssize_t segment, object reference) except -1:
        if not PyUnicode_Check(text):
            text = self.checks.line(text, segment, reference)
        return side.add(compact(text))

    cdef int finish(self) except -1 nogil:
        """Tokenize and pack the chunk's lines, once; after an interruption, from the first one on."""
        cdef Py_ssize_t segment = 0, packed, i
        cdef bint have_one_reference = True
        if self.finished:
            return 0
        for i in range(self.segment_count):
            have_one_reference &= self.segments[i].references == 1
        self.id_count = self.length_count = self.mask_count = 0
        if self.prepared is None:
            self.signs.tokenized_periods = self.periods_before
        if self.hypotheses.lowercase and not self.hypotheses.are_own:
            self.own_rows()
        if self.hypotheses.are_own:
            self.hypotheses.take_own()
            self.references.take_own()
        self.hypotheses.in_runs = self.references.in_runs = (
            self.segment_count >= RUN_SEGMENTS and self.hypotheses.write_line == NULL)
        self.segment = self.hypotheses.first
        self.reference = self.references.first
        while segment < self.segment_count:
            packed = self.pack_from_runs(segment) if have_one_reference else 0
            if packed == 0:
                self.pack_segment(segment)
                packed = 1
            self.segment += packed
            for i in range(packed):
                self.reference += self.segments[segment + i].references
            segment += packed
        self.finished = True
        return 0

    cdef int own_rows(self) except -1 nogil:
        """Lower a chunk of columns into lines of our own."""
        cdef Py_ssize_t reference = self.references.first, segment, k
        self.hypotheses.begin_chunk()
        self.references.begin_chunk()
        for segment in range(self.segment_count):
            self.hypotheses.add_row(self.hypotheses.first + segment, self.first_segment + segment, -1)
            for k in range(self.segments[segment].references):
                self.references.add_row(reference, self.first_segment + segment, k)
                reference += 1
        self.hypotheses.are_own = self.references.are_own = True
        return 0

    cdef Py_ssize_t pack_from_runs(self, Py_ssize_t segment) except -1 nogil:
        """Pack segments with one reference each, from `segment` on, as long as the keys of both lines were
        read in runs and can be compared; return how many."""
        cdef line_run *hypotheses = self.hypotheses.run
        cdef line_run *references = self.references.run
        cdef Py_ssize_t count = self.segment_count - segment, hypothesis, reference, k
        cdef run_masks made
        if not self.hypotheses.in_runs or self.compare == NULL:
            return 0
        self.hypotheses.find_run(self.segment)
        self.references.find_run(self.reference)
        hypothesis = self.segment - self.hypotheses.run_start
        reference = self.reference - self.references.run_start
        count = min(count, hypotheses.read_lines - hypothesis, references.read_lines - reference)
        if count <= 0:
            return 0
        made = compare_runs(
            self.compare, hypotheses, hypothesis, references, reference, count,
            self.reserve_masks(RUN_MASKS), self.reserve_lengths(2 * count))
        for k in range(made.segments):
            self.segments[segment + k].is_masks = True
        self.mask_count += made.masks
        self.length_count += 2 * made.segments
        if self.prepared is None:        # otherwise the lines were counted before they were rewritten
            self.signs.tokenized_periods += made.tokenized_periods
        self.worked(made.tokens + 2 * BLOCK_STEPS * made.segments)
        return made.segments

    cdef int pack_segment(self, Py_ssize_t segment) except -1 nogil:
        """Pack a segment, the current one."""
        cdef Py_ssize_t lines = self.segments[segment].references + 1
        cdef int64_t *lengths = self.reserve_lengths(lines)
        if not self.pack_keys(segment, lines - 1, lengths):
            self.pack_ids(segment, lengths)
        if self.prepared is None:
            self.signs.tokenized_periods += ends_in_tokenized_period(self.hypotheses.lines[self.segment])
        self.length_count += lines
        return 0

    cdef int find_line(self, Py_ssize_t k, utf8_line *line) except -1 nogil:
        """Find line k of the current segment as it is tokenized; 0 is the hypothesis."""
        cdef Py_ssize_t segment = self.segment - self.hypotheses.first + self.first_segment
        if k == 0:
            return self.hypotheses.read_line(self.segment, segment, -1, line)
        return self.references.read_line(self.reference + k - 1, segment, k - 1, line)

    cdef int read_keys(self, Py_ssize_t segment, Py_ssize_t k, key_list *own, key_view *keys) except -1 nogil:
        cdef line_reader reader
        cdef utf8_line line
        cdef int read
        if (self.hypotheses.find_keys(self.segment, keys) if k == 0
                else self.references.find_keys(self.reference + k - 1, keys)):
            self.worked(BLOCK_STEPS + keys.length)
            return KEYS_WERE_READ
        self.find_line(k, &line)
        if line.size > LISTED_BYTES:
            return KEYS_INSUFFICIENT
        open_line(&reader, self.tables, self.classify, line)
        read = self.list_keys(&reader, own, &self.own_tokens.seed)
        if read < 0:
            self.read_again(&reader, k, line)
            read = self.list_keys(&reader, own, &self.own_tokens.seed)
        if not read:
            return KEYS_INSUFFICIENT
        keys[0] = all_keys(own)
        self.worked(BLOCK_STEPS + keys.length)
        return KEYS_WERE_READ

    cdef int read_again(self, line_reader *reader, Py_ssize_t k, utf8_line line) except -1 nogil:
        """Read line k of the current segment from its start, as mteval rewrites it."""
        cdef line_copy *copy = &self.references.copy if k > 0 else &self.hypotheses.copy
        return begin_rewritten(reader, line, copy, &self.cancelled)

    cdef int pack_ids(self, Py_ssize_t segment, int64_t *lengths) except -1 nogil:
        """Pack a segment, the current one, as ids."""
        cdef Py_ssize_t k
        if interner_begin(self.tokens, 0) < 0:
            no_memory(0)
        for k in range(self.segments[segment].references + 1):
            lengths[k] = self.read_line(k, k == 0)
        self.note_ids(segment, 0, self.tokens.count)
        return 0

    cdef Py_ssize_t read_line(self, Py_ssize_t k, bint adds) except -1 nogil:
        """Pack line k of the current segment as ids; return the number of its tokens.

        If it `adds`, new tokens are numbered; otherwise they all get the next number.
        """
        cdef Py_ssize_t before = self.id_count
        cdef line_reader reader
        cdef utf8_line line
        cdef int32_t *ids
        cdef int count
        self.find_line(k, &line)
        open_line(&reader, self.tables, self.classify, line)
        while not line_ended(&reader):
            ids = self.reserve_ids(BLOCK_TOKENS)
            if adds:
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
            if adds and self.forget_line() < 0:
                no_memory(line.size)
            self.read_again(&reader, k, line)
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
        packer.hypotheses.are_own = packer.references.are_own = True
        try:
            packer.gather(hypothesis, references)
            self.counter.count_only(packer, row)
        finally:
            self.release_memory()
        return True

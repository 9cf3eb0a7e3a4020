"""Sentences that are paired with many others: each is read once, over one vocabulary.

Here a sentence is one text, one list of tokens or one row of token ids. TextReader and IdReader are packers
(counting/) that number tokens with a lasting Vocabulary, so that the ids of all sentences can be compared. A
reader has no vocabulary of its own: any number of them may share one, as long as none adds to it.

inputs/ids.py and matrix/reader.py check shapes and types.

Ownership. Sentences own their arrays; readers keep their memory from one read to the next.
Thread-safety. Sentences never change; one reader per thread. Text and token ids are read without the
GIL, lists of tokens with it.
"""

from cpython.array cimport array, clone
from cpython.exc cimport PyErr_CheckSignals
from cpython.mem cimport PyMem_RawFree, PyMem_RawRealloc
from libc.stdint cimport INT32_MAX
from libc.string cimport memcpy, memset

from fastbleu.core.counting._id_packer cimport IdPacker
from fastbleu.core.counting._text_packer cimport ends_in_tokenized_period, TextPacker
from fastbleu.core.counting._token_packer cimport copy_of
from fastbleu.core.inputs._id_rows cimport id_row, IdRows
from fastbleu.core.kernel.sequences cimport (
    is_list_or_tuple, item_at, prefetch_item, prefetch_segments, PySequence_Fast_ITEMS, size_of, unchanging)
from fastbleu.core.kernel.hashing cimport (
    interner, interner_add, interner_begin, interner_free, look_up_cost, token_content, token_key)
from fastbleu.matrix._vocabulary cimport Vocabulary
from fastbleu.core.runtime._process cimport POLL_EVERY, grow, poll, process_seed


cdef extern from "kernel/hashing/token_store.h":
    token_key ids_key(const int32_t *ids, size_t length, const interner *table) noexcept nogil


# A block: texts that are taken at a time, and their bytes; few enough to fit into the cache.
cdef Py_ssize_t BLOCK_TEXTS = 512
cdef Py_ssize_t BLOCK_BYTES = 1 << 19

# Longer ones are copied before they are read, so that signals can be handled meanwhile.
cdef Py_ssize_t POLL_TOKENS = 1 << 16

cdef array _lengths = array("q")
cdef array _ids = array("i")


cdef class Sentences:

    def __cinit__(self):
        self.starts = <int64_t *> grow(NULL, &self.start_capacity, 16, sizeof(int64_t))
        self.starts[0] = 0
        self.padding = []

    def __dealloc__(self):
        PyMem_RawFree(self.ids)
        PyMem_RawFree(self.starts)

    def __len__(self):
        return self.count

    def shorter_than(self, Py_ssize_t length):
        """How many sentences have tokens, but fewer than `length`."""
        cdef Py_ssize_t s, short = 0
        for s in range(self.count):
            short += 0 < self.starts[s + 1] - self.starts[s] < length
        return short

    @property
    def lengths(self):
        """The number of tokens of each sentence, array of int64."""
        cdef array lengths = clone(_lengths, self.count, False)
        cdef Py_ssize_t i
        for i in range(self.count):
            lengths.data.as_longlongs[i] = self.starts[i + 1] - self.starts[i]
        return lengths

    def flat(self):
        """The ids of all sentences end to end, array of int32."""
        cdef array ids = clone(_ids, self.starts[self.count], False)
        if self.starts[self.count]:
            memcpy(ids.data.as_ints, self.ids, self.starts[self.count] * sizeof(int32_t))
        return ids

    def __reduce__(self):
        return sentences_of, (self.flat(), self.lengths, self.padding)

    def unique(self):
        """The different sentences in order of first appearance, and for every sentence the number of the one
        equal to it. Tokens that the vocabulary lacks count as equal."""
        cdef Sentences made = Sentences()
        cdef array equals = clone(_lengths, self.count, False)
        cdef interner table
        cdef bint cancelled = False
        cdef int32_t first, number
        cdef Py_ssize_t i, length
        cdef const int32_t *ids
        cdef token_content content
        memset(&table, 0, sizeof(interner))
        table.seed = process_seed()
        if self.count >= INT32_MAX or interner_begin(&table, self.count) < 0:
            raise MemoryError(f"no memory to compare {self.count} sentences")
        try:
            with nogil:
                for i in range(self.count):
                    ids = self.ids + self.starts[i]
                    length = self.starts[i + 1] - self.starts[i]
                    content.bytes = <const unsigned char *> ids
                    content.size = length * sizeof(int32_t)
                    first = table.count
                    number = interner_add(&table, ids_key(ids, length, &table), content)
                    equals.data.as_longlongs[i] = number
                    if number == first:
                        made.append(ids, length)
                    if i % POLL_EVERY == POLL_EVERY - 1:
                        poll(&cancelled)
        finally:
            interner_free(&table)
        return made.finished(), equals

    cdef int32_t *reserve(self, Py_ssize_t tokens) except NULL nogil:
        """Reserve memory for one more sentence of `tokens` tokens."""
        if self.count + 2 > self.start_capacity:
            self.starts = <int64_t *> grow(
                self.starts, &self.start_capacity, self.count + 2, sizeof(int64_t))
        if self.starts[self.count] + tokens > self.id_capacity or self.ids == NULL:
            self.ids = <int32_t *> grow(
                self.ids, &self.id_capacity, self.starts[self.count] + tokens, sizeof(int32_t))
        return self.ids + self.starts[self.count]

    cdef void end(self, Py_ssize_t length) noexcept nogil:
        """Complete the sentence that was written into the reserved memory."""
        self.starts[self.count + 1] = self.starts[self.count] + length
        self.longest = max(self.longest, length)
        self.count += 1

    cdef int append(self, const int32_t *ids, Py_ssize_t length) except -1 nogil:
        cdef int32_t *place = self.reserve(length)
        if length:      # the ids of an empty array are a null pointer
            memcpy(place, ids, length * sizeof(int32_t))
        self.end(length)
        return 0

    cdef Sentences finished(self):
        """Return these sentences when all have been read; frees the unused memory."""
        cdef Py_ssize_t tokens = self.starts[self.count]
        cdef void *shrunk = PyMem_RawRealloc(self.ids, max(tokens, 1) * sizeof(int32_t))
        if shrunk != NULL:
            self.ids = <int32_t *> shrunk
            self.id_capacity = tokens
        shrunk = PyMem_RawRealloc(self.starts, (self.count + 1) * sizeof(int64_t))
        if shrunk != NULL:
            self.starts = <int64_t *> shrunk
            self.start_capacity = self.count + 1
        return self


def sentences_of(array ids not None, array lengths not None, list padding not None):
    """Sentences of these ids, end to end, as `flat`, `lengths` and `padding` return them."""
    cdef Sentences made = Sentences()
    cdef Py_ssize_t start = 0, length
    if ids.typecode != "i":
        raise TypeError(f"ids is an array of {ids.typecode}, expected int32")
    for length in lengths:
        if not 0 <= length <= len(ids) - start:
            raise ValueError(f"a sentence has {length} ids, but {len(ids) - start} are left")
        made.append(<int32_t *> ids.data.as_ints + start if length else NULL, length)
        start += length
        if made.count % POLL_EVERY == 0:
            PyErr_CheckSignals()
    if start != len(ids):
        raise ValueError(f"the sentences have {start} ids, not {len(ids)}")
    made.padding = padding
    return made.finished()


def read_lists(Vocabulary vocabulary not None, checks, sentences, bint known_only=False):
    """Read a list or tuple of lists of tokens.

    `checks`, a TokenChecks, turns other types into lists, or raises the error. With `known_only` tokens that
    the vocabulary lacks are not added to it, and get the id -1.
    """
    cdef Sentences made = Sentences()
    cdef Py_ssize_t since_poll = 0
    if not is_list_or_tuple(sentences):
        raise TypeError("expected a list or tuple")
    vocabulary.enter(known_only)
    try:
        # User code may change the list, so its size is read every time.
        while made.count < size_of(sentences):
            prefetch_segments(PySequence_Fast_ITEMS(sentences), PySequence_Fast_ITEMS(sentences),
                              made.count, size_of(sentences))
            sentence = item_at(sentences, made.count)
            since_poll += 64 + read_list(vocabulary, checks, sentence, made, known_only)
            if since_poll >= POLL_TOKENS:
                since_poll = 0
                PyErr_CheckSignals()
    finally:
        vocabulary.leave(known_only)
    return made.finished()


cdef Py_ssize_t read_list(Vocabulary vocabulary, object checks, object sentence, Sentences made,
                          bint known_only) except -1:
    """Read one sentence; return the number of its tokens."""
    cdef int32_t *ids
    if not is_list_or_tuple(sentence):
        sentence = checks.tokens(sentence, made.count, None)
        if not is_list_or_tuple(sentence):
            raise TypeError("expected a list or tuple of tokens")
    sentence = unchanging(sentence)
    if size_of(sentence) > POLL_TOKENS:
        sentence = copy_of(sentence)
    ids = made.reserve(size_of(sentence))
    if not vocabulary.read_plain(sentence, ids, known_only):
        # Hold every token before any user code runs.
        sentence = copy_of(sentence)
        ids = made.reserve(size_of(sentence))
        vocabulary.read_objects(sentence, ids, known_only, checks, made.count)
    made.end(size_of(sentence))
    return size_of(sentence)


cdef class TextReader(TextPacker):
    """A TextPacker of sentences, with the same parameters, but `checks` is passed to read_texts."""

    cdef Vocabulary vocabulary       # during a read

    def read_texts(self, Vocabulary vocabulary not None, checks, texts, bint known_only=False):
        """Read texts; parameters and result are as for read_lists, `checks` is a TextChecks."""
        cdef Sentences made = Sentences()
        if not is_list_or_tuple(texts):
            raise TypeError("expected a list or tuple")
        if self.vocabulary is not None:
            raise RuntimeError("this reader is reading already")
        vocabulary.enter(known_only)
        self.vocabulary = vocabulary
        self.checks = checks
        self.tokens = &vocabulary.tokens
        self.clear()
        try:
            while self.gather_lines(texts, made.count) > 0:
                PyErr_CheckSignals()
                with nogil:
                    self.read_gathered(made, known_only)
        finally:
            self.hypotheses.forget()
            self.tokens = &self.own_tokens
            self.vocabulary = self.checks = None
            vocabulary.leave(known_only)
        return made.finished()

    cdef Py_ssize_t gather_lines(self, object texts, Py_ssize_t start) except -1:
        """Take the next texts; return their number."""
        self.clear()
        while (start < size_of(texts) and self.hypotheses.own_count < BLOCK_TEXTS
                and self.hypotheses.used < BLOCK_BYTES):
            if start + 8 < size_of(texts):
                prefetch_item(texts, start + 8)
            self.add_line(self.hypotheses, item_at(texts, start), start, None)
            start += 1
        return self.hypotheses.own_count

    cdef int read_gathered(self, Sentences made, bint known_only) except -1 nogil:
        """Tokenize and number the texts that were taken."""
        cdef Py_ssize_t i, k, length
        cdef int32_t absent
        self.hypotheses.take_own()
        self.hypotheses.in_runs = False
        for i in range(self.hypotheses.count):
            self.id_count = 0
            self.segment = i
            if not known_only:
                # A text has at most as many tokens as bytes, and may be read twice.
                self.vocabulary.check_room(2 * <Py_ssize_t> self.hypotheses.lines[i].size)
            length = self.read_line(0, not known_only)
            self.signs.tokenized_periods += ends_in_tokenized_period(self.hypotheses.lines[i])
            if known_only:
                absent = self.tokens.count
                for k in range(length):
                    if self.ids[k] == absent:
                        self.ids[k] = -1
            elif self.forget_line() < 0:
                with gil:
                    raise MemoryError(f"no memory for the tokens of a text of {length}")
            made.append(self.ids, length)
        return 0

    cdef int forget_line(self) noexcept nogil:
        """The vocabulary keeps all tokens that were read, even discarded ones; buffers may be freed."""
        if self.vocabulary is None:
            return TextPacker.forget_line(self)
        return self.vocabulary.keep()


cdef class IdReader(IdPacker):
    """An IdPacker of sentences, with the same parameters."""

    def read_rows(self, Vocabulary vocabulary not None, IdRows rows not None, bint known_only=False):
        """Read rows; parameters and result are as for read_lists."""
        cdef Sentences made = Sentences()
        cdef Py_ssize_t number
        cdef id_row row
        if self.hypotheses is not None:
            raise RuntimeError("this reader is reading already")
        vocabulary.enter(known_only)
        self.clear()
        self.hypotheses = rows
        try:
            PyErr_CheckSignals()
            with nogil:
                for number in range(rows.segment_count):
                    rows.find_row(number, 0, &row)
                    self.read_row(vocabulary, &row, made, known_only)
        finally:
            self.hypotheses = None
            vocabulary.leave(known_only)
        return made.finished()

    cdef int read_row(self, Vocabulary vocabulary, const id_row *row, Sentences made,
                      bint known_only) except -1 nogil:
        cdef bint is_padding = False
        cdef Py_ssize_t length = self.read(row, &is_padding), start = 0, stop
        cdef int32_t *ids = made.reserve(length)
        while start < length:
            stop = self.next_stop(start, length, look_up_cost(vocabulary.tokens.slot_count))
            vocabulary.read_numbers(self.row_ids + start, stop - start, ids + start, known_only)
            start = stop
        if is_padding:
            with gil:
                made.padding.append(made.count)
        made.end(length)
        return 0

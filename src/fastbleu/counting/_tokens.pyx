"""Segments of Python tokens in, packed masks or token ids out.

Every segment is packed by itself (PackedSegments in _packed.pxd), in one of two ways. Segments of plain
tokens (exact str, bytes, int) are read straight from memory and compared by content
(kernel/objects/token_keys.h): by their keys (_packed.pyx), or if there are many by an interner. That runs
no Python code, so nothing can change meanwhile. A segment with any other token goes through a dict and so
through Python's own hash() and ==, over tuples that hold the tokens alive whatever a hostile __eq__ does to
the lists they came from.

TokenChecks (inputs/segments.py) turns other types than list and tuple into lists, or raises the error that
the user sees.

Ownership. TokenPacker owns its arrays and its table; of Python objects it keeps the last segment only.
Thread-safety. One packer per thread; packing holds the GIL. With `count_plain` threads
without it read while another one holds it (_rounds.pyx).
"""

from cpython.exc cimport PyErr_CheckSignals
from cpython.object cimport PyObject
from libc.stdint cimport INT32_MAX, int32_t, int64_t

from fastbleu._core cimport SegmentCounter
from fastbleu._packed cimport KEYS_DO_NOT_DO, KEYS_WERE_READ
from fastbleu.counting._rounds cimport PLAIN_REFERENCES
from fastbleu.kernel.numbering cimport number_objects
from fastbleu.kernel.sequences cimport (
    is_list_or_tuple, item_at, PySequence_Fast_ITEMS, size_of, unchanging, unchanging_lists)
from fastbleu.kernel.tables cimport hash_seed, interner, interner_begin, interner_free, key_list
from fastbleu.runtime._process cimport process_seed


cdef extern from "kernel/objects/token_keys.h":
    PyObject *plain_item(PyObject *sequence, Py_ssize_t at) noexcept nogil
    bint list_plain_keys(key_list *keys, PyObject *sequence, hash_seed seed) noexcept nogil
    bint intern_hypothesis(
        interner *table, PyObject **tokens, Py_ssize_t length, int32_t *ids) noexcept
    bint find_reference(
        const interner *table, PyObject **tokens, Py_ssize_t length, int32_t *ids) noexcept

cdef extern from "kernel/objects/prefetch.h":
    bint is_sequence(PyObject *object) noexcept nogil
    void prefetch_segments(PyObject **hypotheses, PyObject **references,
                           Py_ssize_t at, Py_ssize_t segments) noexcept nogil

cdef extern from "Python.h":
    Py_ssize_t plain_size "PySequence_Fast_GET_SIZE" (PyObject *sequence) noexcept nogil
    int PY_VERSION_HEX
    int PyGC_Disable()
    int PyGC_Enable()


# Ends a chunk: enough that its overhead is negligible, few enough that its ids stay in the cache.
cdef Py_ssize_t CHUNK_SEGMENTS = 512
cdef Py_ssize_t CHUNK_IDS = 1 << 15

# Longer segments are held while they are read, so that signals can be handled in between.
cdef Py_ssize_t POLL_TOKENS = 1 << 16
cdef Py_ssize_t READ_TOKENS = 1 << 14
cdef Py_ssize_t POLL_REFERENCES = 1 << 12


cdef int check_length(Py_ssize_t length) except -1:
    if length >= INT32_MAX:
        raise OverflowError(f"a sequence of {length} tokens is too long; at most {INT32_MAX - 1}")
    return 0


cdef tuple copy_of(object sequence):
    """A tuple of the elements of a list or tuple.

    Before Python 3.12 making it may collect garbage, whose finalizers may change the list, and Python
    itself then reads freed memory; so nothing is collected meanwhile.
    """
    cdef int collecting = PyGC_Disable() if PY_VERSION_HEX < 0x030C0000 else 0
    try:
        return tuple(sequence)
    finally:
        if collecting:
            PyGC_Enable()


cdef tuple copy_all(object sequences):
    """Tuples of the tokens of each of a list or tuple of lists and tuples."""
    cdef list copies = []
    for sequence in copy_of(sequences):
        copies.append(copy_of(sequence))
        if len(copies) % POLL_REFERENCES == 0:
            PyErr_CheckSignals()
    return tuple(copies)


cdef class TokenPacker(PlainPacker):
    """Packs segments one by one or chunk by chunk."""

    def __cinit__(self, checks):
        self.checks = checks
        self.tokens.seed = process_seed()

    def __dealloc__(self):
        interner_free(&self.tokens)

    chunk_segments = CHUNK_SEGMENTS

    def reset(self):
        """Forget the last segment; keep the memory."""
        PlainPacker.reset(self)
        self.last_hypothesis = self.last_references = None

    def fill(self, hypotheses, references, Py_ssize_t start, Py_ssize_t before=0):
        """Replace the packed segments by the next chunk; the number of its segments, 0 at the end.

        The chunk begins at segment `start` of the lists, which have `before` segments before them.
        """
        cdef Py_ssize_t segment = start
        if not (is_list_or_tuple(hypotheses) and is_list_or_tuple(references)):
            raise TypeError("expected two lists or tuples")
        self.first_segment = before + start
        self.clear()
        PyErr_CheckSignals()
        # The lists may change while user code runs, so their sizes are asked for every time.
        while segment < min(size_of(hypotheses), size_of(references)):
            prefetch_segments(PySequence_Fast_ITEMS(hypotheses), PySequence_Fast_ITEMS(references),
                              segment, min(size_of(hypotheses), size_of(references)))
            self.add_item(hypotheses, references, segment)
            segment += 1
            if (self.segment_count == CHUNK_SEGMENTS
                    or self.id_count + self.mask_count >= CHUNK_IDS):
                break
        return self.segment_count

    cdef int add_item(self, object hypotheses, object references, Py_ssize_t segment) except -1:
        """Pack one segment of the lists, and keep it as the last one."""
        # Both are held before the last ones are let go, whose __del__ may change the lists.
        hypothesis = item_at(hypotheses, segment)
        its_references = item_at(references, segment)
        self.last_hypothesis = hypothesis
        self.last_references = its_references
        return self.add(hypothesis, its_references)

    cdef int add(self, object hypothesis, object references) except -1:
        """Pack one segment."""
        cdef Py_ssize_t segment = self.first_segment + self.segment_count, k
        if not is_list_or_tuple(references):
            references = self.checks.references(references, segment)
            self.last_references = references
        if not is_list_or_tuple(hypothesis):
            hypothesis = self.checks.tokens(hypothesis, segment, None)
        references = unchanging(references)
        for k in range(size_of(references)):
            if not is_list_or_tuple(<object> PySequence_Fast_ITEMS(references)[k]):
                # This runs the user's code: from here on only our own copy of the list is read.
                references = self.checks.token_lists(copy_of(references), segment)
                break
        if size_of(references) == 0:
            self.checks.refuse_no_references(segment)
        hypothesis, references = unchanging(hypothesis), unchanging_lists(references)
        if not self.add_plain(hypothesis, references):
            self.add_objects(hypothesis, references)
        self.segment_count += 1
        return 0

    cdef bint add_plain(self, object hypothesis, object references) except -1:
        """Pack a segment of plain tokens; False where a token is not plain."""
        cdef Py_ssize_t hyp_len = size_of(hypothesis), count = size_of(references), total = hyp_len, k
        cdef int64_t *lengths
        cdef int32_t *ids
        for k in range(count):
            reference = <object> PySequence_Fast_ITEMS(references)[k]
            total += size_of(reference)
        if total > POLL_TOKENS or count > POLL_REFERENCES:
            hypothesis, references = copy_of(hypothesis), copy_of(references)
            if not self.add_long(hypothesis, references):
                self.add_objects(hypothesis, references)
            return True
        lengths = self.reserve_lengths(count + 1)
        self.reserve_segment()
        self.plain_hypothesis, self.plain_references = <PyObject *> hypothesis, <PyObject *> references
        if self.pack_keys(self.segment_count, count, lengths) >= 0:
            self.finish_segment(count, 0)
            return True
        lengths[0] = total = hyp_len
        for k in range(count):
            lengths[k + 1] = size_of(<object> PySequence_Fast_ITEMS(references)[k])
            total += lengths[k + 1]
            check_length(lengths[k + 1])
        check_length(hyp_len)
        ids = self.reserve_ids(total)
        self.begin_tokens(hyp_len)
        if not self.read_plain(hypothesis, ids, True):
            return False
        ids += hyp_len
        for k in range(count):
            if not self.read_plain(<object> PySequence_Fast_ITEMS(references)[k], ids, False):
                return False
            ids += lengths[k + 1]
        self.distinct[self.segment_count] = self.tokens.count
        self.finish_segment(count, total)
        return True

    cdef int read_keys(self, Py_ssize_t segment, Py_ssize_t k, key_list **keys) except -1 nogil:
        # The caller holds the GIL and both lists.
        if list_plain_keys(
                keys[0], plain_item(self.plain_references, k - 1) if k > 0 else self.plain_hypothesis,
                self.tokens.seed):
            return KEYS_WERE_READ
        return KEYS_DO_NOT_DO

    cdef bint count_plain(self, SegmentCounter counter, PyObject *hypothesis, PyObject *references,
                          int64_t *row) noexcept nogil:
        cdef Py_ssize_t count, k
        if not is_sequence(hypothesis) or not is_sequence(references):
            return False
        count = plain_size(references)
        if not 0 < count <= PLAIN_REFERENCES:
            return False
        for k in range(count):
            if not is_sequence(plain_item(references, k)):
                return False
        self.plain_hypothesis, self.plain_references = hypothesis, references
        return self.count_listed(counter, count, row)

    cdef void prefetch(self, PyObject **hypotheses, PyObject **references, Py_ssize_t segment,
                       Py_ssize_t end) noexcept nogil:
        prefetch_segments(hypotheses, references, segment, end)

    cdef bint add_long(self, tuple hypothesis, tuple references) except -1:
        """Like add_plain, but signals are handled meanwhile, which runs user code.

        The interner borrows the content of the hypothesis' tokens, which the copy holds. Only the current
        reference is copied and measured again, because copying all references takes long.
        """
        cdef Py_ssize_t count = len(references), total = len(hypothesis), length, since_poll = 0, k
        PyErr_CheckSignals()             # signals during the copy
        self.reserve_lengths(count + 1)[0] = total
        check_length(total)
        self.reserve_segment()
        self.begin_tokens(total)
        if not self.read_plain(hypothesis, self.reserve_ids(total), True):
            return False
        for k in range(count):
            reference = references[k]
            if size_of(reference) > POLL_TOKENS:
                reference = copy_of(reference)
            length = size_of(reference)
            check_length(length)
            self.reserve_ids(total + length)
            if not self.read_plain(reference, self.ids + self.id_count + total, False):
                return False
            self.lengths[self.length_count + k + 1] = length
            total += length
            since_poll += 16 + length
            if since_poll >= POLL_TOKENS:
                since_poll = 0
                PyErr_CheckSignals()
        self.distinct[self.segment_count] = self.tokens.count
        self.finish_segment(count, total)
        return True

    cdef int begin_tokens(self, Py_ssize_t count) except -1:
        if interner_begin(&self.tokens, count) < 0:
            raise MemoryError(f"no memory for the tokens of a segment of {count}")
        return 0

    cdef inline bint read_plain(self, object sequence, int32_t *ids, bint is_hypothesis) except -1:
        """Ids of a list, or of a tuple that the caller holds; False at a token that is not plain."""
        cdef Py_ssize_t length = size_of(sequence), start, size
        cdef PyObject **tokens = PySequence_Fast_ITEMS(sequence)
        start = 0
        while start < length:
            size = min(length - start, READ_TOKENS) if length > POLL_TOKENS else length
            if is_hypothesis:
                if not intern_hypothesis(&self.tokens, tokens + start, size, ids + start):
                    return False
            elif not find_reference(&self.tokens, tokens + start, size, ids + start):
                return False
            start += size
            if start < length:
                PyErr_CheckSignals()
        return True

    cdef inline void finish_segment(self, Py_ssize_t references, Py_ssize_t total):
        self.reference_counts[self.segment_count] = references
        self.note_references(references)
        self.length_count += references + 1
        self.id_count += total

    cdef int add_objects(self, object hypothesis, object references) except -1:
        """Pack a segment of any hashable tokens, by Python's own equality."""
        cdef Py_ssize_t segment = self.first_segment + self.segment_count
        cdef Py_ssize_t count, total, position, k
        cdef dict known = {}
        cdef tuple sequence, sequences
        cdef int64_t *lengths
        cdef int32_t *ids
        # Hold every token before the first line of the user's code runs.
        sequences = (copy_of(hypothesis), *copy_all(references))
        count = len(sequences) - 1
        lengths = self.reserve_lengths(count + 1)
        total = 0
        for k in range(count + 1):
            lengths[k] = len(<tuple> sequences[k])
            check_length(lengths[k])
            total += lengths[k]
        ids = self.reserve_ids(total)
        self.reserve_segment()
        for k in range(count + 1):
            sequence = sequences[k]
            number_objects(known, sequence, ids, k > 0, self.checks, segment, None if k == 0 else k - 1)
            ids += len(sequence)
        # Only now is it known how many tokens the hypothesis has: references say -1 for any other.
        ids = self.ids + self.id_count + lengths[0]
        for position in range(total - lengths[0]):
            if ids[position] < 0:
                ids[position] = len(known)
        self.distinct[self.segment_count] = <int32_t> len(known)
        self.finish_segment(count, total)
        return 0

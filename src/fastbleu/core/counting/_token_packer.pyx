"""Segments of Python tokens in, packed masks or token ids out.

Every segment is packed by itself (PackedSegments in _packed.pxd), in one of two ways. Segments of plain
tokens (exact str, bytes, int) are read straight from memory and compared by content
(kernel/objects/token_keys.h): by their keys (_packed.pyx), or if there are many by an interner. That runs
no Python code, so nothing can change meanwhile. A segment with any other token goes through a dict and so
through Python's own hash() and ==, over tuples that keep the tokens alive whatever a hostile __eq__ does to
the lists they came from.

TokenChecks (inputs/checks.py) turns types other than list and tuple into lists, or raises the error that
the user sees.

Ownership. TokenPacker owns its arrays and its table; of Python objects it keeps the last segment only.
Thread-safety. One packer per thread; packing holds the GIL.
"""

from cpython.exc cimport PyErr_CheckSignals
from cpython.object cimport PyObject
from libc.stdint cimport INT32_MAX, int32_t, int64_t

from fastbleu.core.counting._packed cimport CHUNK_IDS, CHUNK_SEGMENTS, KEYS_INSUFFICIENT, KEYS_WERE_READ
from fastbleu.core.kernel.numbering cimport number_objects
from fastbleu.core.kernel.sequences cimport (
    is_list_or_tuple, item_at, plain_items, prefetch_segments, PySequence_Fast_ITEMS,
    size_of, unchanging, unchanging_lists)
from fastbleu.core.kernel.hashing cimport (
    all_keys, hash_seed, interner_begin, interner_free, key_list, key_view
)
from fastbleu.core.runtime._process cimport process_seed


cdef extern from "kernel/objects/token_keys.h":
    bint list_plain_keys(key_list *keys, PyObject *sequence, hash_seed seed) noexcept nogil

cdef extern from "Python.h":
    int PY_VERSION_HEX
    int PyGC_Disable()
    int PyGC_Enable()


# Longer segments are copied, so that signals can be handled while they are read.
cdef Py_ssize_t POLL_TOKENS = 1 << 16
cdef Py_ssize_t READ_TOKENS = 1 << 14
cdef Py_ssize_t POLL_REFERENCES = 1 << 12


cdef int check_length(Py_ssize_t length) except -1:
    if length >= INT32_MAX:
        raise OverflowError(f"a sequence of {length} tokens is too long; at most {INT32_MAX - 1}")
    return 0


cdef tuple copy_of(object sequence):
    """A tuple of the elements of a list or tuple.

    Before Python 3.12 making a tuple may collect garbage, and a finalizer may change the list, whose freed
    memory Python then reads; so nothing is collected meanwhile.
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


cdef class TokenPacker(PackedSegments):
    """Packs segments one by one or chunk by chunk.

    Parameters
    ----------
    checks : TokenChecks or None
        None refuses all but lists and tuples of plain tokens.
    prepared : PreparedLines, optional
        Splits the lines of lists of text first.
    """

    def __cinit__(self, checks, prepared=None):
        self.checks = checks
        self.prepared = prepared
        self.tokens.seed = process_seed()

    def __dealloc__(self):
        interner_free(&self.tokens)

    cpdef reset(self):
        """Forget the last segment; keep the memory."""
        PackedSegments.reset(self)
        self.last_hypothesis = self.last_references = None
        if self.prepared is not None:
            self.prepared.reset()

    cpdef Py_ssize_t fill(self, hypotheses, references, Py_ssize_t start, Py_ssize_t before) except -1:
        """See PackedSegments; takes lists."""
        cdef Py_ssize_t segment
        self.first_segment = before + start
        if self.prepared is not None:
            hypotheses, references, start = self.prepared.chunk_at(
                start, hypotheses, references, before, self.signs)
        if not (is_list_or_tuple(hypotheses) and is_list_or_tuple(references)):
            raise TypeError("expected two lists or tuples")
        segment = start
        self.clear()
        PyErr_CheckSignals()
        # The lists may change while user code runs, so their sizes are asked for every time.
        while segment < min(size_of(hypotheses), size_of(references)):
            prefetch_segments(PySequence_Fast_ITEMS(hypotheses), PySequence_Fast_ITEMS(references),
                              segment, min(size_of(hypotheses), size_of(references)))
            # Hold both before dropping the last ones, because a __del__ may change the lists.
            hypothesis = item_at(hypotheses, segment)
            segment_references = item_at(references, segment)
            self.last_hypothesis, self.last_references = hypothesis, segment_references
            self.add(hypothesis, segment_references)
            segment += 1
            if (self.segment_count == CHUNK_SEGMENTS
                    or self.id_count + self.mask_count >= CHUNK_IDS):
                break
        return self.segment_count

    cdef int add(self, object hypothesis, object references) except -1:
        """Pack one segment."""
        cdef Py_ssize_t segment = self.first_segment + self.segment_count, count, total, k
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
        count, total = size_of(references), size_of(hypothesis)
        for k in range(count):
            total += size_of(<object> PySequence_Fast_ITEMS(references)[k])
        self.reserve_segment()
        self.plain_hypothesis, self.plain_references = <PyObject *> hypothesis, <PyObject *> references
        if total > POLL_TOKENS or count > POLL_REFERENCES:
            hypothesis, references = copy_of(hypothesis), copy_of(references)
            if not self.intern_plain(hypothesis, references, True):
                self.add_objects(hypothesis, references)
        elif not self.pack_keys(self.segment_count, count, self.reserve_lengths(count + 1)):
            if not self.intern_plain(hypothesis, references, False):
                self.add_objects(hypothesis, references)
        self.note_references(self.segment_count, count)
        self.length_count += count + 1
        self.segment_count += 1
        return 0

    cdef int read_keys(self, Py_ssize_t segment, Py_ssize_t k, key_list *own, key_view *keys) except -1 nogil:
        # The caller holds the GIL and both lists.
        if not list_plain_keys(
                own, plain_items(self.plain_references)[k - 1] if k > 0 else self.plain_hypothesis,
                self.tokens.seed):
            return KEYS_INSUFFICIENT
        keys[0] = all_keys(own)
        return KEYS_WERE_READ

    cdef bint intern_plain(self, object hypothesis, object references, bint is_long) except -1:
        """Pack a segment with a table of its tokens; False if a token is not plain.

        A long segment is given as copies, because handling signals meanwhile may run user code. The interner
        borrows the content of the hypothesis' tokens, which the copy holds. Only the current reference is
        copied and measured again, because copying all references takes long.
        """
        cdef Py_ssize_t count = size_of(references), total = size_of(hypothesis), length, since_poll = 0, k
        if is_long:
            PyErr_CheckSignals()         # signals during the copy
        self.reserve_lengths(count + 1)[0] = total
        check_length(total)
        if interner_begin(&self.tokens, total) < 0:
            raise MemoryError(f"no memory for the tokens of a segment of {total}")
        if not self.read_plain(hypothesis, self.reserve_ids(total), True):
            return False
        for k in range(count):
            reference = <object> PySequence_Fast_ITEMS(references)[k]
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
            if is_long and since_poll >= POLL_TOKENS:
                since_poll = 0
                PyErr_CheckSignals()
        self.note_ids(self.segment_count, total, self.tokens.count)
        return True

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

    cdef int add_objects(self, object hypothesis, object references) except -1:
        """Pack a segment of any hashable tokens, by Python's own equality."""
        cdef Py_ssize_t segment = self.first_segment + self.segment_count
        cdef Py_ssize_t count, total, position, k
        cdef dict known = {}
        cdef tuple sequence, sequences
        cdef int64_t *lengths
        cdef int32_t *ids
        if self.checks is None:
            raise TypeError("without checks tokens are str, bytes or int")
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
        for k in range(count + 1):
            sequence = sequences[k]
            number_objects(known, sequence, ids, k > 0, self.checks, segment, None if k == 0 else k - 1)
            ids += len(sequence)
        # References have -1 for tokens that the hypothesis lacks, whose id is known only now.
        ids = self.ids + self.id_count + lengths[0]
        for position in range(total - lengths[0]):
            if ids[position] < 0:
                ids[position] = len(known)
        self.note_ids(self.segment_count, total, <int32_t> len(known))
        return 0

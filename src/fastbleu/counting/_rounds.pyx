"""Counting lists of text or tokens by several threads at the same time, in rounds.

In a round the leader holds the GIL and the other threads work without it, so the lists do not change while
they are read, and no thread writes to a reference count, which would evict the object from the caches of the
others. They count plain segments (PlainPacker). The leader counts all other segments at the end of the round,
when it may run user code.

Ownership. Rounds hold both lists, and the rows of all threads; workers are their threads' own.
Thread-safety. Any thread calls `follow` and `end`, all else the leader. Turns are taken under a lock.
"""

from cpython.array cimport array
from cpython.exc cimport PyErr_CheckSignals
from cpython.pythread cimport (
    NOWAIT_LOCK, PyThread_acquire_lock, PyThread_allocate_lock, PyThread_free_lock, PyThread_release_lock,
    PyThread_type_lock, WAIT_LOCK)

from libc.string cimport memset

from fastbleu._core cimport accumulate_rows, add_row, numbers, zero_sums
from fastbleu._packed cimport MASK_LANES, MASK_TOKENS
from fastbleu.kernel.sequences cimport is_list_or_tuple, PySequence_Fast_ITEMS, size_of
from fastbleu.kernel.tables cimport LISTED_TOKENS

import sys


cdef extern from "kernel/simd/masks.h":
    ctypedef struct mask_planes:
        pass

cdef extern from "pythread.h":
    int PyThread_acquire_lock_timed(PyThread_type_lock lock, long long microseconds, int interruptible) nogil


# Segments that threads read together before signals are heard again, and those that one takes at a time.
cdef enum:
    ROUND_SEGMENTS = 1 << 13
    TURN_SEGMENTS = 1 << 5
# Steps of a thread after which a round of longer segments ends: some milliseconds.
cdef Py_ssize_t ROUND_STEPS = 1 << 19
# Microseconds for which the leader waits for the first to follow: thrice what one that sleeps usually takes.
cdef Py_ssize_t JOIN_TIME = 300
# Looks at a lock, some 20 microseconds, before a thread sleeps: waking it up takes longer.
cdef int SPINS = 2000


cdef class PlainPacker(PackedSegments):

    cdef int reserve_plain(self) except -1:
        """Memory for count_plain."""
        self.clear()
        self.reserve_segment()
        self.reserve_lengths(1 + PLAIN_REFERENCES)
        self.reserve_masks((1 + PLAIN_REFERENCES) * (MASK_TOKENS + MASK_LANES))
        self.reserve_ids((1 + PLAIN_REFERENCES) * LISTED_TOKENS)
        self.reserve_positions()
        return 0

    cdef bint count_plain(self, SegmentCounter counter, PyObject *hypothesis, PyObject *references,
                          int64_t *row) noexcept nogil:
        """Count a plain segment into a row; False where it is another. For subclasses.

        Nothing here fails, makes memory, or needs the GIL.
        """
        return False

    cdef bint count_listed(self, SegmentCounter counter, Py_ssize_t references, int64_t *row) noexcept nogil:
        """count_plain of the segment that read_keys reads."""
        self.mask_count = self.id_count = self.length_count = 0
        # Polling needs the GIL; a plain segment takes fewer steps than there are between two polls.
        self.since_poll = counter.since_poll = 0
        references = self.pack_keys(0, references, self.lengths)
        if references < 0 or not counter.fits_masks(self.lengths, references, self.distinct[0]):
            return False
        counter.count_segment(self.ids, self.masks, self.lengths, references, self.distinct[0], row)
        self.note_references(references)
        return True

    cdef void prefetch(self, PyObject **hypotheses, PyObject **references, Py_ssize_t segment,
                       Py_ssize_t end) noexcept nogil:
        """Ask for the memory of segments after this one. For subclasses."""


cdef class _Share:
    """What one thread counts with in Rounds, and the sum of the rows that it has counted."""

    cdef PlainPacker packer
    cdef SegmentCounter counter
    cdef array rows                  # the memory of both rows:
    cdef int64_t *sum                # of all segments
    cdef int64_t *row                # of one
    cdef PyThread_type_lock begin    # released for each round
    cdef PyThread_type_lock ended    # released at the end of each round

    def __cinit__(self, PlainPacker packer not None, SegmentCounter counter not None):
        packer.reserve_plain()
        counter.workspace(sizeof(mask_planes))
        self.packer, self.counter = packer, counter
        self.rows = zero_sums(counter.max_order)
        self.sum = numbers(self.rows)
        self.row = self.sum + 2 + 2 * <Py_ssize_t> counter.max_order
        self.begin, self.ended = held_lock(), held_lock()

    def __dealloc__(self):
        free_lock(self.begin)
        free_lock(self.ended)


cdef PyThread_type_lock held_lock() except NULL:
    cdef PyThread_type_lock lock = PyThread_allocate_lock()
    if lock == NULL:
        raise MemoryError("no memory for a lock")
    PyThread_acquire_lock(lock, WAIT_LOCK)
    return lock


cdef void free_lock(PyThread_type_lock lock) noexcept:
    if lock != NULL:
        PyThread_acquire_lock(lock, NOWAIT_LOCK)     # one that is not held must not be released
        PyThread_release_lock(lock)
        PyThread_free_lock(lock)


cdef bint is_free_soon(PyThread_type_lock lock) noexcept nogil:
    """Acquire a lock that will be released in a moment; False if it was not."""
    cdef int _spin
    for _spin in range(SPINS):
        if PyThread_acquire_lock(lock, NOWAIT_LOCK):
            return True
    return False


cdef void wait_for(PyThread_type_lock lock) noexcept nogil:
    if not is_free_soon(lock):
        PyThread_acquire_lock(lock, WAIT_LOCK)


cdef class Rounds:
    """Lists that several threads count in rounds."""

    # Whether this Python has a GIL; if not, each thread reads by itself.
    possible = sys._is_gil_enabled() if hasattr(sys, "_is_gil_enabled") else True

    cdef object hypotheses, references
    cdef array rows
    cdef int64_t *kept               # the rows of all segments
    cdef Py_ssize_t max_order
    cdef bint keep_rows, at_least_one, over
    cdef Py_ssize_t before, first, stop, next_turn
    cdef list shares                 # the leader's is the first
    cdef list joined                 # those of others who take part
    cdef PyThread_type_lock turn, has_joined
    cdef PyObject **their_hypotheses     # of this round
    cdef PyObject **their_references
    cdef unsigned char left[ROUND_SEGMENTS]      # whether a segment is left to the leader

    def __cinit__(self, list workers not None, hypotheses, references, array rows not None, bint keep_rows,
                  bint at_least_one, Py_ssize_t before):
        """Parameters as of `count_batch`; `rows` is where the result goes, one row or all.

        `workers` are pairs (PlainPacker, SegmentCounter), the leader's first.
        """
        if not (is_list_or_tuple(hypotheses) and is_list_or_tuple(references)):
            raise TypeError("expected two lists or tuples")
        self.hypotheses, self.references = hypotheses, references
        self.rows, self.kept = rows, numbers(rows)
        self.keep_rows, self.at_least_one, self.before = keep_rows, at_least_one, before
        self.joined = []
        self.turn, self.has_joined = held_lock(), held_lock()
        self.shares = [_Share(*worker) for worker in workers]
        self.max_order = (<_Share> self.shares[0]).counter.max_order
        PyThread_release_lock(self.turn)

    def __dealloc__(self):
        free_lock(self.turn)
        free_lock(self.has_joined)

    def follow(self, Py_ssize_t number):
        """Take part as a worker in the rounds until they are over; then touch nothing any more."""
        cdef _Share share = self.shares[number]
        cdef PlainPacker packer = share.packer
        cdef SegmentCounter counter = share.counter
        if self.over:
            return
        self.joined.append(share)
        if len(self.joined) == 1:
            PyThread_release_lock(self.has_joined)
        with nogil:
            while True:
                wait_for(share.begin)
                if self.over:
                    break
                self.take_turns(share, packer, counter)
                PyThread_release_lock(share.ended)

    def lead(self):
        """Count the next segments, together with those who follow; returns their number, 0 at the end."""
        cdef _Share mine = self.shares[0], share
        cdef list others
        cdef Py_ssize_t segment
        PyErr_CheckSignals()
        with nogil:                      # for a moment, as other threads may want the GIL
            if self.stop == 0 and not is_free_soon(self.has_joined):
                PyThread_acquire_lock_timed(self.has_joined, JOIN_TIME, False)
        # The lists may have changed while user code ran.
        self.first = self.next_turn = self.stop
        self.stop = min(self.segments(), self.first + ROUND_SEGMENTS)
        self.their_hypotheses = PySequence_Fast_ITEMS(self.hypotheses)
        self.their_references = PySequence_Fast_ITEMS(self.references)
        memset(self.left, False, ROUND_SEGMENTS)
        others = [] if self.over else self.joined[:]
        for share in others:
            PyThread_release_lock(share.begin)
        self.take_turns(mine, mine.packer, mine.counter)
        for share in others:
            wait_for(share.ended)
        for segment in range(self.first, self.stop):
            if self.left[segment - self.first] and not self.count_left(mine, segment):
                self.stop = segment
                break
        return max(self.stop - self.first, 0)

    def end(self):
        """End the rounds, and let those go who follow; more than once does no harm."""
        cdef _Share share
        if self.over:
            return
        self.over = True
        for share in self.joined:
            PyThread_release_lock(share.begin)

    def close(self):
        """Let go of the lists, and add up the rows that all threads have counted, if they are not kept."""
        self.hypotheses = self.references = ()
        if not self.keep_rows:
            for share in self.shares:
                accumulate_rows((<_Share> share).rows, 1, self.rows)

    cdef Py_ssize_t segments(self):
        return min(size_of(self.hypotheses), size_of(self.references))

    cdef bint count_left(self, _Share mine, Py_ssize_t segment) except -1:
        """Count a segment that is not plain; False where user code has removed it."""
        cdef object its = slice(segment, segment + 1)
        if not (<object> mine.packer).fill(
                self.hypotheses[its], self.references[its], 0, self.before + segment):
            return False
        mine.counter.count_only(mine.packer, self.row_of(mine, segment))
        if not self.keep_rows:
            add_row(mine.row, mine.sum, self.max_order, self.at_least_one)
        return True

    cdef void take_turns(self, _Share share, PlainPacker packer, SegmentCounter counter) noexcept nogil:
        """Count plain segments until none is left in this round."""
        cdef Py_ssize_t segment, turn, end, stop
        cdef Py_ssize_t steps = 0
        cdef bint counted
        while True:
            PyThread_acquire_lock(self.turn, WAIT_LOCK)
            if steps > ROUND_STEPS:
                self.stop = min(self.stop, self.next_turn)
            turn, stop = self.next_turn, self.stop
            self.next_turn = end = min(turn + TURN_SEGMENTS, stop)
            PyThread_release_lock(self.turn)
            if turn >= end:
                break
            for segment in range(turn, end):
                packer.prefetch(self.their_hypotheses, self.their_references, segment, stop)
                counted = packer.count_plain(
                    counter, self.their_hypotheses[segment], self.their_references[segment],
                    self.row_of(share, segment))
                if not counted:
                    self.left[segment - self.first] = True
                else:
                    steps += packer.since_poll + counter.since_poll
                    if not self.keep_rows:
                        add_row(share.row, share.sum, self.max_order, self.at_least_one)

    cdef int64_t *row_of(self, _Share share, Py_ssize_t segment) noexcept nogil:
        """Where the row of a segment goes."""
        return self.kept + segment * (2 + 2 * self.max_order) if self.keep_rows else share.row

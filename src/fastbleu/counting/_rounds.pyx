"""Counting lists of text or tokens by several threads at the same time, in rounds.

In a round the leader holds the GIL and the other threads work without it, so that the lists do not change
while they are read, and no thread writes to a reference count, which would evict the object from the caches
of the others. All threads count plain segments (PackedSegments). The leader counts the other segments at the
end of the round, when user code may run.

Ownership. Rounds hold both lists and the rows of all threads; each thread has its own packer and counter.
Thread-safety. Any thread may call `follow` and `end`; only the leader calls the other methods.
"""

from cpython.array cimport array
from cpython.exc cimport PyErr_CheckSignals
from cpython.object cimport PyObject
from cpython.pythread cimport (
    NOWAIT_LOCK, PyThread_acquire_lock, PyThread_allocate_lock, PyThread_free_lock, PyThread_release_lock,
    PyThread_type_lock, WAIT_LOCK)
from libc.stdint cimport int64_t
from libc.string cimport memset

from fastbleu._core cimport SegmentCounter, accumulate_rows, add_row, numbers, zero_sums
from fastbleu._packed cimport PackedSegments
from fastbleu.kernel.sequences cimport is_list_or_tuple, PySequence_Fast_ITEMS, size_of

import sys


cdef extern from "kernel/simd/masks.h":
    ctypedef struct mask_planes:
        pass

cdef extern from "pythread.h":
    int PyThread_acquire_lock_timed(PyThread_type_lock lock, long long microseconds, int interruptible) nogil


# Segments in a round, after which signals are handled, and segments that a thread takes at a time.
cdef enum:
    ROUND_SEGMENTS = 1 << 13
    TAKEN_SEGMENTS = 1 << 5
# Steps of a thread after which a round of long segments ends: some milliseconds.
cdef Py_ssize_t ROUND_STEPS = 1 << 19
# Microseconds that the leader waits for a follower: three times what waking up usually takes.
cdef Py_ssize_t JOIN_TIME = 300
# Attempts to acquire a lock before a thread sleeps: about 20 microseconds, as waking it up takes longer.
cdef int SPINS = 2000


cdef class _ThreadState:
    """The packer and the counter of a thread, and the sum of the rows that it has counted."""

    cdef PackedSegments packer
    cdef SegmentCounter counter
    cdef array rows                  # the memory of both rows:
    cdef int64_t *sum                # of all segments
    cdef int64_t *row                # of one
    cdef PyThread_type_lock begin    # released for each round
    cdef PyThread_type_lock ended    # released at the end of each round

    def __cinit__(self, PackedSegments packer not None, SegmentCounter counter not None):
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


cdef bint acquire_soon(PyThread_type_lock lock) noexcept nogil:
    """Try to acquire a lock that is about to be released."""
    cdef int _spin
    for _spin in range(SPINS):
        if PyThread_acquire_lock(lock, NOWAIT_LOCK):
            return True
    return False


cdef void wait_for(PyThread_type_lock lock) noexcept nogil:
    if not acquire_soon(lock):
        PyThread_acquire_lock(lock, WAIT_LOCK)


cdef class Rounds:
    """Lists that several threads count in rounds."""

    # Whether this Python has a GIL; if not, each thread reads by itself.
    possible = sys._is_gil_enabled() if hasattr(sys, "_is_gil_enabled") else True

    cdef object hypotheses, references
    cdef array rows
    cdef int64_t *kept               # the rows of all segments
    cdef Py_ssize_t max_order
    cdef bint keep_rows, over
    cdef int64_t least_total
    cdef Py_ssize_t before, first, stop, next_segment
    cdef list thread_states          # the first is the leader's
    cdef list joined                 # those of the followers
    cdef PyThread_type_lock taking, has_joined
    cdef PyObject **hypothesis_items     # of this round
    cdef PyObject **reference_items
    cdef unsigned char left[ROUND_SEGMENTS]      # whether a segment is left to the leader

    def __cinit__(self, list workers not None, hypotheses, references, array rows not None, bint keep_rows,
                  int64_t least_total, Py_ssize_t before):
        """`rows` is where the result goes, one row or all; the first of the `workers` leads."""
        if not (is_list_or_tuple(hypotheses) and is_list_or_tuple(references)):
            raise TypeError("expected two lists or tuples")
        self.hypotheses, self.references = hypotheses, references
        self.rows, self.kept = rows, numbers(rows)
        self.keep_rows, self.least_total, self.before = keep_rows, least_total, before
        self.joined = []
        self.taking, self.has_joined = held_lock(), held_lock()
        self.thread_states = [_ThreadState(worker.packer, worker.counter) for worker in workers]
        self.max_order = (<_ThreadState> self.thread_states[0]).counter.max_order
        PyThread_release_lock(self.taking)

    def __dealloc__(self):
        free_lock(self.taking)
        free_lock(self.has_joined)

    def follow(self, Py_ssize_t number):
        """Count in all rounds, as worker `number`, until they are over."""
        cdef _ThreadState state = self.thread_states[number]
        cdef PackedSegments packer = state.packer
        cdef SegmentCounter counter = state.counter
        if self.over:
            return
        self.joined.append(state)
        if len(self.joined) == 1:
            PyThread_release_lock(self.has_joined)
        with nogil:
            while True:
                wait_for(state.begin)
                if self.over:
                    break
                self.count_plain_segments(state, packer, counter)
                PyThread_release_lock(state.ended)

    def lead(self):
        """Count the segments of one round together with the followers; their number, 0 at the end."""
        cdef _ThreadState leader = self.thread_states[0], state
        cdef list others
        cdef Py_ssize_t segment
        PyErr_CheckSignals()
        with nogil:                      # lets other threads have the GIL for a moment
            if self.stop == 0 and not acquire_soon(self.has_joined):
                PyThread_acquire_lock_timed(self.has_joined, JOIN_TIME, False)
        # The lists may have changed while user code ran.
        self.first = self.next_segment = self.stop
        self.stop = min(size_of(self.hypotheses), size_of(self.references), self.first + ROUND_SEGMENTS)
        self.hypothesis_items = PySequence_Fast_ITEMS(self.hypotheses)
        self.reference_items = PySequence_Fast_ITEMS(self.references)
        memset(self.left, False, ROUND_SEGMENTS)
        others = [] if self.over else self.joined[:]
        for state in others:
            PyThread_release_lock(state.begin)
        self.count_plain_segments(leader, leader.packer, leader.counter)
        for state in others:
            wait_for(state.ended)
        for segment in range(self.first, self.stop):
            if self.left[segment - self.first] and not self.count_left(leader, segment):
                self.stop = segment
                break
        return max(self.stop - self.first, 0)

    def end(self):
        """End the rounds for all followers; may be called again."""
        cdef _ThreadState state
        if self.over:
            return
        self.over = True
        for state in self.joined:
            PyThread_release_lock(state.begin)

    def close(self):
        """Drop the lists; unless rows are kept, add up the sums of all threads."""
        self.hypotheses = self.references = ()
        if not self.keep_rows:
            for state in self.thread_states:
                accumulate_rows((<_ThreadState> state).rows, 1, self.rows)

    cdef bint count_left(self, _ThreadState leader, Py_ssize_t segment) except -1:
        """Count a segment that is not plain; False if user code has removed it."""
        cdef object only = slice(segment, segment + 1)
        if not (<object> leader.packer).fill(
                self.hypotheses[only], self.references[only], 0, self.before + segment):
            return False
        leader.counter.count_only(leader.packer, self.row_of(leader, segment))
        if not self.keep_rows:
            add_row(leader.row, leader.sum, self.max_order, self.least_total)
        return True

    cdef void count_plain_segments(self, _ThreadState state, PackedSegments packer,
                                   SegmentCounter counter) noexcept nogil:
        """Count plain segments until none is left in this round."""
        cdef Py_ssize_t segment, start, end, stop, steps = 0
        while True:
            PyThread_acquire_lock(self.taking, WAIT_LOCK)
            if steps > ROUND_STEPS:
                self.stop = min(self.stop, self.next_segment)
            start, stop = self.next_segment, self.stop
            self.next_segment = end = min(start + TAKEN_SEGMENTS, stop)
            PyThread_release_lock(self.taking)
            if start >= end:
                break
            for segment in range(start, end):
                packer.prefetch(self.hypothesis_items, self.reference_items, segment, stop)
                if not counter.count_plain(packer, self.hypothesis_items[segment],
                                           self.reference_items[segment], self.row_of(state, segment)):
                    self.left[segment - self.first] = True
                else:
                    steps += packer.since_poll + counter.since_poll
                    if not self.keep_rows:
                        add_row(state.row, state.sum, self.max_order, self.least_total)

    cdef int64_t *row_of(self, _ThreadState state, Py_ssize_t segment) noexcept nogil:
        """Where the row of a segment goes."""
        return self.kept + segment * (2 + 2 * self.max_order) if self.keep_rows else state.row

"""Counting a batch: checked segments in, rows of counts out.

`count_batch` trusts the layout of what it is given; `count_input` (input.py) checks it first.

Thread-safety. Each thread has a worker of its own; workers that are not in use are shared (Pool).
"""

from cpython.array cimport array

from fastbleu._core cimport SegmentCounter
from fastbleu._packed cimport PackedSegments
from fastbleu.counting._tokens cimport TokenPacker

from _thread import allocate_lock as _Lock

from fastbleu._core import accumulate_rows, zero_rows
from fastbleu.counting._ids import CHUNK_IDS as _CHUNK_IDS
from fastbleu.counting._tokens import TokenRounds
from fastbleu.counting.stats import Stats
from fastbleu.inputs._ids import IdRows
from fastbleu.inputs._utf8 import Utf8Rows
from fastbleu.inputs.segments import changed_while_read
from fastbleu.runtime.threads import run_on_threads


cdef class Counted:
    """What counting a batch tells: `stats` are the rows of all segments, or one row, their sum."""

    cdef public object stats
    cdef public Py_ssize_t segments
    cdef public Py_ssize_t nrefs               # of every segment; -1 where their number varies
    cdef public Py_ssize_t tokenized_periods   # hypotheses that end in " ."; 0 for tokens
    cdef public bint label_padding             # whether the id -100 was counted
    # Of lists of tokens: the last segment as it was read, (hypothesis, references).
    cdef public object last_segment
    # Of a dialect that counts tokens itself: (hypothesis, references) of each segment.
    cdef public object tokens

    def __cinit__(self, Py_ssize_t rows, int max_order):
        self.stats = Stats._own(zero_rows(rows, max_order), max_order)
        self.last_segment = (None, None)

    def add(self, Counted other not None, bint keep_rows):
        """Add what counting the next segments tells; `keep_rows` as for `count_batch`."""
        rows = other.stats._rows
        if keep_rows and not self.segments:
            self.stats = other.stats
        elif keep_rows:
            self.stats._rows.extend(rows)
        else:
            accumulate_rows(rows, 1, self.stats._rows)
        self.segments += other.segments
        self.nrefs = joint_nrefs(self.nrefs, other.nrefs)
        self.tokenized_periods += other.tokenized_periods
        self.label_padding |= other.label_padding
        self.last_segment = other.last_segment

    cdef int note(self, PackedSegments packer) except -1:
        """Add what a packer tells of the segments that it has packed."""
        self.nrefs = joint_nrefs(self.nrefs, packer.nrefs)
        self.tokenized_periods += (<object> packer).tokenized_periods      # which subclasses override
        self.label_padding |= packer.label_padding
        if type(packer) is TokenPacker:
            self.last_segment = (<TokenPacker> packer).last_hypothesis, (<TokenPacker> packer).last_references
        return 0


cpdef Py_ssize_t joint_nrefs(Py_ssize_t one, Py_ssize_t other) noexcept:
    """The references of every segment of two corpora together: see `Counted.nrefs`."""
    if one == other or other == 0:
        return one
    return -1 if one else other


cdef class Worker:
    """What one thread counts with."""

    cdef readonly object packer
    cdef readonly SegmentCounter counter

    def __cinit__(self, packer, SegmentCounter counter not None):
        self.packer = packer
        self.counter = counter

    def reset(self):
        """See PackedSegments."""
        self.packer.reset()

    @property
    def capacity(self):
        return self.packer.capacity

    @property
    def cancelled(self):
        return self.counter.cancelled

    @cancelled.setter
    def cancelled(self, bint value):
        self.packer.cancelled = self.counter.cancelled = value

    cdef int count(self, array rows, Py_ssize_t first, bint keep_rows, bint raise_totals,
                   object bar) except -1:
        """Count the segments that are packed."""
        if keep_rows:
            self.counter.count(self.packer, rows, first)
        else:
            self.counter.count_sum(self.packer, rows, raise_totals)
        if bar is not None:
            bar.update(len(self.packer))
        return 0


def count_batch(hypotheses, references, options, *, bint keep_rows=True, Py_ssize_t before=0, bar=None):
    """Count segments, in lists or tuples, IdRows or Utf8Rows, whose layout was checked.

    Without `keep_rows` the result has one row, the sum of all, and memory does not grow with the
    corpus. `before` is the number of segments before these, for messages; `bar` is advanced.
    """
    cdef object kind = type(hypotheses) if type(hypotheses) in (IdRows, Utf8Rows) else list
    cdef Py_ssize_t segments = len(hypotheses), read = 0, taken
    cdef bint raise_totals = options.raise_totals
    cdef Counted counted = Counted(segments if keep_rows else 1, options.max_order)
    cdef array rows = counted.stats._rows
    cdef Worker worker
    idle = options.idle[kind]
    workers = [idle.acquire(options.new_worker, kind)]
    if options.threads > 1:
        threads = useful_threads(hypotheses, references, options)
        workers += [idle.acquire(options.new_worker, kind) for _ in range(threads - 1)]
    if len(workers) == 1:
        worker = workers[0]
        while read < segments:
            taken = worker.packer.fill(hypotheses, references, read, before)
            if taken == 0:
                break
            worker.count(rows, read, keep_rows, raise_totals, bar)
            read += taken
    elif kind is list and options.tokenizer is None and TokenRounds.possible:
        rounds = TokenRounds(
            hypotheses, references, rows, options.max_order, keep_rows, raise_totals, before)
        read = count_in_rounds(rounds, workers, bar)
        if not keep_rows:
            rounds.add_sums()
    else:
        read = count_in_turns(
            hypotheses, references, workers, rows, keep_rows, raise_totals, before, bar)
    for worker in workers:
        counted.note(worker.packer)
        idle.release(worker)
    if read != segments and not options.checks.lists_may_change:
        raise changed_while_read(segments, read, hypotheses, references)
    counted.segments = read
    return counted


cdef Py_ssize_t count_in_rounds(object rounds, list workers, object bar) except -1:
    """Count lists of tokens with several workers at the same time; the number of segments."""
    cdef Py_ssize_t read = 0

    def take_part(Worker worker):
        nonlocal read
        cdef Py_ssize_t taken
        if worker is not workers[0]:
            rounds.follow(worker.packer, worker.counter)
            return
        try:
            while True:
                taken = rounds.lead(worker.packer, worker.counter)
                if taken == 0:
                    break
                read += taken
                if bar is not None:
                    bar.update(taken)
        finally:
            rounds.end()

    run_on_threads(take_part, workers)
    return read


cdef Py_ssize_t count_in_turns(
        object hypotheses, object references, list workers, array rows, bint keep_rows, bint raise_totals,
        Py_ssize_t before, object bar) except -1:
    """Count with several workers, which read one after the other; the number of segments."""
    cdef Py_ssize_t read = 0
    reading = _Lock()

    def take_turns(Worker worker):
        nonlocal read
        cdef Py_ssize_t first
        while not worker.counter.cancelled:
            reading.acquire()
            try:
                first = read
                read += worker.packer.fill(hypotheses, references, first, before)
            finally:
                reading.release()
            if not len(worker.packer):
                break
            worker.count(rows, first, keep_rows, raise_totals, bar)

    run_on_threads(take_turns, workers)
    return read


cdef Py_ssize_t useful_threads(object hypotheses, object references, object options) except -1:
    """How many threads have work."""
    if type(hypotheses) is IdRows:
        chunks = (hypotheses.size + references.size) // _CHUNK_IDS
    elif options.tokenizer is not None and options.tokenizer.function is not None:
        return 1  # a user's function may not be safe on several
    else:
        chunks = len(hypotheses) // TokenPacker.chunk_segments
    return min(1 + chunks, options.threads)

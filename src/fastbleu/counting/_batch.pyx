"""Counting a batch: checked segments in, rows of counts out; and running totals of batches.

`count_batch` trusts the layout of what it is given; `count_input` (input.py) checks it first.

Thread-safety. Each thread has a worker of its own; workers that are not in use are shared (Pool).
Totals never change.
"""

from cpython.array cimport array

from fastbleu._core cimport accumulate_rows, SegmentCounter, zero_rows
from fastbleu._packed cimport PackedSegments
from fastbleu.counting._tokens cimport TokenPacker
from fastbleu.kernel.sequences cimport is_list_or_tuple
from fastbleu.kernel.tables cimport LISTED_TOKENS
from fastbleu.runtime._process cimport Cell

from _thread import allocate_lock as _Lock

from fastbleu.counting._ids import CHUNK_IDS as _CHUNK_IDS
from fastbleu.counting._rounds import Rounds
from fastbleu.counting.stats import Stats
from fastbleu.inputs._ids import IdRows
from fastbleu.inputs._utf8 import Utf8Rows
from fastbleu.inputs.segments import changed_while_read
from fastbleu.runtime.threads import run_on_threads


# Segments that tell whether most are short.
cdef Py_ssize_t SAMPLED = 16


cdef class Counted:
    """The result of counting a batch."""

    cdef readonly array rows                   # of all segments, or one, their sum
    cdef readonly int max_order
    cdef public Py_ssize_t segments
    cdef public Py_ssize_t nrefs               # of every segment; -1 where their number varies
    cdef public Py_ssize_t tokenized_periods   # hypotheses that end in " ."; 0 for tokens
    cdef public bint label_padding             # whether the id -100 was counted
    # Of lists of tokens: the last segment as it was read, (hypothesis, references).
    cdef public object last_segment
    # Of a dialect that counts tokens itself: (hypothesis, references) of each segment.
    cdef public object tokens

    def __cinit__(self, Py_ssize_t rows, int max_order):
        self.rows = zero_rows(rows, max_order)
        self.max_order = max_order
        self.last_segment = (None, None)

    @property
    def stats(self):
        """The rows, not copied, as Stats."""
        return Stats._own(self.rows, self.max_order)

    @stats.setter
    def stats(self, stats):
        self.rows = stats._rows

    def add(self, Counted other not None, bint keep_rows):
        """Add what counting the next segments tells; `keep_rows` as for `count_batch`."""
        if keep_rows and not self.segments:
            self.rows = other.rows
        elif keep_rows:
            self.rows.extend(other.rows)
        else:
            accumulate_rows(other.rows, 1, self.rows)
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


cdef class Totals:
    """The sum of the counts of any number of corpora: a value that never changes.

    Adding replaces the object, so that exceptions, signals and other threads never see a partial sum.
    `segments` and `nrefs` are None if they are unknown, because the row came from a state.
    """

    cdef readonly array row
    cdef readonly object segments, nrefs, tokenized_periods
    cdef object kept           # what was kept before, and the rows of the last corpus; None: nothing

    def __cinit__(self, array row not None, segments=0, nrefs=0, tokenized_periods=0, rows=None):
        self.row = row
        self.segments = segments
        self.nrefs = nrefs
        self.tokenized_periods = tokenized_periods
        self.kept = None if rows is None else (None, rows)

    @staticmethod
    def zero(max_order):
        """Those of no segments."""
        return Totals(zero_rows(1, max_order))

    @staticmethod
    def of(Counted counted not None, array row, bint keep):
        """Those of one corpus, whose rows, as a dialect adapts them, add up to `row`."""
        rows = counted.stats if keep and len(counted.rows) else None
        return Totals(row, counted.segments, counted.nrefs, counted.tokenized_periods, rows)

    def plus(self, Totals other not None):
        """Both together; OverflowError where a sum leaves int64."""
        cdef Totals total
        row = self.row[:]
        accumulate_rows(other.row, 1, row)
        segments = nrefs = None
        if self.segments is not None and other.segments is not None:
            segments = self.segments + other.segments
            nrefs = joint_nrefs(self.nrefs or 0, other.nrefs or 0)
        total = Totals(row, segments, nrefs, self.tokenized_periods + other.tokenized_periods)
        total.kept = self.kept
        if other.kept is not None:
            total.kept = (self.kept, other.rows())
        return total

    def sum(self):
        """The sum of all rows as one row."""
        return Stats._own(self.row[:], self._max_order)

    def rows(self):
        """The rows that were kept."""
        parts = []
        kept = self.kept
        while kept is not None:
            kept, rows = kept
            parts.append(rows)
        return Stats.concatenate([Stats.zeros(0, self._max_order), *reversed(parts)])

    @property
    def _max_order(self):
        return len(self.row) // 2 - 1

    def _compared(self):
        return self.row, self.segments, self.nrefs, self.tokenized_periods, self.rows()

    def __eq__(self, other):
        if not isinstance(other, Totals):
            return NotImplemented
        return self._compared() == other._compared()

    def __reduce__(self):
        rows = self.rows() if self.kept is not None else None
        return Totals, (self.row, self.segments, self.nrefs, self.tokenized_periods, rows)


cdef class RunningTotals(Cell):
    """The totals of a metric."""

    def add(self, Totals other not None):
        """Add totals; OverflowError, and nothing is added, where a sum leaves int64."""
        cdef Totals before = self.value
        # Another thread, a signal handler or a finalizer may add something in between.
        while not self.replace(before, before.plus(other)):
            before = self.value


cdef class Worker:
    """The memory with which one thread counts."""

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


def count_batch(hypotheses, references, options, *, bint keep_rows=True, Py_ssize_t before=0, bar=None,
                meanwhile=None):
    """Count segments, in lists or tuples, IdRows or Utf8Rows, whose layout was checked.

    Without `keep_rows` the result has one row, the sum of all, and memory does not grow with the
    corpus. `before` is the number of segments before these, for messages; `bar` is advanced. If
    there are several threads, the calling one calls `meanwhile` before it counts.
    """
    cdef object kind = type(hypotheses) if type(hypotheses) in (IdRows, Utf8Rows) else list
    cdef Py_ssize_t segments = len(hypotheses), read = 0, taken
    cdef bint raise_totals = options.raise_totals
    cdef Counted counted = Counted(segments if keep_rows else 1, options.max_order)
    cdef array rows = counted.rows
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
    elif kind is list and meanwhile is None and are_plain(hypotheses, references, options):
        pairs = [(its.packer, its.counter) for its in workers]
        rounds = Rounds(pairs, hypotheses, references, rows, keep_rows, raise_totals, before)
        read = count_in_rounds(rounds, workers, bar)
        rounds.close()
    else:
        read = count_in_turns(
            hypotheses, references, workers, rows, keep_rows, raise_totals, before, bar, meanwhile)
    for worker in workers:
        counted.note(worker.packer)
        idle.release(worker)
    if read != segments and not options.checks.lists_may_change:
        raise changed_while_read(segments, read, hypotheses, references)
    counted.segments = read
    return counted


cdef Py_ssize_t count_in_rounds(object rounds, list workers, object bar) except -1:
    """Count lists with several workers at the same time; the number of segments."""
    cdef Py_ssize_t read = 0

    def take_part(Worker worker):
        nonlocal read
        cdef Py_ssize_t taken
        if worker is not workers[0]:
            rounds.follow(workers.index(worker))
            return
        try:
            while True:
                taken = rounds.lead()
                if taken == 0:
                    break
                read += taken
                if bar is not None:
                    bar.update(taken)
        finally:
            rounds.end()

    run_on_threads(take_part, workers, rounds.end)
    return read


cdef Py_ssize_t count_in_turns(
        object hypotheses, object references, list workers, array rows, bint keep_rows, bint raise_totals,
        Py_ssize_t before, object bar, object meanwhile) except -1:
    """Count with several workers, which read one after the other; the number of segments."""
    cdef Py_ssize_t read = 0
    reading = _Lock()

    def take_turns(Worker worker):
        nonlocal read
        cdef Py_ssize_t first
        if meanwhile is not None and worker is workers[0]:
            meanwhile()
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


cdef bint are_plain(object hypotheses, object references, object options) except -1:
    """Whether several threads can count most of the segments at the same time."""
    cdef Py_ssize_t longest = 4 * LISTED_TOKENS if options.tokenizer is not None else LISTED_TOKENS
    # Lowering may need the GIL, which the leader of a round holds while it waits.
    if not (Rounds.possible and is_list_or_tuple(hypotheses) and is_list_or_tuple(references)) or (
            options.tokenizer is not None and (options.lowercase or not options.reads_utf8)):
        return False
    some = hypotheses[::max(1, len(hypotheses) // SAMPLED)]
    return 2 * sum([type(it) in (str, list, tuple) and len(it) > longest for it in some]) <= len(some)


cdef Py_ssize_t useful_threads(object hypotheses, object references, object options) except -1:
    """How many threads have work."""
    if type(hypotheses) is IdRows:
        chunks = (hypotheses.size + references.size) // _CHUNK_IDS
    elif options.tokenizer is not None and options.tokenizer.function is not None:
        return 1  # a user's function may not be safe on several
    elif options.tokenizer is None and is_list_or_tuple(hypotheses) and not Rounds.possible:
        return 1  # reading, most of the work, would go on in one thread at a time
    else:
        chunks = len(hypotheses) // TokenPacker.chunk_segments
    return min(1 + chunks, options.threads)

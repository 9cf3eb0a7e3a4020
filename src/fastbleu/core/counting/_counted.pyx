"""Counting: checked segments in, rows of counts out; and running totals.

`CounterBase` is the core of `Counter` (counter.py); it trusts the layout of its input.

Thread-safety. Each thread has a worker of its own; workers that are not in use are shared (Pool).
Sums never change.
"""

import cython
from cpython.array cimport array, clone, copy
from cpython.unicode cimport PyUnicode_CheckExact
from libc.stdint cimport int64_t

from fastbleu._core cimport accumulate_rows, numbers, SegmentCounter, zero_rows
from fastbleu.core.counting._packed cimport CHUNK_IDS, CHUNK_SEGMENTS, PackedSegments, Signs
from fastbleu.core.counting._token_packer cimport TokenPacker
from fastbleu.core.inputs._batch cimport Batch, InputKind, plain_batch
from fastbleu.core.inputs._id_rows cimport IdRows
from fastbleu.core.kernel.sequences cimport is_list_or_tuple, item_at, size_of
from fastbleu.core.runtime._process cimport Cell, LARGEST_IDLE, Pool

from _thread import allocate_lock as _Lock

from fastbleu.core.counting.stats import AdaptedRows, Stats
from fastbleu.core.inputs import mistakes as _mistakes
from fastbleu.core.inputs.checks import changed_while_read
from fastbleu.core.inputs.read import read_checked
from fastbleu.core.runtime.threads import run_on_threads

cdef array _NUMBERS = array("q")
cdef Py_ssize_t MIN_SEQUENCES_TO_WARN = _mistakes.MIN_SEQUENCES_TO_WARN
cdef Py_ssize_t SHIFT_SAMPLE = _mistakes.SHIFT_SAMPLE
cdef Py_ssize_t LARGEST_SQUARE = _mistakes.LARGEST_SQUARE


@cython.freelist(8)
cdef class Counted:
    """The result of counting a batch."""

    def __init__(self, Py_ssize_t segments, int max_order, bint keep_rows=True):
        self.begin(segments, max_order, keep_rows)
        self.signs = Signs.__new__(Signs)

    cdef int begin(self, Py_ssize_t segments, int max_order, bint keep_rows) except -1:
        self.rows = zero_rows(segments if keep_rows else 1, max_order)
        if keep_rows:
            self.reference_counts = clone(_NUMBERS, segments, segments > 0)  # an empty array has no memory
        self.keep_rows = keep_rows
        self.max_order = max_order
        self.last_segment = (None, None)
        return 0

    @property
    def stats(self):
        """The rows, not copied, as Stats."""
        return Stats._own(self.rows, self.max_order)

    @stats.setter
    def stats(self, stats):
        self.rows = stats._rows

    def look_unrelated(self, Py_ssize_t most, Py_ssize_t times=10):
        """Whether the last `most` rows, or their sum, match less than one of so many bigrams."""
        cdef Py_ssize_t width = 2 + 2 * <Py_ssize_t> self.max_order, count = len(self.rows) // width, row
        cdef const int64_t *values = numbers(self.rows)
        cdef int64_t matches = 0, totals = 0
        if self.max_order < 2:
            return False
        for row in range(max(0, count - most), count):
            matches += values[row * width + 3]
            totals += values[row * width + 3 + self.max_order]
        return times * matches <= totals

    def add(self, Counted other not None):
        """Add the counts of the segments after these."""
        if self.keep_rows and not self.segments:
            self.rows, self.reference_counts = other.rows, other.reference_counts
        elif self.keep_rows:
            self.rows.extend(other.rows)
            self.reference_counts.extend(other.reference_counts)
        else:
            accumulate_rows(other.rows, 1, self.rows)
        self.segments += other.segments
        self.nrefs = joint_nrefs(self.nrefs, other.nrefs)
        self.signs.add(other.signs)
        self.last_segment = other.last_segment
        if other.tokenizers is not None:
            self.tokenizers = other.tokenizers | (self.tokenizers or frozenset())

    cdef int note(self, Worker worker) except -1:
        """Add what a worker has noted about its segments."""
        cdef PackedSegments packer = worker.packer
        self.nrefs = joint_nrefs(self.nrefs, packer.nrefs)
        if self.signs is None:           # not copied: the packer's next reset makes others
            self.signs = packer.signs
        else:
            self.signs.add(packer.signs)
        if type(packer) is TokenPacker:
            self.last_segment = (<TokenPacker> packer).last_hypothesis, (<TokenPacker> packer).last_references
        return 0


cpdef Py_ssize_t joint_nrefs(Py_ssize_t one, Py_ssize_t other) noexcept:
    """`Counted.nrefs` of two corpora together."""
    if one == other or other == 0:
        return one
    return -1 if one else other


@cython.freelist(8)
cdef class Sums:
    """What a dialect adds up over any number of corpora: a value that never changes.

    Only a `Scorer` makes one, from rows that its dialect has adapted, and nothing adapts them again. Adding
    makes a new object, so that exceptions, signals and other threads never see a partial sum. `segments` and
    `nrefs` are None if they are unknown, because the row came from a state; `nrefs` also for rows of numbers.
    """

    cdef readonly array row    # the sum of the adapted rows
    cdef readonly object segments, nrefs
    cdef readonly Signs signs
    cdef object kept           # (`kept` of the corpora before, Stats of the last corpus) or None
    cdef public list extra     # of one corpus: see `Counted`
    cdef readonly frozenset tokenizers      # see `Counted`

    def __init__(self, array row not None, segments=0, nrefs=0, tokenized_periods=0, rows=None,
                 frozenset tokenizers=None):
        numbers(row)
        if len(row) < 4 or len(row) % 2:
            raise ValueError(f"a state has {len(row)} numbers, expected 2 + 2 * max_ngram_order")
        if rows is not None and len(rows._rows) != (segments or 0) * len(row):
            raise ValueError(f"the rows of {segments} segments have {len(rows._rows)} numbers")
        self.row = row
        self.segments = segments
        self.nrefs = nrefs
        self.signs = Signs.__new__(Signs)
        self.signs.tokenized_periods = tokenized_periods
        self.kept = None if rows is None else (None, rows)
        self.tokenizers = tokenizers

    @staticmethod
    def zero(max_order):
        """The sums of no segments."""
        return Sums(zero_rows(1, max_order))

    @staticmethod
    def from_counts(Counted counted not None, bint keep_rows=False, array adapted=None):
        """The sums of one corpus; `adapted` are the rows to add up, if they are not the counted ones."""
        cdef Sums total = Sums.__new__(Sums)
        total.row = counted.rows
        if counted.keep_rows:
            total.row = zero_rows(1, counted.max_order)
            accumulate_rows(counted.rows if adapted is None else adapted, counted.segments, total.row)
        if keep_rows and counted.segments:
            total.kept = (None, counted.stats)
        total.segments = counted.segments
        if counted.nrefs or not counted.segments:     # otherwise of Stats made of numbers
            total.nrefs = counted.nrefs
        total.signs = counted.signs
        total.tokenizers = counted.tokenizers
        total.extra = counted.extra
        return total

    @property
    def noted(self):
        """What a `Score` keeps, without rows and tokens of segments: (row, segments, nrefs, tokenizers)."""
        return self.row, self.segments, self.nrefs, self.tokenizers

    @property
    def are_unusual(self):
        """Whether `Scorer.score` may have to warn.

        Hypotheses end in " .", references are blank, all tokens match, or no hypothesis is long enough.
        """
        cdef const int64_t *row = numbers(self.row)
        cdef Py_ssize_t width = len(self.row)
        return ((row[0] == row[1] and row[2] == row[1 + width // 2]) or row[width - 1] == 0
                or row[1] == 0
                or self.signs.blank_references != 0 or self.signs.tokenized_periods != 0)

    def __add__(self, Sums other not None):
        """The sums of both; OverflowError if a number does not fit into int64."""
        cdef Sums total = Sums.__new__(Sums)
        total.row = copy(self.row)
        accumulate_rows(other.row, 1, total.row)
        if self.segments is not None and other.segments is not None:
            total.segments = self.segments + other.segments
            if self.nrefs is not None and other.nrefs is not None:
                total.nrefs = joint_nrefs(self.nrefs, other.nrefs)
        total.signs = Signs.__new__(Signs)
        total.signs.add(self.signs)
        total.signs.add(other.signs)
        total.kept = self.kept
        if other.kept is not None:
            total.kept = (self.kept, other.rows())
        if self.tokenizers is not None or other.tokenizers is not None:
            total.tokenizers = self.used() | other.used()
        return total

    cdef frozenset used(self):
        """The tokenizers, also if only the counter's own was used."""
        if self.tokenizers is None:
            return frozenset([None] if self.segments != 0 else [])
        return self.tokenizers

    def adapted(self):
        """The row as `AdaptedRows`."""
        return AdaptedRows._own(self.row[:], self._max_order)

    def rows(self):
        """The rows that were kept, as they were counted; those of one corpus are not copied."""
        parts = []
        kept = self.kept
        if kept is not None and kept[0] is None:
            return kept[1]
        while kept is not None:
            kept, rows = kept
            parts.append(rows)
        return Stats.concatenate([Stats.zeros(0, self._max_order), *reversed(parts)])

    @property
    def _max_order(self):
        return len(self.row) // 2 - 1

    def _compared(self):
        periods = self.signs.tokenized_periods
        return self.row, self.segments, self.nrefs, periods, self.rows(), self.tokenizers

    def __eq__(self, other):
        if not isinstance(other, Sums):
            return NotImplemented
        return self._compared() == other._compared()

    def __reduce__(self):
        rows = self.rows() if self.kept is not None else None
        noted = self.row, self.segments, self.nrefs, self.signs.tokenized_periods
        return Sums, (*noted, rows, self.tokenizers)


cdef class RunningSums(Cell):
    """The sums of a metric."""

    def add(self, Sums other not None):
        """Add sums; if one does not fit into int64, raise OverflowError and add nothing."""
        cdef Sums before = self.value
        # Another thread, a signal handler or a finalizer may add something in between.
        while not self.compare_and_swap(before, before + other):
            before = self.value


cdef class Worker:
    """The memory with which one thread counts."""

    def __cinit__(self, PackedSegments packer not None, SegmentCounter counter not None):
        self.packer = packer
        self.counter = counter

    @property
    def cancelled(self):
        return self.counter.cancelled

    @cancelled.setter
    def cancelled(self, bint value):
        self.packer.cancelled = self.counter.cancelled = value

    cdef int count(self, Counted counted, Py_ssize_t first, object bar) except -1:
        """Count the packed segments, from number `first` on."""
        cdef Py_ssize_t segment
        if counted.keep_rows:
            self.counter.count(self.packer, counted.rows, first)
            for segment in range(self.packer.segment_count):
                counted.reference_counts.data.as_longlongs[first + segment] = (
                    self.packer.segments[segment].references)
        else:
            self.counter.count_sum(self.packer, counted.rows)
        if bar is not None:
            bar.update(self.packer.segment_count)
        return 0

    cdef int give_back(self, Pool idle) except -1:
        """Keep this for the next call, unless it has much memory."""
        if self.packer.memory() <= LARGEST_IDLE:
            self.packer.reset()
            idle.keep(self)
        return 0


cdef class CounterBase(InputKind):
    """The compiled part of `Counter`, which sets the attributes.

    Attributes
    ----------
    threads : int
    watch : MistakeWatch
    choose : callable or None
        For "auto": returns the tokenizer for a text.
    unlooked : int
        The segments that will still be counted before a sample of texts is looked at.
    is_due : bool
        Whether it is time for that.
    was_examined : bool
        Whether batches need to be examined for mistakes only if they look unusual.
    """

    cdef Pool idle_for(self, object hypotheses):
        """The workers for hypotheses of this type."""
        cdef Pool idle
        with cython.critical_section(self):
            if type(hypotheses) is IdRows:
                if self.idle_of_ids is None:
                    self.idle_of_ids = Pool(self.threads)
                idle = self.idle_of_ids
            else:
                if self.idle is None:
                    self.idle = Pool(self.threads)
                idle = self.idle
        return idle

    def read(self, hypotheses, references, hypothesis_mask=None, reference_mask=None, missing="error",
             join=None):
        """Check hypotheses and references, and find out how they can be counted.

        Parameters
        ----------
        hypotheses, references, hypothesis_mask, reference_mask, missing, join
            As for `fastbleu.BLEU.score`, with its errors.

        Returns
        -------
        Batch
            Columns are read when they are counted, so errors in them may be raised there.
        """
        if (hypothesis_mask is None and reference_mask is None and join is None and type(missing) is str
                and missing == "error"):
            batch = plain_batch(hypotheses, references, self)
            if batch is not None:
                return batch
        return read_checked(hypotheses, references, self, hypothesis_mask, reference_mask, missing, join)

    def count(self, batch, bint keep_rows=True, bint progress=False, meanwhile=None):
        """Count a batch.

        Parameters
        ----------
        keep_rows : bool, default True
            Whether each segment has a row; otherwise there is one row, the sum of all, and memory
            does not grow with the batch.
        progress : bool, default False
            Show a progress bar.
        meanwhile : callable, optional
            Called once while other threads count.
        """
        cdef Batch whole
        cdef Counted counted
        # A ColumnBatch has several blocks.
        if progress or type(batch) is not Batch or self.choose is not None:
            return self._count_blocks(batch, keep_rows, progress)
        whole = <Batch> batch
        if whole.present is not None:
            return self._count_blocks(batch, keep_rows, progress)
        counted = count_segments(self, whole, keep_rows, None, meanwhile)
        if whole.warns and (not self.was_examined or self.is_due or counted.signs.tokenized_periods != 0
                            or look_unusual(counted, whole)):
            self.watch.examine(self, whole, counted)
        return counted


cdef bint look_unusual(Counted counted, Batch batch) except -1:
    """Whether segments may have a mistake that `MistakeWatch` looks for in every batch."""
    cdef Py_ssize_t segments = counted.segments
    cdef const int64_t *row = numbers(counted.rows)
    if type(batch.hypotheses) is IdRows:
        return segments > 0 and (row[0] == 0 or row[1] == 0 or counted.signs.label_padding)
    # Single pairs may differ in all words by chance.
    if segments >= MIN_SEQUENCES_TO_WARN and counted.look_unrelated(SHIFT_SAMPLE):
        return True
    if not (1 < segments <= LARGEST_SQUARE and is_list_or_tuple(batch.references)
            and size_of(batch.references) > 0):
        return False
    first = item_at(batch.references, 0)
    return not PyUnicode_CheckExact(first) and (not is_list_or_tuple(first) or size_of(first) == segments)


cpdef Counted count_segments(CounterBase counter, Batch batch, bint keep_rows, bar=None, meanwhile=None):
    """Count a `Batch`, whose layout was checked, without warnings. Parameters are those of `count`.

    `bar` shows the progress.
    """
    cdef object hypotheses = batch.hypotheses, references = batch.references
    cdef Py_ssize_t segments = len(hypotheses), before = batch.before, read = 0, taken, threads
    cdef Pool idle = counter.idle_for(hypotheses)
    cdef Worker worker = idle.take()
    cdef Counted counted = Counted.__new__(Counted)
    cdef list workers
    if worker is None:
        worker = counter.new_worker(type(hypotheses))
    counted.begin(segments, worker.counter.max_order, keep_rows)
    threads = 1 if counter.threads == 1 else useful_threads(hypotheses, references, counter)
    if threads > 1:
        workers = [worker]
        workers += [idle.acquire(counter.new_worker, type(hypotheses)) for _ in range(threads - 1)]
        read = count_in_chunks(hypotheses, references, workers, counted, before, bar, meanwhile)
        for worker in workers[1:]:
            counted.note(worker)
            worker.give_back(idle)
        worker = workers[0]
    else:
        while read < segments:
            taken = worker.packer.fill(hypotheses, references, read, before)
            if taken == 0:
                break
            worker.count(counted, read, bar)
            read += taken
    counted.note(worker)
    worker.give_back(idle)
    if read != segments and not counter.checks.lists_may_change:
        raise changed_while_read(segments, read, hypotheses, references)
    counted.segments = read
    if counter.unlooked > 0:
        counter.unlooked -= read
        counter.is_due = counter.unlooked <= 0
    return counted


cdef Py_ssize_t count_in_chunks(
        object hypotheses, object references, list workers, Counted counted, Py_ssize_t before, object bar,
        object meanwhile) except -1:
    """Count with several workers, each a chunk at a time; return the number of segments."""
    cdef Py_ssize_t read = 0
    reading = _Lock()

    def count_chunks(Worker worker):
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
            if worker.packer.segment_count == 0:
                break
            worker.count(counted, first, bar)

    run_on_threads(count_chunks, workers)
    return read


cdef Py_ssize_t useful_threads(object hypotheses, object references, object counter) except -1:
    """How many threads have work."""
    if type(hypotheses) is IdRows:
        chunks = (hypotheses.size + references.size) // CHUNK_IDS
    elif counter.tokenizer is None and is_list_or_tuple(hypotheses):
        return 1  # reading, most of the work, holds the GIL
    elif counter.tokenizer is not None and not (
            counter.tokenizer.compiled or counter.tokenizer.line_writer or counter.tokenizer.packer):
        return 1  # a user's function may not be thread-safe
    else:
        chunks = len(hypotheses) // CHUNK_SEGMENTS
    return min(1 + chunks, counter.threads)

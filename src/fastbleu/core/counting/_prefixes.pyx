"""Counting the prefixes of hypotheses, and scoring them meanwhile.

The first occurrences of a clipped n-gram match (SegmentCounter.match_positions), so that the matches of a
prefix are those of the whole hypothesis that end in it.

Thread-safety. As in _counted.pyx.
"""

from cpython.array cimport array, clone, resize
from cpython.bytes cimport PyBytes_AS_STRING
from libc.stdint cimport int64_t
from libc.string cimport memcpy, memset

from fastbleu._core cimport MATCH_BITS, numbers, reference_length
from fastbleu.core.counting._packed cimport PackedSegments
from fastbleu.core.counting._counted cimport Counted, CounterBase, Worker
from fastbleu.core.counting._id_packer cimport IdPacker
from fastbleu.core.runtime._process cimport Buffer, buffer_of, Pool

from fastbleu.core.counting.stats import Stats
from fastbleu.core.inputs.checks import changed_while_read


# Rows of prefixes that are made at a time: few enough to stay in the cache.
cdef Py_ssize_t PREFIXES_AT_ONCE = 1280

cdef array _ROWS = array("q")


cdef class RowScorer:
    """Scores the rows of prefixes one by one, between a successful `acquire` and `release`."""

    cdef bint acquire(self) noexcept:
        return False

    cdef void release(self) noexcept:
        pass

    cdef bint score(self, const int64_t *row, double *score) noexcept nogil:
        """Set the score of a row; False if it must be scored in another way."""
        return False


def count_prefixes(CounterBase counter, hypotheses, references, Py_ssize_t length, take,
                   RowScorer scorer=None, scores=None):
    """Count the prefixes of up to `length` positions of hypotheses, in lists or IdRows of a checked layout.

    Fills `scores`, an array of float64, shape (segments, length), by `scorer`. If that is None, in use or
    fails, calls ``take(first, rows, numbers)`` for some segments at a time: the number of the first, the rows
    of their prefixes as Stats, and for each segment and position the number of its row. Returns what
    `Counter.count` returns.
    """
    cdef Py_ssize_t segments = len(hypotheses), read = 0, taken
    cdef Counted counted = Counted(0, counter.max_ngram_order)
    cdef Buffer found = None if scorer is None else buffer_of(scores, "d", 2)
    cdef bint scored
    cdef Pool idle = counter.idle_for(hypotheses)
    cdef Worker worker
    if counter.max_ngram_order > MATCH_BITS:
        raise ValueError(
            f"max_ngram_order is {counter.max_ngram_order}, but prefixes are counted for orders up to "
            f"{MATCH_BITS}")
    worker = idle.acquire(counter.new_worker, type(hypotheses))
    while read < segments:
        taken = worker.packer.fill(hypotheses, references, read, 0)
        if taken == 0:
            break
        positions, rows = worker.counter.match_positions(worker.packer)
        counted.rows.extend(rows)
        scored = False
        if scorer is not None and scorer.acquire():
            try:
                scored = count_prefixes_of_chunk(
                    worker, positions, length, read, take, scorer, <double *> found.view.buf + read * length)
            finally:
                scorer.release()
        if not scored:
            count_prefixes_of_chunk(worker, positions, length, read, take, None, NULL)
        read += taken
    counted.note(worker)
    worker.give_back(idle)
    if read != segments:
        raise changed_while_read(segments, read, hypotheses, references)
    counted.segments = read
    return counted


cdef void add_token(int64_t *row, Py_ssize_t order, const char *marks, int64_t count) noexcept nogil:
    """Update the row of a prefix to its first `count` tokens, at most one more than before."""
    cdef Py_ssize_t n
    row[0] = count
    for n in range(min(count, order)):
        row[2 + n] += marks[count - 1 - n] >> n & 1
        row[2 + order + n] += 1


cdef bint count_prefixes_of_chunk(Worker worker, bytes positions, Py_ssize_t length, Py_ssize_t before,
                                  object take, RowScorer scorer, double *scores) except -1:
    """Call `take` for the packed hypotheses, whose n-grams match at these positions, or fill `scores`.

    Returns False if `scorer` could not score all.
    """
    cdef PackedSegments packed = worker.packer
    cdef IdPacker ids = packed if type(packed) is IdPacker else None
    cdef int choice = worker.counter.choice
    cdef Py_ssize_t order = worker.counter.max_order, width = 2 + 2 * order
    cdef Py_ssize_t start, segment, position, written, at_once = 1 + PREFIXES_AT_ONCE // (length + 1)
    cdef const char *marks = PyBytes_AS_STRING(positions)
    cdef const int64_t *lengths = packed.lengths
    cdef int64_t *rows_end
    cdef int64_t *number
    cdef int64_t hyp_len, done, count
    cdef int64_t row[2 + 2 * MATCH_BITS]
    cdef int references
    cdef bint filtered, scores_rows = scorer is not None, all_scored = True
    cdef array rows, rows_of_positions
    if length == 0:      # arrays of nothing have no memory
        return True
    for start in range(0, packed.segment_count, at_once):
        at_once = min(at_once, packed.segment_count - start)
        rows = clone(_ROWS, at_once * length * width * (not scores_rows), False)
        rows_of_positions = clone(_ROWS, at_once * length, False)
        rows_end, number, written = numbers(rows), numbers(rows_of_positions), 0
        with nogil:
            for segment in range(start, start + at_once):
                hyp_len, done = lengths[0], 0
                references = packed.segments[segment].references
                memset(row, 0, sizeof(row))
                filtered = ids is not None and hyp_len < length
                if filtered:
                    ids.count_prefixes(segment, number, length)
                for position in range(length):
                    # Another thread may have changed the ids since they were packed.
                    count = min(number[position] if filtered else position + 1, hyp_len, done + 1)
                    if count > done or position == 0:
                        done = count
                        row[1] = reference_length(count, lengths + 1, references, choice)
                        add_token(row, order, marks, count)
                        if scores_rows:
                            all_scored &= scorer.score(row, scores + position)
                        else:
                            memcpy(rows_end, row, width * sizeof(int64_t))
                            rows_end += width
                            written += 1
                    elif scores_rows:
                        scores[position] = scores[position - 1]
                    number[position] = written - 1
                packed.worked(length)
                marks += hyp_len
                lengths += 1 + references
                number += length
                if scores_rows:
                    scores += length
        if not scores_rows:
            resize(rows, written * width)
            take(before + start, Stats._own(rows, order), rows_of_positions)
    return all_scored

"""The results of counting, and the classes that count. See _counted.pyx."""

from cpython.array cimport array
from libc.stdint cimport int64_t

from fastbleu._core cimport SegmentCounter
from fastbleu.core.counting._packed cimport PackedSegments, Signs
from fastbleu.core.inputs._batch cimport InputKind
from fastbleu.core.runtime._process cimport Pool


cdef class Counted:
    cdef readonly array rows                   # one for each segment, or their sum
    cdef readonly bint keep_rows               # whether one for each segment
    cdef readonly int max_order
    cdef public Py_ssize_t segments
    cdef public Py_ssize_t nrefs               # of every segment; -1 where their number varies
    cdef readonly array reference_counts       # of each segment, without padding; None without rows
    cdef readonly Signs signs
    # Of lists of tokens: the last segment as it was read, (hypothesis, references).
    cdef public object last_segment
    cdef public list present                   # whether each given segment was counted; None if all were
    # What a dialect's own Counter adds: a list with an entry for each segment.
    cdef public list extra
    # If segments have tokenizers of their own: the signatures of those used, None for the counter's own.
    cdef public frozenset tokenizers

    cdef int begin(self, Py_ssize_t segments, int max_order, bint keep_rows) except -1
    cdef int note(self, Worker worker) except -1


cdef class Worker:
    cdef readonly PackedSegments packer
    cdef readonly SegmentCounter counter

    cdef int count(self, Counted counted, Py_ssize_t first, object bar) except -1
    cdef int give_back(self, Pool idle) except -1


cdef class CounterBase(InputKind):
    cdef public Py_ssize_t threads
    cdef public object watch, choose
    cdef public bint was_examined, is_due
    cdef public Py_ssize_t unlooked
    # Workers that are not in use: for rows of ids, and for all else. None until they are needed.
    cdef Pool idle_of_ids, idle

    cdef Pool idle_for(self, object hypotheses)

"""nltk's dialect without detours: from one segment's tokens, or a corpus' sums, to the score.

A sentence_bleu call lasts about a microsecond, so it may not make arrays, Fractions or chunks: the
tokens are packed into memory that is kept between calls, counted, and scored on the stack. What is
out of the ordinary (other sequences than list and tuple, a user's own smoothing function, weights that
are no plain floats) is answered with None, and nltk.py takes the general way, which gives the same
float.

Thread-safety. The kept memory is marked as busy while it is used; a call that comes in meanwhile
(another thread, a hostile __eq__) works with memory of its own.
"""

from cpython.array cimport array
from cpython.exc cimport PyErr_CheckSignals
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.object cimport PyObject
from libc.stdint cimport int64_t

from fastbleu._core cimport SegmentCounter
from fastbleu.counting._tokens cimport TokenPacker
from fastbleu.dialects._nltk cimport (
    MAX_SCORED_ORDER, SMOOTH_ADD_K, SMOOTH_AVERAGE, SMOOTH_EXP, SMOOTH_FLOOR, SMOOTH_LENGTH,
    SMOOTH_LENGTH_AVERAGE, SMOOTH_NONE, combine, log_precisions, Smoothing)
from fastbleu.kernel.sequences cimport (
    is_list_or_tuple, PySequence_Fast_ITEMS, size_of, unchanging, unchanging_lists)
from fastbleu.runtime._process cimport Buffer, buffer_of, KeptMemory

import warnings

from fastbleu._core import MAX_ORDER as _MAX_ORDER
from fastbleu.inputs.segments import NltkDoor


cdef extern from "Python.h":
    bint PyMethod_Check(object candidate)
    PyObject *PyMethod_GET_FUNCTION(object method)
    PyObject *PyMethod_GET_SELF(object method)

cdef enum:
    MAX_WEIGHTS = 1024

# Rows between two looks for signals.
cdef Py_ssize_t POLL_ROWS = 1 << 15

# Memory above this is not kept for the next call.
cdef Py_ssize_t KEPT_IDS = 1 << 16

cdef object smoothing_class = None
cdef tuple smoothing_methods = ()
cdef list no_overlap_messages = []      # by order; the same object each time, so that its hash is cached


def use_smoothing(cls, no_overlap_message):
    """Tell this module which class holds the smoothing methods (all but 6) that it computes itself.

    The methods are kept as they are now: one that is replaced or overridden later is called and not
    guessed. `no_overlap_message(order)` is what method 0 warns of where an order has no match.
    """
    global smoothing_class, smoothing_methods, no_overlap_messages
    smoothing_class = cls
    smoothing_methods = (cls.method0, cls.method1, cls.method2, cls.method3, cls.method4,
                         cls.method5, cls.method7)
    no_overlap_messages = [no_overlap_message(order) for order in range(MAX_SCORED_ORDER + 1)]


cdef struct Plan:
    # How to score, read from the arguments before anything is counted.
    int vectors                       # number of weight vectors
    int max_order
    Smoothing smoothing
    double value
    int orders[MAX_WEIGHTS]           # length of each vector
    double weights[MAX_WEIGHTS]       # the vectors, end to end


cdef bint are_lists(object hypothesis, object references) noexcept:
    """Whether a segment needs nothing of the door but errors, so that the kept one will do."""
    cdef Py_ssize_t k
    if not (is_list_or_tuple(references) and is_list_or_tuple(hypothesis)):
        return False
    for k in range(size_of(references)):
        if not is_list_or_tuple(<object> PySequence_Fast_ITEMS(references)[k]):
            return False
    return True


cdef bint plain_number(object number, double *value):
    """The double that a float, or an int that fits, is; False for anything else."""
    if type(number) is float:
        value[0] = <double> number
        return True
    if type(number) is int and -(1 << 53) < number < 1 << 53:
        value[0] = <double> number
        return True
    return False


cdef bint plan_vector(Plan *plan, object vector, int *used):
    cdef Py_ssize_t i, length = size_of(vector)
    if length == 0 or length > MAX_SCORED_ORDER or used[0] + length > MAX_WEIGHTS:
        return False
    for i in range(length):
        if not plain_number(<object> PySequence_Fast_ITEMS(vector)[i], &plan.weights[used[0] + i]):
            return False
    used[0] += <int> length
    plan.orders[plan.vectors] = <int> length
    plan.vectors += 1
    plan.max_order = max(plan.max_order, <int> length)
    return True


cdef bint plan_weights(Plan *plan, object weights):
    cdef int used = 0
    plan.vectors = plan.max_order = 0
    weights = unchanging_lists(weights)
    if not is_list_or_tuple(weights) or size_of(weights) == 0:
        return False
    if not is_list_or_tuple(<object> PySequence_Fast_ITEMS(weights)[0]):
        return plan_vector(plan, weights, &used)
    for vector in weights:
        if not is_list_or_tuple(vector) or not plan_vector(plan, vector, &used):
            return False
    return True


cdef inline bint is_method(object candidate, object function):
    return PyMethod_Check(candidate) and PyMethod_GET_FUNCTION(candidate) == <PyObject *> function


cdef bint plan_smoothing(Plan *plan, object function) except -1:
    cdef PyObject *method
    plan.smoothing = SMOOTH_NONE
    plan.value = 0.0
    if function is None:
        return True
    if not PyMethod_Check(function):
        return False
    owner = <object> PyMethod_GET_SELF(function)
    if type(owner) is not smoothing_class:
        return False
    method = PyMethod_GET_FUNCTION(function)
    if method == <PyObject *> smoothing_methods[0]:
        return True
    if method == <PyObject *> smoothing_methods[1]:
        plan.smoothing = SMOOTH_FLOOR
        return plain_number(owner.epsilon, &plan.value)
    if method == <PyObject *> smoothing_methods[2]:
        plan.smoothing = SMOOTH_ADD_K
        plan.value = 1.0
        return True
    if method == <PyObject *> smoothing_methods[3]:
        plan.smoothing = SMOOTH_EXP
        return True
    if method == <PyObject *> smoothing_methods[4]:
        plan.smoothing = SMOOTH_LENGTH
        return plain_number(owner.k, &plan.value)
    if method == <PyObject *> smoothing_methods[5]:
        plan.smoothing = SMOOTH_AVERAGE
        return True
    if method == <PyObject *> smoothing_methods[6]:
        # This one calls methods 4 and 5 of the object, which may be others by now.
        plan.smoothing = SMOOTH_LENGTH_AVERAGE
        return (is_method(owner.method4, smoothing_methods[4])
                and is_method(owner.method5, smoothing_methods[5])
                and plain_number(owner.k, &plan.value))
    return False


cdef inline bint averages(const Plan *plan) noexcept:
    """Whether the smoothing looks at the fifth order of the last segment."""
    return plan.smoothing == SMOOTH_AVERAGE or plan.smoothing == SMOOTH_LENGTH_AVERAGE


cdef object score_row(Plan *plan, const int64_t *row, const int64_t *fifth, bint warn):
    """Score of a row whose totals are at least 1; None where doubles do not suffice."""
    cdef double logs[MAX_SCORED_ORDER]
    cdef bint counted[MAX_SCORED_ORDER]
    cdef double score
    cdef const double *weights = plan.weights
    cdef int n, vector
    cdef object result
    if row[2] == 0:
        return 0 if plan.vectors == 1 else [0] * plan.vectors
    if not log_precisions(
            row, plan.max_order, plan.smoothing, plan.value, fifth, logs, counted):
        return None
    if plan.vectors == 1:
        if not combine(row, logs, counted, weights, plan.orders[0], &score):
            return None
        result = score
    else:
        result = []
        for vector in range(plan.vectors):
            if not combine(row, logs, counted, weights, plan.orders[vector], &score):
                return None
            (<list> result).append(score)
            weights += plan.orders[vector]
    if plan.smoothing == SMOOTH_NONE and warn:
        for n in range(plan.max_order):
            if row[2 + n] == 0:
                # The warning belongs to the line of the package that called this module.
                warnings.warn(no_overlap_messages[n + 1], UserWarning, 1)
    return result


cdef class _SentenceScorer(KeptMemory):
    """Memory for packing and counting one segment at a time."""

    cdef TokenPacker packer
    cdef SegmentCounter counter

    def __cinit__(self):
        self.packer = TokenPacker(NltkDoor())
        self.counter = SegmentCounter(1)

    cdef int count(self, object hypothesis, object references, int max_order, int64_t *row) except -1:
        """Fill the row of one segment, with totals raised to at least 1."""
        cdef int n
        self.packer.clear()
        self.packer.add(hypothesis, references)
        self.counter.max_order = max_order
        self.counter.count_segment(
            self.packer.ids, self.packer.lengths, self.packer.reference_counts[0],
            self.packer.distinct[0], row)
        for n in range(max_order):
            if row[2 + max_order + n] == 0:
                row[2 + max_order + n] = 1
        return 0

    cdef int release(self) except -1:
        """Let the memory be used by others, but for very much of it."""
        try:
            if max(self.packer.id_capacity, self.packer.length_capacity) > KEPT_IDS:
                self.packer = TokenPacker(NltkDoor())
                self.counter = SegmentCounter(1)
        finally:
            self.give_back()
        return 0


cdef _SentenceScorer _scorer = _SentenceScorer()


cdef int count_one(object hypothesis, object references, int max_order, int64_t *row) except -1:
    """Fill the row of one segment with the kept memory, or with new memory while that is busy."""
    if not _scorer.claim():
        return _SentenceScorer().count(hypothesis, references, max_order, row)
    try:
        _scorer.count(hypothesis, references, max_order, row)
    finally:
        _scorer.release()
    return 0


def sentence_score(references, hypothesis, weights, smoothing_function):
    """BLEU of one segment as nltk computes it, 0-1; None where the general way has to be taken."""
    cdef Plan plan
    cdef int64_t row[2 + 2 * MAX_SCORED_ORDER]
    cdef int64_t fifth[2]
    cdef int order, n
    hypothesis, references = unchanging(hypothesis), unchanging_lists(references)
    if not are_lists(hypothesis, references):
        return None
    if not (plan_weights(&plan, weights) and plan_smoothing(&plan, smoothing_function)):
        return None
    order = max(plan.max_order, 5) if averages(&plan) else plan.max_order
    count_one(hypothesis, references, order, row)
    if order >= 5:
        fifth[0] = row[2 + 4]
        fifth[1] = row[2 + order + 4]
    if order > plan.max_order:      # the totals move down to where a row of max_order has them
        for n in range(plan.max_order):
            row[2 + plan.max_order + n] = row[2 + order + n]
    return score_row(&plan, row, fifth, True)


def score_rows(array rows not None, weights, smoothing_function, bint warn=True):
    """BLEU as nltk computes it, 0-1, of each row; totals are at least 1.

    A list with one score per row, or with None where the general way has to be taken; None instead of
    the list where that holds for all. Without `warn` orders without a match pass in silence.
    """
    cdef Plan plan
    cdef Buffer buffer
    cdef Py_ssize_t row, width
    cdef list scores = []
    if not (plan_weights(&plan, weights) and plan_smoothing(&plan, smoothing_function)):
        return None
    if averages(&plan):
        return None      # rows do not hold the last segment
    width = 2 + 2 * plan.max_order
    if len(rows) % width:
        raise ValueError(f"{len(rows)} numbers are no rows of {width}")
    # Held, because warnings and signals run user code, which might resize it.
    buffer = buffer_of(rows, "q")
    for row in range(len(rows) // width):
        if row % POLL_ROWS == POLL_ROWS - 1:
            PyErr_CheckSignals()
        scores.append(score_row(&plan, <int64_t *> buffer.view.buf + row * width, NULL, warn))
    return scores


def modified_precision_counts(references, hypothesis, Py_ssize_t order):
    """Clipped matches and n-grams (at least 1) of one segment at one order, as nltk counts them."""
    cdef Py_ssize_t hyp_len
    cdef int64_t *row
    hypothesis, references = unchanging(hypothesis), unchanging_lists(references)
    hyp_len = len(hypothesis)
    if hyp_len < order:      # its len() has changed since
        return 0, 1
    if order == 0:
        # nltk finds one empty n-gram before each token and one at the end.
        lengths = [len(reference) for reference in references]
        if not lengths:
            NltkDoor().no_references(0)
        return min(hyp_len, max(lengths)) + 1, hyp_len + 1
    if order > _MAX_ORDER:
        raise OverflowError(f"order {order} is too high; at most {_MAX_ORDER}")
    row = <int64_t *> PyMem_Malloc((2 + 2 * order) * sizeof(int64_t))
    if row == NULL:
        raise MemoryError(f"no memory for counts up to order {order}")
    try:
        if are_lists(hypothesis, references):
            count_one(hypothesis, references, order, row)
        else:
            _SentenceScorer().count(hypothesis, references, order, row)
        return row[1 + order], row[1 + 2 * order]
    finally:
        PyMem_Free(row)

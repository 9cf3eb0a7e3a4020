"""nltk's functions for one segment, and the score of a corpus from its sums.

A sentence_bleu call takes about a microsecond, so it must not create arrays, Fractions or chunks: the
tokens are packed into memory that is kept between calls, counted, and scored on the stack. Less common
input (sequences other than list and tuple, a user's own smoothing function, weights that are not plain
floats) takes the general path, `corpus_bleu` in functions.py, which gives the same float.

Thread-safety. The kept memory is marked as busy while it is used; a call that arrives meanwhile
(another thread, a hostile __eq__) works with memory of its own.
"""

cimport cython
from cpython.array cimport array
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.object cimport PyObject
from libc.stdint cimport int64_t

from fastbleu._core cimport SegmentCounter
from fastbleu.core.counting._token_packer cimport TokenPacker
from fastbleu.core.scoring._nltk cimport (
    MAX_SCORED_ORDER, MAX_WEIGHTS, ScoreOptions, plain_number, read_weights, score_row)
from fastbleu.core.scoring.smoothings cimport (
    SMOOTH_ADD_K, SMOOTH_AVERAGE, SMOOTH_FLOOR, SMOOTH_INTERPOLATE, SMOOTH_LENGTH, SMOOTH_LENGTH_AVERAGE,
    SMOOTH_NONE, Smoothing)
from fastbleu.core.kernel.sequences cimport (
    is_list_or_tuple, PySequence_Fast_ITEMS, size_of, unchanging, unchanging_lists)
from fastbleu.core.runtime._process cimport Buffer, buffer_of, KeptMemory

import operator
import warnings
from _warnings import warn as plain_warn
from warnings import warn_explicit

from fastbleu._core import MAX_ORDER as _MAX_ORDER
from fastbleu.core.inputs.checks import NltkTokenChecks
from fastbleu.core.inputs.mistakes import warn_of_unsplit_text
from fastbleu.core.runtime.import_lock import import_locked, import_warning_formatter


cdef extern from "Python.h":
    bint PyMethod_Check(object candidate)
    PyObject *PyMethod_GET_FUNCTION(object method)
    PyObject *PyMethod_GET_SELF(object method)

cdef extern from "kernel/objects/prefetch.h":
    void prefetch_segment(PyObject *hypothesis, PyObject *references) noexcept

cdef Py_ssize_t KEPT_IDS = 1 << 16      # memory above this is not kept for the next call

# What functions.py tells by `use`.
cdef NltkMethods own_methods = None
cdef object corpus_bleu = None
cdef list no_overlap_messages = []      # by order; the same object each time, so that its hash is cached
cdef bint formats_warnings = False      # whether Python has imported what it needs to do so
cdef object fraction_of = None          # not imported before it is needed


cdef class NltkMethods:
    """A class with nltk's smoothing methods, which this module computes itself, and its warning's origin.

    A method that is replaced or overridden later is called. Warnings come from `filename`, `line` and the
    module with the variables `namespace`. Without `checks` only exact lists of plain tokens are read.
    """

    cdef object owner, filename, line, module
    cdef dict namespace
    cdef tuple methods      # by Smoothing
    cdef _SentenceScorer scorer

    def __init__(self, owner, filename, line, namespace, checks=None):
        self.owner, self.filename, self.line, self.namespace = owner, filename, line, namespace
        self.module = namespace["__name__"]
        self.scorer = _SentenceScorer(checks)
        self.methods = tuple([getattr(owner, f"method{n}") for n in range(SMOOTH_LENGTH_AVERAGE + 1)])

    def sentence_bleu(self, references, hypothesis, weights, smoothing_function, auto_reweigh):
        """What a patched nltk calls; NotImplemented if only nltk's own code gives the same result."""
        score = None if auto_reweigh else sentence_score(
            references, hypothesis, weights, smoothing_function, self)
        return NotImplemented if score is None else score


def use(function, cls, no_overlap_message):
    """Tell this module the function for all other input, the smoothing methods, and method 0's message."""
    global corpus_bleu, own_methods, no_overlap_messages
    corpus_bleu = function
    # The warning belongs to this package, whose functions here have no frames.
    # No file is named, whose first line would be shown below the message.
    own_methods = NltkMethods(cls, "fastbleu.nltk", 1, {"__name__": __name__}, NltkTokenChecks())
    no_overlap_messages = [no_overlap_message(order) for order in range(MAX_SCORED_ORDER + 1)]


cdef bint are_lists(object hypothesis, object references) noexcept:
    """Whether a segment's types are plain, so that the packer kept between calls can read it."""
    cdef Py_ssize_t k
    if not (is_list_or_tuple(references) and is_list_or_tuple(hypothesis)):
        return False
    for k in range(size_of(references)):
        if not is_list_or_tuple(<object> PySequence_Fast_ITEMS(references)[k]):
            return False
    return True


cdef inline bint is_method(object candidate, object function):
    return PyMethod_Check(candidate) and PyMethod_GET_FUNCTION(candidate) == <PyObject *> function


cdef bint read_smoothing(ScoreOptions *options, object function, NltkMethods known) except -1:
    """Read a smoothing method of nltk; False for any other function."""
    cdef PyObject *method
    cdef int i
    options.smoothing = SMOOTH_NONE
    options.value = 0.0
    if function is None:
        return True
    if not PyMethod_Check(function):
        return False
    owner = <object> PyMethod_GET_SELF(function)
    if not isinstance(owner, known.owner):
        return False
    method = PyMethod_GET_FUNCTION(function)
    for i in range(SMOOTH_LENGTH_AVERAGE + 1):
        if method == <PyObject *> known.methods[i]:
            break
    else:
        return False
    options.smoothing = <Smoothing> i
    if i == SMOOTH_FLOOR:
        return plain_number(owner.epsilon, &options.value)
    if i == SMOOTH_ADD_K:
        options.value = 1.0
    elif i == SMOOTH_INTERPOLATE:
        alpha = owner.alpha
        return type(alpha) is int and plain_number(alpha, &options.value) and options.value > 0.0
    elif i == SMOOTH_LENGTH:
        return plain_number(owner.k, &options.value)
    elif i == SMOOTH_LENGTH_AVERAGE:
        # This one calls methods 4 and 5 of the object, which may be others by now.
        return (is_method(owner.method4, known.methods[SMOOTH_LENGTH])
                and is_method(owner.method5, known.methods[SMOOTH_AVERAGE])
                and plain_number(owner.k, &options.value))
    return True


cdef inline bint averages(const ScoreOptions *options) noexcept:
    """Whether the smoothing looks at the fifth order of the last segment."""
    return options.smoothing == SMOOTH_AVERAGE or options.smoothing == SMOOTH_LENGTH_AVERAGE


cdef bint shows_warnings() except -1:
    """Whether warnings are issued as Python does it, and none can become an error after another was shown."""
    if warnings.warn is not plain_warn:
        return False
    for entry in warnings.filters:
        if entry[0] == "error" and issubclass(UserWarning, entry[2]):
            return False
    return True


cdef object score_of_row(const ScoreOptions *options, const int64_t *row, const int64_t *fifth,
                         NltkMethods known):
    """A row's score as nltk returns it, with nltk's warnings; None if doubles do not suffice."""
    global formats_warnings
    cdef double scores[MAX_WEIGHTS]
    cdef int n, vector
    if row[2] == 0:
        return 0 if options.vectors == 1 else [0] * options.vectors
    if not score_row(options, row, fifth, scores):
        return None
    if options.smoothing == SMOOTH_NONE and row[1 + options.max_order] == 0:
        if known is not own_methods and not shows_warnings():
            return None
        if not formats_warnings:
            import_warning_formatter()
            formats_warnings = True
        registry = known.namespace.setdefault("__warningregistry__", {})
        for n in range(options.max_order):
            if row[2 + n] == 0:
                warn_explicit(no_overlap_messages[n + 1], UserWarning, known.filename, known.line,
                              known.module, registry)
    if options.vectors == 1:
        return scores[0]
    return [scores[vector] for vector in range(options.vectors)]


cdef class _SentenceScorer(KeptMemory):
    """Memory for packing and counting one segment at a time."""

    cdef object checks
    cdef TokenPacker packer
    cdef SegmentCounter counter

    def __cinit__(self, checks):
        self.checks = checks
        self.renew()

    cdef int renew(self) except -1:
        """Take new memory."""
        self.packer = TokenPacker(self.checks)
        self.counter = SegmentCounter(1)
        return 0

    cdef int count(self, object hypothesis, object references, int max_order, int64_t *row) except -1:
        """Fill the row of one segment, with totals raised to at least 1."""
        cdef int n
        prefetch_segment(<PyObject *> hypothesis, <PyObject *> references)
        self.packer.clear()
        self.counter.max_order = max_order
        self.packer.add(hypothesis, references)
        self.counter.count_only(self.packer, row)
        for n in range(max_order):
            if row[2 + max_order + n] == 0:
                row[2 + max_order + n] = 1
        return 0

    cdef int release(self) except -1:
        """Let others use the memory, unless it is very large."""
        try:
            if max(self.packer.id_capacity, self.packer.length_capacity,
                   self.packer.mask_capacity) > KEPT_IDS:
                self.renew()
        finally:
            self.release_memory()
        return 0


cdef int count_one(_SentenceScorer scorer, object hypothesis, object references, int max_order,
                   int64_t *row) except -1:
    """Fill the row of one segment with the scorer's memory, or with new memory while that is busy."""
    if not scorer.try_acquire():
        return _SentenceScorer(scorer.checks).count(hypothesis, references, max_order, row)
    try:
        scorer.count(hypothesis, references, max_order, row)
    finally:
        scorer.release()
    return 0


@cython.binding(True)
@cython.embedsignature(False)
def sentence_bleu(
    references,
    hypothesis,
    weights=(0.25, 0.25, 0.25, 0.25),
    smoothing_function=None,
    auto_reweigh=False,
):
    """BLEU of one segment (Papineni et al. 2002).

    Parameters
    ----------
    references : sequence of K token sequences
        At least one; a reference may be empty.
    hypothesis : sequence of tokens
        Tokens are any hashable objects.
    weights : sequence of float, or sequence of such sequences, default (0.25, 0.25, 0.25, 0.25)
        Weight of each order, from 1 up. Several weight vectors give several scores.
    smoothing_function : callable, optional
        A method of `SmoothingFunction`, or any callable with the same signature.
    auto_reweigh : bool, default False
        For a hypothesis of fewer than 4 tokens, use equal weights for the orders that it has.

    Returns
    -------
    float, or list of float
        From 0 to 1; the integer 0 if no token matches. A list for several weight vectors.

    Raises
    ------
    ValueError
        There are no references.
    TypeError
        A token is not hashable; the message names its position.

    Warns
    -----
    UserWarning
        Without smoothing, for each order without a match.
    InputWarning
        A str is given instead of a list of tokens.

    References
    ----------
    nltk 3.10.4, `nltk.translate.bleu_score.sentence_bleu`.

    Examples
    --------
    >>> reference = "the cat is on the mat".split()
    >>> sentence_bleu([reference], "the cat sat on the mat".split(), weights=(0.5, 0.5))
    0.7071067811865476
    >>> sentence_bleu([reference], "a dog".split())
    0
    """
    score = None if auto_reweigh else sentence_score(
        references, hypothesis, weights, smoothing_function, own_methods)
    if score is None:
        return corpus_bleu([references], [hypothesis], weights, smoothing_function, auto_reweigh)
    return score


cdef object sentence_score(object references, object hypothesis, object weights, object smoothing_function,
                           NltkMethods known):
    """BLEU of one segment as nltk computes it, 0-1; None if the general path must be taken."""
    cdef ScoreOptions options
    cdef int64_t row[2 + 2 * MAX_SCORED_ORDER]
    cdef int64_t fifth[2]
    cdef int order, n
    hypothesis, references = unchanging(hypothesis), unchanging_lists(references)
    if not are_lists(hypothesis, references):
        return None
    if not (read_weights(&options, weights) and read_smoothing(&options, smoothing_function, known)):
        return None
    order = max(options.max_order, 5) if averages(&options) else options.max_order
    count_one(known.scorer, hypothesis, references, order, row)
    if (row[0] == 1 or row[1] == 1) and known is own_methods:
        warn_of_unsplit_text([references], [hypothesis])
    if order >= 5:
        fifth[0] = row[2 + 4]
        fifth[1] = row[2 + order + 4]
    if order > options.max_order:      # the totals move down to where a row of max_order has them
        for n in range(options.max_order):
            row[2 + options.max_order + n] = row[2 + order + n]
    return score_of_row(&options, row, fifth, known)


def corpus_score(array sums not None, weights, smoothing_function, NltkMethods known=None):
    """The score of a sum of rows, in which every total is at least 1; None as in `sentence_score`."""
    cdef ScoreOptions options
    cdef Buffer buffer
    known = known or own_methods
    if not (read_weights(&options, weights) and read_smoothing(&options, smoothing_function, known)):
        return None
    if averages(&options) or options.smoothing == SMOOTH_INTERPOLATE:
        return None      # a sum of rows does not hold the last segment
    if len(sums) != 2 + 2 * options.max_order:
        raise ValueError(f"{len(sums)} numbers are not a row of {2 + 2 * options.max_order}")
    buffer = buffer_of(sums, "q")         # held, because warnings run user code, which might resize it
    return score_of_row(&options, <int64_t *> buffer.view.buf, NULL, known)


@cython.binding(True)
@cython.embedsignature(False)
def modified_precision(references, hypothesis, n):
    """Clipped n-gram matches over n-grams of one segment.

    Parameters
    ----------
    references : sequence of K token sequences
    hypothesis : sequence of tokens
    n : int
        The order; at least 0.

    Returns
    -------
    Fraction
        `numerator` is the number of clipped matches, `denominator` the number of n-grams of the
        hypothesis, or 1 if it has none. The fraction is not reduced.

    Raises
    ------
    ValueError
        There are n-grams but no references, or n is negative.
    TypeError
        A token is not hashable, or `n` is not an integer.

    References
    ----------
    nltk 3.10.4, `nltk.translate.bleu_score.modified_precision`.

    Examples
    --------
    >>> precision = modified_precision([["the", "cat", "the"]], ["the", "the", "the", "the"], 1)
    >>> precision.numerator, precision.denominator
    (2, 4)
    """
    cdef Py_ssize_t hyp_len, order
    cdef int64_t *row
    if len(hypothesis) < n:
        # nltk counts the n-grams of references all the same.
        for k, reference in enumerate(references):
            if len(reference) >= n:
                NltkTokenChecks().check_hashable(reference, k)
        return plain_fraction(0, 1)
    if isinstance(n, float) or n < 0:
        raise ValueError(f"n is {n}, but the order of an n-gram is an integer of at least 0")
    order = operator.index(n)
    hypothesis, references = unchanging(hypothesis), unchanging_lists(references)
    hyp_len = len(hypothesis)
    if hyp_len < order:      # its len() has changed since
        return plain_fraction(0, 1)
    if order == 0:
        # nltk finds one empty n-gram before each token and one at the end.
        lengths = [len(reference) for reference in references]
        if not lengths:
            NltkTokenChecks().refuse_no_references(0)
        return plain_fraction(min(hyp_len, max(lengths)) + 1, hyp_len + 1)
    if order > _MAX_ORDER:
        raise OverflowError(f"order {order} is too high; at most {_MAX_ORDER}")
    row = <int64_t *> PyMem_Malloc((2 + 2 * order) * sizeof(int64_t))
    if row == NULL:
        raise MemoryError(f"no memory for counts up to order {order}")
    try:
        if are_lists(hypothesis, references):
            count_one(own_methods.scorer, hypothesis, references, order, row)
        else:
            _SentenceScorer(NltkTokenChecks()).count(hypothesis, references, order, row)
        return plain_fraction(row[1 + order], row[1 + 2 * order])
    finally:
        PyMem_Free(row)


cdef object plain_fraction(object numerator, object denominator):
    global fraction_of
    if fraction_of is None:
        fraction_of = import_locked("fastbleu.core.scoring.nltk_arithmetic").Fraction._of_integers
    return fraction_of(numerator, denominator)

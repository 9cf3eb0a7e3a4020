"""sacreBLEU's scoring: a row in, a float out, equal to that of its `BLEU.compute_bleu` to the last bit.

Every step is the IEEE operation that Python or numpy performs there: counts below 2**52 are exact as
doubles, log and exp are the C library's, and the logarithms are added as the running Python's `sum`
adds them (it carries a compensation from 3.12 on). float32 steps are done in double and rounded, which
gives the same float32: a double has more than twice its bits. Where doubles do not suffice (counts from 2**52
on, more than 64 orders, a smoothing value that is negative, not finite or no plain number, an overflow) the
row is scored by `score_in_python`, on the objects that sacreBLEU would have and with its errors.

Pure functions of their arguments; any thread may call them. Loops over rows run without the GIL.
"""

import cython
from cpython.array cimport array, clone
from cpython.object cimport PyObject_GenericGetAttr
from libc.math cimport exp, fabs, isfinite, log, trunc
from libc.string cimport memcpy

from math import exp as _exp
from math import log as _log

from fastbleu.core.scoring._kept_logs cimport added, kept_logs, MAX_FAST_ORDER, score_usual
from fastbleu.core.scoring.smoothings cimport (
    SMOOTH_ADD_K, SMOOTH_EXP, SMOOTH_FLOOR, SMOOTH_IN_PYTHON, Smoothing, smoothing_named)

from fastbleu import __version__
from fastbleu.core.runtime.import_lock import lazy
from fastbleu.core.runtime._process cimport Buffer, buffer_of, poll

cdef object numpy = lazy("numpy")

cdef extern from "Python.h":
    int set_plainly "PyObject_GenericSetAttr"(object owner, object name, object value) except -1
    int delete_plainly "PyObject_GenericSetAttr"(object owner, object name, void *value) except -1

cdef double EXACT = 4503599627370496.0      # 2**52: the sum of two such integers is exact, too
cdef array _DOUBLES = array("d")

REPRODUCED = "2.6.0"
VERSION = f"{REPRODUCED}+fastbleu.{__version__}"      # in signatures

# The default smoothing values: sacreBLEU's BLEU.SMOOTH_DEFAULTS.
SMOOTH_DEFAULTS = {"none": None, "floor": 0.1, "add-k": 1, "exp": None}
cdef dict _DEFAULTS = SMOOTH_DEFAULTS

LOG_OF_ZERO = -9999999999           # in place of the logarithm of 0

cdef enum:
    POLL_ROWS = 1 << 16
    KEPT_ROWS = 16             # with fewer rows no logarithms are kept

cdef enum Arithmetic:
    DOUBLES                    # Python's int and float
    SINGLES                    # numpy's float32 where a Python number adapts to it (numpy 2)
    WIDENED_SINGLES            # numpy's float32 where a Python number widens it (numpy 1)
    TRUNCATED                  # an int64 array that cuts off what add-k adds to it

cdef struct ScoreOptions:
    int max_order
    Smoothing smoothing
    Arithmetic arithmetic
    bint effective_order
    bint whole_value           # the smoothing value is an int, so that counts stay ints
    double value

cdef struct Scored:
    double score               # 0-100
    double bp                  # 0-1
    int raised                 # add-k was added to the orders 2 to `raised`
    double precisions[MAX_FAST_ORDER]      # 0-100, smoothed
    double counts[2 * MAX_FAST_ORDER]      # matches, then totals, after add-k


cdef inline double round_to_float32(const ScoreOptions *options, double number) noexcept nogil:
    """The result of a step: rounded if the arithmetic is that of float32."""
    return <double> <float> number if options.arithmetic == SINGLES else number


cdef inline double smoothed_count(const ScoreOptions *options, double count) noexcept nogil:
    """count + k as it is stored."""
    cdef double raised = count + round_to_float32(options, options.value)
    if options.arithmetic == TRUNCATED:
        return trunc(raised)
    return raised if options.arithmetic == DOUBLES else <double> <float> raised


cdef bint score_counts(const ScoreOptions *options, double hyp_len, double ref_len,
                       Scored *scored) noexcept nogil:
    """Score and (add-k) change the counts in `scored`; False where doubles do not suffice."""
    cdef double logs[MAX_FAST_ORDER]
    cdef double *matches = scored.counts
    cdef double *totals = scored.counts + options.max_order
    cdef double *precisions = scored.precisions
    cdef double doubling = 1.0, numerator, denominator, mean
    cdef int n, orders = options.max_order
    cdef bint matched = False, zero = False
    scored.raised = 1
    scored.score = 0.0
    scored.bp = 1.0
    if not (fabs(hyp_len) < EXACT and fabs(ref_len) < EXACT):
        return False
    if hyp_len < ref_len:
        scored.bp = exp(1.0 - ref_len / hyp_len) if hyp_len > 0.0 else 0.0
    for n in range(options.max_order):
        precisions[n] = 0.0
        matched |= matches[n] != 0.0
        if not (fabs(matches[n]) < EXACT and fabs(totals[n]) < EXACT):
            return False
    if not matched:
        return True
    for n in range(options.max_order):
        if options.smoothing == SMOOTH_ADD_K and n > 0:
            matches[n] = smoothed_count(options, matches[n])
            totals[n] = smoothed_count(options, totals[n])
            scored.raised = n + 1
        if totals[n] == 0.0:
            break
        if options.effective_order:
            orders = n + 1
        numerator, denominator = 100.0, totals[n]
        if matches[n] != 0.0:
            numerator *= matches[n]
        elif options.smoothing == SMOOTH_EXP:
            doubling *= 2.0
            denominator = round_to_float32(options, doubling * denominator)
        elif options.smoothing == SMOOTH_FLOOR:
            numerator *= options.value
        else:
            continue
        precisions[n] = round_to_float32(options, round_to_float32(options, numerator) / denominator)
    for n in range(orders):
        if not (isfinite(precisions[n]) and precisions[n] >= 0.0):
            return False
        if precisions[n] == 0.0:
            zero = True
        else:
            logs[n] = log(precisions[n])
    if zero:
        # Even the 64th part of LOG_OF_ZERO has an exponential of 0.
        return True
    mean = exp(added(logs, orders) / orders)
    scored.score = scored.bp * mean
    return isfinite(mean)


@cython.boundscheck(True)
@cython.wraparound(True)
def score_in_python(correct, total, sys_len, ref_len, smooth_method, smooth_value, effective_order,
                    max_ngram_order):
    """Score, precisions and bp by sacreBLEU's `BLEU.compute_bleu`; add-k changes the counts in place."""
    if smooth_value is None:
        smooth_value = _DEFAULTS[smooth_method]
    bp = 1.0
    if sys_len < ref_len:
        bp = _exp(1 - ref_len / sys_len) if sys_len > 0 else 0.0
    precisions = [0.0] * max_ngram_order
    if not any(correct):
        return 0.0, precisions, bp
    doubling = 1.0
    orders = max_ngram_order
    for n in range(max_ngram_order):
        if smooth_method == "add-k" and n > 0:
            correct[n] += smooth_value
            total[n] += smooth_value
        if total[n] == 0:
            break
        if effective_order:
            orders = n + 1
        if correct[n] != 0:
            precisions[n] = 100.0 * correct[n] / total[n]
        elif smooth_method == "exp":
            doubling = doubling * 2
            precisions[n] = 100.0 / (doubling * total[n])
        elif smooth_method == "floor":
            precisions[n] = 100.0 * smooth_value / total[n]
    logs = [LOG_OF_ZERO if p == 0.0 else _log(p) for p in precisions[:orders]]
    return bp * _exp(sum(logs) / orders), precisions, bp


cdef bint read_options(ScoreOptions *options, int max_order, object smoothing, object value,
                       bint effective_order, object arithmetic="float64") except -1:
    """Read the arguments; False if score_in_python must be used."""
    options.max_order = max_order
    options.effective_order = effective_order
    options.value = 0.0
    options.whole_value = True
    if smoothing not in _DEFAULTS:
        raise ValueError(f"smoothing {smoothing!r} is unknown; choose one of {', '.join(_DEFAULTS)}")
    options.smoothing = smoothing_named(smoothing)
    if arithmetic == "float64" or arithmetic == "expected":
        options.arithmetic = DOUBLES
    elif arithmetic == "int64-in-place":
        options.arithmetic = TRUNCATED
    elif arithmetic == "float32":
        is_widened = (100.0 * numpy.float32(1)).dtype.itemsize == 8
        options.arithmetic = WIDENED_SINGLES if is_widened else SINGLES
    else:
        raise ValueError(f"arithmetic {arithmetic!r} is unknown; choose one of float64, float32, "
                         "int64-in-place, expected")
    if max_order < 1:
        raise ValueError(f"max_order is {max_order}, but must be at least 1")
    if options.smoothing == SMOOTH_FLOOR or options.smoothing == SMOOTH_ADD_K:
        if value is None:
            value = _DEFAULTS[smoothing]
        if type(value) is float:
            options.value = value
            options.whole_value = False
        elif type(value) is int and -1 < value < 1 << 52:
            options.value = value
        else:
            return False
    if options.arithmetic == SINGLES and 0.0 < options.value < 1e-20:
        return False      # the result may be a float32 of reduced precision
    if options.smoothing == SMOOTH_IN_PYTHON:
        return False
    return max_order <= MAX_FAST_ORDER and 0.0 <= options.value < EXACT


cdef object score_row_in_python(const int64_t *whole, const float *single, const double *expected,
                                int max_order, smoothing, value, effective_order, arithmetic):
    """The score of one row of int64 (`whole`), float32 (`single`) or float64, by score_in_python."""
    cdef int i, width = 2 + 2 * max_order
    if expected != NULL:
        row = [expected[i] for i in range(width)]
    elif single != NULL:
        row = [single[i] for i in range(width)]
    else:
        row = [whole[i] for i in range(width)]
    hyp_len, ref_len = row[:2] if expected != NULL else map(int, row[:2])
    if arithmetic == "float32" or arithmetic == "int64-in-place":
        row = numpy.array(row, "float32" if single != NULL else "int64")
    score, _, _ = score_in_python(row[2:2 + max_order], row[2 + max_order:], hyp_len, ref_len, smoothing,
                                  value, effective_order, max_order)
    return score


def score_rows(rows, int max_order, smoothing="exp", value=None, bint effective_order=False,
               arithmetic="float64"):
    """sacreBLEU's score of each row, 0-100, in an array of float64.

    `rows` is a flat buffer. `arithmetic` says what it holds and what `compute_bleu` calculates with:
    "float64" for int64 as in corpus scores; "float32" as in sacreBLEU's bootstrap; "int64-in-place" as
    in its approximate randomization, which truncates what add-k adds; "expected" for float64 counts.
    """
    cdef Buffer buffer = buffer_of(rows, "")
    cdef Py_buffer *view = &buffer.view
    cdef ScoreOptions options
    cdef Scored scored
    cdef const int64_t *whole = NULL
    cdef const float *single = NULL
    cdef const double *expected = NULL
    cdef Py_ssize_t row, segments, width
    cdef int n
    cdef double hyp_len, ref_len
    cdef array scores
    cdef double *out
    cdef bint fast = read_options(&options, max_order, smoothing, value, effective_order, arithmetic)
    cdef bint cancelled = False
    cdef bint singles = arithmetic == "float32", doubles = arithmetic == "expected", small = False
    cdef char kind = c"f" if singles else c"d" if doubles else c"q"
    width = 2 + 2 * <Py_ssize_t> max_order
    if buffer.kind != kind:
        raise TypeError(f"rows holds numbers of the format {view.format!r}, expected {chr(kind)!r} for "
                        f"arithmetic {arithmetic!r}")
    if view.len // view.itemsize % width:
        raise ValueError(f"{view.len // view.itemsize} numbers are not rows of {width}")
    segments = view.len // view.itemsize // width
    scores = clone(_DOUBLES, segments, zero=False)
    out = scores.data.as_doubles
    if segments >= KEPT_ROWS and fast and options.smoothing == SMOOTH_EXP and arithmetic == "float64":
        small = kept_logs.try_acquire()
    try:
        with nogil:
            for row in range(segments):
                if row % POLL_ROWS == POLL_ROWS - 1:
                    poll(&cancelled)
                if singles:
                    single = <const float *> view.buf + row * width
                    hyp_len = trunc(single[0])
                    ref_len = trunc(single[1])
                elif doubles:
                    expected = <const double *> view.buf + row * width
                    hyp_len = expected[0]
                    ref_len = expected[1]
                else:
                    whole = <const int64_t *> view.buf + row * width
                    hyp_len = <double> whole[0]
                    ref_len = <double> whole[1]
                    if small and score_usual(max_order, effective_order, whole, &out[row]):
                        continue
                if fast:
                    for n in range(2 * max_order):
                        scored.counts[n] = <double> single[2 + n] if singles else (
                            expected[2 + n] if doubles else <double> whole[2 + n])
                    if score_counts(&options, hyp_len, ref_len, &scored):
                        out[row] = scored.score
                        continue
                with gil:
                    out[row] = score_row_in_python(whole, single, expected, max_order, smoothing,
                                                   value, effective_order, arithmetic)
    finally:
        if small:
            kept_logs.release_memory()
    return scores


cdef list float_list(const double *numbers, int count):
    cdef int n
    return [numbers[n] for n in range(count)]


cdef list count_list(const double *counts, int count, int raised, bint whole):
    """The counts as sacreBLEU shows them: ints, and floats where add-k added one, from order 2 on."""
    cdef int n
    return [counts[n] if 0 < n < raised and not whole else <int64_t> counts[n] for n in range(count)]


cdef bint score_row(ScoreOptions *options, Scored *scored, const int64_t *row, int max_order,
                    object smoothing, object value, bint effective_order) except -1:
    """Score one row; False if score_in_python must be used."""
    cdef int n
    if not read_options(options, max_order, smoothing, value, effective_order):
        return False
    for n in range(2 * max_order):
        scored.counts[n] = <double> row[2 + n]
    return score_counts(options, <double> row[0], <double> row[1], scored)


cdef tuple details_of(const int64_t *row, int max_order, object smoothing, object value,
                      bint effective_order):
    cdef ScoreOptions options
    cdef Scored scored
    cdef bint whole
    cdef int n
    if score_row(&options, &scored, row, max_order, smoothing, value, effective_order):
        whole = options.whole_value
        return (scored.score, float_list(scored.precisions, max_order), scored.bp,
                count_list(scored.counts, max_order, scored.raised, whole),
                count_list(scored.counts + max_order, max_order, scored.raised, whole))
    matches = [row[2 + n] for n in range(max_order)]
    totals = [row[2 + max_order + n] for n in range(max_order)]
    score, precisions, bp = score_in_python(
        matches, totals, row[0], row[1], smoothing, value, effective_order, max_order)
    return score, precisions, bp, matches, totals


cdef const int64_t *checked_row(array row, int max_order) except NULL:
    if row.ob_descr.typecode != c"q":
        raise TypeError(f"row is an array of typecode {row.typecode!r}, expected 'q'")
    if len(row) != 2 + 2 * <Py_ssize_t> max_order:
        raise ValueError(f"{len(row)} numbers are not a row of {2 + 2 * max_order}")
    return <const int64_t *> row.data.as_longlongs


def corpus_score(array row not None, int max_order, smoothing, value, bint effective_order):
    """sacreBLEU's score of one row, 0-100: the first of its `details`."""
    cdef ScoreOptions options
    cdef Scored scored
    cdef const int64_t *counts = checked_row(row, max_order)
    if score_row(&options, &scored, counts, max_order, smoothing, value, effective_order):
        return scored.score
    return details_of(counts, max_order, smoothing, value, effective_order)[0]


def details(array row not None, int max_order, smoothing="exp", value=None,
            bint effective_order=False):
    """What sacreBLEU reports for one row: score, smoothed precisions (both 0-100), bp (0-1), counts, totals.

    add-k has raised the counts and totals above order 1.
    """
    return details_of(checked_row(row, max_order), max_order, smoothing, value, effective_order)


cdef class LazyScore:
    """The base of sacreBLEU's BLEUScore, which makes its attributes when one is first read or set.

    Most callers read only the score, so it is read without making the others. A
    subclass may name a class `_original`, whose attributes it then has.

    Thread-safety. The first thread makes the attributes, and others wait.
    """

    def __getattribute__(self, name):
        if self.pending:
            if name == "score":
                return self.score
            self.make()
        return PyObject_GenericGetAttr(self, name)

    def __setattr__(self, name, value):
        if self.pending:
            self.make()
        set_plainly(self, name, value)

    def __delattr__(self, name):
        if self.pending:
            self.make()
        delete_plainly(self, name, NULL)

    # By default Python cannot pickle a class with a base like this.
    def __getstate__(self):
        return self.__dict__

    def __reduce_ex__(self, int protocol):
        return object.__reduce_ex__(self, max(protocol, 2))

    def _assign(self, score, counts, totals, precisions, bp, sys_len, ref_len):
        """Set the attributes."""
        assign(self, score, counts, totals, precisions, bp, sys_len, ref_len)

    cdef int make(self) except -1:
        cdef int orders = self.orders
        with cython.critical_section(self):
            if self.pending:
                counts = count_list(self.numbers + orders, orders, self.raised, self.whole_value)
                totals = count_list(
                    self.numbers + 2 * orders, orders, self.raised, self.whole_value)
                precisions = float_list(self.numbers, orders)
                original = getattr(type(self), "_original", None)
                if original is None:
                    assign(self, self.score, counts, totals, precisions, self.bp, self.hyp_len,
                           self.ref_len)
                else:
                    made = original(self.score, counts, totals, precisions, self.bp, self.hyp_len,
                                    self.ref_len)
                    for name, attribute in vars(made).items():
                        set_plainly(self, name, attribute)
                    self.pending = False
        return 0


cdef int assign(LazyScore made, object score, object counts, object totals, object precisions,
                object bp, object sys_len, object ref_len) except -1:
    """Set the attributes, without running other code; they are pending until all are there."""
    set_plainly(made, "name", "BLEU")
    set_plainly(made, "score", score)
    set_plainly(made, "_mean", -1.0)
    set_plainly(made, "_ci", -1.0)
    set_plainly(made, "bp", bp)
    set_plainly(made, "counts", counts)
    set_plainly(made, "totals", totals)
    set_plainly(made, "sys_len", sys_len)
    set_plainly(made, "ref_len", ref_len)
    set_plainly(made, "precisions", precisions)
    made.pending = False
    return 0


cdef object score_object(type cls, const int64_t *row, int max_order, object smoothing, object value,
                         bint effective_order):
    """The BLEUScore of a row; `cls` is that class."""
    cdef ScoreOptions options
    cdef Scored scored
    cdef LazyScore made
    if max_order > LAZY_ORDERS or not score_row(
            &options, &scored, row, max_order, smoothing, value, effective_order):
        score, precisions, bp, counts, totals = details_of(
            row, max_order, smoothing, value, effective_order)
        return cls(score, counts, totals, precisions, bp, row[0], row[1])
    made = cls.__new__(cls)
    made.score, made.bp = scored.score, scored.bp
    made.hyp_len, made.ref_len = row[0], row[1]
    made.orders, made.raised, made.whole_value = max_order, scored.raised, options.whole_value
    memcpy(made.numbers, scored.precisions, max_order * sizeof(double))
    memcpy(made.numbers + max_order, scored.counts, 2 * max_order * sizeof(double))
    made.pending = True
    return made


def score_of_row(type cls not None, array row not None, int max_order, smoothing, value,
                 bint effective_order):
    """The BLEUScore of a row, in the class `cls`."""
    return score_object(cls, checked_row(row, max_order), max_order, smoothing, value, effective_order)

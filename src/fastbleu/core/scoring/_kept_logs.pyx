"""sacreBLEU's score of one of many rows, with logarithms and brevity penalties of small counts kept.

Rows of segments, and even more those of prefixes, have few different counts. The kept values are the C
library's results for the same counts, so that scores are the same.

Thread-safety. Callers of `score_usual` must have acquired `kept_logs`.
"""

from cpython.mem cimport PyMem_RawCalloc
from libc.math cimport exp, fabs, ldexp, log
from libc.stdint cimport int64_t, uint64_t

from fastbleu.core.counting._prefixes cimport RowScorer
from fastbleu.core.runtime._process cimport KeptMemory

cdef enum:
    SMALL = 1024               # counts up to it have kept logarithms
    MANY = 1 << 30             # counts of which 64 doublings are exact

# Whether the running Python's sum() of floats carries a compensation.
cdef bint COMPENSATED = sum([1.0, 1e100, 1.0, -1e100]) == 2.0


cdef double added(const double *terms, int count) noexcept nogil:
    """Python's sum() of at least one finite float."""
    cdef double total = terms[0], lost = 0.0, raised
    cdef int i
    if not COMPENSATED:
        for i in range(1, count):
            total += terms[i]
        return total
    for i in range(1, count):
        raised = total + terms[i]
        if fabs(total) >= fabs(terms[i]):
            lost += (total - raised) + terms[i]
        else:
            lost += (terms[i] - raised) + total
        total = raised
    return total + lost if lost != 0.0 else total


# 0.0 where nothing is kept. The first index is the one that changes less from one prefix to the next, so that
# reads are close together: logarithms by matches and totals, penalties by ref_len and hyp_len. For an order
# without a match, whose total exponential smoothing doubles `zeros` times, the first index is SMALL + zeros.
cdef double *_logs = NULL
cdef double *_penalties

cdef class _KeptLogs(KeptMemory):
    cdef bint try_acquire(self) noexcept:
        """Also False if there is no memory; it is allocated for the first caller, and never freed."""
        global _logs, _penalties
        cdef size_t logs = (SMALL + MAX_FAST_ORDER + 1) * SMALL, penalties = (SMALL + 1) * SMALL
        if not KeptMemory.try_acquire(self):
            return False
        if _logs == NULL:
            _logs = <double *> PyMem_RawCalloc(logs + penalties, sizeof(double))
            if _logs == NULL:
                self.release_memory()
                return False
            _penalties = _logs + logs
        return True

kept_logs = _KeptLogs()


cdef double log_of(int64_t match, int64_t total, int zeros) noexcept nogil:
    """The logarithm of a smoothed precision, 0-100, of the `zeros`-th order without a match."""
    return log(100.0 * match / total if match else 100.0 / (ldexp(1.0, zeros) * total))


cdef inline bint score_orders(Py_ssize_t max_order, bint effective_order, const int64_t *row,
                              double *score) noexcept nogil:
    """See score_usual; inlined for a constant `max_order`."""
    cdef double logs[MAX_FAST_ORDER]
    cdef double bp = 1.0, found
    cdef const int64_t *totals = row + 2 + max_order
    cdef int64_t hyp_len = row[0], ref_len = row[1], match, total
    cdef double *known
    cdef Py_ssize_t n, orders = 0
    cdef int zeros = 0
    score[0] = 0.0
    if not (0 <= hyp_len < MANY and 0 <= ref_len < MANY):
        return False
    for n in range(max_order):
        match, total = row[2 + n], totals[n]
        if total == 0:
            break
        if <uint64_t> match > <uint64_t> total or <uint64_t> total >= MANY:
            return False
        zeros += match == 0
        if total <= SMALL:
            known = &_logs[(match if match else SMALL + zeros) * SMALL + total - 1]
            found = known[0]
            if found == 0.0:
                found = known[0] = log_of(match, total, zeros)
        else:
            found = log_of(match, total, zeros)
        logs[n] = found
        orders = n + 1
    for n in range(orders, max_order):
        if row[2 + n] != 0 or totals[n] != 0:
            return False
    if zeros == orders or (orders < max_order and not effective_order):
        return True
    if hyp_len < ref_len:
        known = &bp if ref_len > SMALL else &_penalties[ref_len * SMALL + hyp_len]
        if known == &bp or known[0] == 0.0:
            known[0] = exp(1.0 - <double> ref_len / <double> hyp_len)
        bp = known[0]
    if orders == max_order:                # a constant: no loop and no division
        score[0] = bp * exp(added(logs, <int> max_order) / max_order)
    else:
        score[0] = bp * exp(added(logs, <int> orders) / orders)
    return True


cdef bint score_usual(int max_order, bint effective_order, const int64_t *row, double *score) noexcept nogil:
    """The score of a row by exponential smoothing; False if the row needs score_counts (_sacrebleu.pyx)."""
    if max_order == 4:
        return score_orders(4, effective_order, row, score)
    return score_orders(max_order, effective_order, row, score)


cdef class KeptScorer(RowScorer):
    """Scores rows of prefixes by `score_usual`, up to order MAX_FAST_ORDER."""

    cdef int max_order
    cdef bint effective_order

    def __cinit__(self, int max_order, bint effective_order):
        self.max_order = max_order
        self.effective_order = effective_order

    cdef bint acquire(self) noexcept:
        return kept_logs.try_acquire()

    cdef void release(self) noexcept:
        kept_logs.release_memory()

    cdef bint score(self, const int64_t *row, double *score) noexcept nogil:
        return score_usual(self.max_order, self.effective_order, row, score)

"""sacreBLEU's score of one of many rows, with logarithms and brevity penalties of small counts kept.

Rows of segments, and even more those of prefixes, have few different counts. What is kept is the result
of the C library for the same counts, so that scores are the same.

Thread-safety. Who calls `score_usual` has acquired `kept_logs`.
"""

from libc.math cimport exp, fabs, log
from libc.stdint cimport int64_t, uint64_t

from fastbleu.runtime._process cimport KeptMemory

cdef enum:
    SMALL = 512                # counts below it have kept logarithms
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


# 0.0 where nothing is kept. From one prefix to the next the larger index is that which changes least, so that
# what is read lies together: logarithms by matches and totals, penalties by ref_len and hyp_len. Of an order
# without a match, whose total exponential smoothing doubles `zeros` times, the first index is SMALL + zeros.
cdef double _logs[(SMALL + MAX_FAST_ORDER + 1) * SMALL]
cdef double _penalties[SMALL * SMALL]
kept_logs = KeptMemory()


cdef bint score_usual(int max_order, bint effective_order, const int64_t *row, double *score) noexcept nogil:
    """The score of a row by exponential smoothing; False if the row needs score_counts (_sacrebleu.pyx)."""
    cdef double logs[MAX_FAST_ORDER]
    cdef double bp = 1.0, doubling = 1.0, fresh
    cdef const int64_t *totals = row + 2 + max_order
    cdef int64_t hyp_len = row[0], ref_len = row[1], match, total
    cdef double *known
    cdef int n, orders = 0, zeros = 0
    score[0] = 0.0
    if not (0 < hyp_len < MANY and 0 <= ref_len < MANY):
        return False
    for n in range(max_order):
        match, total = row[2 + n], totals[n]
        if total == 0:
            break
        if <uint64_t> match > <uint64_t> total or <uint64_t> total >= MANY:
            return False
        if match == 0:
            zeros += 1
            doubling *= 2.0
        logs[n] = 0.0
        if total < SMALL:
            known = &_logs[(match if match else SMALL + zeros) * SMALL + total]
            logs[n] = known[0]
        if logs[n] == 0.0:
            logs[n] = log(100.0 * match / total if match else 100.0 / (doubling * total))
            if total < SMALL:
                known[0] = logs[n]
        orders = n + 1
    for n in range(orders, max_order):
        if row[2 + n] != 0 or totals[n] != 0:
            return False
    if zeros == orders or (orders < max_order and not effective_order):
        return True
    if hyp_len < ref_len:
        known = &fresh if ref_len >= SMALL else &_penalties[ref_len * SMALL + hyp_len]
        if known == &fresh or known[0] == 0.0:
            known[0] = exp(1.0 - <double> ref_len / <double> hyp_len)
        bp = known[0]
    score[0] = bp * exp(added(logs, orders) / orders)
    return True

"""The BLEU of C++ programs that compute in float: the C library's logf and expf, which numpy's are not."""

from libc.math cimport expf, logf


def single_precision_score(double hyp_len, double ref_len, matches, totals):
    """exp(mean of log(matches / totals)) * BP in float, 0-1; 0 if an order has no match."""
    cdef float total = 0, brevity
    cdef double matched, ngrams
    for matched, ngrams in zip(matches, totals):
        if matched == 0:
            return 0.0
        total += logf(<float> matched) - logf(<float> ngrams)
    total /= len(totals)
    brevity = <float> 1 - <float> ref_len / <float> hyp_len
    if brevity < 0:
        total += brevity
    return expf(total)

"""The BLEU of C++ programs that compute in float: the C library's logf and expf, which numpy's are not."""

from libc.math cimport expf, logf


def single_precision_score(double added, double hyp_len, double ref_len, matches, totals):
    """exp(mean of log((matches + added) / (totals + added))) * BP in float; 0 if a quotient is 0."""
    cdef float total = 0, brevity
    cdef double matched, ngrams
    for matched, ngrams in zip(matches, totals):
        if matched + added == 0:
            return 0.0
        total += logf(<float> (matched + added)) - logf(<float> (ngrams + added))
    total /= len(totals)
    brevity = <float> 1 - <float> ref_len / <float> hyp_len
    if brevity < 0:
        total += brevity
    return expf(total)

"""BLEU written to be obviously right: the yardstick of every differential test.

Nothing here is fast and nothing is clever: n-grams are tuples, counts are
`collections.Counter`, precisions are `fractions.Fraction`. `row` counts one
segment; the functions whose names start with `nltk_` turn rows into the score
that nltk 3.10.4 gives for them.
"""

import math
import sys
from collections import Counter
from fractions import Fraction


def ngram_counts(tokens, order):
    """How often each n-gram of `order` tokens occurs in the list `tokens`."""
    return Counter(zip(*(tokens[start:] for start in range(order)), strict=False))


def closest_length(hyp_len, ref_lens):
    """The reference length nearest to `hyp_len`; of two equally near, the shorter."""
    return min(ref_lens, key=lambda ref_len: (abs(ref_len - hyp_len), ref_len))


REFERENCE_LENGTHS = {
    "closest": closest_length,
    "first": lambda hyp_len, ref_lens: min(ref_lens, key=lambda ref_len: abs(ref_len - hyp_len)),
    "shortest": lambda hyp_len, ref_lens: min(ref_lens),
}


def matches_and_total(hypothesis, references, order):
    """Clipped matches and the number of n-grams in the hypothesis, for one order.

    An n-gram counts at most as often as it occurs in the reference that has it most.
    """
    in_hypothesis = ngram_counts(hypothesis, order)
    in_references = [ngram_counts(reference, order) for reference in references]
    matches = 0
    for ngram, count in in_hypothesis.items():
        matches += min(count, max(counts.get(ngram, 0) for counts in in_references))
    return matches, sum(in_hypothesis.values())


def match_positions(hypothesis, references, max_ngram_order=4):
    """By position of the hypothesis: the orders of the clipped matches that start there.

    Of an n-gram that stands more often than in any reference the first occurrences match.
    """
    found = [set() for _ in hypothesis]
    for order in range(1, max_ngram_order + 1):
        in_references = [ngram_counts(reference, order) for reference in references]
        seen = Counter()
        for start in range(len(hypothesis) - order + 1):
            ngram = tuple(hypothesis[start : start + order])
            seen[ngram] += 1
            if seen[ngram] <= max(counts[ngram] for counts in in_references):
                found[start].add(order)
    return found


def row(hypothesis, references, max_ngram_order=4):
    """Count one segment: [hyp_len, ref_len, matches_1..N, totals_1..N]."""
    hyp_len = len(hypothesis)
    ref_len = closest_length(hyp_len, [len(reference) for reference in references])
    counted = [matches_and_total(hypothesis, references, n) for n in range(1, max_ngram_order + 1)]
    return (
        [hyp_len, ref_len] + [matches for matches, _ in counted] + [total for _, total in counted]
    )


def nltk_adapted(one_row):
    """The row as nltk sums it: no order of a segment has a total below 1."""
    max_ngram_order = (len(one_row) - 2) // 2
    return one_row[: 2 + max_ngram_order] + [
        max(1, total) for total in one_row[2 + max_ngram_order :]
    ]


def nltk_brevity_penalty(ref_len, hyp_len):
    """1 for a longer hypothesis, 0 for an empty one, else exp(1 - r/c)."""
    if hyp_len > ref_len:
        return 1
    return math.exp(1 - ref_len / hyp_len) if hyp_len else 0


def nltk_precisions(matches, totals, method, hyp_len, last, epsilon=0.1, alpha=5, k=5):
    """Precisions repaired by nltk's SmoothingFunction(epsilon, alpha, k).method<method>.

    `last` is the (hypothesis, references) of the last segment: methods 5, 6 and 7
    look at it, and at no other segment.
    """
    if method == 5:
        return _averaged_with_neighbors(list(map(Fraction, matches, totals)), last)
    if method == 6:
        return _interpolated_with_prior(list(map(Fraction, matches, totals)), matches, last, alpha)
    if method == 7:
        geometric = nltk_precisions(matches, totals, 4, hyp_len, last, epsilon, alpha, k)
        return _averaged_with_neighbors(geometric, last)
    zero_orders = 0
    repaired = []
    for order, (match, total) in enumerate(zip(matches, totals, strict=True), start=1):
        precision = Fraction(match, total)
        if method == 2 and order > 1:
            precision = Fraction(match + 1, total + 1)
        elif match == 0:
            zero_orders += 1
            if method == 0:
                precision = sys.float_info.min
            elif method == 1:
                precision = epsilon / total
            elif method == 3:
                precision = 1 / (2**zero_orders * total)
            elif method == 4 and hyp_len > 1:
                precision = 1 / (2**zero_orders * k / math.log(hyp_len)) / total
        repaired.append(precision)
    return repaired


def _averaged_with_neighbors(precisions, last):
    """Method 5: m_n = (m_{n-1} + p_n + p_{n+1}) / 3, m_0 = p_1 + 1."""
    matches, total = matches_and_total(*last, 5)
    following = [*precisions[1:], Fraction(matches, max(1, total))]
    averages = []
    previous = precisions[0] + 1
    for precision, next_precision in zip(precisions, following, strict=True):
        previous = (previous + precision + next_precision) / 3
        averages.append(previous)
    return averages


def _interpolated_with_prior(precisions, matches, last, alpha):
    """Method 6: (m + alpha * prior) / (l + alpha), prior = p_{n-1}^2 / p_{n-2}."""
    assert precisions[2], "nltk refuses method 6 without a match of order 3"
    smoothed = precisions[:2]
    for order in range(3, len(precisions) + 1):
        before, before_that = smoothed[-1], smoothed[-2]
        prior = before**2 / before_that if before_that else 0
        ngrams_of_last = max(0, len(last[0]) - order + 1)
        smoothed.append((matches[order - 1] + alpha * prior) / (ngrams_of_last + alpha))
    return smoothed


def nltk_score(rows, weights, method=0, last=None, auto_reweigh=False, **parameters):
    """nltk's corpus score of unadapted rows for one tuple of weights."""
    order = len(weights)
    sums = [
        sum(column) for column in zip(*(nltk_adapted(one_row) for one_row in rows), strict=True)
    ]
    max_ngram_order = (len(sums) - 2) // 2
    hyp_len, ref_len = sums[:2]
    matches, totals = sums[2 : 2 + order], sums[2 + max_ngram_order : 2 + max_ngram_order + order]
    if matches[0] == 0:
        return 0
    precisions = nltk_precisions(matches, totals, method, hyp_len, last, **parameters)
    if auto_reweigh and hyp_len < 4 and weights == (0.25, 0.25, 0.25, 0.25):
        weights = (1 / hyp_len,) * hyp_len
    logarithms = [
        weight * math.log(precision)
        for weight, precision in zip(weights, precisions, strict=False)
        if precision > 0
    ]
    return nltk_brevity_penalty(ref_len, hyp_len) * math.exp(math.fsum(logarithms))


def nltk_corpus_score(list_of_references, hypotheses, weights=(0.25,) * 4, method=0, **options):
    """nltk's corpus score of token lists, counted by `row`."""
    rows = [
        row(hypothesis, references, len(weights))
        for references, hypothesis in zip(list_of_references, hypotheses, strict=True)
    ]
    last = (hypotheses[-1], list_of_references[-1])
    return nltk_score(rows, weights, method, last, **options)

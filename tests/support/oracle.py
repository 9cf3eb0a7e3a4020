"""Counting written to be obviously right: the yardstick of every differential test.

Nothing here is fast and nothing is clever: n-grams are tuples, counts are `collections.Counter`.
"""

from collections import Counter


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

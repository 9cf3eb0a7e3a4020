"""`mbr(aggregate=True)` against DeNero's expected counts, in the plainest way, by sacreBLEU."""

import sys
from collections import Counter

import numpy as np
import pytest
import sacrebleu
from generators import IGNORED_OF_RANDOM, rounds, seeded
from oracle import ngram_counts
from test_mbr import texts

from fastbleu import BLEU
from fastbleu.matrix import mbr

pytestmark = [
    pytest.mark.filterwarnings(ignored)
    for ignored in (*IGNORED_OF_RANDOM, "ignore:without effective_order=True")
]


class Length(float):
    """A fraction where sacreBLEU shows an integer."""

    def __format__(self, spec):
        return str(float(self))


def aggregated(candidates, references, weights=None, max_ngram_order=4, **smoothing):
    """DeNero's expected scores, in the plainest way."""
    weights = [1.0] * len(references) if weights is None else weights
    total = ref_len = 0.0
    expected = [Counter() for _ in range(max_ngram_order)]
    for reference, weight in zip(references, weights, strict=True):
        total += weight
        ref_len += weight * len(reference)
        for n, counts in enumerate(expected, 1):
            for ngram, count in ngram_counts(reference, n).items():
                counts[ngram] += weight * count
    scores = []
    for candidate in candidates:
        matches, totals = [], []
        for n, counts in enumerate(expected, 1):
            found = ngram_counts(candidate, n)
            clipped = [min(count, counts[ngram] / total) for ngram, count in found.items()]
            matches.append(sum(clipped) if clipped else 0)
            totals.append(found.total())
        score = sacrebleu.metrics.BLEU.compute_bleu(
            matches,
            totals,
            len(candidate),
            Length(ref_len / total),
            max_ngram_order=max_ngram_order,
            **{"smooth_method": "exp", "effective_order": True, **smoothing},
        )
        scores.append(score.score)
    return scores


SMOOTHING = [
    {},
    {"smooth_method": "none"},
    {"smooth_method": "floor", "smooth_value": 0.5},
    {"smooth_method": "add-k", "smooth_value": 2},
    {"effective_order": False},
    {"max_ngram_order": 70},
]


@pytest.mark.parametrize("options", SMOOTHING, ids=range(len(SMOOTHING)))
def test_aggregated_references(options):
    rng = seeded("mbr aggregated", options)
    for _ in range(rounds(40)):
        longest = rng.choice((3, 12, 90))
        candidates, references = (texts(rng, rng.randint(1, 20), longest) for _ in range(2))
        sides = [[text.split() for text in side] for side in (candidates, references)]
        metric = BLEU(tokenize=False, **options)
        found = mbr(*sides, aggregate=True, metric=metric)
        expected = aggregated(*sides, **options)
        same = np.array(found.utilities)
        # Python's sum() is compensated from 3.12 on.
        assert np.allclose(same, expected, rtol=1e-13, atol=0)
        if sys.version_info < (3, 12):
            assert found.utilities.tolist() == expected
            assert found.best == expected.index(max(expected))
        weights = [rng.choice((0, 0.5, rng.random())) for _ in references]
        weights[0] += 1
        weighted = mbr(*sides, reference_weights=weights, aggregate=True, metric=metric).utilities
        assert np.allclose(weighted, aggregated(*sides, weights, **options), rtol=1e-13, atol=0)
        own = mbr(sides[0], aggregate=True, metric=metric).utilities
        assert np.allclose(own, aggregated(sides[0], sides[0], **options), rtol=1e-13, atol=0)
        metric = BLEU(tokenize="none", **options)
        as_text = mbr(candidates, references, aggregate=True, metric=metric)
        assert as_text.utilities.tolist() == found.utilities.tolist()


def test_aggregated_with_weights_of_orders():
    rng = seeded("mbr weights of orders")
    candidates, references = texts(rng, 20), texts(rng, 20)
    options = {"max_ngram_order": 2, "effective_order": True}
    expected = mbr(candidates, references, aggregate=True, metric=BLEU(max_ngram_order=2)).utilities
    nearly_even = BLEU(weights=(0.5, 0.5 + 2**-50), **options)
    found = mbr(candidates, references, aggregate=True, metric=nearly_even).utilities
    assert np.allclose(found, expected, rtol=1e-13)
    first_order = BLEU(weights=(1, 0), **options)
    even = {"reference_weights": [3.0] * 20, "aggregate": True}
    found = mbr(candidates, references, **even, metric=first_order).utilities
    unigrams = BLEU(max_ngram_order=1, smooth_method="none")
    expected = mbr(candidates, references, aggregate=True, metric=unigrams).utilities
    assert np.allclose(found, expected, rtol=1e-13)

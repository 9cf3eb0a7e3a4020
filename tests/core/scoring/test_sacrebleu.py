"""SACREBLEU turns rows into the floats of sacreBLEU's compute_bleu.

And into scores by features that sacreBLEU does not have, such as weights.
"""

import math
from array import array

import numpy as np
import pytest
from generators import result, rounds, seeded
from metrics import sentence_scores
from sacrebleu.metrics.bleu import BLEU

from fastbleu import Stats
from fastbleu.core.scoring.sacrebleu import SACREBLEU

pytestmark = pytest.mark.pythons

CASES = rounds(20_000, 200)
VALUES = [None, None, 1, 0.1, 0.5, 2, 0, 0.0, 1.7, 3, 1e-9, 1e-30, 5e-324, 123456.789, 10**15]
LENGTHS = (0, 1, 2, 3, 4, 5, 9, 30, 255, 1000, 1024, 1025, 10**7, 2**52, 2**53 + 1, 2**62 - 1)


def random_row(rng, order, lengths=LENGTHS):
    """A row as counting makes it, mostly; sometimes one that no text has."""
    length = rng.choice(lengths)
    totals, matches = [], []
    for n in range(order):
        totals.append(max(0, length - n * rng.choice((1, 1, 1, 3))))
        most = min(totals[-1], matches[-1] if matches else totals[-1])
        matches.append(rng.choice((0, most, rng.randint(0, most), rng.randint(0, most))))
    if rng.random() < 0.05:
        matches = [rng.randint(0, 3) for _ in range(order)]
    if rng.random() < 0.05:
        totals = [rng.randint(0, 3) for _ in range(order)]
    ref_len = rng.choice((length, max(0, length - 1), length + 1, length * 2, 7, 0, -1))
    return [length, ref_len, *matches, *totals]


def theirs(row, order, options):
    """sacreBLEU's score of one row."""
    return BLEU(max_ngram_order=order, **options)._compute_score_from_stats(list(row)).score


def test_scores_of_random_rows():
    """Each alone, and many together, of which short ones are scored by kept logarithms."""
    rng = seeded("sacrebleu rows")
    for _ in range(CASES // 20):
        order = rng.choice((1, 2, 3, 4, 4, 4, 5, 6, 9, 64, 65, 80))
        options = {"smooth_method": rng.choice(("exp", "exp", "floor", "add-k", "none"))}
        options["effective_order"] = rng.random() < 0.5
        if options["smooth_method"] in ("floor", "add-k"):
            options["smooth_value"] = rng.choice(VALUES)
        lengths = rng.choice((LENGTHS, LENGTHS[:10]))
        rows, expected = [], []
        for row in [random_row(rng, order, lengths) for _ in range(20)]:
            value = result(theirs, row, order, options)
            alone = result(sentence_scores, SACREBLEU, Stats([row]), **options)
            if isinstance(value, type):
                assert alone is value, (row, options)
            else:
                assert list(map(str, alone)) == [str(float(value))], (row, options)
                rows += [row] * 2
                expected += [str(float(value))] * 2
        stats = Stats(rows)
        assert list(map(str, sentence_scores(SACREBLEU, stats, **options))) == expected
        assert np.asarray(stats).tolist() == rows


ROWS = [
    [5, 6, 4, 3, 2, 1, 5, 4, 3, 2],
    [3, 3, 2, 1, 1, 0, 3, 2, 1, 0],
    [0, 3, 0, 0, 0, 0, 0, 0, 0, 0],
    [9, 9, 5, 2, 0, 0, 9, 8, 7, 6],
]


def weighted(row, weights, smoothing, effective):
    """The formula, of sacreBLEU's precisions."""
    hyp_len, ref_len, *counts = row
    theirs = BLEU.compute_bleu(counts[:4], counts[4:], hyp_len, ref_len, smoothing)
    used = [use for use in zip(weights, theirs.precisions, counts[4:], strict=True) if use[0]]
    if effective:
        used = [use for use in used if use[2]]
    if not used or any(precision == 0 for _, precision, _ in used):
        return 0.0
    scale = sum(weights) / sum(weight for weight, _, _ in used)
    terms = [weight * scale * math.log(precision / 100) for weight, precision, _ in used]
    return 100 * theirs.bp * math.exp(sum(terms))


@pytest.mark.parametrize(
    "weights", [(1, 0, 0, 0), (0, 0, 1, 0), (0.4, 0.3, 0.2, 0.1), (1, 1, 2, 3)]
)
@pytest.mark.parametrize(
    ("smoothing", "effective"), [("none", False), ("none", True), ("exp", False)]
)
def test_weights(weights, smoothing, effective):
    options = {"weights": weights, "smooth_method": smoothing, "effective_order": effective}
    seen = sentence_scores(SACREBLEU, Stats(ROWS), **options)
    expected = [weighted(row, weights, smoothing, effective) for row in ROWS]
    assert seen.tolist() == pytest.approx(expected, rel=1e-13)
    assert type(seen) is array

"""Rows scored together, with kept logarithms, have the scores that they have one by one."""

from array import array

import pytest
from generators import seeded

from fastbleu.dialects._sacrebleu import score_rows

LARGEST = (1, 4, 30, 255, 1023, 1024, 1025, 5000, 2**30, 2**52)


def random_row(rng, order):
    """Mostly a row that some text can have."""
    largest = rng.choice(LARGEST)
    hyp_len = rng.choice((largest, rng.randint(0, largest)))
    ref_len = rng.choice((hyp_len, rng.randint(0, 2 * hyp_len + 1), rng.choice(LARGEST)))
    totals = [max(0, hyp_len - n) for n in range(order)]
    matches = [rng.randint(0, total) if rng.random() < 0.8 else 0 for total in totals]
    if rng.random() < 0.1:
        matches[rng.randrange(order)] = rng.randint(-2, 300)
    if rng.random() < 0.1:
        totals[rng.randrange(order)] = rng.randint(0, 300)
    return [hyp_len, ref_len, *matches, *totals]


@pytest.mark.parametrize("effective_order", [False, True])
@pytest.mark.parametrize("order", [1, 2, 4, 9, 64])
def test_together_as_alone(order, effective_order):
    rng = seeded("kept logarithms", order, effective_order)
    for _ in range(20):
        rows = []
        while len(rows) < 100:
            row = random_row(rng, order)
            try:
                alone = score_rows(array("q", row), order, "exp", None, effective_order)[0]
            except (ValueError, OverflowError):  # a logarithm of a negative number
                continue
            rows += [(row, alone)] * rng.randint(1, 3)
        rng.shuffle(rows)
        together = array("q", [number for row, _ in rows for number in row])
        found = score_rows(together, order, "exp", None, effective_order)
        assert found.tolist() == [alone for _, alone in rows]

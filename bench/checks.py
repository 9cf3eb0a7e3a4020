"""Are the results equal? Correctness stands beside every time."""

from __future__ import annotations

import math
from collections import Counter

from workloads import ngrams


def differing(results: object, expected: object) -> str:
    """Compare bit for bit, types included; return how many differ and by how much, or nothing."""
    pairs = _paired(results, expected)
    wrong = [
        (result, wanted)
        for result, wanted in pairs
        if type(result) is not type(wanted) or result != wanted
    ]
    if not wrong:
        return ""
    text = f"{len(wrong):,} of {len(pairs):,} differ"
    if all(isinstance(value, int | float) for pair in wrong for value in pair):
        text += f" by up to {max(abs(a - b) for a, b in wrong):.1e}"
    return text


def say_correct(wrong: str) -> str:
    """Turn what differs, or nothing, into what a result says: "no: ..." or "yes"."""
    return f"no: {wrong}" if wrong else "yes"


def is_rounding(results: object, expected: object) -> bool:
    """Tell whether floats differ by no more than the order of a few operations explains."""
    return all(
        isinstance(a, int | float) and math.isclose(a, b, rel_tol=1e-14, abs_tol=1e-15)
        for a, b in _paired(results, expected)
    )


def _paired(results: object, expected: object) -> list[tuple]:
    if isinstance(results, list) and isinstance(expected, list):
        return list(zip(results, expected, strict=True))
    return [(results, expected)]


def count_plainly(hypotheses: list, references: list, max_order: int = 4) -> list[list[int]]:
    """Count rows the slow and obvious way, to check the fast rows: one reference a segment."""
    rows = []
    for hypothesis, (reference,) in zip(hypotheses, references, strict=True):
        matches, totals = [], []
        for order in range(1, max_order + 1):
            of_hypothesis = Counter(ngrams(hypothesis, order))
            of_reference = Counter(ngrams(reference, order))
            matches.append((of_hypothesis & of_reference).total())
            totals.append(of_hypothesis.total())
        rows.append([len(hypothesis), len(reference), *matches, *totals])
    return rows


def rows_equal(stats, expected: list[list[int]]) -> str:
    """Compare `Stats` with rows as lists."""
    import numpy as np

    return differing(np.asarray(stats).tolist(), expected)

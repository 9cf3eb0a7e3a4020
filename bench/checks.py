"""Checks that results are equal, reported beside every time."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from workloads import Corpus, ngrams, split_fresh


class Part(NamedTuple):
    """Scores of some segments: ``scores[i]`` is the score of segment ``indices[i]``."""

    indices: list[int]
    scores: Any


def spread(segments: int, part: int) -> list[int]:
    """Return the indices of `part` evenly spread segments, or of all if there are fewer."""
    return list(range(0, segments, max(1, segments // part)))[:part]


def differing(results: object, expected: object) -> str:
    """Compare bit for bit, types included; return a description of the differences, or ""."""
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


def differing_arrays(results: object, expected: object) -> str:
    """Compare the scores of all segments, or those of a `Part` of them, as `differing` does."""
    import numpy as np

    found, wanted = _as_arrays(results, expected)
    if found.shape != wanted.shape or found.dtype != wanted.dtype:
        return f"{found.dtype} of shape {found.shape} in place of {wanted.dtype} {wanted.shape}"
    if np.array_equal(found, wanted):
        return ""
    return differing(found.ravel().tolist(), wanted.ravel().tolist())


def say_errors(results: object, expected: object) -> str:
    """Describe errors of scores beyond rounding."""
    found, wanted = _as_arrays(results, expected)
    pairs = list(zip(found.ravel().tolist(), wanted.ravel().tolist(), strict=True))
    wrong = [(a, b) for a, b in pairs if not is_rounding(a, b)]
    if not wrong:
        return "yes, except for rounding"
    error = max(abs(a - b) for a, b in wrong)
    return f"errors: {len(wrong):,} of {len(pairs):,} scores are wrong by up to {error:.1e}"


def say_agreement(utilities: object, expected: object) -> str:
    """Describe how often the same candidate is chosen, and the utility lost otherwise."""
    found, wanted = _as_arrays(utilities, expected)
    chosen = found.argmax(axis=1)
    agreed = int((chosen == wanted.argmax(axis=1)).sum())
    lost = (wanted.max(axis=1) - wanted[range(len(wanted)), chosen]).mean()
    return (
        f"an approximation: the same choice for {agreed:,} of {len(wanted):,} sources,"
        f" {lost:.2f} BLEU less utility on average"
    )


def _as_arrays(results: object, expected: object) -> tuple:
    import numpy as np

    found, wanted = results, np.asarray(expected)
    if isinstance(results, Part):
        found, wanted = results.scores, wanted[results.indices]
    return np.asarray(found), wanted


def say_correct(wrong: str) -> str:
    """Turn what differs, or nothing, into what a result says: "no: ..." or "yes"."""
    return f"no: {wrong}" if wrong else "yes"


def is_rounding(results: object, expected: object) -> bool:
    """Whether floats differ by no more than a different order of operations explains."""
    return all(
        isinstance(a, int | float) and math.isclose(a, b, rel_tol=1e-14, abs_tol=1e-15)
        for a, b in _paired(results, expected)
    )


def _paired(results: object, expected: object) -> list[tuple]:
    if isinstance(results, list) and isinstance(expected, list):
        return list(zip(results, expected, strict=True))
    return [(results, expected)]


def count_plainly(hypotheses: list, references: list, max_order: int = 4) -> list[list[int]]:
    """Count rows in a slow and obvious way, for one reference per segment."""
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


def rows_equal(stats, expected) -> str:
    """Compare `Stats` with others, or with rows as lists."""
    import numpy as np

    return differing(np.asarray(stats).tolist(), np.asarray(expected).tolist())


def score_of_sacrebleu(hypotheses: list, references: list) -> float:
    """Return sacreBLEU's score of a text, references ``[k][segment]``."""
    import sacrebleu

    return sacrebleu.corpus_bleu(hypotheses, references).score


def nltk_score_of_cycles(corpus: Corpus, segments: int) -> float:
    """Return nltk's score of `segments` of a cycled corpus, no segment counted twice.

    nltk adds up integers, one segment at a time, so that the sums of one cycle times the number
    of cycles and those of a part of it are the sums of all segments.
    """
    import nltk.translate.bleu_score as original

    def rows() -> Iterator[list[int]]:
        for hypothesis, references in zip(*split_fresh(corpus), strict=True):
            row = [len(hypothesis), original.closest_ref_length(references, len(hypothesis))]
            for order in range(1, 5):
                precision = original.modified_precision(references, hypothesis, order)
                row += [precision.numerator, precision.denominator]
            yield row

    hyp_len, ref_len, *counts = _sums_of_cycles(list(rows()), segments)
    logs = [
        0.25 * math.log(match / total)
        for match, total in zip(counts[::2], counts[1::2], strict=True)
    ]
    return original.brevity_penalty(ref_len, hyp_len) * math.exp(math.fsum(logs))


def sacrebleu_score_of_cycles(corpus: Corpus, segments: int) -> float:
    """Return sacreBLEU's score of `segments` of a cycled corpus, in the same way."""
    from sacrebleu import BLEU

    metric = BLEU()
    rows = metric._extract_corpus_statistics(corpus.hypotheses, corpus.references)
    return metric._compute_score_from_stats(_sums_of_cycles(rows, segments)).score


def _sums_of_cycles(rows: list[list[int]], segments: int) -> list[int]:
    cycles, left = divmod(segments, len(rows))
    return [
        cycles * sum(column) + sum(column[:left]) for column in map(list, zip(*rows, strict=True))
    ]

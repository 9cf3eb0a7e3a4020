"""The small pieces, one call at a time: ``pytest bench/test_micro.py --benchmark-group-by=func``.

Not part of the test suite. Every result is compared with nltk's; nothing is asserted about time.
"""

from __future__ import annotations

import nltk.translate.bleu_score as original
import pytest

pytest.importorskip("pytest_benchmark")
fastbleu = pytest.importorskip("fastbleu")

from checks import count_plainly, rows_equal  # noqa: E402
from workloads import load_corpus, matched_segments, segments_of_length, split_fresh  # noqa: E402

BOTH = pytest.mark.parametrize("library", [original, fastbleu], ids=["nltk", "fastbleu"])


@pytest.fixture(scope="module", params=[5, 25, 60])
def segment(request) -> tuple[list[str], list[list[str]]]:
    """Return the first real segment of that length with matches at every order."""
    corpus = matched_segments(segments_of_length(load_corpus(), request.param)).take(1)
    (hypothesis,), (references,) = split_fresh(corpus)
    return hypothesis, references


@BOTH
def test_sentence_bleu(benchmark, library, segment):
    hypothesis, references = segment
    score = benchmark(library.sentence_bleu, references, hypothesis)
    assert score == original.sentence_bleu(references, hypothesis)


@BOTH
@pytest.mark.parametrize("method", range(8))
def test_sentence_bleu_smoothed(benchmark, library, method, segment):
    hypothesis, references = segment
    smoothing = getattr(library.SmoothingFunction(), f"method{method}")
    score = benchmark(library.sentence_bleu, references, hypothesis, smoothing_function=smoothing)
    expected = getattr(original.SmoothingFunction(), f"method{method}")
    assert score == original.sentence_bleu(references, hypothesis, smoothing_function=expected)


@BOTH
@pytest.mark.parametrize("order", [1, 4])
def test_modified_precision(benchmark, library, order, segment):
    hypothesis, references = segment
    precision = benchmark(library.modified_precision, references, hypothesis, order)
    assert precision == original.modified_precision(references, hypothesis, order)


@BOTH
def test_closest_ref_length(benchmark, library, segment):
    _, references = segment
    assert benchmark(library.closest_ref_length, references, 20) == original.closest_ref_length(
        references, 20
    )


@BOTH
def test_brevity_penalty(benchmark, library):
    assert benchmark(library.brevity_penalty, 25, 20) == original.brevity_penalty(25, 20)


def test_count_one_segment(benchmark, segment):
    hypothesis, references = segment
    stats = benchmark(fastbleu.count, [hypothesis], [references])
    assert not rows_equal(stats, count_plainly([hypothesis], [references]))


@pytest.mark.parametrize("segments", [1, 20_000])
def test_sum_of_stats(benchmark, segments):
    stats = fastbleu.count([["a", "b"]] * segments, [[["a", "c"]]] * segments)
    assert benchmark(stats.sum) == sum(stats[1:], stats[0])


def test_stats_to_array(benchmark):
    numpy = pytest.importorskip("numpy")
    stats = fastbleu.count([["a", "b"]] * 1000, [[["a", "c"]]] * 1000)
    assert benchmark(numpy.asarray, stats).shape == (1000, 10)

"""The small pieces, one call at a time: ``pytest bench/test_micro.py --benchmark-group-by=func``.

Not part of the test suite. Every result is compared with nltk's or sacreBLEU's; nothing is asserted
about time.
"""

from __future__ import annotations

import nltk.translate.bleu_score as original
import pytest
import sacrebleu

pytest.importorskip("pytest_benchmark")
fastbleu = pytest.importorskip("fastbleu")

from checks import count_plainly, rows_equal  # noqa: E402
from workloads import load_corpus, matched_segments, segments_of_length, split_fresh  # noqa: E402

TEXT_BOTH = pytest.mark.parametrize(
    "library", [sacrebleu, fastbleu.sacrebleu], ids=["sacrebleu", "fastbleu"]
)
BOTH = pytest.mark.parametrize("library", [original, fastbleu], ids=["nltk", "fastbleu"])


@pytest.fixture(scope="module", params=[5, 25, 60])
def segment(request) -> tuple[list[str], list[list[str]]]:
    """Return the first real segment of that length with matches at every order."""
    corpus = matched_segments(segments_of_length(load_corpus(), request.param)).take(1)
    (hypothesis,), (references,) = split_fresh(corpus)
    return hypothesis, references


@pytest.fixture
def lines(segment) -> tuple[str, list[str]]:
    """Return the text of that segment, as good as before it was split."""
    hypothesis, references = segment
    return " ".join(hypothesis), [" ".join(reference) for reference in references]


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


@TEXT_BOTH
def test_sentence_bleu_of_text(benchmark, library, lines):
    score = benchmark(library.sentence_bleu, *lines)
    assert score.score == sacrebleu.sentence_bleu(*lines).score


@TEXT_BOTH
def test_format_score(benchmark, library, lines):
    score = library.sentence_bleu(*lines)
    assert benchmark(str, score) == str(sacrebleu.sentence_bleu(*lines))


@TEXT_BOTH
def test_signature(benchmark, library, lines):
    metric = library.BLEU(effective_order=True)
    metric.sentence_score(*lines)
    text = benchmark(lambda: str(metric.get_signature()))
    assert text.startswith("nrefs:1|case:mixed|eff:yes|tok:13a|smooth:exp|version:2.6.0")


@pytest.mark.parametrize("tokenizer", ["none", "13a", "zh", "intl", "char"])
def test_tokenize(benchmark, lines, tokenizer):
    expected = sacrebleu.BLEU(tokenize=tokenizer).tokenizer(lines[0]).split()
    assert benchmark(fastbleu.tokenize, lines[0], tokenizer) == expected

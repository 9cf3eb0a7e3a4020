"""The small pieces, one call at a time: ``pytest -p benchmark bench/test_micro.py``.

With ``--benchmark-group-by=func`` libraries stand beside each other. Every result is compared with
nltk's or sacreBLEU's; nothing is asserted about time.
"""

import nltk.translate.bleu_score as original
import pytest
import sacrebleu
from workloads import matched_segments, split_fresh

import fastbleu

OF_TEXT = pytest.mark.parametrize(
    "library", [sacrebleu, fastbleu.sacrebleu], ids=["sacrebleu", "fastbleu"]
)
BOTH = pytest.mark.parametrize("library", [original, fastbleu], ids=["nltk", "fastbleu"])


@pytest.fixture(scope="module", params=[5, 25, 60])
def segment(request):
    """The first real segment of that length with matches at every order."""
    (hypothesis,), (references,) = split_fresh(matched_segments(request.param).take(1))
    return hypothesis, references


@pytest.fixture
def lines(segment):
    hypothesis, references = segment
    return " ".join(hypothesis), [" ".join(reference) for reference in references]


@BOTH
@pytest.mark.parametrize("method", [None, *range(8)])
def test_sentence_bleu(benchmark, library, method, segment):
    hypothesis, references = segment

    def smoothing(module):
        if method is None:
            return {}
        return {"smoothing_function": getattr(module.SmoothingFunction(), f"method{method}")}

    score = benchmark(library.sentence_bleu, references, hypothesis, **smoothing(library))
    assert score == original.sentence_bleu(references, hypothesis, **smoothing(original))


@BOTH
@pytest.mark.parametrize("order", [1, 4])
def test_modified_precision(benchmark, library, order, segment):
    hypothesis, references = segment
    precision = benchmark(library.modified_precision, references, hypothesis, order)
    assert precision == original.modified_precision(references, hypothesis, order)


def test_count_one_segment(benchmark, segment):
    hypothesis, references = segment
    numpy, metric = pytest.importorskip("numpy"), fastbleu.BLEU(tokenize=False)
    (row,) = numpy.asarray(benchmark(metric.count, [hypothesis], [references])).tolist()
    precisions = [original.modified_precision(references, hypothesis, k) for k in range(1, 5)]
    assert row[2:6] == [precision.numerator for precision in precisions]
    assert row[6:] == [precision.denominator for precision in precisions]


@OF_TEXT
def test_sentence_bleu_of_text(benchmark, library, lines):
    score = benchmark(library.sentence_bleu, *lines)
    assert score.score == sacrebleu.sentence_bleu(*lines).score


@pytest.mark.parametrize("tokenizer", ["none", "13a", "zh", "intl", "char"])
def test_tokenize(benchmark, lines, tokenizer):
    expected = sacrebleu.BLEU(tokenize=tokenizer).tokenizer(lines[0]).split()
    assert benchmark(fastbleu.tokenizers.tokenize, lines[0], tokenizer) == expected

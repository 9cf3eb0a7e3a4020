"""With as many references as segments, a warning only if they are certainly transposed."""

import warnings

import pytest
import wmt22
from generators import seeded
from metrics import count

from fastbleu import BLEU, InputWarning

BATCHES = range(2, 33, 3)


def corpora():
    """(metric options, hypotheses, streams of references): all references, then other systems."""
    for system in wmt22.SYSTEMS or wmt22.missing():
        pair = system.partition(".")[0]
        others = [other for other in wmt22.SYSTEMS if other.startswith(pair) and other != system]
        files = [*wmt22.reference_files(pair).values(), *map(wmt22.system_file, others)]
        tokenize = {"zh": "zh", "ja": "char"}.get(pair[-2:], "13a")
        hypotheses = wmt22.read_lines(wmt22.system_file(system))[:320]
        yield tokenize, hypotheses, [wmt22.read_lines(file) for file in files]


def square_batches(hypotheses, streams, size):
    """Batches (hypotheses, references[segment][k]) with as many references as segments."""
    for start in range(0, len(hypotheses) - size + 1, size):
        segments = range(start, start + size)
        references = [[streams[k % len(streams)][i] for k in range(size)] for i in segments]
        yield hypotheses[start : start + size], references


def transposed(references):
    return [list(part) for part in zip(*references, strict=True)]


@pytest.mark.long
@pytest.mark.parametrize("same", [False, True], ids=["several references", "the same repeated"])
def test_no_false_warning_on_real_data(same):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.filterwarnings("error", ".*(as many references|single words)", InputWarning)
        for tokenize, hypotheses, streams in corpora():
            for size in BATCHES if not same else (2, 5, 32):
                stream = BLEU(tokenize=tokenize)
                for batch in square_batches(hypotheses, streams[:1] if same else streams, size):
                    stream.update(*batch)
                    count(*batch, tokenize=tokenize)  # by itself


@pytest.mark.long
@pytest.mark.parametrize("order", [1, 4])
def test_transposed_references_are_warned_of_once(order):
    for tokenize, hypotheses, streams in corpora():
        for size in (2, 3, 8, 20):
            stream, seen = BLEU(tokenize=tokenize, max_ngram_order=order), []
            for batch, references in square_batches(hypotheses, streams, size):
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    stream.update(batch, transposed(references))
                seen += [len(seen)] * ("as many references" in "".join(map(str, caught)))
            assert len(seen) == 1
            assert seen[0] * size < 60


def test_what_decides_about_the_layout():
    hypotheses = [f"the cat {i} sat on mat {i} and {i} saw {i} rats" for i in range(16)]
    references = [[f"{text} once", f"{text} twice"] * 8 for text in hypotheses]
    turned = transposed(references)
    with pytest.warns(InputWarning, match=r"of 16 segments match better and of 0 worse.*zip"):
        count(hypotheses, turned, tokenize="13a")
    words = [text.split() for text in hypotheses]
    tokens = [[text.split() for text in texts] for texts in turned]
    with pytest.warns(InputWarning, match=r"pass list\(zip\(\*references\)\)"):
        count(words, tokens)
    count(hypotheses, references, tokenize="13a")
    for size in range(2, 12):  # too few to decide
        count(hypotheses[:size], [its[:size] for its in turned[:size]], tokenize="13a")
    stream = BLEU()  # each batch is too small to decide, together they do
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for start in [*range(0, 16, 4)] * 3:
            batch = slice(start, start + 4)
            stream.update(hypotheses[batch], transposed([its[:4] for its in references[batch]]))
    assert ["zip(*references)" in str(warning.message) for warning in caught] == [True]
    shuffled = seeded("layout").sample(hypotheses, 16)
    metric = BLEU()
    for _ in range(50):
        metric.update(shuffled, references)


def test_an_invalid_layout_is_not_examined():
    metric = BLEU(tokenize=False)
    hypotheses, its = [["a", "b"], ["c", "d"]], [["a"], ["b"]]
    for references in ([its, [["a"]]], [its, iter(its)]):
        assert len(metric.count(hypotheses, references)) == 2
    assert metric.counter.watch.layout_votes == (0, 0)

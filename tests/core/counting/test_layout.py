"""With as many references as segments, a warning only if they are certainly transposed."""

import warnings

import pytest
import wmt22
from generators import seeded
from metrics import count

from fastbleu import BLEU, InputWarning


def transposed(references):
    return [list(part) for part in zip(*references, strict=True)]


@pytest.mark.wmt22
@pytest.mark.long
def test_no_false_warning_on_real_data():
    """As many references as segments, some of them outputs of other systems."""
    for system in wmt22.SYSTEMS:
        pair = system.partition(".")[0]
        hypotheses = wmt22.read_lines(wmt22.system_file(system))[:320]
        streams = [*wmt22.lines_of_references(pair), *wmt22.lines_of_systems(pair).values()]
        metric = BLEU(tokenize={"zh": "zh", "ja": "char"}.get(pair[-2:], "13a"))
        for size in range(2, 33, 3):
            metric.reset()
            for start in range(0, 321 - size, size):
                segments = range(start, start + size)
                batch = [[streams[k % len(streams)][i] for k in range(size)] for i in segments]
                with warnings.catch_warnings():
                    warnings.filterwarnings("error", ".*as many references", InputWarning)
                    metric.update(hypotheses[start : start + size], batch)
                    metric.count(hypotheses[start : start + size], batch)  # by itself


def test_how_the_layout_is_decided():
    hypotheses = [f"the cat {i} sat on mat {i} and {i} saw {i} rats" for i in range(16)]
    references = [[f"{text} once", f"{text} twice"] * 8 for text in hypotheses]
    turned = transposed(references)
    with pytest.warns(InputWarning, match=r"of 16 segments match better and those of 0 worse.*zip"):
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
    assert metric._counter.watch.layout_votes == (0, 0)

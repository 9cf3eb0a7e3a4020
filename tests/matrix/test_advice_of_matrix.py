"""What errors and warnings about many against many advise is typed, and works."""

import numpy
import pytest
from advice import cases, follow, heard, untyped

import fastbleu

BLEU, matrix = fastbleu.BLEU, fastbleu.matrix
H = ["the cat sat here", "it rained all night"]
R = ["the cat sat there", "it rained all the night"]
TOKENS, WORDS = [text.split() for text in H], [text.split() for text in R]
MIXED = [*H, "今天天气很好我们去公园散步"]
PAIRS = (1, 2, 3, 4), (2, 3, 4, 5)
IDS = numpy.array([[5, 6, 7, 8, 0, 0], [9, 5, 7, 6, 0, 0]])
FLOOR = BLEU("nltk", smooth_method="floor", tokenize=False)
IGNORING = BLEU(tokenize=False, ignore_ids=0)

ADVICE = r"""
matrix.pairwise(H[0], R)
    pass (\[hypotheses\])
    matrix.pairwise((lambda hypotheses: {0})(H[0]), R).tolist()
    matrix.pairwise(H[:1], R).tolist()
matrix.mbr(H, [0.5, 0.5])
    by name, (reference_weights=)
    matrix.mbr(H, {0}[0.5, 0.5]).best
    matrix.mbr(H).best
matrix.self_bleu(H, orders=3)
    pass (\(3,\))
    matrix.self_bleu(H, orders={0}).values
    matrix.self_bleu(H, orders=[3]).values
matrix.self_bleu(TOKENS)
    pass (metric=BLEU\(.*?\));
    matrix.self_bleu(TOKENS, {0}).values
    matrix.self_bleu(TOKENS, metric=FLOOR).values
matrix.mbr(TOKENS)
    pass a metric with (tokenize=False)
    matrix.mbr(TOKENS, metric=BLEU({0})).best
    0
matrix.pairwise(TOKENS, WORDS)
    pass a metric with (tokenize=False)
    matrix.pairwise(TOKENS, WORDS, metric=BLEU({0})).tolist()
    matrix.pairwise(H, R).tolist()
matrix.pairwise(MIXED, MIXED, metric=BLEU(tokenize="auto"))
    or (tokenize="zh")
    matrix.pairwise(MIXED, MIXED, metric=BLEU({0})).shape
    (3, 3)
matrix.self_bleu([((1, 2, 3, 4), (2, 3, 4, 5))] * 3, metric=FLOOR)
    pass (list)s instead
    matrix.self_bleu([*{0}(PAIRS), *{0}(PAIRS)], metric=FLOOR).values
    matrix.self_bleu([[1, 2, 3, 4], [2, 3, 4, 5]] * 2, metric=FLOOR).values
matrix.self_bleu(H, against="each", sample_size=1)
    pass (against="others")
    matrix.self_bleu(H, {0}, sample_size=1).values
    matrix.self_bleu(H, sample_size=1).values
matrix.mbr([H, H[:1]], reference_weights=0.5)
    pass a (list) with the weights of each
    matrix.mbr([H, H[:1]], reference_weights={0}([[0.2, 0.8], [1]])).best.tolist()
    [1, 0]
matrix.mbr(H, reference_weights=[0.2, 0.8], reference_lprobs=[-1, -2])
    pass only (one) of them
    matrix.mbr(H, reference_weights=[0.2, 0.8]).best
    1
matrix.mbr(H, reference_lprobs=[0.2, 0.8])
    pass (reference_weights=)
    matrix.mbr(H, {0}[0.2, 0.8]).best
    1
matrix.mbr(IDS, metric=IGNORING, reference_mask=IDS > 0)
    pass (hypothesis_mask=)
    matrix.mbr(IDS, metric=IGNORING, {0}IDS > 0).best
    matrix.mbr(IDS, metric=IGNORING).best
"""
# Of views of bytes, and of lists that another thread changes.
UNTYPED = (
    "out is not aligned",
    "hypotheses or references changed",
    "; pass a list that nothing else changes",
    " now: pass a list that nothing else changes",
)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("case", cases(ADVICE), ids=lambda case: case[0])
def test_advice_is_typed(case):
    follow(case, globals(), "None")


def test_all_advice_is_typed():
    said = [heard(call, globals()) for call, *_ in cases(ADVICE)]
    assert untyped("".join(said), ["matrix"], UNTYPED) == []

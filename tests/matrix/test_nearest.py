"""The nearest references are the best of each row of the matrix of `pairwise`, bit for bit."""

import numpy as np
import pytest
import sacrebleu_cases as cases
from generators import KINDS, edge_length, quietly, raises, seeded, sentences, tiny_length

from fastbleu import BLEU
from fastbleu.core.scoring.base import MATRIX
from fastbleu.core.scoring.names import get, names
from fastbleu.matrix import NearestIndex, duplicates, nearest, pairwise

pytestmark = pytest.mark.pythons

OPTIONS = [
    {},
    {"effective_order": False},
    {"smooth_method": "none"},
    {"smooth_method": "floor", "smooth_value": 5.0},  # no match scores higher than one
    {"smooth_method": "add-k"},
    {"weights": (0.1, 0.2, 0.3, 0.4)},
    {"weights": (0, 0, 0, 1.0)},
    {"max_ngram_order": 1},
    {"max_ngram_order": 7},
    {"dialect": "nltk", "smooth_method": "method4"},
    {"dialect": "nltk", "weights": (0.5, 0.25), "max_ngram_order": 2},
]
HOSTED = {"torchmetrics": "torch", "torcheval": "torch"}


def best_of(matrix, k, min_score):
    """What `nearest` returns, from the whole matrix."""
    scores, positions = np.full((len(matrix), k), np.nan), np.full((len(matrix), k), -1)
    for i, row in enumerate(matrix):
        order = np.argsort(-row, kind="stable")
        order = order[row[order] >= min_score][:k]
        scores[i, : len(order)], positions[i, : len(order)] = row[order], order
    return scores, positions


def check(found, expected, *shown):
    for mine, whole in zip(found, expected, strict=True):
        assert mine.dtype == whole.dtype, shown
        np.testing.assert_array_equal(mine, whole, str(shown))


def check_pools(rng, hypotheses, references, **options):
    matrix = quietly(pairwise, hypotheses, references, metric=BLEU(**options))
    index = NearestIndex(references, metric=BLEU(threads=rng.randint(1, 2), **options))
    assert len(index) == len(references)
    for k in (1, 2, 5, 40, len(references) + 3):
        min_score = rng.choice((0, 0, 1e-9, matrix.mean() if matrix.size else 0, -1))
        found = quietly(index.nearest, hypotheses, k=k, min_score=min_score)
        check(found, best_of(matrix, k, min_score), options, k, min_score, hypotheses)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_random_tokens(options):
    for number in range(12):
        rng = seeded("nearest", str(options), number)
        length = tiny_length if number % 2 else edge_length
        kind = KINDS[rng.choice(("two letters", "four letters", "words"))]
        hypotheses = sentences(rng, kind, rng.randint(0, 12), length, odd=0.3)
        references = sentences(rng, kind, rng.randint(0, 90), length, odd=0.3)
        check_pools(rng, hypotheses, references, tokenize=False, **options)


@pytest.mark.parametrize("dialect", [name for name in names() if MATRIX in get(name).features])
def test_every_dialect(dialect):
    if dialect in HOSTED:
        pytest.importorskip(HOSTED[dialect])
    for number in range(3):
        rng = seeded("nearest", dialect, number)
        lines = [cases.line(rng) or "a" for _ in range(60)]
        lines = [line for line in lines if len(line.split()) > 3]
        check_pools(rng, lines[:8], lines[4:], dialect=dialect)


def test_equal_scores_are_in_the_order_of_references():
    scores, positions = nearest(["x y", "a b"], ["a", "c", "a b", "d", "a b"], k=4)
    assert positions.tolist() == [[0, 1, 2, 3], [2, 4, 0, 1]]
    assert scores[0].tolist() == [0, 0, 0, 0]


def test_ids_and_masks():
    rng = seeded("nearest ids")
    ids = np.array([[rng.randrange(5) for _ in range(9)] for _ in range(40)])
    mask = np.array([[rng.random() < 0.8 for _ in range(9)] for _ in range(40)])
    for options in ({"ignore_ids": (0,)}, {"stop_ids": 4}):
        metric = BLEU(tokenize=False, **options)
        expected = best_of(pairwise(ids[:9], ids, metric=metric), 5, 0)
        check(quietly(nearest, ids[:9], ids, metric=metric), expected, options)
    masks = {"hypothesis_mask": mask[:9], "reference_mask": mask}
    metric = BLEU(tokenize=False)
    expected = best_of(pairwise(ids[:9], ids, **masks, metric=metric), 3, 0)
    check(nearest(ids[:9], ids, k=3, **masks, metric=metric), expected)
    index = NearestIndex(ids, reference_mask=mask, metric=metric)
    check(index.nearest(ids[:9], k=3, hypothesis_mask=mask[:9]), expected)


def test_iterators_are_read_in_blocks():
    rng = seeded("nearest of iterators")
    lines = [" ".join(rng.choices("abcdefgh", k=4)) for _ in range(9000)]
    found = nearest(iter(lines[:60]), iter(lines), k=2, metric=BLEU(threads=2))
    check(found, best_of(pairwise(lines[:60], lines), 2, 0))
    scores, positions = NearestIndex(lines[:3]).nearest((line for line in lines), k=1)
    assert scores.shape == (9000, 1)
    assert positions[:3, 0].tolist() == [0, 1, 2]


@pytest.mark.parametrize("options", [{}, {"dialect": "nltk"}, {"dialect": "mteval-v13a"}], ids=str)
def test_duplicates_are_the_pairs_above_the_diagonal(options):
    rng = seeded("duplicates", str(options))
    lines = [cases.line(rng) or "a" for _ in range(60)]
    lines += [cases.edited(rng, rng.choice(lines)) or "a" for _ in range(60)]
    lines += rng.choices(lines, k=9)
    scale = 100 if not options else 1
    metric = BLEU(threads=2, **options)
    matrix = quietly(pairwise, lines, lines, metric=metric)
    for threshold in (0, 0.2 * scale, 0.99 * scale, 2 * scale):
        above = np.argwhere(np.triu(matrix >= threshold, 1))
        for given in (lines, iter(lines)):
            scores, pairs = quietly(duplicates, given, min_score=threshold, metric=metric)
            assert pairs.tolist() == above.tolist()
            assert scores.tolist() == matrix[tuple(above.T)].tolist()
            assert (pairs.dtype, scores.dtype, pairs.shape[1]) == (np.int64, np.float64, 2)


def test_the_mask_of_duplicates_is_that_of_the_sentences():
    ids, metric = np.array([[1, 2, 3, 4], [1, 2, 3, 9], [5, 6, 7, 8]]), BLEU(tokenize=False)
    masked = duplicates(ids, min_score=1, sentence_mask=ids != 9, metric=metric)
    expected = duplicates([[1, 2, 3, 4], [1, 2, 3], [5, 6, 7, 8]], min_score=1, metric=metric)
    check(masked, expected)
    assert masked[1].tolist() == [[0, 1]]


def test_long_sentences():
    """Matches of more than 255 tokens; more bits than a number has are refused."""
    rng = seeded("nearest of long sentences")
    lists = [rng.choices(range(40), k=n) for n in (3000, 700, 5, 0)]
    check_pools(rng, lists, [lists[0][:2000], *lists, lists[1][::-1]], tokenize=False)
    message = "a reference has 700 tokens, too many .* max_ngram_order=7; pass a lower one"
    metric = BLEU(tokenize=False, max_ngram_order=7)
    raises(ValueError, message, nearest, lists, lists[1:], metric=metric)


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        ((["a"], ["a"]), {"k": 0}, ValueError, "k is 0, but must be at least 1"),
        ((["a"], ["a"]), {"k": 1.5}, TypeError, "k is 1.5, expected an integer"),
        ((["a"], ["a"]), {"min_score": "b"}, TypeError, "min_score has 'b', expected a number"),
        (([["a"]], ["a"]), {}, TypeError, r"hypotheses\[0\] is a list.*one flat list of str"),
        ((["a"], ["a"]), {"metric": "codebleu-weighted"}, ValueError, "does not support"),
    ],
)
def test_errors(arguments, options, error, message):
    raises(error, message, nearest, *arguments, **options)


def test_errors_of_duplicates():
    raises(TypeError, r"sentences\[1\] is an int", duplicates, ["a", 5], min_score=1)
    raises(TypeError, "min_score has None, expected a number", duplicates, ["a"], min_score=None)

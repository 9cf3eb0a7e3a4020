"""Token ids: which of them count, and rows that equal the oracle's on 200,000 random batches.

A batch goes in as arrays of random integer types and places in memory, or as ragged lists of them.
FASTBLEU_TEST_SEGMENTS scales the number of batches: one for five of its segments.
"""

import functools

import numpy as np
import oracle
import pytest
from generators import IGNORED_OF_RANDOM, SEED, SEGMENTS, raises, seeded
from id_batches import LAYOUTS, Batch, random_arguments
from levels import LEVELS, use_simd

import fastbleu
from fastbleu import BLEU, InputWarning

BATCHES = SEGMENTS // 5
PARTS = 4

pytestmark = [
    pytest.mark.pythons,
    *map(pytest.mark.filterwarnings, (*IGNORED_OF_RANDOM, "ignore:the id -100")),
]

metric_of = functools.lru_cache(2000)(lambda **parameters: BLEU(tokenize=False, **parameters))
row_of = functools.lru_cache(100_000)(oracle.row)


def rows_of(hypotheses, references, max_ngram_order, rule="closest"):
    """The oracle's rows of lists of tokens."""
    rows = []
    for hypothesis, its in zip(hypotheses, references, strict=True):
        row = row_of(tuple(hypothesis), tuple(map(tuple, its)), max_ngram_order)
        length = oracle.REFERENCE_LENGTHS[rule](len(hypothesis), list(map(len, its)))
        rows.append([row[0], length, *row[2:]])
    return rows


@pytest.mark.parametrize("part", range(PARTS))
def test_random_batches(part):
    for number in range(part, max(BATCHES, PARTS), PARTS):
        rng = seeded("ids", number)
        batch, arguments, masks = random_arguments(rng)
        max_ngram_order = rng.choice((1, 2, 2, 3, 4, 5))
        rule = rng.choice(list(oracle.REFERENCE_LENGTHS))
        use_simd(rng.choice(LEVELS))
        segments = batch.segments()
        options = {"max_ngram_order": max_ngram_order, "reference_length": rule}
        metric = metric_of(**options, threads=rng.choice((1, 1, 1, 2, 3)), **batch.options)
        seen = np.asarray(metric.count(*arguments, **masks)).tolist()
        expected = rows_of(*segments, max_ngram_order, rule)
        if seen != expected:
            where = f"FASTBLEU_TEST_SEED={SEED} batch={number} {batch.options} {arguments} {masks}"
            assert (seen, where) == (expected, "")
        if number % 16 == 0 and segments[0]:
            scores = metric.sentence_scores(*arguments, **masks)
            assert (scores.dtype, scores.shape) == (np.float64, (len(segments[0]),))
            as_tokens = metric_of(**options)
            assert scores.tolist() == as_tokens.sentence_scores(*segments).tolist()
            streamed = BLEU(tokenize=False, **options, **batch.options)
            streamed.update(*arguments, **masks)
            assert streamed.compute() == streamed.score(*arguments, **masks)


# --- cases for which random batches are too small


def long_batch(rng, rows, low, high, refs=2, **options):
    alphabet = range(rng.choice((3, 30, 32_000)))
    hypotheses = [rng.choices(alphabet, k=high) for _ in range(rows)]
    references = []
    for hypothesis in hypotheses:
        cuts = [rng.randint(0, high) for _ in range(refs)]
        references.append([hypothesis[cut:] + hypothesis[:cut] for cut in cuts])
    for row in [*hypotheses, *(row for its in references for row in its)]:
        row[rng.randint(low, high) :] = []
        row += [-100] * (high - len(row))
    return Batch(hypotheses, references, None, None, {"ignore_ids": (-100,), **options})


@pytest.mark.parametrize("layout", [*{layout.__name__: layout for layout in LAYOUTS}.values()])
def test_long_rows(layout):
    for rows, low, high, options in (
        (6, 60, 70, {}),
        (6, 120, 200, {"skip_ids": (0, 3)}),
        (2, 900, 1100, {"skip_ids": (0,), "stop_ids": 7}),
        (90, 0, 70, {"skip_ids": (0, 3), "stop_ids": 7}),
    ):
        rng = seeded("long ids", layout.__name__, low)
        batch = long_batch(rng, rows, low, high, **options)
        expected = rows_of(*batch.segments(), 5)
        for dtype in ("<i8", "<i4", ">i4", "<i2"):
            sides = [layout(np.array(side, dtype)) for side in (batch.hypotheses, batch.references)]
            use_simd(rng.choice(LEVELS))
            found = metric_of(max_ngram_order=5, **batch.options).count(*sides)
            assert np.asarray(found).tolist() == expected


def test_the_number_of_threads_changes_nothing():
    batch = long_batch(seeded("threads of ids"), 3000, 0, 12)
    expected = rows_of(*batch.segments(), 4)
    hypotheses, references = np.array(batch.hypotheses), np.array(batch.references, "i4")
    ragged = [list(its) for its in references]
    for threads in (1, 2, 3):
        metric = metric_of(threads=threads, **batch.options)
        for sides in ((hypotheses, references), (list(hypotheses), ragged), (hypotheses, ragged)):
            assert np.asarray(metric.count(*sides)).tolist() == expected


IGNORE, EOS, BOS = -100, 2, 1
OPTIONS = {"ignore_ids": (IGNORE, 0), "stop_ids": EOS, "skip_ids": (BOS,)}


@pytest.mark.parametrize(
    ("hypothesis", "references", "row"),
    [
        ([1, 5, 6, 2, 7], [[5, 6, 2, 8, 8]], [2, 2, 2, 2]),
        ([2, 5, 6], [[5, 6, 2]], [0, 2, 0, 0]),
        ([0, 5, 0, -100, 6, 1], [[1, 5, 6]], [2, 2, 2, 2]),
        ([5, 6], [[-100, -100], [5, 6, 7]], [2, 3, 2, 2]),
        ([5, 6], [[-100, 0], [0, -100]], [2, 0, 0, 2]),
        ([5, 6], [[2, 5, 6], [5, 6, 7, 8, 2]], [2, 0, 2, 2]),
        ([5, 6], [[], [5, 6, 7, 8, 9]], [2, 0, 2, 2]),
        ([5, 6], [[1, 2, -100], [5, 6, 7, 8, 9]], [2, 0, 2, 2]),
    ],
)
def test_which_ids_of_a_row_count(hypothesis, references, row):
    metric = BLEU(tokenize=False, max_ngram_order=1, **OPTIONS)
    counted = metric.count([hypothesis], [references])
    assert np.asarray(counted).tolist() == [row]
    counted = metric.count([np.array(hypothesis)], [[np.array(r, "i2") for r in references]])
    assert np.asarray(counted).tolist() == [row]
    tokens, kept = Batch([hypothesis], [references], None, None, OPTIONS).segments()
    assert [oracle.row(tokens[0], kept[0], 1)] == [row], "the tests' own rules"


def test_signatures():
    ids = np.array([[[5, 6, 7], [-100] * 3], [[5, 6, 7], [5, 6, -100]]])
    metric = BLEU(tokenize=False, max_ngram_order=2, **OPTIONS)
    assert "tok:ids(stop=2;ignore=-100,0;skip=1)" in metric.signature
    assert metric.score(ids[:1, 0], ids[:1]).signature.startswith("nrefs:1|")
    assert metric.score(ids[1:, 0], ids[1:]).signature.startswith("nrefs:2|")
    assert metric.score(ids[:, 0], ids).signature.startswith("nrefs:var|")
    assert "tok:given" in BLEU(tokenize=False).signature
    parts = BLEU(
        tokenize=False, ignore_ids=[np.int8(-100)], stop_ids=np.int64(2), skip_ids=iter([1])
    )
    assert parts == BLEU(tokenize=False, ignore_ids=(-100,), stop_ids=2, skip_ids=(1,))
    signatures = [BLEU(reference_length=rule).signature for rule in oracle.REFERENCE_LENGTHS]
    assert signatures.count(BLEU().signature) == 1


@pytest.mark.parametrize("last", [7, np.int8(7), True, [7] * 70_000, 2**63 - 1])
def test_lists_of_ints_are_counted_like_arrays(last):
    """Lists of nothing but int take the fast path; a last segment may need the general path."""
    rng = np.random.default_rng(5)
    lists = [rng.integers(-1, 9, rng.integers(0, 40)).tolist() for _ in range(600)]
    lists.append(last if isinstance(last, list) else [5, last, 6, 8])
    references = [[lists[k - 1], tuple(lists[k][:-1])][: 1 + k % 2] for k in range(len(lists))]
    metric = BLEU(tokenize=False, **OPTIONS)
    arrays = [np.array(ids, "q") for ids in lists]
    of_arrays = [[np.array(ids, "q") for ids in its] for its in references]
    assert metric.count(tuple(lists), references) == metric.count(arrays, of_arrays)


class Tensor:
    """Named like PyTorch's, on a device that numpy cannot read."""

    shape, dtype = (2, 3), np.dtype(int)

    def __init__(self, error):
        self.error = error

    def numpy(self):
        raise self.error

    def __array__(self, dtype=None, copy=None):
        return np.array([[5, 6, 7], [5, 6, 0]])


def test_a_tensor_that_numpy_cannot_read_is_read_as_an_array():
    metric, ids = BLEU(tokenize=False, ignore_ids=(0,)), np.array([[5, 6, 7], [5, 6, 0]])
    assert metric.count(Tensor(RuntimeError()), ids) == metric.count(ids, ids)
    raises(KeyboardInterrupt, "now", metric.count, Tensor(KeyboardInterrupt("now")), ids)


def test_lists_of_ints_without_options_are_lists_of_tokens():
    metric = BLEU(tokenize=False, max_ngram_order=2)
    assert metric.count([[1, 2**70]], [[[1, 2**70], [3]]]).matches.tolist() == [[2, 1]]
    mixed = metric.count([[1, 2, 3]], np.array([[[1, 2, 3], [1, 2, 4]]]))
    assert mixed == metric.count(np.array([[1, 2, 3]]), [[[1, 2, 3], [1, 2, 4]]])
    assert mixed.matches.tolist() == [[3, 2]]


def test_no_rows_and_no_columns():
    metric = BLEU(tokenize=False, effective_order=True)
    none, empty = np.zeros((0, 5), int), np.zeros((3, 0), int)
    assert metric.sentence_scores(none, none).shape == (0,)
    assert len(metric.count(none, none[:, None])) == 0
    raises(ValueError, "no segments", metric.score, none, none)
    assert metric.sentence_scores(empty, empty).tolist() == [0, 0, 0]
    assert metric.count(empty, np.ones((3, 2, 4), int)).ref_lens.tolist() == [4, 4, 4]
    assert len(metric.count(empty[0], empty[0])) == 1


def test_stop_ids():
    metric = BLEU(tokenize=False, stop_ids=[9, 2], max_ngram_order=1)
    assert metric.stop_ids == (2, 9)
    assert BLEU(tokenize=False, stop_ids=(2,)) == BLEU(tokenize=False, stop_ids=2)
    assert "stop=2,9" in metric.signature
    rows = metric.count([[5, 9, 5], [5, 5, 2], [5, 6, 7]], [[5], [5, 5], [2, 5]])
    assert rows.hyp_lens.tolist() == [1, 2, 3]
    assert rows.ref_lens.tolist() == [1, 2, 0]
    ids, mask = np.array([[2, 2, 5, 6, 2, 7]]), np.array([[0, 0, 1, 1, 1, 1]])  # not if masked
    assert metric.count(ids, [[5, 6]], hypothesis_mask=mask) == fastbleu.Stats([[2, 2, 2, 2]])


def test_short_hypotheses_that_score_0_are_noticed():
    ids, metric = np.arange(12).reshape(4, 3), BLEU(tokenize=False, effective_order=False)
    with pytest.warns(InputWarning, match="4 of 4 hypotheses have fewer than 4 tokens and score 0"):
        assert not metric.sentence_scores(ids, ids).any()
    assert BLEU(tokenize=False).sentence_scores(ids, ids).min() > 99

"""What token ids mean: which of them count, what a signature says, and equal values are equal."""

import warnings

import numpy as np
import oracle
import pytest
from generators import PRISTINE, raises
from id_batches import DTYPES, Batch

import fastbleu
from fastbleu import BLEU, InputWarning

IGNORE, EOS, BOS = -100, 2, 1
OPTIONS = {"ignore_ids": (IGNORE, 0), "stop_id": EOS, "skip_ids": (BOS,)}


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
def test_what_a_row_of_ids_means(hypothesis, references, row):
    metric = BLEU(None, max_order=1, **OPTIONS)
    counted = metric.statistics([hypothesis], [references])
    assert np.asarray(counted).tolist() == [row]
    counted = metric.statistics([np.array(hypothesis)], [[np.array(r, "i2") for r in references]])
    assert np.asarray(counted).tolist() == [row]
    tokens, kept = Batch([hypothesis], [references], None, None, OPTIONS).segments()
    assert [oracle.row(tokens[0], kept[0], 1)] == [row], "the tests' own rules"


def test_missing_references_are_not_counted_in_the_signature():
    ids = np.array([[[5, 6, 7], [-100] * 3], [[5, 6, 7], [5, 6, -100]]])
    metric = BLEU(None, max_order=2, **OPTIONS)
    assert metric.score(ids[:1, 0], ids[:1]).signature.startswith("nrefs:1|")
    assert metric.score(ids[1:, 0], ids[1:]).signature.startswith("nrefs:2|")
    assert metric.score(ids[:, 0], ids).signature.startswith("nrefs:var|")


def test_the_signature_tells_the_options():
    assert "tok:ids(stop=2;ignore=-100,0;skip=1)" in BLEU(None, **OPTIONS).signature
    signatures = {
        BLEU(None, **options).signature
        for options in ({}, {"stop_id": 2}, {"ignore_ids": (2,)}, {"skip_ids": (2,)},
            {"stop_id": 2, "skip_ids": (1,)}, {"skip_ids": (1, 2)})
    }  # fmt: skip
    assert len(signatures) == 6
    assert "tok:given" in BLEU(None).signature
    parts = BLEU(None, ignore_ids=[np.int16(-100)], stop_id=np.int64(2), skip_ids=iter([1]))
    assert parts == BLEU(None, ignore_ids=(-100,), stop_id=2, skip_ids=(1,))


@pytest.mark.parametrize("last", [7, np.int8(7), True, [7] * 70_000, 2**63 - 1])
def test_lists_of_plain_ints_are_counted_as_all_others(last):
    """Lists that hold nothing but int are read at once; a last segment may need the general way."""
    rng = np.random.default_rng(5)
    lists = [rng.integers(-1, 9, rng.integers(0, 40)).tolist() for _ in range(600)]
    lists.append(last if isinstance(last, list) else [5, last, 6, 8])
    references = [[lists[k - 1], tuple(lists[k][:-1])][: 1 + k % 2] for k in range(len(lists))]
    metric = BLEU(None, **OPTIONS)
    arrays = [np.array(ids, "q") for ids in lists]
    of_arrays = [[np.array(ids, "q") for ids in its] for its in references]
    assert metric.statistics(tuple(lists), references) == metric.statistics(arrays, of_arrays)


class Tensor:
    """Named as PyTorch's, on a device that numpy cannot read."""

    shape, dtype = (2, 3), np.dtype(int)

    def __init__(self, error):
        self.error = error

    def numpy(self):
        raise self.error

    def __array__(self, dtype=None, copy=None):
        return np.array([[5, 6, 7], [5, 6, 0]])


def test_what_only_looks_like_a_tensor_is_read_otherwise():
    metric, ids = BLEU(None, ignore_ids=(0,)), np.array([[5, 6, 7], [5, 6, 0]])
    for error in (TypeError(), AttributeError(), RuntimeError()):
        assert metric.statistics(Tensor(error), ids) == metric.statistics(ids, ids)
    raises(KeyboardInterrupt, "now", metric.statistics, Tensor(KeyboardInterrupt("now")), ids)


def test_lists_of_ints_without_options_are_lists_of_tokens():
    metric = BLEU(None, max_order=2)
    assert metric.statistics([[1, 2**70]], [[[1, 2**70], [3]]]).matches.tolist() == [[2, 1]]
    mixed = metric.statistics([[1, 2, 3]], np.array([[[1, 2, 3], [1, 2, 4]]]))
    assert mixed == metric.statistics(np.array([[1, 2, 3]]), [[[1, 2, 3], [1, 2, 4]]])
    assert mixed.matches.tolist() == [[3, 2]]


def test_counted_padding_of_labels_is_warned_of():
    ids = np.array([[5, 6, 7, 8, -100]])
    for metric in (BLEU(None), BLEU(None, stop_id=50)):
        for method in (metric.score, metric.update, metric.statistics, metric.sentence_scores):
            with pytest.warns(fastbleu.InputWarning, match=r"-100.*ignore_ids=\(-100,\)"):
                method(ids, ids)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        metric.score(ids + 1, ids + 1)
        BLEU(None, ignore_ids=(-100,)).score(ids, ids)
        BLEU(None, stop_id=8, max_order=3).score(ids, ids)
        BLEU(None).score(ids, ids, hypothesis_mask=ids > 0, reference_mask=ids > 0)


def test_no_rows_and_no_columns():
    metric = BLEU(None, effective_order=True)
    none, empty = np.zeros((0, 5), int), np.zeros((3, 0), int)
    assert metric.sentence_scores(none, none).shape == (0,)
    assert len(metric.statistics(none, none[:, None])) == 0
    raises(ValueError, "no segments", metric.score, none, none)
    assert metric.sentence_scores(empty, empty).tolist() == [0, 0, 0]
    assert metric.statistics(empty, np.ones((3, 2, 4), int)).ref_lens.tolist() == [4, 4, 4]
    assert len(metric.statistics(empty[0], empty[0])) == 1


# --- nltk's API: equal values are equal tokens


@pytest.mark.parametrize("dtype", DTYPES)
def test_numpy_scalars_and_rows_are_their_values(dtype):
    rows = np.array([[1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 9, 6]], dtype)
    values = rows.tolist()
    expected = PRISTINE.sentence_bleu(values[:1], values[1], (0.5, 0.5))
    assert 0 < expected < 1
    for first, second in (rows, map(list, rows), (values[0], rows[1])):
        assert fastbleu.sentence_bleu([first], second, (0.5, 0.5)) == expected
        assert fastbleu.corpus_bleu([[first]], [second], (0.5, 0.5)) == expected
    assert fastbleu.sentence_bleu(rows, rows[0]) == 1
    assert fastbleu.corpus_bleu(rows[:, None], rows) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert fastbleu.corpus_bleu([[rows[0], rows[1]]], [rows[1]]) == 1


@pytest.mark.parametrize("options", [{"stop_id": 5}, {"ignore_ids": (5,)}, {"skip_ids": [5, 4]}])
def test_a_batch_of_nothing_but_empty_hypotheses_is_noticed(options):
    metric = BLEU(None, **options)
    empty, references = np.full((4, 3), 5), [[6, 7]] * 4
    for method in (metric.statistics, metric.update):
        with pytest.warns(InputWarning, match="every hypothesis is empty"):
            method(empty, references)
    metric.update(empty[:3], references[:3])
    metric.update(empty[:, :0], references)
    empty[2, 0] = 6
    metric.update(empty, references)


def test_a_masked_stop_id_does_not_stop():
    metric = BLEU(None, stop_id=2, max_order=1)
    ids, mask = np.array([[2, 2, 5, 6, 2, 7]]), np.array([[0, 0, 1, 1, 1, 1]])
    assert metric.statistics(ids, [[5, 6]], hypothesis_mask=mask) == fastbleu.Stats([[2, 2, 2, 2]])


def test_several_ids_may_end_a_sequence():
    metric = BLEU(None, stop_id=[9, 2], max_order=1)
    assert metric.stop_id == (2, 9)
    assert BLEU(None, stop_id=(2,)) == BLEU(None, stop_id=2)
    assert "stop=2,9" in metric.signature
    rows = metric.statistics([[5, 9, 5], [5, 5, 2], [5, 6, 7]], [[5], [5, 5], [2, 5]])
    assert rows.hyp_lens.tolist() == [1, 2, 3]
    assert rows.ref_lens.tolist() == [1, 2, 0]


def test_padding_that_counts_is_noticed():
    ids = np.full((8, 12), 7)
    ids[:, :5] = np.arange(40).reshape(8, 5) + 10
    for options in ({}, {"ignore_ids": (-100,)}, {"skip_ids": (1,)}):
        metric = BLEU(None, **options)
        with pytest.warns(InputWarning, match=r"hypothesis ids end in a run of the id 7.*\(7,\)"):
            metric.update(ids, ids)
    with pytest.warns(InputWarning, match="reference ids end in a run"):
        BLEU(None).update(ids[:, :5], ids)
    for options in ({"ignore_ids": (7,)}, {"skip_ids": (7,)}, {"stop_id": 7}):
        BLEU(None, **options).update(ids, ids)
    BLEU(None).update(ids, ids, hypothesis_mask=ids != 7, reference_mask=ids != 7)
    BLEU(None).update(ids[:, :6], ids[:, :6])
    ids[:5, -1] = 8
    BLEU(None).update(ids, ids)


def test_references_of_which_nothing_is_left_are_noticed():
    ids = np.arange(40).reshape(8, 5) + 10
    with pytest.warns(InputWarning, match="every reference is empty"):
        BLEU(None, ignore_ids=(-100,)).update(ids, np.full((8, 5), -100))


def test_a_mask_that_is_added_to_logits_is_none_of_ids():
    mask = np.array([[0, -10000]])
    with pytest.raises(ValueError, match=r"the hypothesis holds -10000.*pass mask == 0"):
        BLEU(None).update([[1, 2]], [[1, 2]], hypothesis_mask=mask)


def test_hypotheses_too_short_for_a_score_of_their_own_are_noticed():
    ids = np.arange(12).reshape(4, 3)
    with pytest.warns(InputWarning, match="4 of 4 hypotheses have fewer than 4 tokens and score 0"):
        assert not BLEU(None).sentence_scores(ids, ids).any()
    assert BLEU(None, effective_order=True).sentence_scores(ids, ids).min() > 99
    assert BLEU(None, max_order=3).sentence_scores(ids, ids).min() > 99

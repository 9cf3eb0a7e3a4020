"""Stats: int64 rows that add up, however a corpus is split and whatever its tokens are."""

import copy
import itertools
import pickle
from array import array
from fractions import Fraction

import numpy as np
import oracle
import pytest
from generators import raises, seeded, segments, shown
from metrics import count

import fastbleu
from fastbleu import BLEU, Stats

# Random references may well match better when transposed, and random tokens contain white space.
pytestmark = [
    pytest.mark.pythons,
    pytest.mark.filterwarnings("ignore:there are .* references each"),
    pytest.mark.filterwarnings("ignore:every hypothesis is one token"),
]


def test_sums_do_not_depend_on_the_order_of_rows():
    rng = np.random.default_rng(7)
    a, b, c = (Stats(rng.integers(0, 2**40, (5, 8))) for _ in range(3))
    assert a + b == b + a
    assert (a + b) + c == a + (b + c) == sum([a, b, c])
    assert a + Stats.zeros(5, 3) == Stats.zeros(5, 3) + a == a
    assert (np.asarray(a + b) == np.asarray(a) + np.asarray(b)).all()


def test_splitting_a_corpus_anywhere_changes_nothing():
    hypotheses, references = segments(seeded("splitting"), 30, "four letters")
    whole = count(hypotheses, references)
    assert np.asarray(whole).tolist() == list(map(oracle.row, hypotheses, references))
    assert np.asarray(whole).dtype == np.int64
    for cut in range(31):
        parts = [count(hypotheses[some], references[some]) for some in (slice(cut), slice(cut, 30))]
        assert Stats.concatenate(parts) == whole
        assert parts[0].sum() + parts[1].sum() == whole.sum()
        assert [whole[:cut], whole[cut:]] == parts


def example():
    rows = np.arange(40, dtype=np.int64).reshape(5, 8)
    return rows, Stats(rows.copy())


def test_columns():
    rows, stats = example()
    assert (len(stats), stats.max_ngram_order) == (5, 3)
    for name, columns in (("hyp_lens", 0), ("ref_lens", 1), ("matches", slice(2, 5)),
                          ("totals", slice(5, 8))):  # fmt: skip
        found = getattr(stats, name)
        assert found.dtype == np.int64
        assert found.tolist() == rows[:, columns].tolist()
        assert np.shares_memory(found, np.asarray(stats))


def test_numpy_sees_the_rows_themselves():
    _, stats = example()
    view = np.asarray(stats)
    view[2, 0] = 777
    assert stats.hyp_lens[2] == np.asarray(stats)[2, 0] == 777
    assert np.asarray(stats, dtype=np.float64).dtype == np.float64
    view = np.asarray(count([["a", "b"]] * 300, [[["a"]]] * 300))  # outlives its Stats
    rubbish = [np.full((300, 10), 7, dtype=np.int64) for _ in range(20)]
    assert (view[:, 0] == 2).all()
    assert len(rubbish) == 20


def test_one_row_and_their_sum():
    rows, stats = example()
    for index in (0, 4, -1, -5, np.int64(2)):
        assert isinstance(stats[index], Stats)
        assert np.asarray(stats[index]).tolist() == [rows[index].tolist()]
    assert [np.asarray(row).tolist() for row in stats] == [[row.tolist()] for row in rows]
    assert Stats.concatenate(list(stats)) == Stats.concatenate(iter(stats)) == stats
    assert np.asarray(stats.sum()).tolist() == [rows.sum(axis=0).tolist()]
    assert count([], []).sum() == Stats.zeros(1, 4)


def test_a_repr_shows_three_rows_and_the_number_of_more():
    stats = example()[1]
    assert eval(repr(stats[:3])) == stats[:3]
    assert repr(stats) == repr(stats[:3]).replace("]],", "], ... (5 rows)],")


@pytest.mark.parametrize("index", [5, -6, 10**30, 1.0, "0", None, (0, 1)])
def test_missing_rows(index):
    with pytest.raises(IndexError if type(index) is int else TypeError):
        example()[1][index]


def test_slices():
    rows, stats = example()
    ends = None, *range(-6, 7)
    for part in itertools.starmap(slice, itertools.product(ends, ends, (None, -2, -1, 2, 3))):
        assert np.asarray(stats[part]).tolist() == rows[part].tolist()
        assert stats[part].max_ngram_order == 3


def test_sums_of_other_shapes_and_kinds_are_refused():
    _, stats = example()
    for other in (stats[:4], Stats.zeros(5, 2), Stats.zeros(1, 3)):
        with pytest.raises(ValueError, match=r"\d"):
            stats + other
    for other in (1, None, [1]):
        with pytest.raises(TypeError):
            stats + other
        with pytest.raises(TypeError):
            other + stats
    raises(ValueError, r"max_ngram_order|order", Stats.concatenate, [stats, Stats.zeros(1, 2)])


def test_equality():
    rows, stats = example()
    assert stats == Stats(rows)
    for other in (Stats(rows + 1), stats[:4], 3, "stats"):
        assert stats != other
    assert Stats.zeros(0, 1) != Stats.zeros(0, 2)
    raises(TypeError, "unhashable", hash, stats)


def test_copies_and_pickles_are_equal_and_independent():
    stats = example()[1]
    protocols = range(pickle.HIGHEST_PROTOCOL + 1)
    for part in (slice(None), slice(0, 0), slice(None, None, -2)):
        pickled = [pickle.loads(pickle.dumps(stats[part], protocol)) for protocol in protocols]
        for again in (*pickled, copy.deepcopy(stats[part]), Stats(stats[part])):
            assert again == stats[part]
            assert again.max_ngram_order == 3
            np.asarray(again)[...] = 0
            assert again == Stats.zeros(len(again), 3)
    assert copy.copy(stats) == stats == example()[1]


WRONG_STATES = {
    "rows of another width": (array("q", range(13)), 4, None),
    "an order beyond the largest": (array("q", range(10)), 10**9, None),
    "no orders": (array("q", range(2)), 0, None),
    "a negative order": (array("q", range(10)), -1, None),
    "an order that is no integer": (array("q", range(10)), "4", None),
    "fractions": (array("d", range(10)), 4, None),
    "text": ("0123456789", 4, None),
    "no rows": (None, 4, None),
    "an unknown origin": (array("q", range(10)), 4, {"when": "today"}),
}


@pytest.mark.parametrize("state", WRONG_STATES.values(), ids=WRONG_STATES)
def test_a_pickle_with_other_rows_is_refused(state):
    raises((ValueError, TypeError), ".", Stats.__new__(Stats).__setstate__, state)


def test_rows_given_in_other_forms():
    rows, stats = example()
    for other in (rows.tolist(), rows.astype(np.int32), np.asfortranarray(rows)):
        assert Stats(other) == Stats(other, max_ngram_order=3) == stats
    assert Stats(np.zeros((0, 6), dtype=np.int64)).max_ngram_order == 2
    assert Stats([], max_ngram_order=2) == Stats.zeros(0, 2)
    assert Stats([], max_ngram_order=4) == Stats.zeros(0)


@pytest.mark.parametrize("rows", [
    np.zeros((3, 5), int), np.zeros((3, 2), int), np.zeros(8, int), np.zeros((2, 2, 6), int),
    np.zeros((2, 6)) + 0.5, [[1, 2, 3, 4], [1]], [["a"] * 4], None, 3, "rows", [[2**63, 1, 1, 1]],
], ids=shown)  # fmt: skip
def test_invalid_rows(rows):
    with pytest.raises((ValueError, TypeError, OverflowError)):
        Stats(rows)


def test_errors_of_arguments():
    for arguments in (([],), ([], -3)):
        raises(ValueError, "max_ngram_order", Stats, *arguments)
    needed = "rows has 6 columns, but max_ngram_order=3 needs 8"
    raises(ValueError, needed, Stats, np.zeros((2, 6), dtype=int), 3)
    raises(ValueError, r"rows has the shape \(1, 0\)", Stats, [[]])
    raises(TypeError, "part 0 is an int", Stats.concatenate, [1])
    for arguments in ((-1, 4), (2, 0)):
        raises(ValueError, r"-1|0", Stats.zeros, *arguments)
    for many in (2**61, 2**63, 2**65 // 10 + 1, 2**80):  # than memory can hold
        for function, arguments in (
            (Stats.zeros, (many, 4)),
            (Stats.zeros, (1, many)),
            (count, ([["a"]], [[["a"]]], many)),
        ):
            with pytest.raises((MemoryError, OverflowError, ValueError)):
                function(*arguments)


# Tokens that are int of more than 64 bits are compared by content, like every plain token, under a
# keyed hash. Python's own is the remainder by 2**61 - 1: tests/trust/test_flooding.py.
EDGES = [2**63, -(2**63), 2**63 - 1, -(2**63) - 1, 2**64, -(2**64)]
EDGES += [
    sign * (2**bits + more) for bits in (90, 120, 6000) for sign in (1, -1) for more in (-1, 0)
]


def row(hypothesis, references):
    return np.asarray(count([hypothesis], [references])).tolist()


@pytest.mark.parametrize("length", [5, 40, 200])
def test_large_integers_are_compared_by_value(length):
    """Like the same tokens written as str, none of which is a prefix of another."""
    rng = seeded("large integers")
    for _ in range(30):
        pool = EDGES + [
            rng.choice([-1, 1]) * rng.getrandbits(rng.randint(1, 200)) for _ in range(8)
        ]
        # Not the same object, wherever that is possible.
        drawn = [[rng.choice(pool) + 1 - 1 for _ in range(length + k)] for k in (0, 3, -2)]
        texts = [[f"{token:x}" for token in tokens] for tokens in drawn]
        assert row(drawn[0], drawn[1:]) == row(texts[0], texts[1:])
        # With a float, everything is compared by Python's own equality.
        mixed, mixed_texts = [[*t, 0.5] for t in drawn], [[*t, "other"] for t in texts]
        assert row(mixed[0], mixed[1:]) == row(mixed_texts[0], mixed_texts[1:])
        pairs = fastbleu.matrix.pairwise(drawn, drawn, metric=BLEU(tokenize=False))
        assert (pairs == fastbleu.matrix.pairwise(texts, texts, metric=BLEU(tokenize=False))).all()


def test_large_integers_equal_other_numbers_of_their_value():
    tokens = [2**70, -(2**70), 3 * 2**80, "a", b"b"]
    equal = [2.0**70, -(2.0**70), Fraction(3 * 2**80), "a", b"b"]
    assert row(tokens, [equal]) == row(equal, [tokens]) == [[5, 5, 5, 4, 3, 2, 5, 4, 3, 2]]
    for order in ([tokens, equal], [equal, tokens], [tokens, equal, tokens]):
        assert fastbleu.matrix.pairwise(order, order, metric=BLEU(tokenize=False)) == pytest.approx(
            100
        )
        index = fastbleu.matrix.ReferenceIndex(order[:1], metric=BLEU(tokenize=False))
        index = pickle.loads(pickle.dumps(index))
        assert index.sentence_scores(order) == pytest.approx(100)

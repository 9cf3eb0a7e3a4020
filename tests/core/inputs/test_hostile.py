"""Hostile input is normal input: a result or a clean exception, never a crash or a leak.

Tokens, sequences and arrays here raise, lie, change what is being read, or call the library again.
After each of it the next call is right.
"""

import sys

import numpy as np
import pytest
from generators import raises
from hostile import REFERENCES, Lying, Planned, Token, each_entry, raising
from metrics import count, from_state
from processes import python

import fastbleu
from fastbleu import BLEU, Stats

pytestmark = [pytest.mark.pythons, pytest.mark.usefixtures("the_next_call_is_right")]

ERRORS = [Planned("x"), ValueError("x"), KeyError(), TypeError("mine"), MemoryError()]
ERRORS += [KeyboardInterrupt(), StopIteration(), SystemExit(3)]


@each_entry
def test_exceptions_raised_by_tokens_propagate_unchanged(entry):
    for error in ERRORS:
        hashed, compared = Token(on_hash=raising(error)), Token(on_equal=raising(error))
        for hypothesis, references in (
            ([hashed], [["a"]]),
            (["a"], [["b"], ["c", hashed]]),
            ([1, compared], [[Token(on_equal=raising(error))]]),
        ):
            with pytest.raises(type(error)) as caught:
                entry(hypothesis, references)
            # Python 3.14's dict replaces a TypeError of __hash__ by another one.
            own = type(error) is TypeError and sys.version_info >= (3, 14)
            assert caught.value is error or (own and "mine" in str(caught.value))


def failing_iterator():
    yield "a"
    raise Planned


@each_entry
def test_sequences_that_raise(entry):
    for bad in (
        Lying(raising(Planned()), []),
        Lying(2, raising(Planned())),
        Lying(2, failing_iterator),
    ):
        for hypothesis, references in ((bad, REFERENCES), (["a"], [["a"], bad]), (["a"], bad)):
            raises(Planned, "", entry, hypothesis, references)


def test_trials_of_the_trust_gate():
    """The first trials of tests/trust/test_hostile_objects.py; failed ones are named."""
    python("-m", "trust.hostile_trial", "hostile", 0, 200, noisy=True)


# Lists that are emptied by their own items.


@pytest.mark.parametrize("entry", ["corpus_bleu", "count"])
def test_lists_that_are_cleared_when_the_last_segment_is_released(entry):
    """Reading segment i releases segment i - 1, whose destructor empties both lists."""

    class Evil:
        def __hash__(self):
            hypotheses[0] = None
            return 1

        def __del__(self):
            references.clear()
            hypotheses.clear()

    hypotheses = [[Evil(), "b"], ["a", "b"], ["c"]]
    references = [[["a", "b"]], [["a", "b"]], [["c"]]]
    if entry == "corpus_bleu":
        assert 0 <= fastbleu.corpus_bleu(references, hypotheses, (1,)) <= 1
    else:
        raises(ValueError, "3 segments became 2", count, hypotheses, references)


class Emptying:
    """An object that empties lists when numpy asks for its length."""

    def __init__(self, *lists):
        self._lists = lists

    def empty(self):
        for some in self._lists:
            some.clear()

    def __len__(self):
        self.empty()
        return 0

    def __getitem__(self, index):
        raise IndexError


class EmptyingArray(Emptying):
    """Empties them earlier, when numpy asks for attributes of arrays."""

    def __getattr__(self, name):
        self.empty()
        raise AttributeError(name)


ONES = np.ones((3, 6), int)
CALLS = {
    "Stats": Stats,
    "weights": lambda rows: fastbleu.matrix.mbr(
        [["a b"]] * 3, [["a c"] * 6] * 3, reference_weights=rows
    ),
    "mask": lambda rows: BLEU(tokenize=False).count(ONES, ONES, hypothesis_mask=rows),
    "mask of lists": lambda rows: BLEU(tokenize=False).count(
        ONES.tolist(), ONES.tolist(), hypothesis_mask=rows
    ),
    "state": lambda rows: from_state(rows[0], max_ngram_order=2),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=list(CALLS))
@pytest.mark.parametrize("kind", [Emptying, EmptyingArray])
def test_numpy_does_not_read_a_list_that_its_own_item_empties(call, kind):
    """numpy alone crashes with a segmentation fault."""
    for place in range(6):
        inner = [9000 + number for number in range(6)]
        rows = [inner, [10**6 + number for number in range(6)], [2] * 6]
        inner[place] = kind(inner, rows)
        raises((TypeError, ValueError, OverflowError), "", call, rows)


def test_endlessly_nested_numbers():
    rows = [1, 2]
    rows.append(rows)
    for call in (Stats, lambda rows: from_state(rows, max_ngram_order=2)):
        raises((TypeError, ValueError), "nested more than 4 levels deep", call, rows)


def test_texts_that_the_tokenizer_removes_from_the_list():
    """Counting the texts that end in " ." used to meet None and raise an AttributeError."""
    texts = ["a b", "c d"]

    def split(text):
        if text in texts:
            texts[0] = None
        return text.split()

    scores = fastbleu.matrix.pairwise(texts, ["e f", "g h"], metric=BLEU(tokenize=split))
    assert scores.shape == (2, 2)


def test_references_that_a_token_empties_after_they_were_counted():
    """Comparing them with their transposition used to raise an IndexError."""

    class Last(str):
        def __eq__(self, other):
            references.clear()
            return str.__eq__(self, other)

        __hash__ = str.__hash__

    hypotheses = [["a", "b"], ["c", Last("d")]]
    references = [[["a", "b"], ["c", "e"]], [["a", "c"], ["c", "d"]]]
    assert np.asarray(count(hypotheses, references, 1)).tolist() == [[2, 2, 2, 2], [2, 2, 2, 2]]


# Masks that change the ids.


class Reshaping:
    """A mask that changes the shape of the ids when it is asked for its own."""

    def __init__(self, ids, shape):
        self.ids, self.new, self.shape = ids, shape, ids.shape

    def __len__(self):
        return len(self.ids)

    def __array__(self, dtype=None, copy=None):
        self.ids.resize(self.new, refcheck=False)
        return np.ones(self.new, bool)


@pytest.mark.parametrize("shape", [(20,), (2, 10), (4, 5, 1), (2, 1, 2, 5)])
def test_ids_reshaped_by_their_mask_are_not_read_beyond_their_end(shape):
    """Each of 20 rows used to be read as 20 ids, from memory that holds 20 in all."""
    ids = np.arange(20).reshape(4, 5)
    mask = Reshaping(ids, shape)
    others = np.arange(20 * shape[0]).reshape(shape[0], 20)
    if len(shape) in (2, 3):
        assert len(BLEU(tokenize=False).count(ids, others, hypothesis_mask=mask)) == shape[0]
    else:
        with pytest.raises(ValueError, match="dimensions, expected 2 or 3"):
            BLEU(tokenize=False).count(ids, others, hypothesis_mask=mask)


def test_a_mask_that_reshapes_a_row():
    ids = np.arange(20)
    mask = Reshaping(ids, (4, 5))
    with pytest.raises(ValueError, match="2 dimensions, expected 1"):
        BLEU(tokenize=False).count([ids], [ids.copy()], hypothesis_mask=[mask])


def test_rows_that_are_added_while_their_masks_are_counted():
    class Masks(list):
        def __len__(self):
            rows.append([6, 7])
            return super().__len__()

    rows = [[1, 2, 3], [4, 5]]
    masks = Masks([[1, 1, 0], [1, 1]])
    references = np.array([[1, 2], [4, 5]])
    metric = BLEU(tokenize=False)
    _, positions = fastbleu.matrix.nearest(
        rows, references, k=1, hypothesis_mask=masks, metric=metric
    )
    assert positions.tolist() == [[0], [1]]


def test_id_references_that_yield_nothing_are_refused():
    """The length of an absent reference used to be read from uninitialized memory."""
    nothing = Lying(2, ())
    nothing.shape = (2, 3)
    for hypothesis in ([1, 2, 3], np.arange(3)):
        with pytest.raises(ValueError, match="segment 0: no references"):
            BLEU(tokenize=False).count([hypothesis], [nothing])

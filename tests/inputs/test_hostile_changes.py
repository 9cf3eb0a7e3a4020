"""Lists that user code changes after they were counted, or while numpy makes an array of them."""

import numpy as np
import pytest
from generators import raises

from fastbleu import BLEU, Stats, count, matrix

pytestmark = pytest.mark.usefixtures("the_next_call_is_right")


class Emptying:
    """What empties lists when numpy asks for its length, or for what arrays have."""

    def __init__(self, *lists):
        self._lists = lists

    def __len__(self):
        for some in self._lists:
            del some[:]
        return 0

    def __getitem__(self, index):
        raise IndexError


class EmptyingArray:
    """The same for what asks for an attribute, as numpy does before it asks for the length."""

    def __init__(self, *lists):
        self._lists = lists

    def __getattr__(self, name):
        for some in self._lists:
            del some[:]
        raise AttributeError(name)


IDS = np.ones((3, 6), int)
CALLS = {
    "Stats": Stats,
    "weights": lambda rows: matrix.mbr([["a b"]] * 3, [["a c"] * 6] * 3, rows),
    "mask": lambda rows: BLEU(None).statistics(IDS, IDS, hypothesis_mask=rows),
    "mask of lists": lambda rows: BLEU(None).statistics(
        IDS.tolist(), IDS.tolist(), hypothesis_mask=rows
    ),
    "state": lambda rows: BLEU.from_state(rows[0], max_order=2),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=list(CALLS))
@pytest.mark.parametrize("kind", [Emptying, EmptyingArray])
def test_numpy_reads_no_list_that_an_object_in_it_empties(call, kind):
    """numpy itself dies of it: a segmentation fault."""
    for place in range(6):
        inner = [9000 + number for number in range(6)]
        rows = [inner, [10**6 + number for number in range(6)], [2] * 6]
        inner[place] = kind(inner, rows)
        with pytest.raises((TypeError, ValueError, OverflowError)):
            call(rows)


def test_numbers_that_are_nested_without_end():
    rows = [1, 2]
    rows.append(rows)
    for call in (Stats, lambda rows: BLEU.from_state(rows, max_order=2)):
        raises((TypeError, ValueError), "nested more than 4 levels deep", call, rows)


def test_texts_that_the_tokenizer_takes_out_of_the_list():
    """Counting how many end in " ." met None: an AttributeError."""
    texts = ["a b", "c d"]

    def split(text):
        texts[0] = None
        return text.split()

    assert matrix.pairwise(texts, ["a b", "c d"], tokenize=split).shape == (2, 2)


def test_references_that_a_token_empties_after_they_were_counted():
    """Comparing them with their transposition was an IndexError."""

    class Last(str):
        def __eq__(self, other):
            references.clear()
            return str.__eq__(self, other)

        __hash__ = str.__hash__

    hypotheses = [["a", "b"], ["c", Last("d")]]
    references = [[["a", "b"], ["c", "e"]], [["a", "c"], ["c", "d"]]]
    assert np.asarray(count(hypotheses, references, 1)).tolist() == [[2, 2, 2, 2], [2, 2, 2, 2]]

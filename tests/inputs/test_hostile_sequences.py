"""Hostile input is normal input: a result or a clean exception, never a crash or a leak.

Sequences here lie about their length, raise, or are no sequences at all.
"""

import sys

import numpy as np
import pytest
from generators import raises
from hostile import REFERENCES, Lying, Planned, clean, each_entry, raising

import fastbleu

pytestmark = pytest.mark.usefixtures("the_next_call_is_right")


def failing_iterator():
    yield "a"
    raise Planned


@each_entry
@pytest.mark.parametrize(
    "length", [0, 1, 3, 100, -1, 10**5, 2**62, sys.maxsize, sys.maxsize + 1, None, "3"]
)
def test_lengths_that_lie(entry, length):
    for elements in ((), ["a"], ["a", "b", "c"], ["a"] * 200):
        clean(entry, Lying(length, elements), [["a", "b"]])
        clean(entry, ["a", "b"], [Lying(length, elements), ["a"]])
        clean(entry, ["a", "b"], Lying(length, [["a"], ["b"]]))
    clean(fastbleu.corpus_bleu, Lying(length, [[["a"]]]), Lying(length, [["a"]]))
    clean(fastbleu.count, Lying(length, [["a"]]), Lying(length, [[["a"]]]))


@each_entry
def test_sequences_that_raise(entry):
    for bad in (
        Lying(raising(Planned()), []),
        Lying(2, raising(Planned())),
        Lying(2, failing_iterator),
    ):
        for hypothesis, references in ((bad, REFERENCES), (["a"], [["a"], bad]), (["a"], bad)):
            with pytest.raises(Planned):
                entry(hypothesis, references)


@each_entry
def test_something_wrong_in_every_place(entry):
    for wrong in (
        None,
        3,
        1.5,
        object(),
        int,
        Ellipsis,
        np.float64(1),
        {1},
        b"a",
        np.zeros((2, 2)),
        [None],
        [[]],
        [[[]]],
    ):
        for hypothesis, references in (
            (wrong, REFERENCES),
            (["a"], wrong),
            (["a"], [wrong]),
            (wrong, wrong),
        ):
            clean(entry, hypothesis, references)


@pytest.mark.parametrize("entry", ["corpus_bleu", "count"])
def test_lists_that_are_cleared_when_the_last_segment_is_let_go(entry):
    """Reading segment i lets go of segment i - 1, whose destructor empties both lists."""

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
        raises(ValueError, "3 segments became 2", fastbleu.count, hypotheses, references)

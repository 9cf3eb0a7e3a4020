"""Valid and invalid arguments of nltk's functions, and their exceptions, as in nltk 3.10.4.

Runs against fastbleu, nltk and patched nltk, like test_nltk_parity.py.
"""

from collections import Counter, OrderedDict, UserList, deque

import numpy as np
import pytest
from generators import PRISTINE, assert_same, raises, typed
from processes import python
from test_nltk_parity import HYPOTHESIS, REFERENCES

import fastbleu

pytestmark = [pytest.mark.pythons, pytest.mark.filterwarnings("error")]


class Sized:
    def __init__(self, tokens):
        self.tokens = list(tokens)

    def __len__(self):
        return len(self.tokens)


class Tokens(Sized):
    """A sequence with nothing but a length and an iterator."""

    def __iter__(self):
        return iter(self.tokens)


class Indexed(Sized):
    """A sequence by the protocol that predates iterators."""

    def __getitem__(self, index):
        return self.tokens[index]


SEQUENCES = {
    **{kind.__name__: kind for kind in (list, tuple, deque, UserList, Tokens, Indexed, Counter)},
    "str": "".join,
    "OrderedDict": OrderedDict.fromkeys,
    "keys": lambda tokens: dict.fromkeys(tokens).keys(),
    "values": lambda tokens: dict(enumerate(tokens)).values(),
    "bytes": lambda tokens: "".join(tokens).encode(),
    "memoryview": lambda tokens: memoryview("".join(tokens).encode()),
    "range": lambda tokens: range(len(tokens)),
    "array": lambda tokens: np.array(list(tokens)),
    "array of objects": lambda tokens: np.array([ord(token) for token in tokens], dtype=object),
}


@pytest.mark.parametrize("kind", SEQUENCES)
def test_any_sequence_of_tokens(bleu, kind):
    make = SEQUENCES[kind]
    hypothesis, references = make("abcabcd"), [make("abcacd"), make("bcabcde"), make("")]
    assert_same(bleu, "sentence_bleu", references, hypothesis)
    assert_same(bleu, "sentence_bleu", tuple(references), list(hypothesis))
    assert_same(bleu, "corpus_bleu", [references, references], [hypothesis, make("cab")])
    assert_same(bleu, "modified_precision", references, hypothesis, 2)
    assert_same(bleu, "closest_ref_length", references, 7)


@pytest.mark.parametrize("wrap", [list, tuple, deque, UserList, Tokens, Indexed])
def test_any_sequence_of_segments_and_references(bleu, wrap):
    references = wrap([tuple("abcabd"), tuple("abdacd")])
    hypotheses = wrap([list("abc"), list("abcabcd")])
    assert_same(bleu, "sentence_bleu", references, list("abcabcd"))
    assert_same(bleu, "corpus_bleu", wrap([references, references]), hypotheses)


def test_the_segment_of_an_error_in_other_sequences_is_named():
    sides = deque([[["a"]]] * 2), deque([["a"], [["b"]]])
    raises(TypeError, "^segment 1: the hypothesis", fastbleu.corpus_bleu, *sides)


def test_views_of_dictionaries_and_arrays_of_references(bleu):
    keys = dict.fromkeys([tuple("abcabd"), tuple("abdacd")]).keys()
    assert_same(bleu, "sentence_bleu", keys, list("abcabcd"))
    assert_same(bleu, "corpus_bleu", {1: keys, 2: keys}.values(), {1: "abca", 2: "abd"}.values())
    references = np.array([list("abcabd"), list("abdacd")])
    assert_same(bleu, "sentence_bleu", references, references[0])
    assert_same(bleu, "corpus_bleu", np.stack([references, references]), references)


def test_generators_where_nltk_takes_them(bleu):
    seen = bleu.modified_precision(iter(REFERENCES), HYPOTHESIS, 2)
    assert typed(seen) == typed(PRISTINE.modified_precision(REFERENCES, HYPOTHESIS, 2))
    assert bleu.closest_ref_length(reversed(REFERENCES), 9) == 9
    assert bleu.closest_ref_length(iter(REFERENCES), 100) == 10
    for generator in (iter(HYPOTHESIS), (token for token in HYPOTHESIS)):
        assert_same(bleu, "sentence_bleu", REFERENCES, generator)
        assert_same(bleu, "modified_precision", REFERENCES, generator, 1)
        assert_same(bleu, "corpus_bleu", [REFERENCES], generator)
        assert_same(bleu, "corpus_bleu", generator, [HYPOTHESIS])
        assert_same(bleu, "sentence_bleu", [HYPOTHESIS, generator], HYPOTHESIS)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        *(("corpus_bleu", sides) for sides in (([], []), ([], [["a"]]), ([[["a"]]], []))),
        ("corpus_bleu", ([[["a"]]], [["a"], ["b"]])),
        *(("corpus_bleu", (wrong, [["a"]])) for wrong in (None, [None])),
        *(("corpus_bleu", ([[["a"]]], wrong)) for wrong in (None, 3, [None], [3])),
        *(("sentence_bleu", (wrong, ["a"])) for wrong in (None, 3, [None], [3], [["a", ["b"]]])),
        *(("sentence_bleu", ([["a"]], wrong)) for wrong in (None, ["a", ["b"]], [{}], [("a", [])])),
        ("sentence_bleu", ()),
        ("sentence_bleu", ([["a"]],)),
        ("sentence_bleu", ([["a"]], ["a"], (1,), None, False, 1)),
        *(("closest_ref_length", (wrong, 3)) for wrong in ([], None, [None])),
        *(("closest_ref_length", ([["a"]], wrong)) for wrong in (None, "3")),
        *(
            ("modified_precision", ([["a"]], ["a"], order))
            for order in (None, 1.0, 2.5, "1", -1, 0, True)
        ),
        ("modified_precision", ([["a", "b"]], ["a", "b"], 10**30)),
        ("modified_precision", ([], [], 1)),
        *(("brevity_penalty", (wrong, 3)) for wrong in (None, "3", 10**400)),
        *(("brevity_penalty", sides) for sides in ((3, None), (-(10**6), -1))),
    ],
)
def test_exceptions(bleu, name, arguments):
    assert_same(bleu, name, *arguments)


def test_orders_that_are_integers_of_other_types(bleu):
    assert_same(bleu, "modified_precision", [["a", "b"]], ["a", "b", "a"], 2)
    if bleu.modified_precision.__module__.startswith("fastbleu"):  # nltk: TypeError
        precision = bleu.modified_precision([["a", "b"]], ["a", "b", "a"], np.int64(2))
        assert typed(precision) == ("Fraction", 1, 2, 0.5)


@pytest.mark.parametrize(
    "call",
    ["corpus_bleu([[['a']]], [])", "SmoothingFunction().method6([1, 1, 0, 0], [['a']], ['a'])"],
)
def test_assertions_of_nltk_are_errors_without_assertions_too(call):
    with pytest.raises(AssertionError) as theirs:
        eval(f"bleu.{call}", {"bleu": PRISTINE})
    code = f"from fastbleu.nltk import *\ntry: {call}\nexcept AssertionError as error: print(error)"
    assert python("-O", "-c", code) == f"{theirs.value}\n"

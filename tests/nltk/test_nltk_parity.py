"""The drop-in is nltk 3.10.4: the same signatures, values, types, warnings and exceptions.

Expected outcomes come from a private copy of nltk's module that no patch reaches. Tests that use
the fixture `bleu` run against nltk itself, too, which proves that they describe nltk, and against
nltk patched by fastbleu.
"""

import copy
import fractions
import inspect
import itertools
import pickle
import sys

import nltk
import numpy as np
import pytest
from generators import PRISTINE, assert_same, result, typed, words

import fastbleu
import fastbleu.nltk as ours

pytestmark = [pytest.mark.pythons, pytest.mark.filterwarnings("error")]

FUNCTIONS = [
    *("sentence_bleu", "corpus_bleu", "modified_precision", "closest_ref_length"),
    "brevity_penalty",
]
HYPOTHESIS = words("the cat sat on the mat and the cat ate the rat")
REFERENCES = [
    words("the cat sat on a mat and ate the rat"),
    words("a cat on the mat ate the fat rat"),
]


def test_the_version_that_is_reproduced():
    assert nltk.__version__ == "3.10.4"


def test_star_import():
    ours, theirs = {}, {}
    exec("from fastbleu.nltk import *", ours)
    exec("from nltk.translate.bleu_score import *", theirs)
    assert ours.keys() == theirs.keys()
    same = {"Counter", "math", "sys", "warnings"}
    assert {name for name in theirs if ours[name] is theirs[name]} - {"__builtins__"} == same


def test_ngrams():
    def listed(function, *arguments, **padding):
        return [*function(*arguments, **padding)]

    paddings = [
        {}, {"pad_left": True}, {"pad_right": True, "right_pad_symbol": "</s>"},
        {"pad_left": True, "pad_right": True, "left_pad_symbol": "<s>"}, {"pad": True},
    ]  # fmt: skip
    sequences = HYPOTHESIS, "", "a", iter("abcd"), 3
    for padding, sequence, n in itertools.product(paddings, sequences, (0, 1, 2, 5, -1)):
        found, expected = (
            result(listed, library.ngrams, copy.copy(sequence), n, **padding)
            for library in (ours, PRISTINE)
        )
        assert found == expected, (padding, sequence, n)


def test_signatures(bleu):
    for name in (*FUNCTIONS, "SmoothingFunction", "ngrams"):
        function = getattr(bleu, name)
        assert inspect.signature(function) == inspect.signature(getattr(PRISTINE, name))
        assert function.__name__ == name
        assert function.__doc__
    ours, theirs = bleu.SmoothingFunction, PRISTINE.SmoothingFunction
    for name in ("__init__", *(f"method{number}" for number in range(8))):
        assert inspect.signature(getattr(ours, name)) == inspect.signature(getattr(theirs, name))
        bound = getattr(ours(), name)
        assert inspect.signature(bound) == inspect.signature(getattr(theirs(), name))
        assert bound.__doc__ or name == "__init__"


def test_everything_by_keyword(bleu):
    weights, smoothing = (0.5, 0.3, 0.2), bleu.SmoothingFunction(k=3, alpha=2, epsilon=0.3)
    options = {"auto_reweigh": True, "smoothing_function": smoothing.method1, "weights": weights}
    segment = {"hypothesis": HYPOTHESIS, "references": REFERENCES}
    corpus = {"hypotheses": [HYPOTHESIS], "list_of_references": [REFERENCES]}
    expected = PRISTINE.corpus_bleu([REFERENCES], [HYPOTHESIS], weights)
    assert bleu.sentence_bleu(**segment, **options) == expected
    assert bleu.corpus_bleu(**corpus, **options) == expected
    assert bleu.modified_precision(n=2, **segment).denominator == 11
    assert bleu.closest_ref_length(hyp_len=10, references=REFERENCES) == 10
    assert bleu.brevity_penalty(hyp_len=3, closest_ref_len=3) == 1.0


class Calling:
    """A token whose comparison scores another segment."""

    def __init__(self, call):
        self._call = call

    def __hash__(self):
        return self._call()

    def __eq__(self, other):
        return self._call() == 1


def test_calls_during_a_call(bleu):
    reference = ["a", "c", "b", "d", "e"]

    def call():
        return int(bleu.sentence_bleu([reference], reference[1:3], weights=(0.5, 0.5)) > 0)

    hypothesis = ["a", Calling(call), "b", "d", Calling(call), "e"]
    references = [["a", Calling(call), "b", "d"], reference]
    assert_same(bleu, "sentence_bleu", references, hypothesis)
    for order in range(1, 5):
        assert_same(bleu, "modified_precision", references, hypothesis, order)


def test_lengths_of_every_type():
    lengths = [
        *(0, 1, 2, 9, 10, 10.5, -1, -2, True, 10**6, 10**30, np.int64(3), np.float32(2.5)),
        fractions.Fraction(7, 2),
    ]
    references = [["a"] * length for length in (3, 11, 9, 0, 9)]
    with np.errstate(all="ignore"):
        for hyp_len in lengths:
            assert_same(ours, "closest_ref_length", references, hyp_len)
            for ref_len in lengths:
                assert_same(ours, "brevity_penalty", ref_len, hyp_len)


def observations(precision):
    """The operations on a precision in this version of Python."""
    half = fractions.Fraction(1, 2)
    yield precision.numerator, precision.denominator, float(precision), hash(precision)
    yield repr(precision), str(precision), precision == half, precision > half, bool(precision)
    if sys.version_info < (3, 12):  # from 3.12 on nltk's cannot be compared with a float
        yield precision == 0.5, precision < 0.5
    yield typed([precision + precision, precision * 2, precision / 3, precision**2, -precision])
    yield typed([precision * 0.1, abs(precision), round(precision), copy.deepcopy(precision)])
    yield typed(pickle.loads(pickle.dumps(precision)))


def test_precisions_behave_as_those_of_nltk(bleu):
    for matched, length in ((0, 0), (0, 4), (2, 4), (4, 4), (3, 9), (1, 7)):
        arguments = [["x"] * matched], ["x"] * matched + ["y"] * (length - matched), 1
        found, expected = (side.modified_precision(*arguments) for side in (bleu, PRISTINE))
        assert isinstance(found, fractions.Fraction)
        assert type(found).__name__ == type(expected).__name__
        assert [*observations(found)] == [*observations(expected)]


def test_precisions_are_compared_with_floats_and_pickled_in_any_python():
    precision = fastbleu.modified_precision([["x", "x"]], ["x", "x", "y"], 1)
    assert 0.5 < precision < 0.75
    assert precision != 0.5
    assert precision == fractions.Fraction(2, 3)
    assert float(pickle.loads(pickle.dumps(precision))) == float(precision)

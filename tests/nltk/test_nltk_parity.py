"""The drop-in is nltk 3.10.4: the same signatures, values, types, warnings and exceptions.

Each test runs against fastbleu, against nltk itself (which proves that the test
describes nltk) and against nltk patched by fastbleu. Expected outcomes come from a
private copy of nltk's module that no patch reaches, and from the oracle.
"""

import copy
import doctest
import fractions
import inspect
import pickle
import sys
import warnings

import nltk
import numpy as np
import oracle
import pytest
from generators import KINDS, PRISTINE, assert_same, seeded, segments, typed, words

import fastbleu

pytestmark = [pytest.mark.pythons, pytest.mark.filterwarnings("error")]

FUNCTIONS = [
    *("sentence_bleu", "corpus_bleu", "modified_precision", "closest_ref_length"),
    "brevity_penalty",
]
METHODS = ["__init__", *(f"method{number}" for number in range(8))]
HYPOTHESIS = words("the cat sat on the mat and the cat ate the rat")
REFERENCES = [
    words("the cat sat on a mat and ate the rat"),
    words("a cat on the mat ate the fat rat"),
]


def test_the_version_that_is_reproduced():
    assert nltk.__version__ == "3.10.4"


def test_what_a_star_imports():
    ours, theirs = {}, {}
    exec("from fastbleu.nltk import *", ours)
    exec("from nltk.translate.bleu_score import *", theirs)
    assert ours.keys() == theirs.keys()
    same = {"Counter", "math", "sys", "warnings"}
    assert {name for name in theirs if ours[name] is theirs[name]} - {"__builtins__"} == same


@pytest.mark.parametrize(
    "padding",
    [
        {}, {"pad_left": True}, {"pad_right": True, "right_pad_symbol": "</s>"},
        {"pad_left": True, "pad_right": True, "left_pad_symbol": "<s>"}, {"pad": True},
    ],
)  # fmt: skip
@pytest.mark.parametrize("sequence", [HYPOTHESIS, "", "a", iter("abcd"), 3])
def test_ngrams(bleu, sequence, padding):
    for n in (0, 1, 2, 5, -1):
        found = []
        for library in (bleu, PRISTINE):
            try:
                items = copy.copy(sequence)
                found.append([*library.ngrams(items, n, **padding)])
            except (TypeError, ValueError) as error:
                found.append(type(error))
        assert found[0] == found[1]


@pytest.mark.parametrize("name", [*FUNCTIONS, "SmoothingFunction", "ngrams"])
def test_signatures(bleu, name):
    assert inspect.signature(getattr(bleu, name)) == inspect.signature(getattr(PRISTINE, name))
    assert getattr(bleu, name).__name__ == name
    assert getattr(bleu, name).__doc__


@pytest.mark.parametrize("name", METHODS)
def test_signatures_of_smoothing(bleu, name):
    ours, theirs = bleu.SmoothingFunction, PRISTINE.SmoothingFunction
    assert inspect.signature(getattr(ours, name)) == inspect.signature(getattr(theirs, name))
    assert inspect.signature(getattr(ours(), name)) == inspect.signature(getattr(theirs(), name))
    assert getattr(ours, name).__doc__ or name == "__init__"
    assert ours.__doc__


@pytest.mark.parametrize("name", [*FUNCTIONS, "SmoothingFunction.__init__"])
def test_examples_in_the_docstrings_of_nltk(bleu, name):
    owner, _, method = name.partition(".")
    documented = getattr(getattr(PRISTINE, owner), method) if method else getattr(PRISTINE, owner)
    names = {public: getattr(bleu, public) for public in [*FUNCTIONS, "SmoothingFunction"]}
    examples = doctest.DocTestFinder().find(documented, name, module=False, globs=names)
    assert examples
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for example in examples:
            assert doctest.DocTestRunner(verbose=False).run(example).failed == 0


def test_everything_by_keyword(bleu):
    weights, smoothing = (0.5, 0.3, 0.2), bleu.SmoothingFunction(k=3, alpha=2, epsilon=0.3)
    options = {"auto_reweigh": True, "smoothing_function": smoothing.method1, "weights": weights}
    sentence = bleu.sentence_bleu(hypothesis=HYPOTHESIS, references=REFERENCES, **options)
    corpus = bleu.corpus_bleu(hypotheses=[HYPOTHESIS], list_of_references=[REFERENCES], **options)
    assert sentence == corpus == oracle.nltk_corpus_score([REFERENCES], [HYPOTHESIS], weights)
    assert (
        bleu.modified_precision(n=2, hypothesis=HYPOTHESIS, references=REFERENCES).denominator == 11
    )
    assert bleu.closest_ref_length(hyp_len=10, references=REFERENCES) == 10
    assert bleu.brevity_penalty(hyp_len=3, closest_ref_len=3) == 1.0


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_sentences_of_every_kind_of_token(bleu, kind):
    rng = seeded("parity", kind)
    for hypothesis, references in zip(*segments(rng, 40, kind, fresh=True), strict=True):
        assert_same(bleu, "sentence_bleu", references, hypothesis)
        for order in range(9):
            assert_same(bleu, "modified_precision", references, hypothesis, order)
        assert_same(bleu, "closest_ref_length", references, len(hypothesis))


@pytest.mark.long
@pytest.mark.parametrize(
    "alphabet", [["a"], ["a", "b"], [f"word{n}" for n in range(3000)]], ids=["one", "two", "many"]
)
def test_a_segment_of_more_than_65536_tokens(bleu, alphabet):
    rng = seeded("huge", len(alphabet))
    hypothesis = rng.choices(alphabet, k=70_000)
    references = [
        hypothesis[100:40_000] + hypothesis[50_000:],
        rng.choices(alphabet, k=66_000),
        ["a"] * 300,
    ]
    assert_same(bleu, "sentence_bleu", references, hypothesis)


def test_thousands_of_references(bleu):
    rng = seeded("references")
    references = [rng.choices("abcde", k=rng.randint(0, 9)) for _ in range(3000)]
    for length in (0, 1, 5, 64, 65):
        assert_same(bleu, "sentence_bleu", references, rng.choices("abcde", k=length))


@pytest.mark.parametrize("hypothesis", [[], ["a"], ["a", "b", "c", "d", "e"]])
@pytest.mark.parametrize(
    "references", [[[]], [[], []], [[], ["a"]], [["a"], ["a", "b", "c", "d", "f"]]]
)
def test_nothing_to_match(bleu, hypothesis, references):
    assert_same(bleu, "sentence_bleu", references, hypothesis)
    assert_same(bleu, "corpus_bleu", [references, [["a"]]], [hypothesis, ["a"]])
    assert_same(bleu, "corpus_bleu", [[["a"]], references], [["a"], hypothesis])
    for order in range(7):
        assert_same(bleu, "modified_precision", references, hypothesis, order)


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


def test_no_match_at_all_is_the_integer_zero(bleu):
    assert typed(bleu.sentence_bleu([["b"]], ["a"])) == ("int", 0)
    assert typed(bleu.sentence_bleu([["b"]], [])) == ("int", 0)
    assert typed(bleu.corpus_bleu([[["b"]]] * 3, [["a"]] * 3, [(1,), (0, 1)])) == (
        "list",
        [("int", 0)] * 2,
    )


LENGTHS = [
    *(0, 1, 2, 9, 10, 10.5, -1, -2, True, 10**6, 10**30, np.int64(3), np.float32(2.5)),
    fractions.Fraction(7, 2),
]


@pytest.mark.parametrize("hyp_len", LENGTHS)
def test_lengths_of_every_type(bleu, hyp_len):
    for ref_len in LENGTHS:
        with np.errstate(all="ignore"):
            assert_same(bleu, "brevity_penalty", ref_len, hyp_len)
    assert_same(
        bleu, "closest_ref_length", [["a"] * length for length in (3, 11, 9, 0, 9)], hyp_len
    )


def observations(precision):
    """What can be done with a precision, on this version of Python."""
    half = fractions.Fraction(1, 2)
    yield (
        *(precision.numerator, precision.denominator, float(precision)),
        *(bool(precision), hash(precision)),
    )
    yield (repr(precision), str(precision), precision == half, precision > half, precision < 1)
    if sys.version_info < (3, 12):  # from 3.12 on nltk's cannot be compared with a float
        yield precision == 0.5, precision < 0.5
    yield [
        typed(seen)
        for seen in (precision + 1, precision * 2, precision / 3, precision**2, -precision)
    ]
    yield [
        typed(seen)
        for seen in (precision + precision, precision * 0.1, abs(precision), round(precision))
    ]
    yield typed(copy.copy(precision)), typed(copy.deepcopy(precision))
    if sys.version_info >= (3, 11):  # in 3.10 nltk's come back broken from pickling
        yield typed(pickle.loads(pickle.dumps(precision)))


@pytest.mark.parametrize(("matched", "length"), [(0, 0), (0, 4), (2, 4), (4, 4), (3, 9), (1, 7)])
def test_precisions_behave_as_those_of_nltk(bleu, matched, length):
    arguments = [["x"] * matched], ["x"] * matched + ["y"] * (length - matched), 1
    ours, theirs = bleu.modified_precision(*arguments), PRISTINE.modified_precision(*arguments)
    assert isinstance(ours, fractions.Fraction)
    assert type(ours).__name__ == type(theirs).__name__
    for seen, expected in zip(observations(ours), observations(theirs), strict=True):
        assert seen == expected


def test_precisions_compared_with_floats():
    precision = fastbleu.modified_precision([["x", "x"]], ["x", "x", "y"], 1)
    assert 0.5 < precision < 0.75
    assert precision != 0.5
    assert precision == fractions.Fraction(2, 3)


def test_pickled_precisions():
    precision = fastbleu.modified_precision([["x", "x"]], ["x", "x", "y", "y"], 1)
    assert float(pickle.loads(pickle.dumps(precision))) == float(precision) == 0.5

"""Smoothing and weights as in nltk 3.10.4: every method, callable and kind of weight.

Expected outcomes come from a private copy of nltk's module.
"""

import copy
import fractions
import functools
import itertools
import pickle
import types
import warnings

import numpy as np
import pytest
from generators import (
    PRISTINE,
    outcome,
    raises,
    random_weights,
    rounds,
    seeded,
    segments,
    typed,
    words,
)

import fastbleu.nltk as bleu

pytestmark = [pytest.mark.pythons, pytest.mark.filterwarnings("error")]

METHODS = [f"method{number}" for number in range(8)]
PARAMETERS = [{}, {"epsilon": 0.5, "alpha": 3, "k": 2}, {"epsilon": 0, "alpha": 0, "k": 7.5},
    {"epsilon": 1},
              {"epsilon": fractions.Fraction(1, 3), "k": fractions.Fraction(9, 2), "alpha": 0.25},
              {"k": 0},
              {"epsilon": -0.1, "alpha": -5}, {"epsilon": np.float32(0.1), "k": np.int64(3)},
              {"epsilon": None, "alpha": None, "k": None}]  # fmt: skip
NO_HIGH_ORDERS = [["a", "x", "b", "y", "c"]], ["a", "b", "c", "d", "e"]
SOME_OF_EACH = [words("the cat sat on the mat today")], words("the cat sat on a mat today")
CORPUS = (
    [SOME_OF_EACH[0], [["a", "b"], ["c"]], NO_HIGH_ORDERS[0]],
    [SOME_OF_EACH[1], ["a"], NO_HIGH_ORDERS[1]],
)


def assert_same(name, *args, ours=None, theirs=None, **kwargs):
    """Equal outcomes when the two sides get their own smoothing functions."""
    expected = outcome(getattr(PRISTINE, name), *args, smoothing_function=theirs, **kwargs)
    seen = outcome(getattr(bleu, name), *args, smoothing_function=ours, **kwargs)
    assert seen == expected
    return expected


def both(method, **parameters):
    """A method of smoothing functions with these parameters, by the side that has it."""
    return {
        "ours": getattr(bleu.SmoothingFunction(**parameters), method),
        "theirs": getattr(PRISTINE.SmoothingFunction(**parameters), method),
    }


@pytest.mark.parametrize("method", METHODS)
def test_methods_in_scores(method):
    rng = seeded("methods", method)
    for parameters, kind in itertools.product(PARAMETERS, ("two letters", "four letters", "words")):
        methods = both(method, **parameters)
        hypotheses, list_of_references = segments(rng, rounds(60), kind)
        for hypothesis, references in zip(hypotheses, list_of_references, strict=True):
            weights = random_weights(rng, rng.choice((1, 2, 3, 4, 4, 4, 4, 5, 6, 8)))
            arguments = references, hypothesis, weights
            expected = assert_same("sentence_bleu", *arguments, **methods)
            # nltk's own objects must work in fastbleu as well
            seen = outcome(bleu.sentence_bleu, *arguments, smoothing_function=methods["theirs"])
            assert seen == expected
        for start in range(0, len(hypotheses), 6):
            part = list_of_references[start : start + 6], hypotheses[start : start + 6]
            assert_same("corpus_bleu", *part, **methods)
            assert_same("corpus_bleu", *part, [(0.5, 0.5), (0.1,) * 6], **methods)


def after_call(method, p_n, *args, **kwargs):
    """The outcome of a method, and the precisions that it was given as it left them."""
    return outcome(method, p_n, *args, **kwargs), typed(p_n)


@pytest.mark.parametrize("method", METHODS)
def test_methods_called_by_themselves(method):
    lengths = [{}, *({"hyp_len": hyp_len} for hyp_len in (None, 0, 1, 3, 50))]
    short = ([["a"]], ["a"]), ([["b"]], ["a", "c"])
    for references, hypothesis in (NO_HIGH_ORDERS, SOME_OF_EACH, *short):
        given = {"references": references, "hypothesis": hypothesis}
        for parameters, order, length in itertools.product(PARAMETERS, (1, 2, 4, 6), lengths):
            seen, expected = (
                after_call(
                    getattr(side.SmoothingFunction(**parameters), method),
                    [side.modified_precision(references, hypothesis, n + 1) for n in range(order)],
                    **given,
                    **length,
                )
                for side in (bleu, PRISTINE)
            )
            assert seen == expected, (parameters, references, order, length)


def test_methods_of_plain_fractions_floats_and_tuples():
    half = fractions.Fraction(1, 2)
    for p_n in ([half, half, half, half], [half, half, half, fractions.Fraction(0)], [], [half],
        (half,) * 4,
                [0.5, 0.25, 0.1, 0.1], [1, 0, 1, 0], [0.0] * 4, None):  # fmt: skip
        for method in METHODS:
            seen, expected = (
                after_call(method, copy.copy(p_n), *SOME_OF_EACH, 7)
                for method in both(method).values()
            )
            assert seen == expected, (method, p_n)


def test_state_of_a_smoothing_function():
    smoothing = bleu.SmoothingFunction(0.2, 4, 3)
    assert vars(smoothing) == {"epsilon": 0.2, "alpha": 4, "k": 3}
    assert vars(pickle.loads(pickle.dumps(smoothing))) == vars(smoothing)
    smoothing.anything = 1


def test_parameters_changed_after_construction():
    values = {"epsilon": 0.7, "k": 11, "alpha": 2}
    for (name, value), method in itertools.product(values.items(), METHODS):
        methods = both(method)
        for bound in methods.values():
            setattr(bound.__self__, name, value)
        for segment in (NO_HIGH_ORDERS, SOME_OF_EACH):
            assert_same("sentence_bleu", *segment, **methods)


def derived(side):
    """Smoothing functions of a user who subclasses that of `side`."""

    class Heavier(side.SmoothingFunction):
        def method1(self, p_n, *args, **kwargs):
            return [max(float(p), 0.3) for p in p_n]

        def method4(self, p_n, references, hypothesis, hyp_len=None, *args, **kwargs):
            return super().method4(p_n, references, hypothesis, 2 * hyp_len)

    class OnlyProperties(side.SmoothingFunction):
        epsilon = property(lambda self: 0.9, lambda self, value: None)

    overridden = side.SmoothingFunction()
    overridden.method4 = lambda p_n, references, hypothesis, hyp_len: [p + 0.01 for p in p_n]
    averaging = side.SmoothingFunction()
    averaging.method5 = lambda p_n, *args: [p / 2 + 0.01 for p in p_n]
    owner = types.SimpleNamespace(epsilon=0.4, alpha=6, k=4)
    yield from (getattr(Heavier(), method) for method in METHODS)
    yield from (OnlyProperties().method1, overridden.method4, overridden.method7)
    yield averaging.method7
    yield functools.partial(side.SmoothingFunction().method1)
    yield functools.partial(side.SmoothingFunction.method3, side.SmoothingFunction())
    yield from (
        types.MethodType(getattr(side.SmoothingFunction, f"method{n}"), owner) for n in range(7)
    )


def test_subclasses_overrides_and_partials():
    for ours, theirs in zip(derived(bleu), derived(PRISTINE), strict=True):
        for segment in (NO_HIGH_ORDERS, SOME_OF_EACH):
            assert_same("sentence_bleu", *segment, ours=ours, theirs=theirs)
        assert_same("corpus_bleu", *CORPUS, ours=ours, theirs=theirs)


def test_arguments_of_a_callable():
    list_of_references, hypotheses = CORPUS
    calls = {bleu: [], PRISTINE: []}
    for side, seen in calls.items():

        def smoothing(p_n, seen=seen, **kwargs):
            seen.append((p_n, kwargs))
            return p_n

        side.corpus_bleu(list_of_references, hypotheses, [(0.5, 0.5), (0.2,) * 5], smoothing)
        side.sentence_bleu(list_of_references[0], hypotheses[0], smoothing_function=smoothing)
    for (p_n, kwargs), (expected, theirs) in zip(*calls.values(), strict=True):
        assert typed(p_n) == typed(expected)
        assert {type(p) for p in p_n} == {type(bleu.modified_precision([["a"]], ["a"], 1))}
        assert list(kwargs) == list(theirs) == ["references", "hypothesis", "hyp_len"]
        assert kwargs["references"] is theirs["references"]
        assert kwargs["hypothesis"] is theirs["hypothesis"]
        assert typed(kwargs["hyp_len"]) == typed(theirs["hyp_len"])


RETURNS = [
    lambda p_n: tuple(p_n), lambda p_n: iter(p_n), lambda p_n: (p for p in p_n),
    lambda p_n: p_n[:2], lambda p_n: [],
    lambda p_n: np.array([float(p) for p in p_n]), lambda p_n: np.array([float(p) for p in p_n],
    dtype=np.float32),
    lambda p_n: [0.5] * 20, lambda p_n: [0, -1, 0.5, 2], lambda p_n: [1, True, 10**400,
    fractions.Fraction(1, 3)],
    lambda p_n: [float("inf")] * 4, lambda p_n: [float("nan")] * 4, lambda p_n: {0.5: 1, 0.25: 2},
    lambda p_n: None, lambda p_n: 3, lambda p_n: ["a"] * 4, lambda p_n: [None] * 4,
    lambda p_n: [1j] * 4,
    lambda p_n: p_n.reverse() or p_n, lambda p_n: 1 / 0, lambda p_n: iter(int, 1),
]  # fmt: skip


def test_any_result_of_a_callable():
    for returned in RETURNS:

        def smoothing(p_n, returned=returned, **kwargs):
            return returned(p_n)

        for weights in ((0.25,) * 4, [(0.5, 0.5), (0.25,) * 4]):
            for name, given in ("sentence_bleu", SOME_OF_EACH), ("corpus_bleu", CORPUS):
                assert_same(name, *given, weights, ours=smoothing, theirs=smoothing)


def test_method6_of_high_orders():
    rng = seeded("method 6")
    for alpha in (1, 3, 5, 2**70) * 9:
        order = rng.choice((3, 4, 6, 8, 10))
        hypotheses = [rng.choices("abcdefgh", k=rng.choice((3, 9, 40))) for _ in range(3)]
        references = [[[*tokens[: len(tokens) // 2], "x", *tokens]] for tokens in hypotheses]
        for tokens in hypotheses:
            tokens[rng.randrange(len(tokens))] = "y"
        methods, weights = both("method6", alpha=alpha), (1 / order,) * order
        assert_same("corpus_bleu", references, hypotheses, weights, **methods)
        assert_same("sentence_bleu", references[0], hypotheses[0], weights, **methods)


def test_method6_between_two_floats():
    """(3 * 2**52 - 5) / 2**56, the second alpha's third precision, is halfway between two."""
    for alpha in (2**52 - 8, 2**52 - 7, 2**52 - 6, 2**53 - 3):
        for weights in ((0, 0, 1), (0.25,) * 4):
            segment = [words("a b c")], words("a b c d e f g h i"), weights
            assert_same("sentence_bleu", *segment, **both("method6", alpha=alpha))


def test_method6_is_linear_in_the_order():
    """nltk's fractions of this order would not fit into any memory."""
    reference = [str(number) for number in range(400)]
    hypothesis = [*reference[:200], "x", *reference[201:]]
    method = bleu.SmoothingFunction().method6
    scores = bleu.sentence_bleu([reference], hypothesis, [(1 / 90,) * 90, (0.25,) * 4], method)
    assert 0 < scores[0] < scores[1] < 1


class Falsy:
    def __bool__(self):
        return False

    def __call__(self, p_n, **kwargs):
        return [0.5] * 4


class Undecided(Falsy):
    def __bool__(self):
        raise LookupError("no truth value")


def test_unusual_smoothing_functions():
    for given in (0, "", False, [], Falsy(), Undecided(), 3, "method1", object(), dict, print):
        for segment in (SOME_OF_EACH, NO_HIGH_ORDERS, ([["b"]], ["a"])):
            assert_same("sentence_bleu", *segment, ours=given, theirs=given)


uniform = (0.25, 0.25, 0.25, 0.25)
WEIGHTS = {
    "none": [(), [[]], np.zeros((0, 4))],
    "of one order": [(1,), (0,), (0, 1), [True, False, True], ((1,), (0, 1))],
    "of many orders": [(1 / order,) * order for order in (2, 3, 5, 9, 20)],
    "of several scores": [[(0.5, 0.5), uniform, (0.2,) * 5], [uniform, 3], [uniform, ()]],
    "of any size": [(2, -1, 0.5), (1e308, 1e308), (-1000,) * 4, (1000,) * 4, (10**400, 1)],
    "no numbers": [(float("inf"),) * 4, (float("nan"), 1), (float("inf"), -float("inf"))],
    "other numbers": [(fractions.Fraction(1, 4),) * 4, (1j,), (np.float32(0.3), np.int64(1))],
    "other objects": [("a",), (None,), None, 0.25, "ab", ["ab"], b"ab", [uniform, None]],
    "other sequences": [range(3), {0: 0.5, 1: 0.5}, {1: 0.5}, {0.25, 0.75}, iter(uniform)],
    "arrays": [np.array(uniform), np.array([uniform, uniform]), np.array([1, 2, 3]), np.array(1.0)],
    "arrays of other types": [np.array([0.5, 0.5], kind) for kind in ("f2", "f4", "g", object)],
    "nested arrays": [[np.array(uniform), (1,)], np.ones((2, 2, 2)), (uniform, (0.25, "a"))],
}
LONG = words("the cat sat on the mat and the cat ate the rat that the dog had caught in the barn")
SEGMENTS = [SOME_OF_EACH, NO_HIGH_ORDERS, ([LONG] * 2, LONG), ([["b"]], ["a"]), ([["a"]], [])]
SEGMENTS += [([["a"]], ["a"]), ([["a", "b", "c"]], ["a", "b"]), ([["a", "b", "d"]], list("abc"))]


@pytest.mark.parametrize("kind", WEIGHTS)
def test_weights(kind):
    for weights, auto_reweigh in itertools.product(WEIGHTS[kind], (False, True, 1, None)):
        with np.errstate(all="ignore"):
            for segment in SEGMENTS:
                assert_same("sentence_bleu", *segment, weights, auto_reweigh=auto_reweigh)
            assert_same("corpus_bleu", *CORPUS, weights, auto_reweigh=auto_reweigh)


def test_zero_match_warnings_are_shown_once_each_and_can_be_errors():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for _ in range(5):
            bleu.sentence_bleu(*NO_HIGH_ORDERS)
    assert len(caught) == 3
    raises(UserWarning, "2-gram", bleu.sentence_bleu, *NO_HIGH_ORDERS)


def test_warnings_of_compiled_code_show_no_source_line():
    with pytest.warns(UserWarning, match="0 counts") as caught:
        bleu.sentence_bleu(*NO_HIGH_ORDERS)
    parts = str(caught[0].message), UserWarning, caught[0].filename, caught[0].lineno
    assert warnings.formatwarning(*parts).endswith("use SmoothingFunction()\n")

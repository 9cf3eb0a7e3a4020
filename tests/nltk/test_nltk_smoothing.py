"""Smoothing and weights as in nltk 3.10.4: every method, callable and kind of weight.

Runs against fastbleu, nltk and patched nltk, like test_nltk_parity.py.
"""

import fractions
import functools
import itertools
import pickle
import types
import warnings

import numpy as np
import pytest
from commands import python
from generators import (
    PRISTINE,
    outcome,
    random_weights,
    rounds,
    seeded,
    segments,
    typed,
    words,
)

import fastbleu

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


def assert_same(name, bleu, *args, ours=None, theirs=None, **kwargs):
    """Equal outcomes when the two sides get their own smoothing functions."""
    expected = outcome(getattr(PRISTINE, name), *args, smoothing_function=theirs, **kwargs)
    seen = outcome(getattr(bleu, name), *args, smoothing_function=ours, **kwargs)
    assert seen == expected
    return expected


def precisions(bleu, references, hypothesis, max_order=4):
    return [
        bleu.modified_precision(references, hypothesis, order) for order in range(1, max_order + 1)
    ]


@pytest.mark.parametrize("parameters", PARAMETERS, ids=str)
@pytest.mark.parametrize("method", METHODS)
def test_methods_in_scores(bleu, method, parameters):
    rng = seeded("methods", method)
    ours = getattr(bleu.SmoothingFunction(**parameters), method)
    theirs = getattr(PRISTINE.SmoothingFunction(**parameters), method)
    for kind in ("two letters", "four letters", "words"):
        hypotheses, list_of_references = segments(rng, rounds(60), kind)
        for hypothesis, references in zip(hypotheses, list_of_references, strict=True):
            weights = random_weights(rng, rng.choice((1, 2, 3, 4, 4, 4, 4, 5, 6, 8)))
            arguments = references, hypothesis, weights
            expected = assert_same("sentence_bleu", bleu, *arguments, ours=ours, theirs=theirs)
            # nltk's own objects must work in fastbleu as well
            assert outcome(bleu.sentence_bleu, *arguments, smoothing_function=theirs) == expected
        for start in range(0, len(hypotheses), 6):
            part = list_of_references[start : start + 6], hypotheses[start : start + 6]
            assert_same("corpus_bleu", bleu, *part, ours=ours, theirs=theirs)
            assert_same(
                "corpus_bleu", bleu, *part, [(0.5, 0.5), (0.1,) * 6], ours=ours, theirs=theirs
            )


@pytest.mark.parametrize("parameters", PARAMETERS, ids=str)
@pytest.mark.parametrize("method", METHODS)
def test_methods_called_by_themselves(bleu, method, parameters):
    lengths = [{}, *({"hyp_len": hyp_len} for hyp_len in (None, 0, 1, 3, 50))]
    for references, hypothesis in (
        NO_HIGH_ORDERS,
        SOME_OF_EACH,
        ([["a"]], ["a"]),
        ([["b"]], ["a", "c"]),
    ):
        given = {"references": references, "hypothesis": hypothesis}
        for max_order, length in itertools.product((1, 2, 4, 6), lengths):
            seen = []
            for side in (bleu, PRISTINE):
                p_n = precisions(side, references, hypothesis, max_order)
                bound = getattr(side.SmoothingFunction(**parameters), method)
                # the value and its types, and what became of p_n
                seen.append((outcome(bound, p_n, **given, **length), typed(p_n)))
            assert seen[0] == seen[1], (references, hypothesis, max_order, length)


def test_methods_that_change_their_argument_and_methods_that_do_not(bleu):
    references, hypothesis = SOME_OF_EACH
    for number in range(8):
        p_n = precisions(bleu, references, hypothesis)
        returned = getattr(bleu.SmoothingFunction(), f"method{number}")(p_n, references, hypothesis)
        assert (returned is p_n) == (number > 2)


@pytest.mark.parametrize("method", METHODS)
def test_methods_of_plain_fractions_floats_and_tuples(bleu, method):
    half = fractions.Fraction(1, 2)
    for p_n in ([half, half, half, half], [half, half, half, fractions.Fraction(0)], [], [half],
        (half,) * 4,
                [0.5, 0.25, 0.1, 0.1], [1, 0, 1, 0], [0.0] * 4, None):  # fmt: skip
        own = [list(p_n) if isinstance(p_n, list) else p_n for _ in range(2)]
        references, hypothesis = SOME_OF_EACH
        seen = outcome(getattr(bleu.SmoothingFunction(), method), own[0], references, hypothesis, 7)
        expected = outcome(
            getattr(PRISTINE.SmoothingFunction(), method), own[1], references, hypothesis, 7
        )
        assert (seen, typed(own[0])) == (expected, typed(own[1]))


def test_state_of_a_smoothing_function(bleu):
    smoothing = bleu.SmoothingFunction(0.2, 4, 3)
    assert vars(smoothing) == {"epsilon": 0.2, "alpha": 4, "k": 3}
    assert vars(pickle.loads(pickle.dumps(smoothing))) == vars(smoothing)
    smoothing.anything = 1


@pytest.mark.parametrize(("name", "value"), [("epsilon", 0.7), ("k", 11), ("alpha", 2)])
def test_parameters_changed_after_construction(bleu, name, value):
    for method in METHODS:
        ours, theirs = bleu.SmoothingFunction(), PRISTINE.SmoothingFunction()
        bound = getattr(ours, method), getattr(theirs, method)
        setattr(ours, name, value)
        setattr(theirs, name, value)
        for segment in (NO_HIGH_ORDERS, SOME_OF_EACH):
            assert_same("sentence_bleu", bleu, *segment, ours=bound[0], theirs=bound[1])


def derived(side):
    """Smoothing functions of a user who builds on the class of `side`."""

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


def test_subclasses_overrides_and_partials(bleu):
    for ours, theirs in zip(derived(bleu), derived(PRISTINE), strict=True):
        for segment in (NO_HIGH_ORDERS, SOME_OF_EACH):
            assert_same("sentence_bleu", bleu, *segment, ours=ours, theirs=theirs)
        assert_same("corpus_bleu", bleu, *CORPUS, ours=ours, theirs=theirs)


def test_arguments_of_a_callable(bleu):
    list_of_references, hypotheses = CORPUS
    calls = []

    def smoothing(*args, **kwargs):
        calls.append((args, kwargs))
        return args[0]

    bleu.corpus_bleu(list_of_references, hypotheses, [(0.5, 0.5), (0.2,) * 5], smoothing)
    bleu.sentence_bleu(list_of_references[0], hypotheses[0], smoothing_function=smoothing)
    (corpus_args, corpus_kwargs), (sentence_args, sentence_kwargs) = calls
    assert list(corpus_kwargs) == list(sentence_kwargs) == ["references", "hypothesis", "hyp_len"]
    assert corpus_kwargs["references"] is list_of_references[-1]
    assert corpus_kwargs["hypothesis"] is hypotheses[-1]
    assert sentence_kwargs["references"] is list_of_references[0]
    assert sentence_kwargs["hypothesis"] is hypotheses[0]
    assert typed([corpus_kwargs["hyp_len"], sentence_kwargs["hyp_len"]]) == typed([13, 7])
    for (p_n,), expected in (
        (corpus_args, [(10, 13), (4, 11), (2, 9), (1, 7), (0, 5)]),
        (sentence_args, [(6, 7), (4, 6), (2, 5), (1, 4)]),
    ):
        assert type(p_n) is list
        assert [(p.numerator, p.denominator) for p in p_n] == expected
        assert {type(p) for p in p_n} == {type(bleu.modified_precision([["a"]], ["a"], 1))}
        assert all(isinstance(p, fractions.Fraction) for p in p_n)


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


@pytest.mark.parametrize("returned", RETURNS)
def test_whatever_a_callable_returns(bleu, returned):
    def smoothing(p_n, **kwargs):
        return returned(p_n)

    for weights in ((0.25,) * 4, [(0.5, 0.5), (0.25,) * 4]):
        assert_same("sentence_bleu", bleu, *SOME_OF_EACH, weights, ours=smoothing, theirs=smoothing)
        assert_same("corpus_bleu", bleu, *CORPUS, weights, ours=smoothing, theirs=smoothing)


def test_method6_of_high_orders(bleu):
    rng = seeded("method 6")
    for alpha in (1, 3, 5, 2**70) * 9:
        order = rng.choice((3, 4, 6, 8, 10))
        hypotheses = [rng.choices("abcdefgh", k=rng.choice((3, 9, 40))) for _ in range(3)]
        references = [[[*tokens[: len(tokens) // 2], "x", *tokens]] for tokens in hypotheses]
        for tokens in hypotheses:
            tokens[rng.randrange(len(tokens))] = "y"
        ours, theirs = (side.SmoothingFunction(alpha=alpha).method6 for side in (bleu, PRISTINE))
        weights = (1 / order,) * order
        assert_same("corpus_bleu", bleu, references, hypotheses, weights, ours=ours, theirs=theirs)
        segment = references[0], hypotheses[0], weights
        assert_same("sentence_bleu", bleu, *segment, ours=ours, theirs=theirs)


@pytest.mark.parametrize("alpha", [2**52 - 8, 2**52 - 7, 2**52 - 6, 2**53 - 3])
def test_method6_between_two_floats(bleu, alpha):
    """(3 * 2**52 - 5) / 2**56, the second alpha's third precision, is as near to both."""
    ours, theirs = (side.SmoothingFunction(alpha=alpha).method6 for side in (bleu, PRISTINE))
    for weights in ((0, 0, 1), (0.25,) * 4):
        segment = [words("a b c")], words("a b c d e f g h i"), weights
        assert_same("sentence_bleu", bleu, *segment, ours=ours, theirs=theirs)


def test_method6_is_linear_in_the_order():
    """nltk's fractions of this order would not fit into any memory."""
    reference = [str(number) for number in range(400)]
    hypothesis = [*reference[:200], "x", *reference[201:]]
    method = fastbleu.SmoothingFunction().method6
    scores = fastbleu.sentence_bleu([reference], hypothesis, [(1 / 90,) * 90, (0.25,) * 4], method)
    assert 0 < scores[0] < scores[1] < 1


class Falsy:
    def __bool__(self):
        return False

    def __call__(self, p_n, **kwargs):
        return [0.5] * 4


class Undecided(Falsy):
    def __bool__(self):
        raise LookupError("no truth value")


@pytest.mark.parametrize(
    "given", [0, "", False, [], Falsy(), Undecided(), 3, "method1", object(), dict, print]
)
def test_things_that_are_hardly_smoothing_functions(bleu, given):
    for segment in (SOME_OF_EACH, NO_HIGH_ORDERS, ([["b"]], ["a"])):
        assert_same("sentence_bleu", bleu, *segment, ours=given, theirs=given)


uniform = (0.25, 0.25, 0.25, 0.25)
WEIGHTS = {
    "none": [(), [[]], np.zeros((0, 4))],
    "of one order": [(1,), (0,), (0, 1), [True, False, True], ((1,), (0, 1))],
    "of many orders": [(1 / order,) * order for order in range(1, 21)],
    "of several scores": [
        [uniform],
        [(0.5, 0.5), uniform, (0.2,) * 5],
        [uniform, 3],
        [uniform, ()],
    ],
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
def test_weights(bleu, kind):
    for weights, auto_reweigh in itertools.product(WEIGHTS[kind], (False, True, 1, None)):
        for segment in SEGMENTS:
            with np.errstate(all="ignore"):
                assert_same("sentence_bleu", bleu, *segment, weights, auto_reweigh=auto_reweigh)
        assert_same("corpus_bleu", bleu, *CORPUS, weights, auto_reweigh=auto_reweigh)


def test_zero_match_warnings_come_in_order_and_once_each(bleu):
    _, texts = assert_same("sentence_bleu", bleu, *NO_HIGH_ORDERS, (0.2,) * 6)
    assert [(category, text.split()[6]) for category, text in texts] == [
        (UserWarning, f"{order}-gram") for order in range(2, 7)
    ]


def test_zero_match_warnings_as_errors(bleu):
    with pytest.raises(UserWarning) as theirs:
        PRISTINE.sentence_bleu(*NO_HIGH_ORDERS)
    with pytest.raises(UserWarning) as ours:
        bleu.sentence_bleu(*NO_HIGH_ORDERS)
    assert (str(ours.value), type(ours.value)) == (str(theirs.value), UserWarning)


def test_the_default_filter_shows_each_text_once(bleu):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for _ in range(5):
            bleu.sentence_bleu(*NO_HIGH_ORDERS)
    assert len(caught) == 3


def test_a_warning_of_compiled_code_shows_no_line_of_a_file():
    with pytest.warns(UserWarning, match="0 counts") as caught:
        fastbleu.nltk.sentence_bleu(*NO_HIGH_ORDERS)
    parts = str(caught[0].message), UserWarning, caught[0].filename, caught[0].lineno
    assert warnings.formatwarning(*parts).endswith("use SmoothingFunction()\n")


@pytest.mark.parametrize("module", ["fastbleu.nltk", "nltk.translate.bleu_score"])
def test_warnings_as_errors_from_the_command_line(module):
    code = f"import {module} as bleu\ntry: bleu.sentence_bleu([list('axbyc')], list('abcde'))\n"
    code += "except UserWarning as warning: print(type(warning).__name__, '2-gram' in str(warning))"
    assert python("-W", "error::UserWarning", "-c", code) == "UserWarning True\n"

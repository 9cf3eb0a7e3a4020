"""Hostile input is normal input: a result or a clean exception, never a crash or a leak.

Tokens here raise, lie, change the lists that are being read, or call the library again.
After each of it the next call is right.
"""

import warnings

import numpy as np
import oracle
import pytest
from commands import python
from generators import seeded, segments
from hostile import Planned, Token, each_entry, raising

import fastbleu

pytestmark = pytest.mark.usefixtures("the_next_call_is_right")


@each_entry
@pytest.mark.parametrize("error", [Planned("x"), ValueError("x"), KeyError(), TypeError("mine"),
    MemoryError(),
                                   KeyboardInterrupt(), StopIteration(),
                                   SystemExit(3)])  # fmt: skip
def test_exceptions_of_tokens_propagate_unchanged(entry, error):
    hashed = Token(on_hash=raising(error))
    for hypothesis, references in (([hashed], [["a"]]), (["a"], [["b"], ["c", hashed]])):
        with pytest.raises(type(error)) as caught:
            entry(hypothesis, references)
        assert caught.value is error
    with pytest.raises(type(error)) as caught:
        entry([1, Token(on_equal=raising(error))], [[Token(on_equal=raising(error))]])
    assert caught.value is error


@each_entry
@pytest.mark.parametrize("countdown", [0, 1, 2, 5, 20, 60])
def test_an_exception_in_the_middle(entry, countdown):
    left = [countdown]

    def action():
        left[0] -= 1
        if left[0] < 0:
            raise Planned

    tokens = [Token(on_hash=action, on_equal=action) for _ in range(70)]
    with pytest.raises(Planned):
        entry(tokens, [tokens[::-1], [Token(on_equal=action) for _ in range(80)]])


@each_entry
@pytest.mark.parametrize("value", [None, "1", 1.0, 2**200, -1, -(2**70), True])
def test_hashes_that_are_no_hashes(entry, value):
    odd = type("Odd", (), {"__hash__": lambda self: value})()
    try:
        hash(odd)
    except TypeError:
        with pytest.raises(TypeError):
            entry([odd], [["a"]])
    else:
        entry([odd], [["a", odd]])


def test_calling_again_from_within():
    rng = seeded("again")
    hypotheses, list_of_references = segments(rng, 20, "words")
    flat = oracle.nltk_corpus_score(list_of_references, hypotheses, (0.5, 0.5))
    inner, depth = [], [0]

    def action():
        if depth[0] < 3:
            depth[0] += 1
            inner.append(fastbleu.corpus_bleu(list_of_references, hypotheses, (0.5, 0.5)))
            inner.append(fastbleu.sentence_bleu([again, ["a"]], again, (1,)))
            inner.append(np.asarray(fastbleu.count([again], [[again]], 1)).tolist())
            depth[0] -= 1

    token = Token(on_hash=action)
    again = ["a", token, "b", token]
    for length in (4, 66):
        hypothesis = [*again, *"x" * (length - 4)]
        reference = ["b", token, "a"]
        expected = [length, 3, 3, length]
        assert np.asarray(fastbleu.count([hypothesis], [[reference]], 1)).tolist() == [expected]
        assert fastbleu.modified_precision([reference], hypothesis, 1).numerator == 3
    assert inner.count(flat) == len(inner) / 3
    assert inner.count(1.0) == inner.count([[4, 4, 4, 4]]) == len(inner) / 3


def test_calling_again_from_smoothing_and_from_warnings(monkeypatch):
    seen = []

    def smoothing(p_n, references, hypothesis, hyp_len):
        seen.append(fastbleu.sentence_bleu([hypothesis], hypothesis))
        return p_n

    assert (
        fastbleu.sentence_bleu([list("abcde")], list("abcde"), smoothing_function=smoothing) == 1.0
    )

    def show(*_):
        seen.append(fastbleu.sentence_bleu([["a", "b"]], ["a", "b"], (1,)))

    monkeypatch.setattr(warnings, "showwarning", show)
    warnings.simplefilter("always")
    fastbleu.sentence_bleu([list("axbyc")], list("abcde"))
    assert seen == [1.0] * 4


def test_trials_of_the_trust_gate():
    """The first of those that tests/trust/test_hostile_objects.py makes; a failed one is told."""
    python("-m", "trust.hostile_trial", 0, 500, noisy=True)

"""Tokens that are int of more than 64 bits: by content as every plain token, under a keyed hash.

Python's own hash of an int is its remainder by 2**61 - 1. So multiples of that number are all equal
to a dict until it compares them, and 100,000 of them took minutes: tests/trust/test_flooding.py.
"""

from fractions import Fraction

import numpy as np
import pytest
from generators import seeded

import fastbleu
from fastbleu import matrix

EDGES = [2**63, -(2**63), 2**63 - 1, -(2**63) - 1, 2**64, -(2**64)]
EDGES += [
    sign * (2**bits + more) for bits in (90, 120, 6000) for sign in (1, -1) for more in (-1, 0)
]


def words(tokens):
    """The same tokens as str, of which none is another's prefix."""
    return [f"{token:x}" for token in tokens]


def rows(hypothesis, references):
    return np.asarray(fastbleu.count([hypothesis], [references])).tolist()


@pytest.mark.parametrize("length", [5, 40, 200])
def test_large_integers_are_compared_by_value(length):
    rng = seeded("large integers")
    for _ in range(30):
        pool = EDGES + [
            rng.choice([-1, 1]) * rng.getrandbits(rng.randint(1, 200)) for _ in range(8)
        ]
        # Not the same object, wherever that can be.
        drawn = [[rng.choice(pool) + 1 - 1 for _ in range(length + k)] for k in (0, 3, -2)]
        texts = [words(tokens) for tokens in drawn]
        assert rows(drawn[0], drawn[1:]) == rows(texts[0], texts[1:])
        # With a float everything goes by Python's own equality.
        mixed, mixed_texts = [[*t, 0.5] for t in drawn], [[*t, "other"] for t in texts]
        assert rows(mixed[0], mixed[1:]) == rows(mixed_texts[0], mixed_texts[1:])
        pairs = matrix.pairwise(drawn, drawn, tokenize=None)
        assert (pairs == matrix.pairwise(texts, texts, tokenize=None)).all()


def test_large_integers_equal_other_numbers_of_their_value():
    tokens = [2**70, -(2**70), 3 * 2**80, "a", b"b"]
    equal = [2.0**70, -(2.0**70), Fraction(3 * 2**80), "a", b"b"]
    assert rows(tokens, [equal]) == rows(equal, [tokens]) == [[5, 5, 5, 4, 3, 2, 5, 4, 3, 2]]
    for order in ([tokens, equal], [equal, tokens], [tokens, equal, tokens]):
        assert matrix.pairwise(order, order, tokenize=None) == pytest.approx(100)
        index = matrix.ReferenceIndex(order[:1], tokenize=None)
        assert index.sentence_scores(order) == pytest.approx(100)


@pytest.mark.parametrize("tokens", [[2**64, 1], [2.0, 2**64], [-(2**64), "a"]])
def test_large_integers_cannot_be_saved(tokens, tmp_path):
    index = matrix.ReferenceIndex([tokens], tokenize=None, max_order=1)
    with pytest.raises(ValueError, match="only str, bytes and int tokens of at most 64 bits"):
        index.save(tmp_path / "index")
    assert index.score([tokens]).value == pytest.approx(100)
    assert not list(tmp_path.iterdir())

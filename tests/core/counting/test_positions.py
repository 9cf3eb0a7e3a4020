"""The positions of matching n-grams equal the oracle's, and add up to the rows."""

import oracle
import pytest
from generators import raises, rounds, seeded
from random_texts import random_corpus

from fastbleu.core.counting.counter import Counter
from fastbleu.core.inputs._batch import Batch
from fastbleu.core.tokenizers._compiled import COMPILED, split, token_bounds
from fastbleu.core.tokenizers.tokenizer import get as get_tokenizer
from fastbleu.reporting.contents import match_positions


def orders_of(mark):
    return {bit + 1 for bit in range(8) if mark >> bit & 1}


def check(hypotheses, references, tokens, token_references, counter):
    marks, stats = match_positions(counter, hypotheses, references)
    assert stats == counter.count(Batch(hypotheses, references)).stats
    found = [orders_of(mark) for mark in marks]
    expected = []
    for hypothesis, its in zip(tokens, token_references, strict=True):
        expected += oracle.match_positions(hypothesis, its, counter.max_ngram_order)
    assert found == [{n for n in orders if n <= 8} for orders in expected]
    for order in range(1, min(8, counter.max_ngram_order) + 1):
        matches = sum(mark >> order - 1 & 1 for mark in marks)
        assert matches == stats.matches[:, order - 1].sum()


@pytest.mark.parametrize("max_ngram_order", [1, 4, 8, 10])
def test_positions_of_tokens(simd, max_ngram_order):
    rng = seeded("positions", max_ngram_order)

    def tokens(letters, longest):
        return [rng.choice(letters) for _ in range(rng.randint(0, longest))]

    hypotheses, references = [], []
    for _ in range(rounds(180)):
        some = "abcdefgh"[: rng.randint(1, 8)], rng.choice((3, 64, 200))
        hypotheses.append(tokens(*some))
        references.append([tokens(*some) for _ in range(rng.randint(1, 4))])
    counter = Counter(None, max_ngram_order=max_ngram_order)
    check(hypotheses, references, hypotheses, references, counter)


@pytest.mark.parametrize("tokenizer", COMPILED)
def test_positions_of_text(tokenizer, simd):
    hypotheses, references = random_corpus(seeded("positions", tokenizer), 80)
    references = [[its] if isinstance(its, str) else its for its in references]
    tokens = [split(text, tokenizer) for text in hypotheses]
    token_references = [[split(text, tokenizer) for text in its] for its in references]
    counter = Counter(get_tokenizer(tokenizer))
    check(hypotheses, references, tokens, token_references, counter)


@pytest.mark.parametrize("tokenizer", COMPILED)
def test_bounds_of_tokens(tokenizer, simd):
    texts, _ = random_corpus(seeded("bounds", tokenizer), 300)
    bounds, counts = token_bounds(texts, tokenizer)
    at = 0
    for text, count in zip(texts, counts, strict=True):
        if count >= 0:  # else the line is rewritten
            ends = iter(bounds[at : at + 2 * count])
            tokens = [text[start:end] for start, end in zip(ends, ends, strict=True)]
            assert tokens == split(text, tokenizer)
            at += 2 * count
    assert at == len(bounds) > len(texts)


def test_a_rewritten_line_has_no_bounds_and_leaves_those_of_others_alone():
    long = "a " * 100 + "&quot;"
    bounds, counts = token_bounds(["b c", long, "&amp;", "d"], "13a")
    assert (list(bounds), list(counts)) == ([0, 1, 2, 3, 0, 1], [2, -1, -1, 1])


def test_bounds_are_of_text():
    raises(TypeError, "not an int", token_bounds, [7], "13a")
    raises(ValueError, "14a", token_bounds, ["a"], "14a")

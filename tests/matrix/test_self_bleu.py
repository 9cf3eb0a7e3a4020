"""Self-BLEU equals scoring each sentence with the list of all others, bit for bit."""

import dataclasses
import json
import math
from functools import partial

import numpy as np
import pytest
from generators import (
    IGNORED_OF_RANDOM,
    KINDS,
    PRISTINE,
    edge_length,
    quietly,
    raises,
    rounds,
    seeded,
    sentences,
    tiny_length,
    token_options,
)

import fastbleu
from fastbleu import BLEU
from fastbleu.matrix import SelfBLEUResult, self_bleu

pytestmark = pytest.mark.pythons

TOKENS = BLEU("nltk", smooth_method="floor", tokenize=False)
# As by default, but of lists of tokens.
of_tokens = partial(self_bleu, metric=TOKENS)

RULES = ("closest", "first", "shortest")


def others(sentences, i):
    return sentences[:i] + sentences[i + 1 :]


def by_nltk(sentences, order):
    """What nltk's function gives for each sentence and the list of all others."""
    arguments = (1 / order,) * order, PRISTINE.SmoothingFunction().method1
    return [
        float(quietly(PRISTINE.sentence_bleu, others(sentences, i), sentence, *arguments))
        for i, sentence in enumerate(sentences)
    ]


def by_bleu(sentences, order, mask=None, **parameters):
    """What `sentence_scores` gives for each sentence and the explicit list of all others."""
    metric = BLEU(**{**parameters, "max_ngram_order": order})
    references = [others(sentences, i) for i in range(len(sentences))]
    return quietly(metric.sentence_scores, sentences, references).tolist()


def check(result, expected, *shown):
    """The scores of each order are those that a function of the order gives."""
    for column, order in enumerate(result.orders):
        assert result.scores[:, column].tolist() == expected(order), shown


def pool(rng, kind, length=tiny_length):
    """A few sentences of a small alphabet: some of them edits, copies, or empty."""
    alphabet = KINDS[kind]
    if len(alphabet) > 4 and rng.random() < 0.6:
        alphabet = rng.sample(alphabet, 4)
    return sentences(rng, alphabet, rng.randint(2, 12), length, odd=0.3)


@pytest.mark.parametrize("kind", KINDS)
def test_random_pools_equal_nltk(kind):
    # Long sentences of colliders are slow in nltk's dicts.
    lengths = (tiny_length,) if kind == "colliders" else (tiny_length, edge_length)
    for length in lengths:
        for number in range(rounds(8)):
            rng = seeded("self-bleu", kind, length.__name__, number)
            sentences = pool(rng, kind, length)
            orders = iter(rng.sample(range(1, 8), rng.randint(1, 5)))
            expected = partial(by_nltk, sentences)
            check(of_tokens(sentences, orders=orders), expected, number, sentences)


@pytest.mark.filterwarnings("ignore:.*hypotheses have fewer than")
def test_random_options_equal_bleu():
    for number in range(rounds(240)):
        rng = seeded("self-bleu", number)
        sentences, options = pool(rng, "four letters"), token_options(rng)
        options.pop("weights", None)  # of the metric's own orders
        result = self_bleu(sentences, orders=(1, 2, 4), metric=BLEU(**options))
        check(result, partial(by_bleu, sentences, **options), number, sentences, options)


TEXTS = ["The cat sat.", "the cat, sat!", "A dog -- 5,000 dogs.", "", "The cat sat down.", "x"]


@pytest.mark.filterwarnings(*IGNORED_OF_RANDOM)
def test_ids_with_rules_and_masks():
    for number in range(rounds(60)):
        rng = seeded("self-bleu of ids", number)
        ids = np.array([rng.choices(range(5), k=9) for _ in range(rng.randint(2, 7))])
        ids[rng.randrange(len(ids)), 1:] = 0
        if rng.random() < 0.5:  # rows of nothing but padding are no references
            ids[rng.randrange(len(ids))] = 0
            ids[rng.randrange(len(ids))] = 0
        options = {
            "tokenize": False,
            "ignore_ids": (0,),
            "stop_ids": rng.choice(((), 4)),
            "skip_ids": rng.choice(((), (3,))),
            "dialect": "nltk",
            "smooth_method": "floor",
            "reference_length": rng.choice(RULES),
        }
        result = self_bleu(ids, orders=(1, 2, 3), metric=BLEU(**options))
        check(result, partial(by_bleu, list(ids), **options), number, ids, options)


def test_a_mask_is_that_of_the_sentences():
    ids = np.array([[1, 2, 3, 4], [1, 2, 9, 9], [7, 7, 7, 7]])
    mask = np.array([[1, 1, 1, 0], [1, 1, 0, 0], [0, 0, 0, 0]])
    masked = of_tokens(ids, sentence_mask=mask)
    assert masked.scores.tolist() == of_tokens([[1, 2, 3], [1, 2], []]).scores.tolist()


def test_means_are_exact_sums():
    sentences = pool(seeded("means"), "words", edge_length)
    result = of_tokens(sentences)
    assert list(result.values) == [*result.orders] == [2, 3, 4, 5]
    for column, mean in enumerate(result.values.values()):
        assert mean == math.fsum(result.scores[:, column]) / len(sentences)
    assert result.indices.tolist() == list(range(len(sentences)))
    assert (result.scores.dtype, result.indices.dtype) == (np.float64, np.int64)


def test_a_sample_is_of_those_scores():
    sentences = [row for n in range(6) for row in pool(seeded("sample", n), "words")]
    everything = of_tokens(sentences)
    for size in (1, 5, len(sentences)):
        result = of_tokens(sentences, sample_size=size, seed=3)
        assert len(result.indices) == size == len(set(result.indices.tolist()))
        assert sorted(result.indices) == result.indices.tolist()
        assert result.scores.tolist() == everything.scores[result.indices].tolist()
        again = of_tokens(sentences, sample_size=size, seed=3)
        assert again.indices.tolist() == result.indices.tolist()
    default, fixed, other = (
        of_tokens(sentences, sample_size=9, **seed).indices.tolist()
        for seed in ({}, {"seed": 12345}, {"seed": 2})
    )
    assert default == fixed != other


def test_without_a_seed_each_sample_is_another_one_and_can_be_drawn_again():
    texts = [f"text {number}" for number in range(400)]
    drawn = [self_bleu(texts, orders=(1,), sample_size=200, seed=None) for _ in range(2)]
    assert drawn[0].indices.tolist() != drawn[1].indices.tolist()
    for result in drawn:
        seed = int(result.signature.rpartition("|seed:")[2])
        again = self_bleu(texts, orders=(1,), sample_size=200, seed=seed)
        assert again.indices.tolist() == result.indices.tolist()
        assert again.signature == result.signature


NEEDS_TOKENS = r'expected a str: .*BLEU\("nltk", smooth_method="floor", tokenize=False\)'


@pytest.mark.parametrize(
    ("sentences", "options", "error", "message"),
    [
        ([], {}, ValueError, "sentences has 0 entries; self-BLEU needs 2 or more"),
        (["a"] * 2, {"orders": ()}, ValueError, "orders is empty"),
        (["a"] * 2, {"orders": (2, 0)}, ValueError, r"orders\[1\] is 0, but must lie in 1"),
        (["a"] * 2, {"orders": (2, 3, 2)}, ValueError, "orders has 2 twice"),
        (["a"] * 2, {"orders": (2.5,)}, TypeError, r"orders\[0\] is 2.5, expected an integer"),
        (["a"] * 2, {"sample_size": 3}, ValueError, r"sample_size is 3, but must lie in 1"),
        (["a"] * 2, {"sample_size": 1.5}, TypeError, r"sample_size is 1\.5, expected an integer"),
        (["a"] * 2, {"seed": "x"}, TypeError, "seed is 'x', expected an integer"),
        ("a b", {}, TypeError, "sentences is a str, expected a list of sentences"),
        ([["a"], "a c"], {"metric": TOKENS}, TypeError, r"sentences\[1\] is a str, expected a l"),
        (["a"] * 2, {"against": "all"}, ValueError, "against"),
        (["a"], {"against": "each"}, ValueError, "sentences has 1 entry;"),
    ],
)
def test_errors(sentences, options, error, message):
    raises(error, message, self_bleu, sentences, **options)


def test_lists_of_tokens_and_ids_and_groups_need_a_metric():
    """They are neither guessed to be tokens nor read as texts."""
    ids = np.array([[1, 2, 3], [1, 2, 4]])
    for wrong in ([["a", "b"], ["a", "c"]], (("a", "b"),), ids, list(ids), [["a dog", "a cat"]]):
        for against in ("others", "each"):
            raises(TypeError, NEEDS_TOKENS, self_bleu, wrong, against=against)
        for metric in ("sacrebleu", BLEU("nltk"), BLEU(tokenize=str.split)):
            raises(TypeError, "tokenize=False", self_bleu, wrong, metric=metric)
    raises(TypeError, r"sentences\[0\] is a list.*tokenize=False", self_bleu, iter([["a"], ["b"]]))
    raises(TypeError, "sentences is an array of ids", self_bleu, ids)
    groups = [[["a"], ["b"]], [["c"], ["d"]]]
    raises(TypeError, r"sentences\[0\]\[0\] is a list, expected a token", of_tokens, groups)
    raises(ValueError, r"\(1, 2, 3\)", of_tokens, ids[None])


def test_the_result_cannot_be_changed_and_shows_itself():
    result = self_bleu(["a b", "a b"], orders=(1, 2))
    raises(AttributeError, "cannot", setattr, result, "values", {})
    assert repr(result) == "<SelfBLEUResult {1: 1, 2: 1} of 2 sentences>"
    plain = result.to_dict()
    assert json.loads(json.dumps(plain)) == plain | {"values": {"1": 1.0, "2": 1.0}}
    assert plain["values"] == result.values
    for name in ("scores", "indices"):
        assert plain[name] == getattr(result, name).tolist()
    assert list(plain) == [field.name for field in dataclasses.fields(SelfBLEUResult)]


def test_an_iterator_is_read_in_blocks():
    sentences = [["a", "b", str(number % 700)] for number in range(20_000)]
    expected = of_tokens(sentences, orders=(1, 2))
    result = of_tokens(iter(sentences), orders=(1, 2))
    assert result.scores.tolist() == expected.scores.tolist()
    with pytest.raises(TypeError, match=r"sentences\[15000\] is a str"):
        of_tokens("a" if number == 15_000 else ["a"] for number in range(20_000))
    raises(ValueError, "sentences has 0 entries", self_bleu, iter(()))


def test_short_sentences_of_the_highest_order_are_noticed():
    short, metric = ["a b", "a b c", "a b c d e f", ""], BLEU(effective_order=False)
    for orders, words in (((2, 3, 4, 5), "2 of 4 .* than 5"), ((3, 1), "1 of 4 .* than 3")):
        with pytest.warns(fastbleu.InputWarning, match=f"{words} tokens"):
            self_bleu(short, orders=orders, metric=metric)
    self_bleu(short, orders=(2,), metric=metric)


def test_signatures():
    sentences = [["a", "b", "c"], ["a", "b", "d"]]
    dialect = "dialect:nltk-3.10.4"
    plain = of_tokens(sentences)
    assert plain.signature == f"case:mixed|tok:given|{dialect}|smooth:floor"
    unsmoothed = BLEU("nltk", smooth_method="none", tokenize=False)
    sampled = self_bleu(sentences, sample_size=1, seed=7, metric=unsmoothed)
    assert sampled.signature == f"case:mixed|tok:given|{dialect}|smooth:none|sample:1|seed:7"
    default = BLEU("nltk", smooth_method="floor", tokenize="13a")
    expected = self_bleu(TEXTS, metric=default).to_dict()
    assert self_bleu(np.array(TEXTS)).to_dict() == self_bleu(iter(TEXTS)).to_dict() == expected
    # The orders that are asked for, and equal weights, take the place of the metric's.
    metric = BLEU(effective_order=True, max_ngram_order=2, weights=(1, 0))
    found, expected = self_bleu(TEXTS, metric=metric), self_bleu(TEXTS, metric=BLEU())
    assert found.to_dict() == expected.to_dict()


def pair_scores(sentences):
    """By nltk: the score of each sentence with each other one as its reference."""
    method = PRISTINE.SmoothingFunction().method4
    score = partial(PRISTINE.sentence_bleu, smoothing_function=method)
    tokens = [sentence.split() for sentence in sentences]
    return np.array([[score([reference], own) for own in tokens] for reference in tokens])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("against", ["earlier", "each"])
def test_means_over_pairs_equal_nltk(against):
    """DiffuSeq's mean over pairs with earlier sentences, and the mean over all pairs."""
    rng = seeded("self-bleu against", against)
    for size in (2, 3, 9):
        sentences = [" ".join(rng.choices("abcde", k=rng.randint(1, 9))) for _ in range(size)]
        scores = pair_scores(sentences)
        is_other = ~np.eye(size, dtype=bool)
        pairs = np.nonzero(np.triu(is_other) if against == "earlier" else is_other)
        metric = BLEU("nltk", smooth_method="method4", tokenize="none")
        found = self_bleu(sentences, orders=(4, 2), against=against, metric=metric)
        assert found.values[4] == np.mean([*scores[pairs]])
        last = [scores[i, -1] for i in range(size - 1)]
        assert found.scores[-1, 0] == pytest.approx(np.mean(last), rel=1e-14)
        assert np.isnan(found.scores[0, 0]) == (against == "earlier")
        assert found.signature.endswith(f"|against:{against}")
        again = self_bleu(iter(sentences), orders=(4,), against=against, metric=metric)
        assert again.values[4] == found.values[4]

"""Self-BLEU equals scoring each sentence with the list of all others, bit for bit."""

import math
import warnings
from functools import partial

import numpy as np
import pytest
from generators import (
    IGNORED_OF_RANDOM,
    KINDS,
    PRISTINE,
    edge_length,
    raises,
    rounds,
    seeded,
    sentences,
    shown,
    tiny_length,
)

import fastbleu
from fastbleu import BLEU
from fastbleu.matrix import self_bleu

pytestmark = pytest.mark.pythons

RULES = ("closest", "first", "shortest")
SMALL_POOLS = [
    [["a", "b", "c"], ["a", "b", "d"]],
    [[], []],
    [[], ["a"]],
    [["a"], ["a"], ["a", "a"]],
    [["a", "b", "a", "b", "a"]] * 5,
    [["a", "a", "a"], ["a", "a"], ["a"], ["b"]],  # the most of an n-gram in one sentence
    [["a", "a", "a"], ["a", "a", "a"], ["a"], ["b"]],  # and in two
]


def others(sentences, i):
    return sentences[:i] + sentences[i + 1 :]


def by_nltk(sentences, order):
    """What nltk's function gives for each sentence and the list of all others."""
    arguments = (1 / order,) * order, PRISTINE.SmoothingFunction().method1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return [
            float(PRISTINE.sentence_bleu(others(sentences, i), sentence, *arguments))
            for i, sentence in enumerate(sentences)
        ]


def by_bleu(sentences, order, mask=None, **parameters):
    """What `sentence_scores` gives for each sentence and the explicit list of all others."""
    metric = BLEU(**{**parameters, "max_ngram_order": order})
    references = [others(sentences, i) for i in range(len(sentences))]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return metric.sentence_scores(sentences, references).tolist()


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


def test_small_pools_equal_nltk():
    for tokens in SMALL_POOLS:
        check(self_bleu(tokens, (1, 2, 3, 4, 5, 9)), partial(by_nltk, tokens), tokens)


@pytest.mark.parametrize("kind", KINDS)
def test_random_pools_equal_nltk(kind):
    # Long sentences of colliders are slow in nltk's dicts.
    lengths = (tiny_length,) if kind == "colliders" else (tiny_length, edge_length)
    for length in lengths:
        for number in range(rounds(8)):
            rng = seeded("self-bleu", kind, length.__name__, number)
            sentences = pool(rng, kind, length)
            orders = iter(rng.sample(range(1, 8), rng.randint(1, 5)))
            check(self_bleu(sentences, orders), partial(by_nltk, sentences), number, sentences)


@pytest.mark.filterwarnings("ignore:.*hypotheses have fewer than")
@pytest.mark.parametrize("dialect", ["nltk", "sacrebleu"])
def test_random_parameters_equal_bleu(dialect):
    for number in range(rounds(120)):
        rng = seeded("self-bleu", dialect, number)
        sentences, rule = pool(rng, "four letters"), rng.choice(RULES)
        options = {"tokenize": False, "dialect": dialect, "reference_length": rule}
        if dialect == "sacrebleu":
            options |= {
                "smooth_method": rng.choice(("exp", "floor", "add-k", "none")),
                "effective_order": rng.random() < 0.5,
            }
        else:
            options["smooth_method"] = rng.choice(("none", "floor", "add-k", "exp", "method4"))
        result = self_bleu(sentences, (1, 2, 4), **options)
        check(result, partial(by_bleu, sentences, **options), number, sentences, options)


TEXTS = ["The cat sat.", "the cat, sat!", "A dog -- 5,000 dogs.", "", "The cat sat down.", "x"]


@pytest.mark.parametrize("tokenize", ["13a", "intl", "char", "none", str.split], ids=shown)
def test_text(tokenize):
    for lowercase in (False, True):
        options = {"dialect": "sacrebleu", "tokenize": tokenize, "lowercase": lowercase}
        result = self_bleu(TEXTS, **options)
        check(result, partial(by_bleu, TEXTS, effective_order=True, **options))


def test_orders_replace_those_of_a_metric():
    options = {"dialect": "nltk", "smooth_method": "exp", "tokenize": "13a"}
    metric = BLEU(**options, max_ngram_order=2, weights=(1, 0))
    mine, function = self_bleu(TEXTS, (3, 4), metric=metric), self_bleu(TEXTS, (3, 4), **options)
    assert mine.scores.tolist() == function.scores.tolist()


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
        result = self_bleu(ids, (1, 2, 3), **options)
        check(result, partial(by_bleu, list(ids), **options), number, ids, options)


def test_a_mask_is_that_of_the_sentences():
    ids = np.array([[1, 2, 3, 4], [1, 2, 9, 9], [7, 7, 7, 7]])
    mask = np.array([[1, 1, 1, 0], [1, 1, 0, 0], [0, 0, 0, 0]])
    masked = self_bleu(ids, mask=mask)
    assert masked.scores.tolist() == self_bleu([[1, 2, 3], [1, 2], []]).scores.tolist()


def test_means_are_exact_sums():
    sentences = pool(seeded("means"), "words", edge_length)
    result = self_bleu(sentences)
    assert list(result.values) == [*result.orders] == [2, 3, 4, 5]
    for column, mean in enumerate(result.values.values()):
        assert mean == math.fsum(result.scores[:, column]) / len(sentences)
    assert result.indices.tolist() == list(range(len(sentences)))
    assert (result.scores.dtype, result.indices.dtype) == (np.float64, np.int64)


def test_a_sample_is_of_those_scores():
    sentences = [row for n in range(6) for row in pool(seeded("sample", n), "words")]
    everything = self_bleu(sentences)
    for sample in (1, 5, len(sentences)):
        result = self_bleu(sentences, sample=sample, seed=3)
        assert len(result.indices) == sample == len(set(result.indices.tolist()))
        assert sorted(result.indices) == result.indices.tolist()
        assert result.scores.tolist() == everything.scores[result.indices].tolist()
        again = self_bleu(sentences, sample=sample, seed=3)
        assert again.indices.tolist() == result.indices.tolist()
    one, other = (self_bleu(sentences, sample=9, seed=seed).indices.tolist() for seed in (1, 2))
    assert one != other


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        (([],), {}, ValueError, "there are 0 sentences; self-BLEU needs 2 or more"),
        (([["a"]] * 2, ()), {}, ValueError, "orders is empty"),
        (([["a"]] * 2, (2, 0)), {}, ValueError, r"orders\[1\] is 0, but must lie in 1"),
        (([["a"]] * 2, (2, 3, 2)), {}, ValueError, "orders has 2 twice"),
        (([["a"]] * 2, 4), {}, TypeError, r"orders is 4, expected integers; pass \(4,\)"),
        (([["a"]] * 2, (2.5,)), {}, TypeError, r"orders\[0\] is 2.5, expected an integer"),
        (([["a"]] * 2, (1,), 3), {}, ValueError, r"sample is 3, but must lie in 1"),
        (([["a"]] * 2, (1,), 1.5), {}, TypeError, r"sample is 1\.5, expected an integer"),
        (([["a"]] * 2,), {"seed": "x"}, TypeError, "seed is 'x', expected an integer"),
        (("a b",), {}, TypeError, "sentences is a str, expected a list of sentences"),
        (([["a"], "a c"],), {}, TypeError, r"sentences\[1\] is a str, expected a list of tokens"),
        ((["a b", "a c"],), {"tokenize": False}, TypeError, r"sentences\[0\] is a str, expected"),
        (([["a"]] * 2,), {"smooth_method": "method7"}, ValueError, "last segment"),
        (([["a"]] * 2,), {"against": "all"}, ValueError, "against"),
        (([["a"]] * 2,), {"against": "each", "sample": 1}, ValueError, "'each', which takes no s"),
        (([["a"]],), {"against": "each"}, ValueError, "there are 1 sentences"),
    ],
)
def test_errors(arguments, options, error, message):
    raises(error, message, self_bleu, *arguments, **options)


def test_the_result_cannot_be_changed_and_shows_itself():
    result = self_bleu([["a", "b"], ["a", "b"]], (1, 2))
    with pytest.raises(AttributeError):
        result.values = {}
    assert repr(result) == "<SelfBLEU {1: 1, 2: 1} of 2 sentences>"


def test_an_iterator_is_read_in_blocks():
    sentences = [["a", "b", str(number % 700)] for number in range(20_000)]
    expected = self_bleu(sentences, (1, 2))
    found = self_bleu(iter(sentences), (1, 2))
    assert found.scores.tolist() == expected.scores.tolist()
    with pytest.raises(TypeError, match=r"sentences\[15000\] is a str"):
        self_bleu("a" if number == 15_000 else ["a"] for number in range(20_000))
    raises(ValueError, "there are 0 sentences", self_bleu, iter(()))


def test_short_sentences_of_the_highest_order_are_noticed():
    short = ["a b", "a b c", "a b c d e f", ""]
    with pytest.warns(fastbleu.InputWarning, match="2 of 4 hypotheses have fewer than 5 tokens"):
        self_bleu(short, metric=BLEU(effective_order=False))
    with pytest.warns(fastbleu.InputWarning, match="1 of 4 hypotheses have fewer than 3 tokens"):
        self_bleu(short, (3, 1), metric=BLEU(max_ngram_order=9, effective_order=False))
    self_bleu(short, (2,), metric=BLEU(effective_order=False))
    self_bleu(short, dialect="sacrebleu")


def test_signatures():
    sentences = [["a", "b", "c"], ["a", "b", "d"]]
    dialect = "dialect:nltk-3.10.4"
    plain = self_bleu(sentences)
    assert plain.signature == f"case:mixed|tok:given|{dialect}|smooth:floor"
    sampled = self_bleu(sentences, sample=1, seed=7, smooth_method="none")
    assert sampled.signature == f"case:mixed|tok:given|{dialect}|smooth:none|sample:1|seed:7"
    metric = BLEU(effective_order=True, max_ngram_order=2, weights=(1, 0))
    found = self_bleu(["a b", "a c"], metric=metric).signature
    assert found == BLEU(effective_order=True).signature


def test_the_default_dialect_is_named():
    with pytest.raises(ValueError, match=r'self_bleu has nltk.*pass dialect="sacrebleu"'):
        self_bleu(TEXTS, effective_order=True)


@pytest.mark.parametrize("form", [list, np.array, iter])
def test_text_is_tokenized_as_by_pairwise(form):
    expected = self_bleu(TEXTS, tokenize="13a")
    found = self_bleu(form(TEXTS))
    assert found.scores.tolist() == expected.scores.tolist()
    assert found.signature == expected.signature
    assert "|tok:13a|" in found.signature
    found = self_bleu(form(TEXTS), dialect="nltk", tokenize="none")
    assert found.scores.tolist() == self_bleu([text.split() for text in TEXTS]).scores.tolist()


GROUPS = [["the cat sat", "the cat lay", "a dog"], ["it is", "it was"], ["x"] * 21]


@pytest.mark.parametrize("tokenize", ["13a", False])
@pytest.mark.parametrize("options", [{}, {"sample": 2, "seed": 5}], ids=str)
def test_groups_of_any_sizes(tokenize, options):
    groups = GROUPS if tokenize else [[text.split() for text in group] for group in GROUPS]
    for given in (groups, iter(groups)):
        found = self_bleu(given, (1, 3), tokenize=tokenize, **options)
        for one, group in zip(found, groups, strict=True):
            alone = self_bleu(group, (1, 3), tokenize=tokenize, **options)
            assert one.scores.tolist() == alone.scores.tolist()
            assert one.indices.tolist() == alone.indices.tolist()
            assert (one.values, one.signature) == (alone.values, alone.signature)


def test_groups_of_ids_and_masks():
    rng = seeded("self-bleu of groups of ids")
    ids = np.array([[[rng.randrange(4) for _ in range(6)] for _ in range(5)] for _ in range(3)])
    mask = ids != 3
    found = self_bleu(ids, (1, 2), mask=mask)
    for one, rows, of_rows in zip(found, ids, mask, strict=True):
        assert one.scores.tolist() == self_bleu(rows, (1, 2), mask=of_rows).scores.tolist()
    ragged = self_bleu([ids[0], ids[1][:2]], (1, 2))
    assert [len(one.indices) for one in ragged] == [5, 2]
    found = self_bleu(ids, (2,), metric=BLEU(dialect="nltk", tokenize=False))
    assert len(found) == 3
    raises(ValueError, "the mask of sentences has 1 sources", self_bleu, ids, mask=mask[:1])


@pytest.mark.parametrize(
    ("groups", "error", "message"),
    [
        ([["a", "b"], []], ValueError, r"sentences\[1\]: there are 0 sentences.*leave this group"),
        ([["a", "b"], ["c"]], ValueError, r"sentences\[1\]: there are 1 sentences; self-BLEU"),
        ([["a", "b"], "c d"], TypeError, r"sentences\[1\] is a str, expected the list of"),
        ([["a", "b"], ["c", ["d"]]], TypeError, r"sentences\[1\]\[1\] is a list, expected a str"),
        ([["a"] * 3, ["b"] * 2], ValueError, r"sentences\[1\]: sample is 3, but must lie in 1"),
    ],
)
def test_errors_name_the_group(groups, error, message):
    sample = 3 if "sample" in message else None
    raises(error, message, self_bleu, groups, sample=sample, tokenize="13a")


def test_lists_of_texts_without_a_tokenizer_are_noticed():
    with pytest.warns(fastbleu.InputWarning, match='groups of texts pass tokenize="13a"'):
        found = self_bleu([["the cat", "a dog"], ["the cat", "a cow"]], (1,))
    assert found.values == self_bleu([["x", "y"], ["x", "z"]], (1,)).values
    with pytest.warns(fastbleu.InputWarning, match="2 of 5 hypotheses have fewer than 3 tokens"):
        self_bleu(
            [["a b c", "a b", "a b c d"], ["x", "a b c"]], (3,), metric=BLEU(effective_order=False)
        )


def test_words_are_no_groups_of_texts():
    words = [["the", "cat", "sat"], ["a", "dog"]]
    for metric in (BLEU(dialect="nltk"), BLEU()):
        with pytest.raises(ValueError, match=r"lists of single words.*pass tokenize=False"):
            self_bleu(words, metric=metric)


def pair_scores(sentences):
    """By nltk: the score of each sentence with each other one as its reference."""
    method = PRISTINE.SmoothingFunction().method4
    tokens = [sentence.split() for sentence in sentences]
    return np.array(
        [
            [PRISTINE.sentence_bleu([r], h, smoothing_function=method) for h in tokens]
            for r in tokens
        ]
    )


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("against", ["earlier", "each"])
def test_means_over_pairs_equal_nltk(against):
    """DiffuSeq's mean over pairs with earlier sentences, and the mean over all pairs."""
    rng = seeded("self-bleu against", against)
    for size in (2, 3, 9):
        sentences = [" ".join(rng.choices("abcde", k=rng.randint(1, 9))) for _ in range(size)]
        scores = pair_scores(sentences)
        pairs = (
            np.triu_indices(size, 1)
            if against == "earlier"
            else np.nonzero(~np.eye(size, dtype=bool))
        )
        options = {"smooth_method": "method4", "tokenize": "none", "against": against}
        found = self_bleu(sentences, (4, 2), **options)
        assert found.values[4] == np.mean([*scores[pairs]])
        last = [scores[i, -1] for i in range(size - 1)]
        assert found.scores[-1, 0] == pytest.approx(np.mean(last), rel=1e-14)
        assert np.isnan(found.scores[0, 0]) == (against == "earlier")
        assert found.signature.endswith(f"|against:{against}")
        groups = self_bleu([sentences, sentences[:2]], (4,), **options)
        assert groups[0].values[4] == found.values[4]
        again = self_bleu(iter(sentences), (4,), **options)
        assert again.values[4] == found.values[4]

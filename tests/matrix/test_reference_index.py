"""A ReferenceIndex gives the scores of BLEU with all its references for every hypothesis."""

import copy
import multiprocessing
import time
import warnings
from threading import get_ident

import numpy as np
import pytest
from generators import (
    IGNORED_OF_RANDOM,
    KINDS,
    copied,
    edge_length,
    pickled,
    quietly,
    raises,
    rounds,
    seeded,
    shown,
    tiny_length,
    token_options,
)
from generators import sentences as random_sentences
from oracle import ngram_counts
from random_texts import random_texts

import fastbleu
from fastbleu import BLEU
from fastbleu.matrix import ReferenceIndex

pytestmark = [
    pytest.mark.pythons,
    pytest.mark.filterwarnings(*IGNORED_OF_RANDOM, "ignore:every one of .* is empty"),
]

ROUNDS = rounds(400, 20)


def sentences(rng, kind, count, length=tiny_length):
    """Sentences of a small alphabet; some are edits of others, some are empty, some are equal."""
    return random_sentences(rng, KINDS[kind], rng.randint(1, 2 * count), length, odd=0.3)


def check(index, metric, hypotheses, references):
    """Compare all that an index tells with what the plain path tells."""
    plain = [references] * len(hypotheses)
    assert index.count(hypotheses) == metric.count(hypotheses, plain)
    scores = metric.sentence_scores(hypotheses, plain)
    assert index.sentence_scores(hypotheses).tolist() == scores.tolist()
    assert index.score(hypotheses) == metric.score(hypotheses, plain)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_token(kind):
    """Of the index, and of its copies."""
    for number in range(4):
        rng = seeded("index", kind, number)
        references, hypotheses = sentences(rng, kind, 8), sentences(rng, kind, 6)
        hypotheses = [[copied(token) for token in hypothesis] for hypothesis in hypotheses]
        options = token_options(rng)
        index = ReferenceIndex(references, metric=BLEU(**options))
        for made in (index, copy.copy(index)):
            check(made, BLEU(**options), hypotheses, references)
        for duplicate in (copy.deepcopy, pickled):
            # With their tokens, because a nan equals only itself.
            made, *sides = duplicate((index, hypotheses, references))
            check(made, BLEU(**options), *sides)


def test_every_parameter():
    for number in range(ROUNDS):
        rng = seeded("index parameters", number)
        kind = rng.choice(("one letter", "two letters", "four letters", "words"))
        length = rng.choice((tiny_length, edge_length))
        references = sentences(rng, kind, rng.choice((1, 6, 30)), length)
        hypotheses = sentences(rng, kind, 6, length)
        options = token_options(rng)
        metric = BLEU(**options)
        check(ReferenceIndex(references, metric=metric), metric, hypotheses, references)


TEXTS = ["The cat sat.", "the cat, sat!", "A dog -- 5,000 dogs.", "", "The cat sat down.", "x"]


@pytest.mark.parametrize("tokenize", ["13a", "intl", "char", "none", "zh", str.split], ids=shown)
def test_random_texts(tokenize):
    rng = seeded("index of texts", tokenize)
    for _ in range(ROUNDS // 2):
        sides = [random_texts(rng, rng.choice((1, 15, 60))) for _ in range(2)]
        options = {"lowercase": rng.random() < 0.5, "threads": rng.randint(1, 2)}
        metric = BLEU(tokenize=tokenize, **options)
        index = quietly(ReferenceIndex, sides[0], metric=metric)
        assert index.signature == metric.signature.replace("eff:no", "eff:yes")
        quietly(check, index, metric, sides[1], sides[0])
        quietly(check, pickled(index), metric, tuple(sides[1]), sides[0])


def test_a_users_tokenizer_is_called_by_one_thread():
    threads = set()

    def split(text):
        threads.add(get_ident())
        time.sleep(0)  # another thread could run
        return text.split()

    index = ReferenceIndex(TEXTS, metric=BLEU(tokenize=split, threads=3))
    index.score([f"{text} {number}" for text in TEXTS for number in range(500)])
    assert len(threads) == 1


def test_ids_with_rules():
    for number in range(60):
        rng = seeded("index of ids", number)
        rows = [rng.choices(range(6), k=9) for _ in range(rng.randint(0, 5))]
        # Only padding is one empty reference.
        references = np.array(rows + [[0] * 9] * rng.choice((0, 0, 1, 2) if rows else (1, 3)))
        rng.shuffle(references)
        hypotheses = np.array([rng.choices(range(7), k=7) for _ in range(5)])
        options = {
            "tokenize": False,
            "ignore_ids": (0,),
            "stop_ids": rng.choice(((), 4, (4, 5))),
            "skip_ids": rng.choice(((), (3,))),
            "reference_length": rng.choice(("closest", "first", "shortest")),
        }
        metric = BLEU(**options)
        plain = np.array([references] * len(hypotheses))
        for given in (references, list(references), [list(row) for row in references.tolist()]):
            index = ReferenceIndex(given, metric=BLEU(**options))
            assert index.count(hypotheses) == metric.count(hypotheses, plain)
            assert index.score(hypotheses) == metric.score(hypotheses, plain)
            assert len(index) == len(references)


@pytest.mark.parametrize("threads", [1, 5])
def test_more_hypotheses_than_a_thread_takes_at_a_time(threads):
    rng = seeded("turns")
    references = [rng.choices("abcd", k=5) for _ in range(50)]
    hypotheses = [rng.choices("abcde", k=rng.randint(0, 6)) for _ in range(5000)]
    metric = BLEU(tokenize=False, threads=threads)
    check(ReferenceIndex(references, metric=metric), metric, hypotheses, references)


def test_references_from_an_iterator():
    rng = seeded("parts")
    references = [rng.choices("abcd", k=rng.randint(0, 7)) for _ in range(20_000)]
    hypotheses = [rng.choices("abcde", k=6) for _ in range(30)]
    index = ReferenceIndex(references, metric=BLEU(tokenize=False))
    other = ReferenceIndex(iter(references), metric=BLEU(tokenize=False))
    assert other.count(hypotheses) == index.count(hypotheses)
    assert (len(other), other.ngrams, other.nbytes) == (20_000, index.ngrams, index.nbytes)


def test_no_hypotheses_and_empty_references():
    index = ReferenceIndex(["a"])
    assert len(index.count([])) == 0
    assert index.sentence_scores([]).shape == (0,)
    raises(ValueError, "there are no segments to score", index.score, [])
    index = ReferenceIndex([[], []], metric=BLEU(tokenize=False))
    assert pickled(index).count([["a"], []]) == index.count([["a"], []])


@pytest.mark.parametrize(
    ("references", "options", "error", "message"),
    [
        ([], {}, ValueError, "references is empty: an index needs at least one"),
        (iter([]), {}, ValueError, "references is empty: an index needs at least one"),
        (["a"] * 9000 + [["a"]], {}, TypeError, r"references\[9000\] is a list"),
        (["a"], {"reference_mask": [[1]]}, TypeError, "a mask needs token ids"),
    ],
)
def test_errors_of_building(references, options, error, message):
    raises(error, message, ReferenceIndex, references, **options)


@pytest.mark.parametrize("threads", [1, 3])
def test_errors_of_hypotheses(threads):
    index = ReferenceIndex(["a b", "c"], metric=BLEU(threads=threads))
    for method in (index.score, index.sentence_scores, index.count):
        raises(TypeError, r"hypotheses\[3000\] is a list", method, ["a"] * 3000 + [["a"]])
    assert index.score(["a b"]).matches[:2] == (2, 1)


def test_a_list_that_shrinks_while_it_is_read():
    hypotheses = [["a"]] * 5000

    class Shrinking:
        def __hash__(self):
            del hypotheses[2000:]
            return 1

        def __eq__(self, other):
            return self is other

    hypotheses[100] = [Shrinking()]
    with pytest.raises(ValueError, match="hypotheses had 5000 sentences"):
        ReferenceIndex([["a"]], metric=BLEU(tokenize=False)).count(hypotheses)


def test_memory_for_an_ngram():
    rng = seeded("memory")
    references = [[f"word{rng.randrange(2000)}" for _ in range(20)] for _ in range(5000)]
    index = ReferenceIndex(references, metric=BLEU(tokenize=False))
    distinct = {ngram for row in references for n in (1, 2, 3, 4) for ngram in ngram_counts(row, n)}
    assert index.ngrams == len(distinct)
    assert 0 < index.nbytes / len(distinct) <= 24


def test_queries_use_no_memory_of_the_index():
    """Tokens that the references lack are not kept."""
    index = ReferenceIndex(["a b c"])
    before = index.nbytes
    for number in range(50):
        index.score([f"a new word{number} ."] * 60)  # warnings are those of one query
    assert index.nbytes == before


def test_copies_do_not_depend_on_the_references():
    rows = np.array([[1, 5, 5, 2, 0], [5, 9, 2, 0, 0], [0, 0, 0, 0, 0]])
    options = {"tokenize": False, "ignore_ids": (0,), "stop_ids": (2, 3), "skip_ids": (1, 2**62)}
    index = ReferenceIndex(rows, reference_mask=rows != 9, metric=BLEU(**options))
    hypotheses = np.array([[5, 5, 9, 2], [1, 7, 0, 0]])
    before = index.score(hypotheses)
    rows[:] = 7
    assert pickled(index).score(hypotheses) == before
    tokens = [["a", "b"], ["c"] * 4]
    index = ReferenceIndex(tokens, metric=BLEU(tokenize=False))
    tokens[0][:] = "xyz"
    assert pickled(index).count([["a", "b"]]).matches.tolist() == [[2, 1, 0, 0]]


def test_a_copy_in_another_process():
    index = ReferenceIndex(TEXTS, metric=BLEU(effective_order=True))
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        found = pool.apply(index.sentence_scores, (TEXTS,))
    assert found.tolist() == index.sentence_scores(TEXTS).tolist()


def test_warnings_are_those_of_the_plain_path():
    index = ReferenceIndex(["a b c d e ."] * 150)  # of references the plain path does not warn
    with pytest.warns(fastbleu.InputWarning, match='120 hypotheses end in " ."'):
        index.score(["a b c d e ."] * 120)
    index = ReferenceIndex([[1, 2, 3, 4]], metric=BLEU(tokenize=False))
    with pytest.warns(fastbleu.InputWarning, match="-100"):
        index.score(np.array([[1, 2, 3, 4, -100]]))


def test_rows_that_are_empty_in_one_block_only():
    rows = [np.array([0, 5, 6, 7])] * 9000 + [np.array([5, 6, 7, 8])] * 1024
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        index = ReferenceIndex(rows, metric=BLEU(tokenize=False, stop_ids=0))
        assert len(index.sentence_scores(rows)) == len(rows)
        ReferenceIndex(rows[:3], metric=BLEU(tokenize=False, stop_ids=0))  # so few by chance
    with pytest.warns(fastbleu.InputWarning, match="every one of references is empty"):
        ReferenceIndex(rows[:9000], metric=BLEU(tokenize=False, stop_ids=0))

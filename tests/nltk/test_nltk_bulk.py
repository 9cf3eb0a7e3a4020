"""A million random segments, and real ones: fastbleu, nltk and the oracle must agree.

Every segment is scored by fastbleu in three ways (its row by `stats.count`, alone
by `sentence_bleu`, with its whole chunk by `corpus_bleu`) and compared with the
oracle; nltk itself scores every eighth chunk too, so that the oracle is held to nltk
on more than 100,000 segments. FASTBLEU_TEST_SEGMENTS scales the number of segments.
"""

import importlib
import os
import warnings
from collections import namedtuple

import numpy as np
import oracle
import pytest
import wmt22
from commands import python
from generators import (
    KINDS,
    PRISTINE,
    SEED,
    SEGMENTS,
    edge_length,
    outcome,
    random_weights,
    result,
    seeded,
    segments,
    tiny_length,
    typed,
)

import fastbleu

CHUNK = 500
ONE_IN_NLTK = 8
SAY_NOTHING = 0  # smoothing_function=None: nltk then uses its own method0

Family = namedtuple("Family", "share kinds length max_references max_order")
LETTERS = ["one letter", "two letters", "four letters"]
FAMILIES = {
    "tiny and repetitive": Family(0.62, LETTERS, tiny_length, 1, 4),
    "tiny, many references": Family(0.12, [*LETTERS, "words", "all widths"], tiny_length, 5, 4),
    "every kind of token": Family(0.20, sorted(KINDS), tiny_length, 2, 4),
    "orders 1 to 8": Family(0.05, [*LETTERS, "words"], tiny_length, 3, 8),
    "0 to 200 tokens": Family(
        0.01, [*LETTERS, "words", "near lengths", "mixed"], edge_length, 5, 8
    ),
}
PARTS = 4


def chunk(name, number):
    """Chunk `number` of a family: (kind, weights, method, hypotheses, list_of_references)."""
    family = FAMILIES[name]
    rng = seeded(name, number)
    kind = family.kinds[number % len(family.kinds)]
    order = rng.randint(1, family.max_order) if rng.random() < 0.4 else 4
    method = rng.choice((0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 6, 7))
    made = segments(
        rng, CHUNK, kind, family.length, family.max_references, fresh=rng.random() < 0.3
    )
    return kind, random_weights(rng, order), method, *made


def chunk_numbers(name, part, implementation):
    """The chunks of one part of a family: nltk itself takes one in ONE_IN_NLTK."""
    number_of_chunks = max(PARTS, round(FAMILIES[name].share * SEGMENTS / CHUNK))
    step = PARTS * (ONE_IN_NLTK if implementation == "nltk" else 1)
    return range(part, number_of_chunks, step)


def test_the_shares_cover_every_segment_asked_for():
    assert sum(family.share for family in FAMILIES.values()) == pytest.approx(1.0)


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("implementation", ["fastbleu", "nltk"])
def test_random_segments(implementation, name, part):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for number in chunk_numbers(name, part, implementation):
            kind, weights, method, hypotheses, list_of_references = chunk(name, number)
            where = f"FASTBLEU_TEST_SEED={SEED} family={name!r} chunk={number} kind={kind!r}"
            expected = expectations(weights, method, hypotheses, list_of_references)
            if implementation == "fastbleu":
                check_rows(where, expected, hypotheses, list_of_references)
            check_scores(
                implementation, where, expected, weights, method, hypotheses, list_of_references
            )


def expectations(weights, method, hypotheses, list_of_references):
    """Rows, sentence scores and the corpus score as the oracle has them."""
    order = len(weights)
    rows = [oracle.row(h, r, order) for h, r in zip(hypotheses, list_of_references, strict=True)]
    sentences = [
        result(oracle.nltk_score, [row], weights, method, last)
        for row, *last in zip(rows, hypotheses, list_of_references, strict=True)
    ]
    last = hypotheses[-1], list_of_references[-1]
    return rows, sentences, result(oracle.nltk_score, rows, weights, method, last)


def check_rows(where, expected, hypotheses, list_of_references):
    count = importlib.import_module("fastbleu").count
    rows, _, _ = expected
    max_order = (len(rows[0]) - 2) // 2
    counted = count(hypotheses, list_of_references, max_order=max_order)
    for index, row in enumerate(counted.__array__().tolist()):
        assert row == rows[index], tell(where, index, hypotheses, list_of_references)


def check_scores(implementation, where, expected, weights, method, hypotheses, list_of_references):
    bleu = PRISTINE if implementation == "nltk" else importlib.import_module("fastbleu.nltk")
    smoothing = (
        None if method == SAY_NOTHING else getattr(bleu.SmoothingFunction(), f"method{method}")
    )
    _, sentences, corpus = expected
    for index, score in enumerate(sentences):
        seen = result(
            bleu.sentence_bleu, list_of_references[index], hypotheses[index], weights, smoothing
        )
        if seen != score or type(seen) is not type(score):
            what = tell(where, index, hypotheses, list_of_references)
            pytest.fail(f"{what}\nweights={weights} method{method}: {seen!r} instead of {score!r}")
    seen = result(bleu.corpus_bleu, list_of_references, hypotheses, weights, smoothing)
    assert typed(seen) == typed(corpus), f"{where} weights={weights} method{method}"


def tell(where, index, hypotheses, list_of_references):
    return f"{where}\nhypothesis={hypotheses[index]!r}\nreferences={list_of_references[index]!r}"


def edge_chunk(seed_name):
    """A few hundred segments around the sizes where the kernel changes its way."""
    rng = seeded(seed_name)
    hypotheses, list_of_references = [], []
    for kind in ("one letter", "two letters", "four letters", "words", "near lengths", "mixed"):
        made = segments(rng, 60, kind, edge_length, 4)
        hypotheses += made[0]
        list_of_references += made[1]
    return hypotheses, list_of_references


@pytest.mark.parametrize("seed", [(0, 1), (1, 0), (2**64 - 1, 2**63), (12345, 678910)])
def test_the_seed_of_hash_tables_changes_nothing(seed):
    core = importlib.import_module("fastbleu.runtime._process")
    hypotheses, list_of_references = edge_chunk("seeds")
    expected = [oracle.row(h, r, 5) for h, r in zip(hypotheses, list_of_references, strict=True)]
    try:
        core.reseed(*seed)
        check_rows(f"FASTBLEU_TEST_SEED={SEED}", (expected, 0, 0), hypotheses, list_of_references)
    finally:
        core.reseed(*memoryview(os.urandom(16)).cast("Q"))


def test_the_seed_of_pythons_hashes_changes_nothing():
    code = "import fastbleu, test_nltk_bulk as bulk\n"
    code += "hypotheses, references = bulk.edge_chunk('hashes')\n"
    code += "print(fastbleu.count(hypotheses, references).__array__().tolist())"
    seeds = ("0", "1", "4294967295")
    rows = {python("-c", code, PYTHONHASHSEED=n, FASTBLEU_TEST_SEED=str(SEED)) for n in seeds}
    assert len(rows) == 1
    assert len(rows.pop()) > 1000


METHODS = [None, "method1", "method2", "method3", "method4", "method5", "method7"]


def token_lists(path):
    return [line.split() for line in wmt22.read_lines(path)]


def reference_sets(pair):
    """Every set of references: each by itself, and all together where there are several."""
    singles = {name: token_lists(path) for name, path in wmt22.reference_files(pair).items()}
    for name, lines in singles.items():
        yield name, [[line] for line in lines]
    if len(singles) > 1:
        yield "+".join(singles), [list(lines) for lines in zip(*singles.values(), strict=True)]


def test_the_data_is_there():
    if not wmt22.SYSTEMS:
        wmt22.missing()
    assert all(wmt22.reference_files(system.split(".")[0]) for system in wmt22.SYSTEMS)


@pytest.mark.parametrize("system", wmt22.SYSTEMS)
def test_real_data(system):
    pair = system.split(".")[0]
    hypotheses = token_lists(wmt22.system_file(system))
    rng = seeded("real data", system)
    for names, list_of_references in reference_sets(pair):
        where = f"{system} with {names}"
        assert len(hypotheses) == len(list_of_references), where
        expected = outcome(PRISTINE.corpus_bleu, list_of_references, hypotheses)
        assert outcome(fastbleu.corpus_bleu, list_of_references, hypotheses) == expected, where
        stats = fastbleu.count(hypotheses, list_of_references, threads=2)
        for line in rng.sample(range(len(hypotheses)), 150):
            segment = list_of_references[line], hypotheses[line]
            assert np.asarray(stats)[line].tolist() == oracle.row(segment[1], segment[0]), where
            assert_same_sentence(f"{where}, line {line + 1}", segment, rng.choice(METHODS))


def assert_same_sentence(where, segment, method):
    ours, theirs = (
        outcome(
            side.sentence_bleu,
            *segment,
            smoothing_function=method and getattr(side.SmoothingFunction(), method),
        )
        for side in (fastbleu, PRISTINE)
    )
    assert ours == theirs, f"{where}, {method}"

"""A million random segments: fastbleu and nltk must agree.

Every segment is scored in three ways: its row by `stats.count`, compared with the oracle, alone by
`sentence_bleu`, and with its whole chunk by `corpus_bleu`. FASTBLEU_TEST_SEGMENTS scales the number
of segments.
"""

from collections import namedtuple

import oracle
import pytest
from generators import (
    KINDS,
    PRISTINE,
    SEED,
    SEGMENTS,
    assert_same,
    edge_length,
    random_weights,
    result,
    seeded,
    segments,
    tiny_length,
    typed,
)
from metrics import count

import fastbleu
import fastbleu.nltk

CHUNK = 100

Family = namedtuple("Family", "share kinds length max_references max_ngram_order")
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
PARTS = 2


def chunk(name, number):
    """Chunk `number` of a family: (kind, weights, method, hypotheses, list_of_references)."""
    family = FAMILIES[name]
    rng = seeded(name, number)
    kind = family.kinds[number % len(family.kinds)]
    order = rng.randint(1, family.max_ngram_order) if rng.random() < 0.4 else 4
    method = rng.choice((0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 6, 7))
    made = segments(
        rng, CHUNK, kind, family.length, family.max_references, fresh=rng.random() < 0.3
    )
    return kind, random_weights(rng, order), method, *made


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_random_segments(name, part):
    number_of_chunks = max(PARTS, round(FAMILIES[name].share * SEGMENTS / CHUNK))
    for number in range(part, number_of_chunks, PARTS):
        kind, weights, method, hypotheses, list_of_references = chunk(name, number)
        where = f"FASTBLEU_TEST_SEED={SEED} family={name!r} chunk={number} kind={kind!r}"
        where += f" weights={weights} method{method}"
        pairs = list(zip(hypotheses, list_of_references, strict=True))
        counted = count(hypotheses, list_of_references, max_ngram_order=len(weights))
        for seen, pair in zip(counted.__array__().tolist(), pairs, strict=True):
            assert seen == oracle.row(*pair, len(weights)), (where, pair)
        functions = [
            getattr(side.SmoothingFunction(), f"method{method}") if method else None
            for side in (fastbleu, PRISTINE)
        ]
        corpus = [("corpus_bleu", list_of_references, hypotheses)]
        for call, *sides in [("sentence_bleu", r, h) for h, r in pairs] + corpus:
            seen, expected = (
                typed(result(getattr(side, call), *sides, weights, function))
                for side, function in zip((fastbleu, PRISTINE), functions, strict=True)
            )
            assert seen == expected, (where, sides)
        for hypothesis, references in pairs[:5]:
            for order in range(9):
                assert_same(fastbleu, "modified_precision", references, hypothesis, order)
            assert_same(fastbleu, "closest_ref_length", references, len(hypothesis))

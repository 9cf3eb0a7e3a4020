"""`join=`: d-BLEU equals BLEU of texts that were joined by hand."""

from itertools import chain

import numpy as np
import pytest
import sacrebleu
from generators import by_stream, raises, seeded

from fastbleu import BLEU

WORDS = {"13a": "abc", False: [["a"], ["b"], ["c"]]}


def joined(parts, documents, join):
    """The joined parts of each document; documents are in the order of their first parts."""
    by_document = {}
    for document, part in zip(documents, parts, strict=True):
        by_document.setdefault(document, []).append(part)
    return list(map(join, by_document.values()))


@pytest.mark.parametrize("tokenize", ["13a", False])
def test_documents_have_the_numbers_of_their_joined_parts(tokenize):
    rng, metric = seeded("documents"), BLEU(tokenize=tokenize, effective_order=True)
    join = " ".join if tokenize else lambda lists: [*chain(*lists)]
    for _ in range(20):
        documents = [rng.randint(0, 2) for _ in range(rng.randint(1, 12))]
        parts = [[join(rng.choices(WORDS[tokenize], k=4)) for _ in range(3)] for _ in documents]
        given = (
            [hypothesis for hypothesis, *_ in parts],
            [its[1 : 2 + own % 2] for its, own in zip(parts, documents, strict=True)],
        )
        whole = (
            joined(given[0], documents, join),
            joined(given[1], documents, lambda some: list(map(join, zip(*some, strict=True)))),
        )
        for method in ("score", "count", "sentence_scores"):
            found = getattr(metric, method)(*given, join=documents)
            assert np.array_equal(found, getattr(metric, method)(*whole))
        if tokenize:
            expected = sacrebleu.corpus_bleu(
                whole[0], by_stream(whole[1]), use_effective_order=True
            )
            assert metric.score(*given, join=documents).value == expected.score


def test_wrong_documents_are_refused():
    for error, words, *arguments in (
        (ValueError, "join has 1 entry, hypotheses has 2", ["a", "b"], ["a", "b"], ["x"]),
        (ValueError, "references has 1 segment", ["a", "b"], ["a"], ["x", "x"]),
        (TypeError, "join is a str", ["a", "b"], ["a", "b"], "xy"),
        (ValueError, "segment 1: it has 2 references", ["a", "b"], ["a", ["b", "c"]], ["x", "x"]),
        (TypeError, "segment 1: a part is a NoneType", ["a", None], ["a", "b"], ["x", "x"]),
        (TypeError, "segment 1: references is a NoneType", ["a", "b"], ["a", None], ["x", "x"]),
        (TypeError, "both texts and lists", ["a", ["b"]], ["a", "b"], ["x", "x"]),
        (TypeError, "segment 0: the document is a list", ["a"], ["a"], [["x"]]),
    ):
        hypotheses, references, documents = arguments
        raises(error, words, BLEU().score, hypotheses, references, join=documents)
    score = BLEU().score
    raises(ValueError, "without masks", score, ["a"], ["a"], join=["x"], missing="skip")
    score, ids = BLEU(tokenize=False).score, ([[5, 6]], [[[5, 6]]])
    raises(ValueError, "without masks", score, *ids, join=["x"], hypothesis_mask=[[1, 0]])

"""Any small lists of tokens: many against many gives what the slow counts give, pair by pair.

pairwise and self_bleu by nltk's rules against oracle.py; the rows of a ReferenceIndex too. What
nearest finds is sorted out of the matrix.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy
import oracle

from fastbleu import BLEU, Stats
from fastbleu.matrix import ReferenceIndex, nearest, pairwise, self_bleu
from trust.fuzz_input import Input, equal

# By type of token: what a byte stands for.
ALPHABETS = (
    "abcdefgh",
    ("", "a", "aa", "a\0", "é", "я", "\U0001f600", "x" * 40),
    (b"", b"a", "a", "b", 1, -1, 2**63 - 1, 2**64),
    (0, 1, 1.0, True, 2, -1, -2, 2**61 - 1),
)
Sentences = list[list[object]]


def sentences_of(given: Input) -> Sentences:
    """Sentences of tokens; a byte above 247 ends one."""
    alphabet = given.choice(ALPHABETS)
    found: Sentences = [[]]
    for byte in given.rest():
        if byte > 247:
            if len(found) == 80:
                break
            found.append([])
        elif len(found[-1]) < 140:
            found[-1].append(alphabet[byte % 8])
    return found


def run(data: bytes) -> None:
    given = Input(data)
    asked, order, split = given.byte(), 1 + given.below(6), given.byte()
    sentences = sentences_of(given)
    hypotheses, references = sentences[: 1 + split % 4], sentences[1 + split % 4 :] or [[]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if asked % 3 == 0:
            check_pairs(hypotheses, references, order, asked // 3)
        elif asked % 3 == 1:
            check_index(hypotheses, references, order)
        elif len(sentences) > 1:
            check_self(sentences[:9], order)


DIALECTS: list[dict[str, Any]] = [
    {"dialect": "nltk", "smooth_method": "floor"},
    {"dialect": "nltk", "smooth_method": "exp"},
    {"smooth_method": "add-k", "effective_order": True},
    {"smooth_method": "exp", "effective_order": True},
]


def check_pairs(hypotheses: Sentences, references: Sentences, order: int, asked: int) -> None:
    options = {"tokenize": False, "max_ngram_order": order, **DIALECTS[asked % 4]}
    found = pairwise(hypotheses, references, metric=BLEU(threads=1 + asked // 4 % 2, **options))
    rows = [oracle.row(h, [r], order) for h in hypotheses for r in references]
    expected = BLEU(**options).scorer.row_scores(Stats(rows)).reshape(found.shape)
    about = hypotheses, references, options
    equal(found.tolist(), expected.tolist(), *about)
    scores, positions = nearest(hypotheses, references, k=len(references), metric=BLEU(**options))
    best = [sorted(range(len(row)), key=lambda r, row=row: -row[r]) for row in found.tolist()]
    equal(positions.tolist(), best, *about)
    equal(scores.tolist(), (-numpy.sort(-found)).tolist(), *about)
    if options["smooth_method"] == "floor":  # and once from the counts on by the slow way
        slow = float(oracle.nltk_score(rows[:1], (1 / order,) * order, 1))
        equal(abs(slow - float(found[0, 0])) <= 1e-12, True, slow, *about)


def check_index(hypotheses: Sentences, references: Sentences, order: int) -> None:
    index = ReferenceIndex(references, metric=BLEU(tokenize=False, max_ngram_order=order))
    found = numpy.asarray(index.count(hypotheses)).tolist()
    rows = [oracle.row(hypothesis, references, order) for hypothesis in hypotheses]
    equal(found, rows, hypotheses, references)


def check_self(sentences: Sentences, order: int) -> None:
    metric = BLEU("nltk", smooth_method="floor", tokenize=False, max_ngram_order=order)
    found = self_bleu(sentences, orders=(order,), metric=metric).scores[:, 0].tolist()
    others = [sentences[:i] + sentences[i + 1 :] for i in range(len(sentences))]
    rows = [oracle.row(*sides, order) for sides in zip(sentences, others, strict=True)]
    equal(found, metric.scorer.row_scores(Stats(rows)).tolist(), sentences, order)

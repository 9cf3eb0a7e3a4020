"""Entry points of many against many: `fastbleu.matrix` and the metric's methods."""

from __future__ import annotations

import numpy as np
from trust.entry import HYPOTHESES, IDS, MASK, SENTENCES, TEXTS, entry, scratch

from fastbleu import BLEU, matrix
from fastbleu.matrix import MBRResult, ReferenceIndex, SelfBLEU

UNREADABLE = [["a"], ["b", ["c"]]]
WORDS = {"tokenize": None}


def metric():
    return BLEU(effective_order=True)


def id_metric():
    return BLEU(tokenize=None, ignore_ids=(0,), stop_id=2, effective_order=True)


def index():
    return ReferenceIndex(TEXTS, effective_order=True)


def blocks(pairs):
    return [scores for _, scores in pairs]


def broken_off(pairs):
    next(pairs)
    pairs.close()


def files():
    """A saved index, one that is cut off, one that is damaged, one of other tokenizer's tokens."""
    good, cut, damaged, other = (scratch() / name for name in ("good", "cut", "damaged", "other"))
    index().save(good)
    content = good.read_bytes()
    cut.write_bytes(content[:-5])
    damaged.write_bytes(content[:9] + b"\xff" + content[10:])
    ReferenceIndex(TEXTS, tokenize=str.split).save(other)
    return good, cut, damaged, other


METHODS = [
    entry(
        "fastbleu.BLEU.pairwise",
        lambda it: it.pairwise(TEXTS, TEXTS[::-1]),
        lambda it: it.pairwise(TEXTS, [*TEXTS, 7]),
        lambda it: it.pairwise(TEXTS[0], TEXTS),
        lambda it: it.pairwise(TEXTS, TEXTS, out=np.empty((2, 3))),
        lambda it: it.pairwise(TEXTS, TEXTS, dtype=int),
        setup=metric,
    ),
    entry(
        "fastbleu.BLEU.pairwise: ids",
        lambda it: it.pairwise(IDS, IDS, hypothesis_mask=MASK, dtype="float32"),
        lambda it: it.pairwise(IDS, IDS, hypothesis_mask=MASK[:, :2]),
        lambda it: it.pairwise([IDS], IDS),
        setup=id_metric,
    ),
    entry(
        "fastbleu.BLEU.iter_blocks",
        lambda it: blocks(it.iter_blocks(TEXTS, TEXTS, rows=2)),
        lambda it: blocks(it.iter_blocks(TEXTS, TEXTS, rows=0)),
        lambda it: blocks(it.iter_blocks([*TEXTS, None], TEXTS)),
        setup=metric,
    ),
    entry(
        "fastbleu.BLEU.iter_blocks: broken off",
        lambda it: broken_off(it.iter_blocks(TEXTS, TEXTS, rows=1)),
        setup=metric,
    ),
    entry(
        "fastbleu.BLEU.mbr",
        lambda it: it.mbr([*TEXTS, TEXTS[0]], matrix=True),
        lambda it: it.mbr([]),
        lambda it: it.mbr(TEXTS, weights=[1]),
        lambda it: it.mbr(TEXTS, weights=[0, 0, 0]),
        lambda it: it.mbr(TEXTS, [*TEXTS, b"x"]),
        lambda it: it.mbr(TEXTS, aggregate=True, matrix=True),
        setup=metric,
    ),
    entry(
        "fastbleu.BLEU.mbr: aggregate",
        lambda it: it.mbr(TEXTS, TEXTS[:2], log_probabilities=[-1, -2], aggregate=True),
        lambda it: it.mbr(TEXTS, TEXTS[:2], log_probabilities=[-1, float("nan")], aggregate=True),
        setup=metric,
    ),
    entry(
        "fastbleu.BLEU.mbr: batches",
        lambda it: it.mbr([TEXTS, TEXTS[::-1]], [TEXTS[:2], TEXTS[1:]], [[1, 2], [3, 4]]),
        lambda it: it.mbr([TEXTS, TEXTS[:2]]),
        setup=metric,
    ),
    entry(
        "fastbleu.BLEU.self_bleu",
        lambda it: it.self_bleu(TEXTS * 2, (1, 3), sample=3),
        lambda it: it.self_bleu(TEXTS[:1]),
        lambda it: it.self_bleu(TEXTS, (0,)),
        lambda it: it.self_bleu(TEXTS, sample=9),
        lambda it: it.self_bleu([*TEXTS, None]),
        setup=metric,
    ),
    entry(
        "fastbleu.BLEU.reference_index",
        lambda it: it.reference_index(TEXTS).ngrams,
        lambda it: it.reference_index([]),
        lambda it: it.reference_index([*TEXTS, 7]),
        setup=metric,
    ),
]

FUNCTIONS = [
    entry(
        "fastbleu.matrix.pairwise",
        lambda _: matrix.pairwise(SENTENCES, HYPOTHESES, **WORDS),
        lambda _: matrix.pairwise(SENTENCES, UNREADABLE, **WORDS),
        lambda _: matrix.pairwise(SENTENCES, HYPOTHESES),
    ),
    entry(
        "fastbleu.matrix.iter_blocks",
        lambda _: blocks(matrix.iter_blocks(SENTENCES, HYPOTHESES, rows=1, **WORDS)),
        lambda _: matrix.iter_blocks(SENTENCES, HYPOTHESES, rows=-1, **WORDS),
    ),
    entry(
        "fastbleu.matrix.mbr",
        lambda _: matrix.mbr(SENTENCES, **WORDS),
        lambda _: matrix.mbr(UNREADABLE, **WORDS),
        lambda _: matrix.mbr(SENTENCES, aggregate=True, dialect="nltk", **WORDS),
    ),
    entry(
        "fastbleu.matrix.self_bleu",
        lambda _: matrix.self_bleu(SENTENCES),
        lambda _: matrix.self_bleu(UNREADABLE),
        lambda _: matrix.self_bleu(SENTENCES, (2, 2)),
    ),
    entry("fastbleu.matrix.MBRResult", lambda _: MBRResult(1, np.zeros(2))),
    entry("fastbleu.matrix.SelfBLEU", lambda _: SelfBLEU({}, np.zeros((1, 0)), (), np.zeros(1))),
    entry("fastbleu.matrix.SelfBLEU.__repr__", repr, setup=lambda: matrix.self_bleu(SENTENCES)),
]

INDEX = [
    entry(
        "fastbleu.matrix.ReferenceIndex",
        lambda _: len(ReferenceIndex(iter(SENTENCES), tokenize=None)),
        lambda _: ReferenceIndex([]),
        lambda _: ReferenceIndex(UNREADABLE, tokenize=None),
        lambda _: ReferenceIndex(TEXTS, metric=BLEU(), max_order=3),
        lambda _: ReferenceIndex(iter([*TEXTS, 7])),
    ),
    entry(
        "fastbleu.matrix.ReferenceIndex.score",
        lambda it: it.score(TEXTS),
        lambda it: it.score([]),
        lambda it: it.score([*TEXTS, None]),
        setup=index,
    ),
    entry(
        "fastbleu.matrix.ReferenceIndex.sentence_scores",
        lambda it: it.sentence_scores(TEXTS),
        lambda it: it.sentence_scores(TEXTS[0]),
        setup=index,
    ),
    entry(
        "fastbleu.matrix.ReferenceIndex.statistics",
        lambda it: it.statistics(TEXTS),
        lambda it: it.statistics([*TEXTS, b"x"]),
        setup=index,
    ),
    entry(
        "fastbleu.matrix.ReferenceIndex.save",
        lambda it: it.save(scratch() / "saved"),
        lambda it: it.save(scratch() / "no" / "directory"),
        lambda _: ReferenceIndex([[(1,)]], tokenize=None).save(scratch() / "saved"),
        setup=index,
        threads=False,
    ),
    entry(
        "fastbleu.matrix.ReferenceIndex.load",
        lambda paths: ReferenceIndex.load(paths[0]).score(TEXTS),
        lambda paths: ReferenceIndex.load(paths[1]),
        lambda paths: ReferenceIndex.load(paths[2]),
        lambda paths: ReferenceIndex.load(paths[3]),
        lambda paths: ReferenceIndex.load(paths[0], "intl"),
        lambda paths: ReferenceIndex.load(paths[0].parent),
        lambda paths: ReferenceIndex.load(paths[0] / "no"),
        setup=files,
    ),
    entry("fastbleu.matrix.ReferenceIndex.__len__", len, setup=index),
    entry("fastbleu.matrix.ReferenceIndex.ngrams", lambda it: it.ngrams, setup=index),
    entry("fastbleu.matrix.ReferenceIndex.nbytes", lambda it: it.nbytes, setup=index),
    entry("fastbleu.matrix.ReferenceIndex.signature", lambda it: it.signature, setup=index),
    entry("fastbleu.matrix.ReferenceIndex.__repr__", repr, setup=index),
    entry(
        "fastbleu.matrix.ReferenceIndex.__reduce__",
        lambda _: None,
        lambda it: it.__reduce__(),
        setup=index,
    ),
    entry(
        "fastbleu.matrix.ReferenceIndex.__setattr__",
        lambda _: None,
        lambda it: setattr(it, "ngrams", 1),
        setup=index,
    ),
    entry(
        "fastbleu.matrix.ReferenceIndex.__delattr__",
        lambda _: None,
        lambda it: delattr(it, "_ngrams"),
        setup=index,
    ),
]

ENTRIES = METHODS + FUNCTIONS + INDEX

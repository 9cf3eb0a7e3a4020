"""Entry points of counting, rows, tokenizers, `Score` and the dialects."""

from __future__ import annotations

import pickle

import numpy as np
from trust.entry import (
    HYPOTHESES,
    HYPOTHESIS,
    IDS,
    LIST_OF_REFERENCES,
    REFERENCE_IDS,
    REFERENCES,
    ROWS,
    TEXT_REFERENCES,
    TEXTS,
    UNHASHABLE,
    entry,
    stats,
)

from fastbleu import BLEU, InputWarning, Stats, count, dialects, tokenize, tokenizers
from fastbleu.dialects import NLTK, SACREBLEU, NltkDialect, SacrebleuDialect
from fastbleu.dialects.score import Score

LARGEST = 2**63 - 1


def thirteen():
    return tokenizers.get_tokenizer("13a")


def score():
    return BLEU().score(TEXTS, TEXT_REFERENCES)


def adapted():
    return NLTK.adapt(count(HYPOTHESES, LIST_OF_REFERENCES))


COUNTING = [
    entry(
        "fastbleu.count",
        lambda _: count(HYPOTHESES, LIST_OF_REFERENCES),
        lambda _: count([HYPOTHESIS], []),
        lambda _: count([HYPOTHESIS], [[]]),
        lambda _: count([UNHASHABLE], [REFERENCES]),
        lambda _: count([HYPOTHESIS], [[UNHASHABLE]]),
        lambda _: count(["text"], [["text"]]),
        lambda _: count([HYPOTHESIS], [REFERENCES], 0),
        lambda _: count(HYPOTHESES, list(zip(*[REFERENCES] * 3, strict=True))),
    ),
    entry(
        "fastbleu.count: threads",
        lambda _: count(HYPOTHESES * 4, LIST_OF_REFERENCES * 4, threads=2),
        lambda _: count([*HYPOTHESES, UNHASHABLE], [*LIST_OF_REFERENCES, REFERENCES], threads=2),
    ),
    entry(
        "fastbleu.count: text",
        lambda _: count(TEXTS, TEXT_REFERENCES, tokenize="intl", lowercase=True),
        lambda _: count(TEXTS, TEXT_REFERENCES, tokenize="14a"),
        lambda _: count([*TEXTS, 7], [*TEXT_REFERENCES, ["a"]], tokenize="13a"),
    ),
    entry(
        "fastbleu.count: a tokenizer of the user's",
        lambda _: count(TEXTS, TEXT_REFERENCES, tokenize=str.split),
        lambda _: count(TEXTS, TEXT_REFERENCES, tokenize=str.upper),
        lambda _: count(TEXTS, TEXT_REFERENCES, tokenize=lambda text: 1 / 0),
    ),
    entry(
        "fastbleu.count: ids",
        lambda _: count(IDS, REFERENCE_IDS),
        lambda _: count(IDS / 2, REFERENCE_IDS),
        lambda _: count(IDS, REFERENCE_IDS[:1]),
    ),
    entry(
        "fastbleu.tokenize",
        lambda _: [tokenize(text, "13a") for text in TEXTS],
        lambda _: tokenize(7, "13a"),
        lambda _: tokenize("a", "14a"),
        lambda _: tokenize("a", str.upper),
    ),
    *[
        entry(f"fastbleu.tokenize: {name}", lambda _, name=name: tokenize(TEXTS[1] * 9, name))
        for name in ("none", "zh", "intl", "char")
    ],
    entry(
        "fastbleu.tokenizers.get_tokenizer",
        lambda _: tokenizers.get_tokenizer("13a"),
        lambda _: tokenizers.get_tokenizer("14a"),
        lambda _: tokenizers.get_tokenizer(7),
        lambda _: tokenizers.get_tokenizer("13a", "model"),
        lambda _: tokenizers.get_tokenizer("spm", "/no/such/model"),
    ),
    entry("fastbleu.tokenizers.Tokenizer", lambda _: tokenizers.Tokenizer("13a", "13a")),
    entry("fastbleu.tokenizers.Tokenizer.__eq__", lambda it: (it == it, it == 7), setup=thirteen),
    entry(
        "fastbleu.tokenizers.Tokenizer.__hash__", lambda it: hash(it) == hash(it), setup=thirteen
    ),
    entry("fastbleu.tokenizers.Tokenizer.__repr__", repr, setup=thirteen),
    entry(
        "fastbleu.tokenizers.Tokenizer.__reduce__",
        lambda it: pickle.loads(pickle.dumps(it)),
        setup=thirteen,
    ),
    entry(
        "fastbleu.tokenizers.Tokenizer.__setattr__",
        lambda _: None,
        lambda it: setattr(it, "name", "x"),
        setup=thirteen,
    ),
    entry(
        "fastbleu.tokenizers.Tokenizer.__delattr__",
        lambda _: None,
        lambda it: delattr(it, "name"),
        setup=thirteen,
    ),
    entry("fastbleu.InputWarning", lambda _: InputWarning("a message")),
]

ROWS_AND_SCORES = [
    entry(
        "fastbleu.Stats",
        lambda _: Stats(ROWS, 2),
        lambda _: Stats(ROWS, 3),
        lambda _: Stats([[0.5] * 6]),
        lambda _: Stats([[2**63] * 6]),
        lambda _: Stats([1, 2, 3]),
        lambda _: Stats([]),
    ),
    entry(
        "fastbleu.Stats.zeros",
        lambda _: Stats.zeros(3),
        lambda _: Stats.zeros(-1),
        lambda _: Stats.zeros(2**60),
    ),
    entry(
        "fastbleu.Stats.concatenate",
        lambda it: Stats.concatenate([it, it]),
        lambda it: Stats.concatenate([]),
        lambda it: Stats.concatenate([it, 7]),
        lambda it: Stats.concatenate([it, Stats.zeros(1)]),
        setup=stats,
    ),
    entry(
        "fastbleu.Stats.sum",
        lambda it: it.sum(),
        lambda _: Stats([[LARGEST] * 4] * 2).sum(),
        setup=stats,
    ),
    entry("fastbleu.Stats.hyp_lens", lambda it: it.hyp_lens, setup=stats),
    entry("fastbleu.Stats.ref_lens", lambda it: it.ref_lens, setup=stats),
    entry("fastbleu.Stats.matches", lambda it: it.matches, setup=stats),
    entry("fastbleu.Stats.totals", lambda it: it.totals, setup=stats),
    entry("fastbleu.Stats.__len__", len, setup=stats),
    entry(
        "fastbleu.Stats.__getitem__",
        lambda it: (it[1], it[::-1], it[:2]),
        lambda it: it[3],
        lambda it: it["x"],
        lambda it: it[2**70],
        setup=stats,
    ),
    entry("fastbleu.Stats.__iter__", list, setup=stats),
    entry(
        "fastbleu.Stats.__add__",
        lambda it: it + it,
        lambda it: it + it[0],
        lambda it: it + 1,
        lambda _: Stats([[LARGEST] * 4]) + Stats([[LARGEST] * 4]),
        setup=stats,
    ),
    entry("fastbleu.Stats.__radd__", lambda it: sum([it, it]), lambda it: 1 + it, setup=stats),
    entry("fastbleu.Stats.__eq__", lambda it: (it == it, it == it[0], it == 7), setup=stats),
    entry("fastbleu.Stats.__reduce__", lambda it: pickle.loads(pickle.dumps(it)), setup=stats),
    entry(
        "fastbleu.Stats.__array__",
        lambda it: (np.asarray(it), np.array(it), np.asarray(it, float)),
        lambda it: it.__array__(float, copy=False),
        setup=stats,
    ),
    entry("fastbleu.Stats.__repr__", repr, setup=stats),
    entry(
        "fastbleu.Score",
        lambda _: Score(0.5, (0.5,), 1.0, 2, 2, (1,), (2,), "signature"),
        lambda _: Score(0.5),
    ),
    entry("fastbleu.Score.__float__", float, setup=score),
    entry(
        "fastbleu.Score.__format__",
        lambda it: f"{it:.2f} {it}",
        lambda it: f"{it:.2z}",
        setup=score,
    ),
    entry("fastbleu.Score.__str__", str, setup=score),
    entry("fastbleu.Score.__repr__", repr, setup=score),
    entry("fastbleu.Score.__eq__", lambda it: (it == it, it == 7), setup=score),
    entry("fastbleu.Score.__hash__", lambda it: hash(it) == hash(it), setup=score),
    entry("fastbleu.Score.__reduce__", lambda it: pickle.loads(pickle.dumps(it)), setup=score),
    entry(
        "fastbleu.Score.__replace__",
        lambda it: it.__replace__(value=0.5),
        lambda it: it.__replace__(values=0.5),
        setup=score,
    ),
    entry(
        "fastbleu.Score.__setattr__",
        lambda _: None,
        lambda it: setattr(it, "value", 1.0),
        setup=score,
    ),
    entry(
        "fastbleu.Score.__delattr__", lambda _: None, lambda it: delattr(it, "value"), setup=score
    ),
    *[
        entry(f"fastbleu.dialects.{kind.__name__}", lambda _, kind=kind: kind().version)
        for kind in (NltkDialect, SacrebleuDialect)
    ],
    entry("fastbleu.dialects.Dialect", lambda _: dialects.Dialect.minimum_total),
    entry("fastbleu.dialects.Dialect.adapt", NLTK.adapt, setup=stats),
    entry("fastbleu.dialects.Dialect.score", lambda it: NLTK.score(it.sum()), setup=adapted),
    entry("fastbleu.dialects.Dialect.sentence_scores", NLTK.sentence_scores, setup=adapted),
    entry("fastbleu.dialects.Dialect.signature", lambda _: NLTK.signature(2)),
    *[
        entry(f"fastbleu.dialects.{kind}.{name}", *calls, setup=lambda: np.array(ROWS, float))
        for kind in ("Dialect", "NltkDialect", "SacrebleuDialect")
        for name, *calls in (
            ("brevity_penalty", lambda _: NLTK.brevity_penalty(3, 4)),
            (
                "read_options",
                lambda _: NLTK.read_options(2, (0.5, 0.5)).weights,
                lambda _: NLTK.read_options(2, effective_order=True),
            ),
            (
                "require",
                lambda _: SACREBLEU.require("aggregate=True"),
                lambda _: NLTK.require("aggregate=True"),
            ),
            (
                "expected_scores",
                lambda rows: SACREBLEU.expected_scores(rows, 2).tolist(),
                lambda rows: SACREBLEU.expected_scores(rows, 2, weights=(1,)),
                lambda rows: NLTK.expected_scores(rows, 2),
            ),
        )
    ],
    entry("fastbleu.dialects.names", lambda _: dialects.names()),
    entry(
        "fastbleu.dialects.get",
        lambda _: dialects.get("nltk").version,
        lambda _: dialects.get("bleu"),
    ),
    entry("fastbleu.dialects.NltkDialect.adapt", NLTK.adapt, setup=stats),
    entry(
        "fastbleu.dialects.NltkDialect.score",
        lambda it: NLTK.score(it.sum(), smoothing="method4"),
        lambda it: NLTK.score(it),
        lambda it: NLTK.score(it.sum(), (1,)),
        lambda it: NLTK.score(it.sum(), smoothing="method7"),
        lambda _: NLTK.score(Stats.zeros(1)),
        setup=adapted,
    ),
    entry(
        "fastbleu.dialects.NltkDialect.sentence_scores",
        lambda it: NLTK.sentence_scores(it, smoothing="floor", smoothing_value=0.2),
        lambda it: NLTK.sentence_scores(it, smoothing="none", smoothing_value=1),
        lambda it: NLTK.sentence_scores(it, (0.5, 0.5)),
        setup=adapted,
    ),
    entry(
        "fastbleu.dialects.NltkDialect.signature",
        lambda _: NLTK.signature(2, (0.5, 0.5), nrefs=-1, lowercase=True),
    ),
    entry("fastbleu.dialects.SacrebleuDialect.adapt", SACREBLEU.adapt, setup=stats),
    entry(
        "fastbleu.dialects.SacrebleuDialect.score",
        lambda it: SACREBLEU.score(it.sum(), weights=(0.25, 0.75)),
        lambda it: SACREBLEU.score(it),
        lambda it: SACREBLEU.score(it.sum(), weights=(0.25,)),
        lambda it: SACREBLEU.score(it.sum(), smoothing="method1"),
        setup=stats,
    ),
    entry(
        "fastbleu.dialects.SacrebleuDialect.sentence_scores",
        lambda it: SACREBLEU.sentence_scores(it, smoothing="add-k").tolist(),
        lambda it: SACREBLEU.sentence_scores(it, smoothing="add-k", smoothing_value=-1),
        lambda it: SACREBLEU.sentence_scores(it, weights=(-1, 1)),
        setup=stats,
    ),
    entry(
        "fastbleu.dialects.SacrebleuDialect.signature",
        lambda _: SACREBLEU.signature(2, nrefs=1, lowercase=False, tokenizer="13a"),
    ),
]

ENTRIES = COUNTING + ROWS_AND_SCORES

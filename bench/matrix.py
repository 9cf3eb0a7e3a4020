"""Many against many: matrices of pairs, decoding, self-BLEU, sets of references."""

from collections.abc import Callable
from functools import partial
from typing import Any

import workloads
from cases import Case, Part, spread
from text import by_segment

FAST_BLEU = "fast-bleu (all cores)"
ORDERS = (2, 3, 4, 5)
UNIFORM = {order: (1 / order,) * order for order in ORDERS}


# Pairs: every hypothesis with every reference of the one stream.


def scores_of_pairs(score: Callable, hypotheses: list, references: list) -> list[list[float]]:
    return [
        [score(hypothesis, [reference]).score for reference in references]
        for hypothesis in hypotheses
    ]


def sacrebleu_pairs(hypotheses, references):
    """Its caches hold every sentence after the first pair."""
    from sacrebleu import BLEU

    score = BLEU(effective_order=True).sentence_score
    return lambda: scores_of_pairs(score, hypotheses, references[0])


def pairwise(threads: int, hypotheses, references):
    from fastbleu import BLEU
    from fastbleu.matrix import pairwise

    metric = BLEU(threads=threads)
    return lambda: pairwise(hypotheses, references[0], metric=metric)


# Decoding: the expected utilities of the samples of each source.


def sacrebleu_utilities(part: int, _, streams):
    import numpy as np
    from sacrebleu import BLEU

    sources, score = by_segment(streams), BLEU(effective_order=True).sentence_score

    def call():
        indices = spread(len(sources), part)
        matrices = [scores_of_pairs(score, sources[i], sources[i]) for i in indices]
        return Part(indices, [np.array(matrix).sum(axis=1) / len(matrix) for matrix in matrices])

    return call


def mbr(aggregate: bool, _, streams):
    from fastbleu.matrix import mbr

    sources = by_segment(streams)
    return lambda: mbr(sources, aggregate=aggregate).utilities


def agreement(utilities: Any, expected: Any) -> str:
    """Return how often the same sample is chosen, and the utility lost otherwise."""
    chosen = utilities.argmax(axis=1)
    agreed = (chosen == expected.argmax(axis=1)).sum()
    lost = (expected.max(axis=1) - expected[range(len(expected)), chosen]).mean()
    return (
        f"an approximation: the same choice for {agreed:,} of {len(expected):,} sources,"
        f" {lost:.2f} BLEU less utility on average"
    )


# Self-BLEU: a row of scores, one for each of `ORDERS`, for each sentence.


def nltk_self_bleu(part: int, sentences, _):
    score, indices = nltk_score(weights=list(UNIFORM.values())), spread(len(sentences), part)
    return lambda: Part(
        indices, [score(sentences[:i] + sentences[i + 1 :], sentences[i]) for i in indices]
    )


def nltk_score(**options: Any) -> Callable:
    from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

    return partial(sentence_bleu, smoothing_function=SmoothingFunction().method1, **options)


def fast_bleu_self_bleu(sentences, _):
    from fast_bleu import SelfBLEU

    def call():
        scores = SelfBLEU(sentences, UNIFORM).get_score()
        return list(zip(*(scores[order] for order in ORDERS), strict=True))

    return call


def self_bleu(sentences, _):
    from fastbleu import BLEU
    from fastbleu.matrix import self_bleu

    metric = BLEU("nltk", smooth_method="floor", tokenize=False)
    return lambda: self_bleu(sentences, orders=ORDERS, metric=metric).scores


# One set of references for all hypotheses, lists of tokens.


def nltk_one_set(part: int, hypotheses, references):
    score, indices = nltk_score(), spread(len(hypotheses), part)
    return lambda: Part(indices, [score(references, hypotheses[i]) for i in indices])


def fast_bleu(hypotheses, references):
    from fast_bleu import BLEU

    weights = {4: (0.25, 0.25, 0.25, 0.25)}
    return lambda: BLEU(references, weights).get_score(hypotheses)[4]


def reference_index(hypotheses, references):
    from fastbleu import BLEU
    from fastbleu.matrix import ReferenceIndex

    metric = BLEU("nltk", smooth_method="floor", tokenize=False)
    return lambda: ReferenceIndex(references, metric=metric).sentence_scores(hypotheses)


def case(name: str, title: str, segments: int, corpus: Callable, **options: Any) -> Case:
    defaults = {"fresh": workloads.text, "length": "characters"}
    return Case(f"matrix-{name}", title, segments, corpus, **{**defaults, **options})


# fast-bleu uses all cores.
OF_TOKENS = {"length": "tokens", "has_threads": True}
CASES = (
    case(
        "pairwise",
        "`pairwise`, 256 x 256 unrelated sentences",
        256,
        workloads.unrelated,
        ours=partial(pairwise, 1),
        others={"sacreBLEU": sacrebleu_pairs},
        per="pair",
    ),
    case(
        "threads",
        "`pairwise`, 4,000 x 4,000 sentences, 2 threads",
        4_000,
        workloads.two_sets,
        ours=partial(pairwise, 2),
        others={"1 thread": partial(pairwise, 1)},
        per="pair",
        has_threads=True,
    ),
    case(
        "mbr",
        "`mbr`, 15 samples of each source",
        2_000,
        partial(workloads.samples_of_many_sources, 15),
        ours=partial(mbr, False),
        others={"sacreBLEU": partial(sacrebleu_utilities, 40)},
        per="source",
    ),
    case(
        "aggregate",
        "`mbr(aggregate=True)`, 256 samples of each source",
        100,
        partial(workloads.samples_of_many_sources, 256),
        ours=partial(mbr, True),
        others={"the full matrix": partial(mbr, False)},
        compare=agreement,
        is_approximate=True,
        per="source",
    ),
    case(
        "self-bleu",
        "`self_bleu`, orders 2 to 5",
        2_000,
        workloads.latin,
        fresh=workloads.split_fresh,
        ours=self_bleu,
        others={"nltk": partial(nltk_self_bleu, 10), FAST_BLEU: fast_bleu_self_bleu},
        **OF_TOKENS,
    ),
    case(
        "index",
        "`ReferenceIndex` of 100 references, built and queried",
        5_000,
        workloads.scattered,
        fresh=workloads.one_reference_set,
        ours=reference_index,
        others={"nltk": partial(nltk_one_set, 100), FAST_BLEU: fast_bleu},
        **OF_TOKENS,
    ),
)

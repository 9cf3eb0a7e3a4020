"""Adapters for many against many.

``run(hypotheses, references)`` gets lines of text or lists of tokens, and returns an array or a
list of scores, one for each pair, sentence or candidate; or a `Part` of these.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from adapters import Adapter, Part, Prepared, Run, spread
from adapters_text import forget

ORDERS = (2, 3, 4, 5)
UNIFORM = {order: (1 / order,) * order for order in ORDERS}
#: nltk's method1 with equal weights.
OF_NLTK = {"dialect": "nltk", "smoothing": "floor", "tokenize": None}


# Pairs: every hypothesis with every reference of the one stream.


def sacrebleu_pairs() -> Prepared:
    """Score pair by pair, with one object: its caches hold every sentence after the first pair."""
    from sacrebleu import BLEU

    score = BLEU(effective_order=True).sentence_score
    return Prepared(
        _one_stream,
        lambda hypotheses, references: [
            [score(hypothesis, [reference]).score for reference in references]
            for hypothesis in hypotheses
        ],
    )


def plain_pairs() -> Prepared:
    """Score all pairs with `fastbleu.BLEU.sentence_scores`, which reads both sentences of each."""
    return Prepared(_one_stream, plain_scores_of_pairs)


def plain_scores_of_pairs(hypotheses: list[str], references: list[str]) -> Any:
    """Return an array of the scores of all pairs, read one by one."""
    from fastbleu import BLEU

    pairs = [(hypothesis, reference) for hypothesis in hypotheses for reference in references]
    scores = BLEU(effective_order=True).sentence_scores(*map(list, zip(*pairs, strict=True)))
    return scores.reshape(len(hypotheses), len(references))


def pairwise(threads: int = 1) -> Adapter:
    """Score all pairs at once."""

    def load() -> Prepared:
        from fastbleu.matrix import pairwise

        return Prepared(
            _one_stream,
            lambda hypotheses, references: pairwise(hypotheses, references, threads=threads),
        )

    return load


def _one_stream(hypotheses: list, references: list) -> tuple:
    forget(hypotheses, references)
    return hypotheses, references[0]


# Decoding: the samples of each source with each other; the expected utilities.


def sacrebleu_utilities(part: int) -> Adapter:
    """Score pair by pair the samples of some sources."""

    def load() -> Prepared:
        import numpy as np
        from sacrebleu import BLEU

        score = BLEU(effective_order=True).sentence_score

        def run(sources):
            indices = spread(len(sources), part)
            utilities = []
            for index in indices:
                matrix = [[score(h, [r]).score for r in sources[index]] for h in sources[index]]
                utilities.append(np.array(matrix).sum(axis=1) / len(matrix))
            return Part(indices, utilities)

        return Prepared(_by_source, run, part)

    return load


def mbr(**options: Any) -> Adapter:
    """Decode all sources in one call."""

    def load() -> Prepared:
        from fastbleu.matrix import mbr

        return Prepared(_by_source, lambda sources: mbr(sources, **options).utilities)

    return load


def plain_utilities(_: list[str], streams: list[list[str]]) -> Any:
    """Return the utilities of each source's samples, from pairs that are read one by one."""
    import numpy as np

    sources = zip(*streams, strict=True)
    matrices = [plain_scores_of_pairs(list(samples), list(samples)) for samples in sources]
    return np.array([matrix.sum(axis=1) / len(matrix) for matrix in matrices])


def _by_source(first: list[str], streams: list[list[str]]) -> tuple:
    forget(first, streams)
    return (list(map(list, zip(*streams, strict=True))),)


# Self-BLEU of lists of tokens: a row of scores, one for each of `ORDERS`, for each sentence.


def nltk_self_bleu(part: int) -> Adapter:
    """Score some sentences with all others as their references, all orders in one call."""

    def load() -> Prepared:
        from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

        options = {
            "weights": list(UNIFORM.values()),
            "smoothing_function": SmoothingFunction().method1,
        }

        def run(sentences, _):
            indices = spread(len(sentences), part)
            scores = [
                sentence_bleu(sentences[:i] + sentences[i + 1 :], sentences[i], **options)
                for i in indices
            ]
            return Part(indices, scores)

        return Prepared(_unchanged, run, part)

    return load


def fast_bleu_self_bleu() -> Run:
    """Score all sentences; its threads are as many as there are processors."""
    import numpy as np
    from fast_bleu import SelfBLEU

    def run(sentences, _):
        scores = SelfBLEU(sentences, UNIFORM).get_score()
        return np.array([scores[order] for order in ORDERS]).T

    return run


def self_bleu() -> Run:
    """Score all sentences."""
    from fastbleu.matrix import self_bleu

    return lambda sentences, _: self_bleu(sentences, ORDERS).scores


def plain_self_bleu(sentences: list[list[str]], _: list) -> Any:
    """Return the scores that the explicit lists of all other sentences give."""
    import numpy as np

    from fastbleu import BLEU

    others = [sentences[:i] + sentences[i + 1 :] for i in range(len(sentences))]
    columns = [
        BLEU(**OF_NLTK, max_order=order, weights=weights).sentence_scores(sentences, others)
        for order, weights in UNIFORM.items()
    ]
    return np.array(columns).T


# One set of references for all hypotheses, lists of tokens.


def nltk_one_set(part: int) -> Adapter:
    """Score some hypotheses against all of the references."""

    def load() -> Prepared:
        from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

        method1 = SmoothingFunction().method1

        def run(hypotheses, references):
            indices = spread(len(hypotheses), part)
            scores = [
                sentence_bleu(references, hypotheses[i], smoothing_function=method1)
                for i in indices
            ]
            return Part(indices, scores)

        return Prepared(_unchanged, run, part)

    return load


def one_set(make: Callable[[], tuple[Callable, Callable]], *, is_built: bool) -> Adapter:
    """Build what a library keeps of the references, and score all hypotheses.

    `make` returns the two functions, ``build(references)`` and ``score(built, hypotheses)``;
    `is_built` says that building is not timed.
    """

    def load() -> Prepared:
        build, score = make()
        if is_built:
            return Prepared(
                lambda hypotheses, references: (hypotheses, build(references)),
                lambda hypotheses, built: score(built, hypotheses),
            )
        return Prepared(
            _unchanged, lambda hypotheses, references: score(build(references), hypotheses)
        )

    return load


def fast_bleu_set() -> tuple[Callable, Callable]:
    """Return how to build fast-bleu's BLEU and to score with it; it uses all processors."""
    from fast_bleu import BLEU

    weights = {4: (0.25, 0.25, 0.25, 0.25)}
    return (
        lambda references: BLEU(references, weights),
        lambda built, hypotheses: built.get_score(hypotheses)[4],
    )


def reference_index() -> tuple[Callable, Callable]:
    """Return how to build `ReferenceIndex` and to score with it."""
    from fastbleu.matrix import ReferenceIndex

    return (
        lambda references: ReferenceIndex(references, **OF_NLTK),
        lambda built, hypotheses: built.sentence_scores(hypotheses),
    )


def plain_one_set(hypotheses: list, references: list) -> list[float]:
    """Return the scores that a list of the references for each hypothesis gives."""
    from fastbleu import BLEU

    return BLEU(**OF_NLTK).sentence_scores(hypotheses, [references] * len(hypotheses)).tolist()


def _unchanged(*work: list) -> tuple:
    return work

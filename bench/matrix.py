"""Many against many: matrices of pairs, decoding, self-BLEU, sets of references.

``run(hypotheses, references)`` gets lines of text or lists of tokens, and returns an array or a
list of scores, one for each pair, sentence or candidate; or a `Part` of these.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import workloads
import workloads_matrix
from cases import PER_PAIR, PER_SOURCE, SUBJECT, Adapter, Case, Goal, Prepared
from checks import Part, differing_arrays, say_agreement, say_errors, spread
from text import forget

SAMPLES = 15
MANY_SAMPLES = 256
REFERENCES = 100
FAST_BLEU = "fast-bleu (all cores)"
FULL = "the full matrix"
ORDERS = (2, 3, 4, 5)
UNIFORM = {order: (1 / order,) * order for order in ORDERS}
#: nltk's method1 with equal weights.
OF_NLTK = {"dialect": "nltk", "smoothing": "floor", "tokenize": None}


# Pairs: every hypothesis with every reference of the one stream.


def sacrebleu_pairs() -> Prepared:
    """Score pair by pair, with one object: its caches hold every sentence after the first pair."""
    from sacrebleu import BLEU

    score = BLEU(effective_order=True).sentence_score
    return Prepared(partial(_scores_of_pairs, score), _one_stream)


def plain_pairs() -> Prepared:
    """Score all pairs with `fastbleu.BLEU.sentence_scores`, which reads both sentences of each."""
    return Prepared(plain_scores_of_pairs, _one_stream)


def plain_scores_of_pairs(hypotheses: list[str], references: list[str]) -> Any:
    """Return an array of the scores of all pairs, read one by one."""
    from fastbleu import BLEU

    pairs = [(hypothesis, reference) for hypothesis in hypotheses for reference in references]
    scores = BLEU(effective_order=True).sentence_scores(*map(list, zip(*pairs, strict=True)))
    return scores.reshape(len(hypotheses), len(references))


def pairwise(threads: int = 1) -> Prepared:
    """Score all pairs at once."""
    from fastbleu.matrix import pairwise

    return Prepared(partial(pairwise, threads=threads), _one_stream)


def _scores_of_pairs(score: Callable, hypotheses: list, references: list) -> list[list[float]]:
    return [
        [score(hypothesis, [reference]).score for reference in references]
        for hypothesis in hypotheses
    ]


def _one_stream(hypotheses: list, references: list) -> tuple:
    forget(hypotheses, references)
    return hypotheses, references[0]


# Decoding: the samples of each source with each other; the expected utilities.


def sacrebleu_utilities(part: int) -> Prepared:
    """Score pair by pair the samples of some sources."""
    import numpy as np
    from sacrebleu import BLEU

    score = BLEU(effective_order=True).sentence_score

    def run(sources):
        indices = spread(len(sources), part)
        matrices = [_scores_of_pairs(score, sources[i], sources[i]) for i in indices]
        return Part(indices, [np.array(matrix).sum(axis=1) / len(matrix) for matrix in matrices])

    return Prepared(run, _by_source, part)


def mbr(**options: Any) -> Prepared:
    """Decode all sources in one call."""
    from fastbleu.matrix import mbr

    return Prepared(lambda sources: mbr(sources, **options).utilities, _by_source)


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


def nltk_self_bleu(part: int) -> Prepared:
    """Score some sentences with all others as their references, all orders in one call."""
    score = partial(_nltk_score(), weights=list(UNIFORM.values()))

    def run(sentences, _):
        indices = spread(len(sentences), part)
        scores = [score(sentences[:i] + sentences[i + 1 :], sentences[i]) for i in indices]
        return Part(indices, scores)

    return Prepared(run, part=part)


def _nltk_score() -> Callable:
    from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

    return partial(sentence_bleu, smoothing_function=SmoothingFunction().method1)


def fast_bleu_self_bleu() -> Prepared:
    """Score all sentences; its threads are as many as there are processors."""
    import numpy as np
    from fast_bleu import SelfBLEU

    def run(sentences, _):
        scores = SelfBLEU(sentences, UNIFORM).get_score()
        return np.array([scores[order] for order in ORDERS]).T

    return Prepared(run)


def self_bleu() -> Prepared:
    """Score all sentences."""
    from fastbleu.matrix import self_bleu

    return Prepared(lambda sentences, _: self_bleu(sentences, ORDERS).scores)


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


def nltk_one_set(part: int) -> Prepared:
    """Score some hypotheses against all of the references."""
    score = _nltk_score()

    def run(hypotheses, references):
        indices = spread(len(hypotheses), part)
        return Part(indices, [score(references, hypotheses[i]) for i in indices])

    return Prepared(run, part=part)


def fast_bleu_set(is_built: bool) -> Prepared:
    """Build fast-bleu's BLEU and score with it; it uses all processors."""
    from fast_bleu import BLEU

    weights = {4: (0.25, 0.25, 0.25, 0.25)}
    return _one_set(
        lambda references: BLEU(references, weights),
        lambda built, hypotheses: built.get_score(hypotheses)[4],
        is_built,
    )


def reference_index(is_built: bool) -> Prepared:
    """Build a `ReferenceIndex` and score with it."""
    from fastbleu.matrix import ReferenceIndex

    build = partial(ReferenceIndex, **OF_NLTK)
    return _one_set(build, ReferenceIndex.sentence_scores, is_built)


def _one_set(build: Callable, score: Callable, is_built: bool) -> Prepared:
    """Build what a library keeps of the references, timed unless `is_built`, and score with it."""
    if is_built:
        return Prepared(
            lambda hypotheses, built: score(built, hypotheses),
            lambda hypotheses, references: (hypotheses, build(references)),
        )
    return Prepared(lambda hypotheses, references: score(build(references), hypotheses))


def plain_one_set(hypotheses: list, references: list) -> list[float]:
    """Return the scores that a list of the references for each hypothesis gives."""
    from fastbleu import BLEU

    return BLEU(**OF_NLTK).sentence_scores(hypotheses, [references] * len(hypotheses)).tolist()


def _case(name: str, title: str, adapters: dict[str, Adapter], **options: Any) -> Case:
    defaults = {"equal": differing_arrays, "section": "matrix", "rounds": 7}
    return Case(f"matrix-{name}", title, adapters=adapters, **{**defaults, **options})


def _text_case(name: str, title: str, adapters: dict[str, Adapter], **options: Any) -> Case:
    return _case(name, title, adapters, fresh=workloads.text, measured_in="characters", **options)


def _one_set_case(name: str, title: str, is_built: bool) -> Case:
    return _case(
        name,
        title,
        {
            FAST_BLEU: partial(fast_bleu_set, is_built),
            "nltk": partial(nltk_one_set, 100),
            SUBJECT: partial(reference_index, is_built),
        },
        segments=5_000,
        select=workloads.scattered,
        fresh=lambda corpus: workloads.one_reference_set(corpus, REFERENCES),
        peer=FAST_BLEU,
        truth=plain_one_set,
        goals=(Goal("ratio", 1, 5),),
    )


def _pairs_case(name: str, what: str, select: Callable) -> Case:
    return _text_case(
        name,
        f"pairwise, 256 x 256 {what}",
        {"sacreBLEU": sacrebleu_pairs, "fastbleu, pair by pair": plain_pairs, SUBJECT: pairwise},
        segments=256,
        select=select,
        peer="sacreBLEU",
        truth="sacreBLEU",
        goals=(Goal("ratio", 700, 1500), Goal("nanoseconds", 100, at_most=True)),
        per=PER_PAIR,
        rounds=15,
    )


CASES: tuple[Case, ...] = (
    _pairs_case("pairwise", "unrelated sentences of 26 tokens", workloads_matrix.unrelated),
    _pairs_case(
        "pairwise-samples",
        "samples of one source, 26 tokens",
        workloads_matrix.samples_of_one_source,
    ),
    _text_case(
        "threads",
        "pairwise, 4,000 x 4,000 sentences, 2 threads against 1",
        {"1 thread": pairwise, SUBJECT: partial(pairwise, 2)},
        segments=4_000,
        select=workloads_matrix.two_sets,
        peer="1 thread",
        truth="1 thread",
        goals=(Goal("ratio", 1.4, 1.8),),
        per=PER_PAIR,
    ),
    _text_case(
        "mbr",
        f"mbr, {SAMPLES} samples of each source",
        {"sacreBLEU": partial(sacrebleu_utilities, 40), SUBJECT: mbr},
        segments=2_000,
        select=workloads_matrix.samples_of_many_sources(SAMPLES),
        peer="sacreBLEU",
        truth=plain_utilities,
        per=PER_SOURCE,
    ),
    _text_case(
        "mbr-aggregate",
        f"mbr(aggregate=True), {MANY_SAMPLES} samples of each source",
        {FULL: mbr, SUBJECT: partial(mbr, aggregate=True)},
        segments=100,
        select=workloads_matrix.samples_of_many_sources(MANY_SAMPLES),
        peer=FULL,
        truth=FULL,
        unchecked={SUBJECT: say_agreement},
        per=PER_SOURCE,
    ),
    _case(
        "self-bleu",
        "self_bleu, orders 2 to 5",
        {
            "nltk": partial(nltk_self_bleu, 10),
            FAST_BLEU: fast_bleu_self_bleu,
            SUBJECT: self_bleu,
        },
        segments=2_000,
        select=workloads.latin,
        fresh=workloads_matrix.one_list,
        peer="nltk",
        truth=plain_self_bleu,
        goals=(Goal("ratio", 500), Goal("ratio", 1, peer=FAST_BLEU)),
        unchecked={FAST_BLEU: say_errors},
        rounds=5,
    ),
    _one_set_case("index", f"ReferenceIndex, {REFERENCES} references built and queried", False),
    _one_set_case("index-built", f"ReferenceIndex, {REFERENCES} references, queried", True),
)

"""The cases of many against many: matrices of pairs, decoding, self-BLEU, sets of references."""

from __future__ import annotations

from typing import Any

import adapters_matrix as adapters
import workloads
import workloads_matrix
from adapters import Adapter
from cases import PER_PAIR, PER_SOURCE, SUBJECT, Case, Goal
from checks import differing_arrays, say_agreement, say_errors
from workloads import Corpus, load_corpus

SAMPLES = 15
MANY_SAMPLES = 256
REFERENCES = 100
FAST_BLEU = "fast-bleu (all cores)"
FULL = "the full matrix"


def _latin(segments: int) -> Corpus:
    return load_corpus().take(segments)


def _scattered(segments: int) -> Corpus:
    return workloads.scattered(load_corpus(), segments)


def _case(name: str, title: str, adapters: dict[str, Adapter], **options: Any) -> Case:
    return Case(
        f"matrix-{name}",
        title,
        adapters=adapters,
        equal=differing_arrays,
        section="matrix",
        **options,
    )


def _one_set_case(name: str, title: str, is_built: bool) -> Case:
    return _case(
        name,
        title,
        {
            FAST_BLEU: adapters.one_set(adapters.fast_bleu_set, is_built=is_built),
            "nltk": adapters.nltk_one_set(100),
            SUBJECT: adapters.one_set(adapters.reference_index, is_built=is_built),
        },
        segments=5_000,
        select=_scattered,
        fresh=lambda corpus: workloads.one_reference_set(corpus, REFERENCES),
        peer=FAST_BLEU,
        truth=adapters.plain_one_set,
        goals=(Goal("ratio", 1, 5),),
        rounds=7,
    )


CASES: tuple[Case, ...] = (
    *(
        _case(
            name,
            title,
            {
                "sacreBLEU": adapters.sacrebleu_pairs,
                "fastbleu, pair by pair": adapters.plain_pairs,
                SUBJECT: adapters.pairwise(),
            },
            segments=256,
            select=select,
            fresh=workloads.text,
            peer="sacreBLEU",
            truth="sacreBLEU",
            goals=(Goal("ratio", 700, 1500), Goal("nanoseconds", 100, at_most=True)),
            per=PER_PAIR,
            measured_in="characters",
            rounds=15,
        )
        for name, title, select in (
            (
                "pairwise",
                "pairwise, 256 x 256 unrelated sentences of 26 tokens",
                workloads_matrix.unrelated,
            ),
            (
                "pairwise-samples",
                "pairwise, 256 x 256 samples of one source, 26 tokens",
                workloads_matrix.samples_of_one_source,
            ),
        )
    ),
    _case(
        "threads",
        "pairwise, 4,000 x 4,000 sentences, 2 threads against 1",
        {"1 thread": adapters.pairwise(1), SUBJECT: adapters.pairwise(2)},
        segments=4_000,
        select=workloads_matrix.two_sets,
        fresh=workloads.text,
        peer="1 thread",
        truth="1 thread",
        goals=(Goal("ratio", 1.4, 1.8),),
        per=PER_PAIR,
        measured_in="characters",
        rounds=7,
    ),
    _case(
        "mbr",
        f"mbr, {SAMPLES} samples of each source",
        {"sacreBLEU": adapters.sacrebleu_utilities(40), SUBJECT: adapters.mbr()},
        segments=2_000,
        select=workloads_matrix.samples_of_many_sources(SAMPLES),
        fresh=workloads.text,
        peer="sacreBLEU",
        truth=adapters.plain_utilities,
        per=PER_SOURCE,
        measured_in="characters",
        rounds=7,
    ),
    _case(
        "mbr-aggregate",
        f"mbr(aggregate=True), {MANY_SAMPLES} samples of each source",
        {FULL: adapters.mbr(), SUBJECT: adapters.mbr(aggregate=True)},
        segments=100,
        select=workloads_matrix.samples_of_many_sources(MANY_SAMPLES),
        fresh=workloads.text,
        peer=FULL,
        truth=FULL,
        unchecked={SUBJECT: say_agreement},
        per=PER_SOURCE,
        measured_in="characters",
        rounds=7,
    ),
    _case(
        "self-bleu",
        "self_bleu, orders 2 to 5",
        {
            "nltk": adapters.nltk_self_bleu(10),
            FAST_BLEU: adapters.fast_bleu_self_bleu,
            SUBJECT: adapters.self_bleu,
        },
        segments=2_000,
        select=_latin,
        fresh=workloads_matrix.one_list,
        peer="nltk",
        truth=adapters.plain_self_bleu,
        goals=(Goal("ratio", 500), Goal("ratio", 1, peer=FAST_BLEU)),
        unchecked={FAST_BLEU: say_errors},
        rounds=5,
    ),
    _one_set_case("index", f"ReferenceIndex, {REFERENCES} references built and queried", False),
    _one_set_case("index-built", f"ReferenceIndex, {REFERENCES} references, queried", True),
)

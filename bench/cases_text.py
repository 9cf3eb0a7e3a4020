"""The cases on raw text, most of them against sacreBLEU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import adapters_text as adapters
import workloads
from adapters import Adapter
from cases import PER_CALL, SUBJECT, Case, Goal
from checks import score_of_sacrebleu
from workloads import Corpus, load_corpus

ORIGINAL = "sacreBLEU"


def _both(adapter: Callable[..., Adapter], **options: Any) -> dict[str, Adapter]:
    return {
        ORIGINAL: adapter(adapters.sacrebleu_module, **options),
        SUBJECT: adapter(adapters.fastbleu_module, **options),
    }


def _of(script: str) -> Callable[[int], Corpus]:
    return lambda segments: load_corpus(script).take(segments)


def _of_25_tokens(segments: int) -> Corpus:
    return workloads.segments_of_length(load_corpus(), 25).take(segments)


def _case(name: str, title: str, adapters: dict[str, Adapter], **options: Any) -> Case:
    defaults = {
        "segments": 20_000,
        "select": _of("Latin"),
        "peer": ORIGINAL,
        "truth": ORIGINAL,
        "measured_in": "characters",
        "rounds": 3,
    }
    return Case(
        f"text-{name}",
        title,
        fresh=workloads.text,
        adapters=adapters,
        section="text",
        **{**defaults, **options},
    )


def _sentences(name: str, title: str, adapters: dict[str, Adapter], **options: Any) -> Case:
    defaults = {"segments": 400, "select": _of_25_tokens, "measured_in": "tokens", "rounds": 11}
    return _case(name, title, adapters, per=PER_CALL, **{**defaults, **options})


CASES: tuple[Case, ...] = (
    _case(
        "13a",
        "corpus_bleu, 13a",
        {
            **_both(adapters.corpus_bleu),
            "bleuscore (Rust, all cores)": adapters.bleuscore,
            "str.split() into lists": adapters.split_into_lists,
            "str.split(), lists dropped": adapters.split_and_drop,
        },
        goals=(
            Goal("ratio", 100, 170),
            Goal("ratio", 12, 25, peer="bleuscore (Rust, all cores)"),
            Goal("ratio", 3, 6, peer="str.split() into lists"),
        ),
        unchecked={
            "str.split() into lists": "no score",
            "str.split(), lists dropped": "no score",
        },
        rounds=7,
    ),
    _case(
        "reused",
        "corpus_score of a reused BLEU(references=...), 13a",
        _both(adapters.corpus_bleu_reused),
        goals=(Goal("ratio", 60, 100),),
        rounds=7,
    ),
    *(
        _case(
            script.lower(),
            f"corpus_bleu, {script}, {tokenizer}",
            _both(adapters.corpus_bleu, tokenize=tokenizer),
            segments=segments,
            select=_of(script),
            goals=(Goal("ratio", 50, 110),),
            rounds=5,
        )
        for script, tokenizer, segments in (
            ("Cyrillic", "13a", 8_000),
            ("Chinese", "zh", 6_000),
            ("Japanese", "char", 6_000),
        )
    ),
    _case("intl", "corpus_bleu, intl", _both(adapters.corpus_bleu, tokenize="intl")),
    _case(
        "none",
        "corpus_bleu, none",
        {
            **_both(adapters.corpus_bleu, tokenize="none"),
            "torchmetrics": adapters.torchmetrics_score,
        },
        unchecked={"torchmetrics": "other dialect"},
    ),
    _case("lowercase", "corpus_bleu, 13a, lowercase", _both(adapters.corpus_bleu, lowercase=True)),
    _case(
        "two-references",
        "corpus_bleu, 13a, two references",
        _both(adapters.corpus_bleu),
        segments=16_000,
        select=_of("Latin, two references"),
    ),
    _sentences(
        "sentence",
        "sentence_bleu",
        _both(adapters.sentence_bleu),
        goals=(Goal("ratio", 60, 120),),
    ),
    _sentences(
        "sentence-reused",
        "sentence_score of a reused BLEU",
        _both(adapters.sentence_bleu_reused),
    ),
    _sentences(
        "sentence-native",
        "fastbleu.BLEU().sentence_scores, against the same",
        {
            ORIGINAL: adapters.sentence_bleu_reused(adapters.sacrebleu_module),
            SUBJECT: adapters.native_sentence_scores,
        },
        segments=2_000,
        rounds=9,
    ),
    _case(
        "threads",
        "fastbleu.BLEU().score, 2 threads against 1",
        {"1 thread": adapters.native_score(1), SUBJECT: adapters.native_score(2)},
        peer="1 thread",
        truth=score_of_sacrebleu,
        goals=(Goal("ratio", 1.4, 1.8),),
        rounds=25,
    ),
)

"""Raw text, most of it against sacreBLEU.

``run(hypotheses, references)`` with ``references[k][segment]``. sacreBLEU caches the tokens of a
text in its tokenizer objects. In practice a text is new to it, so that `forget` empties the caches
before every run.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import workloads
from cases import PER_CALL, SUBJECT, Adapter, Case, Goal, Prepared, imported
from checks import score_of_sacrebleu
from workloads import Corpus, load_corpus

ORIGINAL = "sacreBLEU"


def corpus_bleu(module: Any, **options: Any) -> Prepared:
    """Score the corpus in one call."""
    score = module.corpus_bleu
    return Prepared(lambda *work: score(*work, **options).score, forget)


def corpus_bleu_reused(module: Any) -> Prepared:
    """Score one system after the other with an object that keeps the references."""
    metric = None

    def prepare(hypotheses, references):
        nonlocal metric
        if metric is None:
            metric = module.BLEU(references=references)
        return forget(hypotheses, None)

    return Prepared(lambda hypotheses, _: metric.corpus_score(hypotheses, None).score, prepare)


def sentence_bleu(module: Any) -> Prepared:
    """Score each segment by itself, a function call for each."""
    return _one_by_one(module.sentence_bleu)


def sentence_bleu_reused(module: Any) -> Prepared:
    """Score each segment by itself, with one object."""
    return _one_by_one(module.BLEU(effective_order=True).sentence_score)


def _one_by_one(score: Callable) -> Prepared:
    return Prepared(
        lambda hypotheses, references: [
            score(hypothesis, of_segment).score
            for hypothesis, of_segment in zip(hypotheses, references, strict=True)
        ],
        _by_segment,
    )


def native_sentence_scores() -> Prepared:
    """Score each segment by itself, all in one call."""
    from fastbleu import BLEU

    score = BLEU(effective_order=True).sentence_scores
    return Prepared(lambda *work: score(*work).tolist(), _by_segment)


def native_score(threads: int) -> Prepared:
    """Score the corpus, which has one reference, with the native metric."""
    from fastbleu import BLEU

    score = BLEU(threads=threads).score
    return Prepared(lambda hypotheses, references: score(hypotheses, references[0]).value)


def bleuscore() -> Prepared:
    """Score the corpus with bleuscore, on sacreBLEU's scale.

    Its dialect is that of Hugging Face's `evaluate`, which is sacreBLEU's, except for the order of
    operations, where there is one reference and every order has a match.
    """
    from bleuscore import compute

    def run(hypotheses, references):
        return 100 * compute(references=references, predictions=hypotheses)["bleu"]

    return Prepared(run, _by_segment)


def torchmetrics_score() -> Prepared:
    """Return torchmetrics' score, which follows a dialect of its own."""
    from torchmetrics.functional.text import bleu_score

    return Prepared(lambda *work: float(bleu_score(*work)), _by_segment)


def split_into_lists() -> Prepared:
    """Split all lines at whitespace into lists of tokens."""
    return Prepared(
        lambda hypotheses, references: (
            [line.split() for line in hypotheses],
            [[line.split() for line in stream] for stream in references],
        )
    )


def split_and_drop() -> Prepared:
    """Split all lines at whitespace, dropping each list before making the next."""

    def run(hypotheses, references):
        for stream in (hypotheses, *references):
            for line in stream:
                line.split()

    return Prepared(run)


def forget(hypotheses: list, references: list | None) -> tuple:
    """Empty sacreBLEU's caches."""
    from sacrebleu.tokenizers.tokenizer_base import BaseTokenizer

    waiting = [BaseTokenizer]
    while waiting:
        tokenizer = waiting.pop()
        waiting += tokenizer.__subclasses__()
        if hasattr(tokenizer.__call__, "cache_clear"):
            tokenizer.__call__.cache_clear()
    return hypotheses, references


def _by_segment(hypotheses: list, references: list) -> tuple:
    """Return the references by segment, for functions that score sentences."""
    forget(hypotheses, references)
    return hypotheses, [list(of_segment) for of_segment in zip(*references, strict=True)]


def _both(adapter: Callable[..., Prepared], **options: Any) -> dict[str, Adapter]:
    return {
        ORIGINAL: imported(adapter, "sacrebleu", **options),
        SUBJECT: imported(adapter, "fastbleu.sacrebleu", **options),
    }


def _of(script: str) -> Callable[[int], Corpus]:
    return lambda segments: load_corpus(script).take(segments)


def _case(name: str, title: str, adapters: dict[str, Adapter], **options: Any) -> Case:
    defaults = {
        "segments": 20_000,
        "select": workloads.latin,
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
    defaults = {"segments": 400, "select": workloads.of_25_tokens, "rounds": 11}
    defaults |= {"per": PER_CALL, "measured_in": "tokens"}
    return _case(name, title, adapters, **{**defaults, **options})


CASES: tuple[Case, ...] = (
    _case(
        "13a",
        "corpus_bleu, 13a",
        {
            **_both(corpus_bleu),
            "bleuscore (Rust, all cores)": bleuscore,
            "str.split() into lists": split_into_lists,
            "str.split(), lists dropped": split_and_drop,
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
        _both(corpus_bleu_reused),
        goals=(Goal("ratio", 60, 100),),
        rounds=7,
    ),
    *(
        _case(
            script.lower(),
            f"corpus_bleu, {script}, {tokenizer}",
            _both(corpus_bleu, tokenize=tokenizer),
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
    _case("intl", "corpus_bleu, intl", _both(corpus_bleu, tokenize="intl")),
    _case(
        "none",
        "corpus_bleu, none",
        {
            **_both(corpus_bleu, tokenize="none"),
            "torchmetrics": torchmetrics_score,
        },
        unchecked={"torchmetrics": "other dialect"},
    ),
    _case("lowercase", "corpus_bleu, 13a, lowercase", _both(corpus_bleu, lowercase=True)),
    _case(
        "two-references",
        "corpus_bleu, 13a, two references",
        _both(corpus_bleu),
        segments=16_000,
        select=_of("Latin, two references"),
    ),
    _sentences(
        "sentence",
        "sentence_bleu",
        _both(sentence_bleu),
        goals=(Goal("ratio", 60, 120),),
    ),
    _sentences(
        "sentence-reused",
        "sentence_score of a reused BLEU",
        _both(sentence_bleu_reused),
    ),
    _sentences(
        "sentence-native",
        "fastbleu.BLEU().sentence_scores, against the same",
        {
            ORIGINAL: imported(sentence_bleu_reused, "sacrebleu"),
            SUBJECT: native_sentence_scores,
        },
        segments=2_000,
        rounds=9,
    ),
    _case(
        "threads",
        "fastbleu.BLEU().score, 2 threads against 1",
        {"1 thread": partial(native_score, 1), SUBJECT: partial(native_score, 2)},
        peer="1 thread",
        truth=score_of_sacrebleu,
        goals=(Goal("ratio", 1.4, 1.8),),
        rounds=25,
    ),
)

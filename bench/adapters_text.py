"""Adapters for raw text: ``run(hypotheses, references)`` with ``references[k][segment]``.

sacreBLEU caches the tokens of a text in its tokenizer objects. In practice a text is new to it, so
that `forget` empties the caches before every run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from adapters import Adapter, Prepared, Run


def sacrebleu_module():
    """Import the original."""
    import sacrebleu

    return sacrebleu


def fastbleu_module():
    """Import the drop-in: it has the original's signatures, so the two share their adapters."""
    import fastbleu.sacrebleu

    return fastbleu.sacrebleu


def corpus_bleu(module: Callable, **options: Any) -> Adapter:
    """Score the corpus in one call."""

    def load() -> Prepared:
        score = module().corpus_bleu
        return Prepared(
            forget, lambda hypotheses, references: score(hypotheses, references, **options).score
        )

    return load


def corpus_bleu_reused(module: Callable) -> Adapter:
    """Score one system after the other with an object that keeps the references."""

    def load() -> Prepared:
        library = module()
        metric = None

        def prepare(hypotheses, references):
            nonlocal metric
            if metric is None:
                metric = library.BLEU(references=references)
            return forget(hypotheses, None)

        return Prepared(prepare, lambda hypotheses, _: metric.corpus_score(hypotheses, None).score)

    return load


def sentence_bleu(module: Callable) -> Adapter:
    """Score each segment by itself, a function call for each."""
    return lambda: _one_by_one(module().sentence_bleu)


def sentence_bleu_reused(module: Callable) -> Adapter:
    """Score each segment by itself, with one object."""
    return lambda: _one_by_one(module().BLEU(effective_order=True).sentence_score)


def _one_by_one(score: Callable) -> Prepared:
    return Prepared(
        _by_segment,
        lambda hypotheses, references: [
            score(hypothesis, of_segment).score
            for hypothesis, of_segment in zip(hypotheses, references, strict=True)
        ],
    )


def native_sentence_scores() -> Prepared:
    """Score each segment by itself, all in one call."""
    from fastbleu import BLEU

    score = BLEU(effective_order=True).sentence_scores
    return Prepared(
        _by_segment, lambda hypotheses, references: score(hypotheses, references).tolist()
    )


def native_score(threads: int = 1) -> Adapter:
    """Score the corpus, which has one reference, with the native metric."""

    def load() -> Run:
        from fastbleu import BLEU

        score = BLEU(threads=threads).score
        return lambda hypotheses, references: score(hypotheses, references[0]).value

    return load


def bleuscore() -> Prepared:
    """Score the corpus with bleuscore, on sacreBLEU's scale.

    Its dialect is that of Hugging Face's `evaluate`, which is sacreBLEU's, except for the order of
    operations, where there is one reference and every order has a match.
    """
    from bleuscore import compute

    return Prepared(
        _by_segment,
        lambda hypotheses, references: (
            100 * compute(references=references, predictions=hypotheses)["bleu"]
        ),
    )


def torchmetrics_score() -> Prepared:
    """Return torchmetrics' score, which follows a dialect of its own."""
    from torchmetrics.functional.text import bleu_score

    return Prepared(
        _by_segment, lambda hypotheses, references: float(bleu_score(hypotheses, references))
    )


def split_into_lists() -> Run:
    """Split all lines at whitespace into lists of tokens."""
    return lambda hypotheses, references: (
        [line.split() for line in hypotheses],
        [[line.split() for line in stream] for stream in references],
    )


def split_and_drop() -> Run:
    """Split all lines at whitespace, dropping each list before making the next."""

    def run(hypotheses, references):
        for stream in (hypotheses, *references):
            for line in stream:
                line.split()

    return run


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

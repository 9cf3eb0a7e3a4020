"""Training loops: batches of token ids, and metrics that are updated batch by batch."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import workloads
from cases import SUBJECT, Case, Goal, Prepared, imported
from workloads import Corpus, load_corpus

BATCH = 32
TENSORBLEU = "TensorBLEU (torch, CPU)"


# A score for each row of a batch: ``run(hypotheses, references)`` on two arrays of shape (batch,
# length), padded with 0.


def nltk_rows() -> Prepared:
    """Score row by row; the lists without padding that it needs are made beforehand."""
    from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

    smoothing = SmoothingFunction().method1

    def prepare(*sides):
        return tuple([row[row != 0].tolist() for row in side] for side in sides)

    def run(hypotheses, references):
        return [
            sentence_bleu([reference], hypothesis, smoothing_function=smoothing)
            for hypothesis, reference in zip(hypotheses, references, strict=True)
        ]

    return Prepared(run, prepare)


def tensorbleu_rows() -> Prepared:
    """Score the batch with PyTorch's tensor operations on the CPU."""
    import torch
    from rxlm.metrics.tensorbleu import tensor_sentence_bleu

    def prepare(hypotheses, references):
        return torch.from_numpy(hypotheses), torch.from_numpy(references)[:, None]

    return Prepared(
        lambda *work: tensor_sentence_bleu(*work, smoothing_method="floor").tolist(), prepare
    )


def fastbleu_rows() -> Prepared:
    """Score the batch."""
    import fastbleu

    metric = fastbleu.BLEU(tokenize=None, ignore_ids=(0,), dialect="nltk", smoothing="floor")
    return Prepared(lambda *work: metric.sentence_scores(*work).tolist())


# Epochs: ``run(batches_of_hypotheses, batches_of_references)`` updates a metric batch by batch, and
# returns the score as a float. A data loader has made the batches, so that they are not timed.


def torchmetrics_epoch(module: Any, name: str, **options: Any) -> Prepared:
    """Score lines of text with ``BLEUScore`` or ``SacreBLEUScore``."""
    metric = getattr(module, name)(**options)
    return _epoch(metric, lambda score: score.item(), BATCH, by_stream=True)


def fastbleu_updates(batch: int | None, by_stream: bool = False, **options: Any) -> Prepared:
    """Update ``fastbleu.BLEU`` batch by batch, or once.

    `by_stream` says that the references are ``[k][segment]``.
    """
    import fastbleu

    return _epoch(fastbleu.BLEU(**options), lambda score: score.value, batch, by_stream)


def _epoch(metric: Any, value_of: Callable, batch: int | None, by_stream: bool) -> Prepared:
    def prepare(hypotheses, references):
        """Cut a corpus, of lists or arrays, into batches with the references by segment."""
        if by_stream:
            references = list(map(list, zip(*references, strict=True)))
        step = batch or len(hypotheses)
        parts = [slice(start, start + step) for start in range(0, len(hypotheses), step)]
        return [hypotheses[part] for part in parts], [references[part] for part in parts]

    def run(hypotheses, references):
        metric.reset()
        for pair in zip(hypotheses, references, strict=True):
            metric.update(*pair)
        return value_of(metric.compute())

    return Prepared(run, prepare)


def _of_1024_tokens(segments: int) -> Corpus:
    return workloads.long_segments(load_corpus(), 1024).take(segments)


def _of_25_tokens(segments: int) -> Corpus:
    """As references the hypotheses' own length, so that no row is padded."""
    corpus = workloads.segments_of_length(load_corpus(), 25)
    return workloads.cut_references(corpus, 25).take(segments)


def _updates_case(kind: str, what: str, select: Callable, fresh: Callable, **options: Any) -> Case:
    return Case(
        name=f"training-updates-{kind}",
        title=f"BLEU.update, batches of {BATCH}, {what}; against one update",
        segments=320_000,
        select=select,
        fresh=fresh,
        adapters={
            "one update": partial(fastbleu_updates, None, **options),
            SUBJECT: partial(fastbleu_updates, BATCH, **options),
        },
        peer="one update",
        truth="one update",
        goals=(Goal("slowdown", 1.5, at_most=True),),
        section="training",
        rounds=5,
    )


def _torchmetrics_case(name: str) -> Case:
    own = "fastbleu.integrations.torchmetrics"
    return Case(
        name=f"training-torchmetrics-{name.lower()}",
        title=f"torchmetrics' {name}, batches of {BATCH}",
        segments=3_200,
        select=workloads.latin,
        fresh=workloads.text,
        adapters={
            "torchmetrics": imported(torchmetrics_epoch, "torchmetrics.text", name),
            SUBJECT: imported(torchmetrics_epoch, own, name, dialect="torchmetrics"),
        },
        peer="torchmetrics",
        truth="torchmetrics",
        goals=(Goal("ratio", 100),),
        section="training",
        rounds=3,
    )


CASES: tuple[Case, ...] = (
    Case(
        name="training-ids",
        title="sentence BLEU of each row of a batch of ids (the RL reward)",
        segments=256,
        select=_of_1024_tokens,
        fresh=workloads.token_ids,
        adapters={"nltk": nltk_rows, TENSORBLEU: tensorbleu_rows, SUBJECT: fastbleu_rows},
        peer="nltk",
        truth="nltk",
        goals=(Goal("ratio", 60, 100), Goal("ratio", 1, peer=TENSORBLEU)),
        unchecked={TENSORBLEU: "not compared: float32, and terms of its own"},
        section="training",
        rounds=3,
    ),
    _updates_case("text", "text", workloads.latin, workloads.text, by_stream=True, tokenize="13a"),
    _updates_case(
        "tokens", "lists of tokens", workloads.latin, workloads.split_fresh, tokenize=None
    ),
    _updates_case("ids", "token ids", _of_25_tokens, workloads.token_ids, tokenize=None),
    _torchmetrics_case("BLEUScore"),
    _torchmetrics_case("SacreBLEUScore"),
)

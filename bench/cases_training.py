"""The cases of training loops: batches of token ids, metrics that are updated batch by batch."""

from __future__ import annotations

from collections.abc import Callable

import adapters_ids
import adapters_training as adapters
import workloads
from cases import SUBJECT, Case, Goal
from workloads import Corpus, load_corpus

BATCH = 32


def _of_1024_tokens(segments: int) -> Corpus:
    return workloads.long_segments(load_corpus(), 1024).take(segments)


def _of_25_tokens(segments: int) -> Corpus:
    """As references the hypotheses' own length, so that no row is padded."""
    corpus = workloads.segments_of_length(load_corpus(), 25)
    return workloads.cut_references(corpus, 25).take(segments)


def _latin(segments: int) -> Corpus:
    return load_corpus().take(segments)


def _updates_case(kind: str, what: str, select: Callable, fresh: Callable, **options) -> Case:
    return Case(
        name=f"training-updates-{kind}",
        title=f"BLEU.update, batches of {BATCH}, {what}; against one update",
        segments=320_000,
        select=select,
        fresh=fresh,
        adapters={
            "one update": adapters.fastbleu_updates(None, **options),
            SUBJECT: adapters.fastbleu_updates(BATCH, **options),
        },
        peer="one update",
        truth="one update",
        goals=(Goal("slowdown", 1.5, at_most=True),),
        section="training",
        rounds=5,
    )


def _torchmetrics_case(name: str, select: Callable = _latin) -> Case:
    return Case(
        name=f"training-torchmetrics-{name.lower()}",
        title=f"torchmetrics' {name}, batches of {BATCH}",
        segments=3_200,
        select=select,
        fresh=workloads.text,
        adapters={
            "torchmetrics": adapters.torchmetrics_epoch(adapters.torchmetrics_module, name, BATCH),
            SUBJECT: adapters.torchmetrics_epoch(
                adapters.fastbleu_torchmetrics_module, name, BATCH, dialect="torchmetrics"
            ),
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
        adapters={
            "nltk": adapters_ids.nltk_rows,
            "TensorBLEU (torch, CPU)": adapters_ids.tensorbleu_rows,
            SUBJECT: adapters_ids.fastbleu_rows,
        },
        peer="nltk",
        truth="nltk",
        goals=(
            Goal("ratio", 60, 100),
            Goal("ratio", 1, peer="TensorBLEU (torch, CPU)"),
        ),
        unchecked={"TensorBLEU (torch, CPU)": "not compared: float32, and terms of its own"},
        section="training",
        rounds=3,
    ),
    _updates_case("text", "text", _latin, workloads.text, by_stream=True, tokenize="13a"),
    _updates_case("tokens", "lists of tokens", _latin, workloads.split_fresh, tokenize=None),
    _updates_case("ids", "token ids", _of_25_tokens, workloads.token_ids, tokenize=None),
    _torchmetrics_case("BLEUScore"),
    _torchmetrics_case("SacreBLEUScore"),
)

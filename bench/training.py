"""Training loops: batches of token ids, and metrics that are updated batch by batch."""

from functools import partial
from importlib import import_module
from typing import Any

import workloads
from cases import Case, Side
from text import by_segment

BATCH = 32
TENSORBLEU = "TensorBLEU (torch, CPU)"


# A score for each row of a batch: two arrays of shape (batch, length), padded with 0.


def nltk_rows(hypotheses, references):
    """The lists without padding that nltk needs are made beforehand."""
    from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

    smoothing = SmoothingFunction().method1
    sides = [[row[row != 0].tolist() for row in side] for side in (references, hypotheses)]
    pairs = list(zip(*sides, strict=True))
    return lambda: [
        sentence_bleu([reference], hypothesis, smoothing_function=smoothing)
        for reference, hypothesis in pairs
    ]


def tensorbleu_rows(hypotheses, references):
    import torch
    from rxlm.metrics.tensorbleu import tensor_sentence_bleu

    torch.set_num_threads(1)
    sides = torch.from_numpy(hypotheses), torch.from_numpy(references)[:, None]
    return lambda: tensor_sentence_bleu(*sides, smoothing_method="floor").tolist()


def fastbleu_rows(hypotheses, references):
    from fastbleu import BLEU

    metric = BLEU(tokenize=False, ignore_ids=(0,), dialect="nltk", smooth_method="floor")
    return lambda: metric.sentence_scores(hypotheses, references).tolist()


# Epochs: a metric is updated batch by batch. A data loader has made the batches before.


def epoch(metric: Any, hypotheses: Any, references: Any, batch: int | None = BATCH) -> Any:
    starts = range(0, len(hypotheses), batch or len(hypotheses))
    parts = [slice(start, start + (batch or len(hypotheses))) for start in starts]
    batches = [(hypotheses[part], references[part]) for part in parts]

    def call():
        for pair in batches:
            metric.update(*pair)
        return metric.compute()

    return call


def torchmetrics_epoch(module: str, name: str, tokenize: str | None = None) -> Side:
    """An epoch of TorchMetrics' class; with `tokenize` of ours, in TorchMetrics' float32."""

    def side(hypotheses, references):
        from fastbleu import BLEU

        options = {"metric": BLEU("torchmetrics", tokenize=tokenize)} if tokenize else {}
        metric = getattr(import_module(module), name)(**options)
        call = epoch(metric, hypotheses, by_segment(references))
        return lambda: call().item()

    return side


def updates(batch: int | None, is_text: bool, hypotheses, references):
    from fastbleu import BLEU

    metric = BLEU(tokenize="13a" if is_text else False)
    call = epoch(metric, hypotheses, by_segment(references) if is_text else references, batch)
    return lambda: call().value


def updates_case(kind: str, what: str, corpus: Any, fresh: Any, is_text: bool = False) -> Case:
    return Case(
        f"training-updates-{kind}",
        f"`BLEU.update`, batches of {BATCH}, {what}",
        320_000,
        corpus,
        fresh,
        ours=partial(updates, BATCH, is_text),
        others={"one update": partial(updates, None, is_text)},
    )


def torchmetrics_case(name: str, tokenize: str) -> Case:
    own = "fastbleu.integrations.torchmetrics"
    return Case(
        f"training-{name.lower()}",
        f"`{name}`, batches of {BATCH}",
        3_200,
        workloads.latin,
        workloads.text,
        ours=torchmetrics_epoch(own, name, tokenize),
        others={"torchmetrics": torchmetrics_epoch("torchmetrics.text", name)},
    )


CASES = (
    Case(
        "training-ids",
        "sentence BLEU of each row of a batch of ids",
        256,
        partial(workloads.long_segments, tokens=1024),
        workloads.token_ids,
        ours=fastbleu_rows,
        others={"nltk": nltk_rows, TENSORBLEU: tensorbleu_rows},
        notes={TENSORBLEU: "float32, and terms of its own"},
    ),
    updates_case("text", "text", workloads.latin, workloads.text, is_text=True),
    updates_case("tokens", "lists of tokens", workloads.latin, workloads.split_fresh),
    updates_case("ids", "token ids", workloads.of_25_tokens_both, workloads.token_ids),
    torchmetrics_case("BLEUScore", "none"),
    torchmetrics_case("SacreBLEUScore", "13a"),
)

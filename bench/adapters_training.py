"""Adapters for training loops: a metric is updated batch by batch and computed at the end.

``run(batches_of_hypotheses, batches_of_references)``: a data loader has made the batches, so that
they are not timed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from adapters import Adapter, Prepared


def torchmetrics_module():
    """Import the original."""
    import torchmetrics.text

    return torchmetrics.text


def fastbleu_torchmetrics_module():
    """Import fastbleu's metrics for TorchMetrics: the same names, arguments and methods."""
    import fastbleu.integrations.torchmetrics

    return fastbleu.integrations.torchmetrics


def torchmetrics_epoch(module: Callable, name: str, batch: int, **options: Any) -> Adapter:
    """Score lines of text with ``BLEUScore`` or ``SacreBLEUScore``: update by batches, compute.

    The result is a float. With ``dialect="torchmetrics"`` that of fastbleu's is the same to the
    last bit.
    """

    def load() -> Prepared:
        metric = getattr(module(), name)(**options)

        def run(hypotheses, references):
            metric.reset()
            for preds, target in zip(hypotheses, references, strict=True):
                metric.update(preds, target)
            return metric.compute().item()

        return Prepared(_batches(batch, by_stream=True), run)

    return load


def fastbleu_updates(batch: int | None, *, by_stream: bool = False, **parameters: Any) -> Adapter:
    """Update ``fastbleu.BLEU`` batch by batch, or once, and compute.

    The result is a float. `by_stream` says that the references are ``[k][segment]``.
    """

    def load() -> Prepared:
        import fastbleu

        metric = fastbleu.BLEU(**parameters)

        def run(hypotheses, references):
            metric.reset()
            for pair in zip(hypotheses, references, strict=True):
                metric.update(*pair)
            return metric.compute().value

        return Prepared(_batches(batch, by_stream), run)

    return load


def _batches(size: int | None, by_stream: bool) -> Callable[[Any, Any], tuple]:
    """Cut a corpus, of lists or arrays, into batches with the references by segment."""

    def prepare(hypotheses, references):
        if by_stream:
            references = list(map(list, zip(*references, strict=True)))
        step = size or len(hypotheses)
        parts = [slice(start, start + step) for start in range(0, len(hypotheses), step)]
        return [hypotheses[part] for part in parts], [references[part] for part in parts]

    return prepare

"""Adapters for training loops: a metric is updated batch by batch and computed at the end.

``run(batches_of_hypotheses, batches_of_references)``, made by `Prepared` from lines of text with
``references[k][segment]``: a data loader has made the batches, so that they are not timed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
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
    """Score an epoch with ``BLEUScore`` or ``SacreBLEUScore``: update on batches, then compute.

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

        return Prepared(_batches(batch), run)

    return load


def _batches(size: int) -> Callable[[list, list], tuple]:
    """Cut a corpus into batches, with the references by segment."""

    def prepare(hypotheses, references):
        by_segment = map(list, zip(*references, strict=True))
        return list(_parts(hypotheses, size)), list(_parts(by_segment, size))

    return prepare


def _parts(segments: Any, size: int) -> Iterator[list]:
    segments = iter(segments)
    while part := list(islice(segments, size)):
        yield part

"""Metrics with any counts, also such as no text has, which `BLEU.from_state` refuses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastbleu import BLEU


def metric_with(state: Sequence[int], **parameters: Any) -> BLEU:
    """A metric to which a row of counts was added."""
    metric = BLEU(**parameters)
    metric._sums.add(metric.scorer.restore(state))
    return metric

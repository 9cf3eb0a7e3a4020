"""Shared by the metrics for TorchMetrics and TorchEval, which keep their counts in tensors."""

from __future__ import annotations

from collections.abc import Sequence, Sized

import torch

from ..metric.bleu import BLEU


def check_weights(weights: Sized | None, n_gram: int) -> None:
    """Raise the ValueError of the hosts unless there is a weight for each order."""
    if weights is not None and len(weights) != n_gram:
        lengths = f"len(weights)={len(weights)}, n_gram={n_gram}"
        raise ValueError(f"the length of weights should equal n_gram, got {lengths}")


def joined(
    hyp_len: torch.Tensor, ref_len: torch.Tensor, matches: torch.Tensor, totals: torch.Tensor
) -> list[int]:
    """The row that `tensors` in dialects/torchmetrics.py has split; OverflowError if negative."""
    row: list[int] = torch.cat((torch.stack((hyp_len, ref_len)), matches, totals)).tolist()
    if min(row) < 0:
        raise OverflowError(f"a count has left int64: {row}")
    return row


def score(bleu: BLEU, row: Sequence[int], device: torch.device) -> torch.Tensor:
    """The score of a row, 0-1, as float64 (on Apple's GPUs float32)."""
    value = bleu._scorer.value(bleu._scorer.restore(row))
    dtype = torch.float32 if device.type == "mps" else torch.float64
    return torch.tensor(value / bleu._scorer.dialect.scale, dtype=dtype, device=device)

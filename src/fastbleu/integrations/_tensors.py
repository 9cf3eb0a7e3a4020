"""Shared by the metrics for TorchMetrics and TorchEval, which keep their counts in tensors."""

from __future__ import annotations

from collections.abc import Sequence, Sized

import torch

from ..dialects.sacrebleu import SACREBLEU
from ..inputs.arguments import shown
from ..metric.bleu import BLEU

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..dialects.base import Dialect


def options_of(
    host: Dialect,
    dialect: str,
    n_gram: int,
    smoothing: str,
    weights: Sized | None,
    **others: object,
) -> dict[str, Any]:
    """Options of `fastbleu.BLEU` for sacreBLEU's dialect or for the framework's."""
    if weights is not None and len(weights) != n_gram:
        lengths = f"len(weights)={len(weights)}, n_gram={n_gram}"
        raise ValueError(f"the length of weights should equal n_gram, got {lengths}")
    options: dict[str, dict[str, object]] = {
        SACREBLEU.name: {"smooth_method": smoothing, "weights": weights},
        host.name: {"reference_length": host.reference_length},
    }
    if dialect not in options:
        raise ValueError(f"dialect is {shown(dialect)}, expected {' or '.join(map(repr, options))}")
    return {"max_ngram_order": n_gram, **options[dialect], **others}


def joined(
    hyp_len: torch.Tensor, ref_len: torch.Tensor, matches: torch.Tensor, totals: torch.Tensor
) -> list[int]:
    """The row that `tensors` in dialects/torchmetrics.py has split; OverflowError if negative."""
    row: list[int] = torch.cat((torch.stack((hyp_len, ref_len)), matches, totals)).tolist()
    if min(row) < 0:
        raise OverflowError(f"a count has left int64: {row}")
    return row


def score(bleu: BLEU, row: Sequence[int], device: torch.device) -> torch.Tensor:
    """The score of a row by sacreBLEU's rules, 0-1, as float64 (on Apple's GPUs float32)."""
    value = bleu.scorer.value(bleu.scorer.restore(row))
    dtype = torch.float32 if device.type == "mps" else torch.float64
    return torch.tensor(value / 100, dtype=dtype, device=device)

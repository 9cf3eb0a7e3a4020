"""What metrics that keep their counts in tensors share: those for TorchMetrics and TorchEval."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from ..counting.stats import Stats
from ..dialects import SACREBLEU
from ..metric.bleu import BLEU

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def check_weights(weights: Any, n_gram: int) -> None:
    """Raise a ValueError if there are weights and not as many as orders."""
    if weights is not None and len(weights) != n_gram:
        raise ValueError(f"there are {len(weights)} weights for n_gram {n_gram}")


def joined(
    hyp_len: torch.Tensor, ref_len: torch.Tensor, matches: torch.Tensor, totals: torch.Tensor
) -> list[int]:
    """The row that these tensors hold: see `tensors` of dialects/torchmetrics.py.

    Raises
    ------
    OverflowError
        A count has left int64, as far as that shows: it is negative.
    """
    row: list[int] = torch.cat((torch.stack((hyp_len, ref_len)), matches, totals)).tolist()
    if min(row) < 0:
        raise OverflowError(f"a count has left int64: {row}")
    return row


def score(bleu: BLEU, row: Sequence[int], device: torch.device) -> torch.Tensor:
    """The score of a corpus from its row by sacreBLEU's rules, on 0-1.

    Shape (), float64; on Apple's GPUs, which have none, float32.
    """
    score = SACREBLEU.score(Stats([row]), smoothing=bleu.smoothing, weights=bleu.weights)
    dtype = torch.float32 if device.type == "mps" else torch.float64
    return torch.tensor(score.value / 100, dtype=dtype, device=device)

"""TorchEval's rules over rows of sufficient statistics."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from ..counting.stats import Stats
from .base import NO_AGGREGATION, Dialect, Options
from .torchmetrics import tensors

TYPE_CHECKING = False
if TYPE_CHECKING:
    import torch


class TorchEvalDialect(Dialect):
    """The rules of `torcheval.metrics.BLEUScore`, TorchEval 0.0.7, in PyTorch's arithmetic.

    The shortest reference's length counts. The score is 0 if any order has no match.
    """

    name = "torcheval"
    version = "torcheval-0.0.7"
    tokenizer = "none"
    reference_length = "shortest"
    smoothings = {"none": None}
    options = {"weights": None, "smoothing": "none"}
    unsupported = {"effective_order=True": "TorchEval averages over all orders", **NO_AGGREGATION}

    def score_tensors(
        self, counts: Sequence[torch.Tensor], weights: torch.Tensor | Sequence[float] | None
    ) -> torch.Tensor:
        """The score from a row of `tensors`, by torcheval.metrics.functional.text.bleu's steps."""
        import torch

        device, max_order = counts[2].device, len(counts[2])
        if not counts[2].any():
            return torch.tensor(0.0, dtype=torch.float64, device=device)
        input_len, target_len, matches, possible = (count.to(torch.float64) for count in counts)
        # Equal weights are float32 there, so that three of them do not add up to 1.
        equal = [1 / max_order] * max_order
        of_orders = torch.as_tensor(equal if weights is None else weights, device=device)
        with torch.no_grad():
            mean = torch.exp(torch.sum(of_orders * torch.log(matches / possible)))
        return mean if input_len > target_len else torch.exp(1 - target_len / input_len) * mean

    def _scores(self, stats: Stats, options: Options) -> array[float]:
        rows = tensors(stats)
        return array("d", [self.score_tensors(row, options.weights).item() for row in rows])


TORCHEVAL = TorchEvalDialect()

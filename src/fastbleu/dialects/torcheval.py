"""TorchEval's rules over rows of sufficient statistics."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from ..counting.stats import AdaptedRows
from .base import Dialect
from .torchmetrics import load_torch, tensors, torch_field

TYPE_CHECKING = False
if TYPE_CHECKING:
    import torch

    from .scorer import Scorer


class TorchEvalDialect(Dialect):
    """``bleu_score`` of TorchEval 0.0.7, in the float32 of the installed PyTorch, 0-1.

    BP * exp(sum of weight * log(matches / totals)) on whitespace tokens; 0 if an order has no
    match, a ValueError if one has no n-gram. The SHORTEST reference's length counts. BP is 1 if
    the hypotheses are longer, else exp(1 - ref_len / hyp_len). Orders are up to 4. PyTorch's log
    and exp are not correctly rounded, so the last bit depends on its version.

    References
    ----------
    ``torcheval.metrics.functional.bleu_score`` of TorchEval 0.0.7; its class ``BLEUScore``, which
    adds up batches in float64, is `fastbleu.integrations.torcheval`'s.
    """

    name = "torcheval"
    version = "torcheval-0.0.7"
    tokenizer = "none"
    reference_length = "shortest"
    smoothings = {"none": None}
    orders = range(1, 5)
    options = {"weights": None, "smoothing": "none"}
    adds_up = True
    separable = False

    def score_tensors(
        self,
        counts: Sequence[torch.Tensor],
        weights: torch.Tensor | Sequence[float] | None,
        dtype: torch.dtype,
    ) -> torch.Tensor:
        """The scores of `tensors`, by the steps of torcheval.metrics.functional.text.bleu.

        `counts` are those of rows, or of one row without the first dimension; `dtype` is the type
        of TorchEval's counts: float64 in its class, float32 in its function.
        """
        torch = load_torch()
        device, max_order = counts[2].device, counts[2].shape[-1]
        input_len, target_len, matches, possible = (count.to(dtype) for count in counts)
        # TorchEval's equal weights are float32, so three of them do not add up to 1.
        equal = [1 / max_order] * max_order
        of_orders = torch.as_tensor(equal if weights is None else weights, device=device)
        with torch.no_grad():
            mean = torch.exp(torch.sum(of_orders * torch.log(matches / possible), -1))
        short = torch.exp(1 - target_len / input_len) * mean
        zero = torch.tensor(0.0, dtype=dtype, device=device)
        return torch.where(
            counts[2].any(-1), torch.where(input_len > target_len, mean, short), zero
        )

    def _further_fields(self) -> dict[str, str]:
        return torch_field()

    def _scores(self, adapted: AdaptedRows, scorer: Scorer) -> array[float]:
        torch = load_torch()
        counts = tensors(adapted)
        if not counts[3].all():
            raise ValueError(
                f"no hypothesis has {adapted.max_order} tokens, and torcheval refuses such input "
                "as too short"
            )
        return array("d", self.score_tensors(counts, scorer.weights, torch.float32).tolist())


TORCHEVAL = TorchEvalDialect()

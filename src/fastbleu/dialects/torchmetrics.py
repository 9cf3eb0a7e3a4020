"""TorchMetrics' rules over rows of sufficient statistics."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from functools import cache
from typing import Any

from ..counting.stats import AdaptedRows, Rows
from ..runtime.import_lock import import_locked, lazy
from .base import Dialect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from importlib import metadata

    import numpy
    import torch

    from .scorer import Scorer
else:
    metadata = lazy("importlib.metadata")
    numpy = lazy("numpy")


class TorchMetricsDialect(Dialect):
    """``bleu_score`` of TorchMetrics 1.9.0, in the float32 of the installed PyTorch, 0-1.

    BP * exp(sum of weight * log(matches / totals)) on whitespace tokens; 0 if an order has no
    match, even with ``smoothing="add-k"``, its ``smooth=True``, which adds 1 to all orders but
    the first. The closest reference's length counts, of two equally close the FIRST one's. BP is 1
    if the hypotheses are longer, else exp(1 - ref_len / hyp_len). PyTorch's log and exp are not
    correctly rounded, so the last bit depends on its version.

    References
    ----------
    ``torchmetrics.functional.text.bleu_score`` of TorchMetrics 1.9.0.
    """

    name = "torchmetrics"
    version = "torchmetrics-1.9.0"
    tokenizer = "none"
    reference_length = "first"
    smoothings = {"none": None, "add-k": None}
    options = {"weights": None, "smoothing": "none", "smoothing_value": None}
    adds_up = True
    separable = False

    def score_tensors(
        self,
        counts: Sequence[torch.Tensor],
        weights: Sequence[float] | None,
        smooth: bool,
        dtype: torch.dtype,
    ) -> torch.Tensor:
        """The scores of `tensors`, by the steps of torchmetrics.functional.text.bleu.

        `counts` are those of rows, or of one row without the first dimension; `dtype` is that of
        TorchMetrics' states.
        """
        torch = load_torch()
        device, max_order = counts[2].device, counts[2].shape[-1]
        preds_len, target_len, numerator, denominator = (count.to(dtype) for count in counts)
        precisions = numerator / denominator
        if smooth:
            one = torch.ones(max_order, device=device)
            smoothed = (numerator + one) / (denominator + one)
            smoothed[..., 0] = precisions[..., 0]
            precisions = smoothed
        equal = [1.0 / max_order] * max_order
        of_orders = torch.as_tensor(equal if weights is None else weights, device=device)
        mean = torch.exp(torch.sum(of_orders * torch.log(precisions), -1))
        short = torch.exp(1 - target_len / preds_len) * mean
        return torch.where(
            counts[2].all(-1),
            torch.where(preds_len > target_len, mean, short),
            torch.tensor(0.0, device=device),
        )

    def _further_fields(self) -> dict[str, str]:
        return torch_field()

    def _scores(self, adapted: AdaptedRows, scorer: Scorer) -> array[float]:
        torch = load_torch()
        asked = scorer.weights, scorer.smoothing == "add-k", torch.get_default_dtype()
        return array("d", self.score_tensors(tensors(adapted), *asked).tolist())


def load_torch() -> Any:
    """PyTorch; ImportError that says who needs it if it is not installed."""
    try:
        return import_locked("torch")
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise ImportError(
            "the BLEU of torchmetrics, torcheval, torchtext and tensorbleu is computed by PyTorch, "
            "for the same last digits, and torch is not installed: pip install torch"
        ) from None


@cache
def torch_field() -> dict[str, str]:
    """The version of PyTorch for signatures, because its log and exp determine the last bits."""
    try:
        return {"torch": metadata.version("torch")}
    except metadata.PackageNotFoundError:
        return {}


def tensors(stats: Rows, device: object = None) -> list[torch.Tensor]:
    """The rows as int64: hyp_len and ref_len, shape (rows,), matches, totals, (rows, max_order)."""
    torch = load_torch()
    table = torch.from_numpy(numpy.array(stats)).to(device)
    lengths, matches, totals = table.split([2, stats.max_order, stats.max_order], 1)
    return [lengths[:, 0], lengths[:, 1], matches, totals]


TORCHMETRICS = TorchMetricsDialect()

"""TorchMetrics' and TorchEval's rules, in PyTorch's float32."""

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
    match, even with ``smooth_method="add-k"``, its ``smooth=True``, which adds 1 to all orders but
    the first. The closest reference's length counts, of two equally close the FIRST one's. BP is 1
    if the hypotheses are longer, else exp(1 - ref_len / hyp_len). PyTorch's log and exp are not
    correctly rounded, so the last bit depends on its version.
    """

    name = "torchmetrics"
    version = "torchmetrics-1.9.0"
    source = "torchmetrics 1.9.0 functional.text.bleu_score"
    tokenizer = "none"
    reference_length = "first"
    smoothings = {"none": None, "add-k": None}
    options = {"weights": None, "smooth_method": "none", "smooth_value": None}
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
        device, max_ngram_order = counts[2].device, counts[2].shape[-1]
        preds_len, target_len, numerator, denominator = (count.to(dtype) for count in counts)
        precisions = numerator / denominator
        if smooth:
            added = torch.ones(max_ngram_order, device=device)
            smoothed = (numerator + added) / (denominator + added)
            smoothed[..., 0] = precisions[..., 0]
            precisions = smoothed
        equal = [1.0 / max_ngram_order] * max_ngram_order
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
        options = scorer.weights, scorer.smooth_method == "add-k", torch.get_default_dtype()
        return array("d", self.score_tensors(tensors(adapted), *options).tolist())


class TorchEvalDialect(Dialect):
    """``bleu_score`` of TorchEval 0.0.7, in the float32 of the installed PyTorch, 0-1.

    BP * exp(sum of weight * log(matches / totals)) on whitespace tokens; 0 if an order has no
    match, a ValueError if one has no n-gram. The SHORTEST reference's length counts. BP is 1 if
    the hypotheses are longer, else exp(1 - ref_len / hyp_len). Orders are up to 4. PyTorch's log
    and exp are not correctly rounded, so the last bit depends on its version. TorchEval's class
    ``BLEUScore``, which adds up batches in float64, is `fastbleu.integrations.torcheval`'s.
    """

    name = "torcheval"
    version = "torcheval-0.0.7"
    source = "torcheval 0.0.7 metrics.functional.bleu_score"
    tokenizer = "none"
    reference_length = "shortest"
    smoothings = {"none": None}
    orders = range(1, 5)
    options = {"weights": None, "smooth_method": "none"}
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
        device, max_ngram_order = counts[2].device, counts[2].shape[-1]
        input_len, target_len, matches, possible = (count.to(dtype) for count in counts)
        # TorchEval's equal weights are float32, so three of them do not add up to 1.
        equal = [1 / max_ngram_order] * max_ngram_order
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
                f"no hypothesis has {adapted.max_ngram_order} tokens, and torcheval refuses such "
                "input as too short"
            )
        return array("d", self.score_tensors(counts, scorer.weights, torch.float32).tolist())


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
    """The rows as int64: hyp_len, ref_len, shape (rows,), matches, totals, (rows, orders)."""
    torch = load_torch()
    table = torch.from_numpy(numpy.array(stats)).to(device)
    lengths, matches, totals = table.split([2, stats.max_ngram_order, stats.max_ngram_order], 1)
    return [lengths[:, 0], lengths[:, 1], matches, totals]


TORCHMETRICS = TorchMetricsDialect()
TORCHEVAL = TorchEvalDialect()

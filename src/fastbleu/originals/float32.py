"""TorchMetrics' and TorchEval's rules, in PyTorch's float32."""

from __future__ import annotations

from abc import abstractmethod
from array import array
from collections.abc import Sequence
from functools import cache
from typing import Any

from ..core.counting.stats import AdaptedRows, Rows
from ..core.inputs.arguments import number_of
from ..core.inputs.errors import InputError
from ..core.runtime.import_lock import import_locked, lazy
from ..core.scoring.base import Dialect, ScoreOptions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from importlib import metadata

    import numpy
    import torch

else:
    metadata = lazy("importlib.metadata")
    numpy = lazy("numpy")


class TorchDialect(Dialect):
    """A dialect computed by PyTorch, in the steps of both originals."""

    aggregation = "sum"
    separable = False

    @abstractmethod
    def _have_score(self, matches: torch.Tensor) -> torch.Tensor:
        """Whether matches of shape (..., orders) have a score other than 0."""

    def score_tensors(
        self,
        counts: Sequence[torch.Tensor],
        weights: torch.Tensor | Sequence[float] | None,
        dtype: torch.dtype,
        smooth: bool = False,
    ) -> torch.Tensor:
        """The scores of counts from `tensors`; those of one row may lack the first dimension.

        `dtype` is that of the original's counts: TorchMetrics' default dtype; TorchEval's float64
        in its class, float32 in its function.
        """
        torch = load_torch()
        device, max_ngram_order = counts[2].device, counts[2].shape[-1]
        hyp_len, ref_len, matches, totals = (count.to(dtype) for count in counts)
        precisions = matches / totals
        if smooth:
            added = torch.ones(max_ngram_order, device=device)
            smoothed = (matches + added) / (totals + added)
            smoothed[..., 0] = precisions[..., 0]
            precisions = smoothed
        # Equal weights are float32, so three of them do not add up to 1.
        equal = [1 / max_ngram_order] * max_ngram_order
        of_orders = torch.as_tensor(equal if weights is None else weights, device=device)
        with torch.no_grad():
            mean = torch.exp(torch.sum(of_orders * torch.log(precisions), -1))
        short = torch.exp(1 - ref_len / hyp_len) * mean
        scores = torch.where(hyp_len > ref_len, mean, short)
        return torch.where(self._have_score(counts[2]), scores, torch.zeros_like(scores))

    def _further_fields(self) -> dict[str, str]:
        return torch_field()


class TorchMetricsDialect(TorchDialect):
    """``bleu_score`` of TorchMetrics 1.9.0, in the float32 of the installed PyTorch, 0-1.

    BP * exp(sum of weight * log(matches / totals)) on whitespace tokens; 0 if an order has no
    match, even with ``smooth_method="add-k"``, its ``smooth=True``, which adds 1 to all orders but
    the first. The reference length is the closest one, the FIRST of equally close ones. BP is 1
    if the hypotheses are longer, else exp(1 - ref_len / hyp_len). PyTorch's log and exp are not
    correctly rounded, so the last bit depends on its version.
    """

    name = "torchmetrics"
    version = "torchmetrics-1.9.0"
    source = "torchmetrics 1.9.0 functional.text.bleu_score"
    reference_lengths = ("first",)
    smoothings = {"none": None, "add-k": None}
    options = {"weights": None, "smooth_method": "none", "smooth_value": None}

    def _have_score(self, matches: torch.Tensor) -> torch.Tensor:
        return matches.all(-1)

    def _scores(self, adapted: AdaptedRows, options: ScoreOptions) -> array[float]:
        torch = load_torch()
        smooth, dtype = options.smooth_method == "add-k", torch.get_default_dtype()
        scores = self.score_tensors(tensors(adapted), options.weights, dtype, smooth)
        return array("d", scores.tolist())


class TorchEvalDialect(TorchDialect):
    """``bleu_score`` of TorchEval 0.0.7, in the float32 of the installed PyTorch, 0-1.

    BP * exp(sum of weight * log(matches / totals)) on whitespace tokens; 0 if an order has no
    match, a ValueError if one has no n-gram. The reference length is the SHORTEST one. BP is 1 if
    the hypotheses are longer, else exp(1 - ref_len / hyp_len). At most 4 orders. PyTorch's log
    and exp are not correctly rounded, so the last bit depends on its version. TorchEval's class
    ``BLEUScore``, which adds up batches in float64, is in `fastbleu.integrations.torcheval`.
    """

    name = "torcheval"
    version = "torcheval-0.0.7"
    source = "torcheval 0.0.7 metrics.functional.bleu_score"
    reference_lengths = ("shortest",)
    smoothings = {"none": None}
    orders = range(1, 5)
    options = {"weights": None, "smooth_method": "none"}

    def _have_score(self, matches: torch.Tensor) -> torch.Tensor:
        return matches.any(-1)

    def _scores(self, adapted: AdaptedRows, options: ScoreOptions) -> array[float]:
        torch = load_torch()
        counts = tensors(adapted)
        if not counts[3].all():
            raise InputError(
                f"no hypothesis has {number_of(adapted.max_ngram_order, 'token')}, which torcheval "
                "refuses as too short"
            )
        return array("d", self.score_tensors(counts, options.weights, torch.float32).tolist())


def load_torch() -> Any:
    """Import PyTorch; if it is not installed, the ImportError says which dialects need it."""
    try:
        return import_locked("torch")
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise ImportError(
            "the BLEU of torchmetrics, torcheval, torchtext and tensorbleu is computed by PyTorch, "
            "to give the same last digits, but torch is not installed: pip install torch"
        ) from None


@cache
def torch_field() -> dict[str, str]:
    """The version of PyTorch for signatures, because its log and exp determine the last bits."""
    try:
        return {"torch": metadata.version("torch")}
    except metadata.PackageNotFoundError:
        return {}


def tensors(stats: Rows, device: object = None) -> list[torch.Tensor]:
    """Rows as int64: hyp_len, ref_len of shape (rows,), matches, totals of (rows, orders)."""
    torch = load_torch()
    table = torch.from_numpy(numpy.array(stats)).to(device)
    lengths, matches, totals = table.split([2, stats.max_ngram_order, stats.max_ngram_order], 1)
    return [lengths[:, 0], lengths[:, 1], matches, totals]


TORCHMETRICS = TorchMetricsDialect()
TORCHEVAL = TorchEvalDialect()

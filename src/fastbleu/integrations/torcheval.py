"""BLEU as a metric for TorchEval: its `BLEUScore`, exact and fast.

>>> metric = BLEUScore(n_gram=4)
>>> metric.update(["the cat sat on the mat"], [["the cat sat on a mat"]]).compute()
tensor(0.5373, dtype=torch.float64)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Sized
from typing import TYPE_CHECKING, Any

from ..core.inputs.errors import InputError
from ..core.metric.argument import scorer_of, sums_of_batch
from ..core.runtime.extras import not_compiled
from ..originals.float32 import TORCHEVAL, TorchEvalDialect, tensors
from ._host_metric import host_imports, host_metric, joined, score

with host_imports("torcheval", "torch", "torcheval"):
    import torch
    from torcheval.metrics import Metric

if TYPE_CHECKING:
    from ..core.inputs.types import Hypotheses, References
    from ..core.metric.argument import Metric as MetricArgument

_DEFAULTS = {"n_gram": None, "weights": None, "tokenize": "none", "smooth": False}
_STATES = ("input_len", "target_len", "matches_by_order", "possible_matches_by_order")


class BLEUScore(Metric):
    """BLEU of text that is split at whitespace, on 0-1: ``torcheval.metrics.BLEUScore``.

    The score is exact and follows sacreBLEU's rules: the length of the closest reference counts
    (the shorter of two equally close ones), and a batch may have only short texts. Smoothing is
    "none", because TorchEval has no smoothing, and not sacreBLEU's default "exp": a corpus without
    matches of the longest n-grams scores 0. With ``metric="torcheval"`` the score is TorchEval's
    own, to the last bit, and messages about a batch begin with TorchEval's.

    Parameters
    ----------
    n_gram : int
        The longest n-grams. Required without a metric, as in TorchEval.
    weights : Tensor or sequence of float, shape (n_gram,), optional
        Weight of each order; equal weights by default.
    device : torch.device, optional
        Where the counts are kept, by default the CPU. Counting is done on the CPU.
    metric : fastbleu.BLEU or str, optional
        A BLEU, or the name of a dialect, instead of `n_gram` and `weights`: for token ids, another
        smoothing or tokenizer, or TorchEval's own number.

    Raises
    ------
    TypeError
        There is neither `n_gram` nor a metric.
    ValueError
        An option is out of range, there are both a metric and options, or the metric's dialect does
        not score sums.

    Notes
    -----
    The states are int64 tensors. TorchEval itself counts a batch in float32, which is inexact above
    2**24 = 16,777,216 n-grams in one batch; that is not reproduced.
    """

    def __init__(
        self,
        *,
        n_gram: int | None = None,
        weights: torch.Tensor | Sequence[float] | None = None,
        device: torch.device | None = None,
        metric: MetricArgument | None = None,
    ) -> None:
        super().__init__(device=None if device is None else torch.device(device))
        if metric is None and n_gram is None:
            raise TypeError("BLEUScore needs n_gram=, or a metric=")
        options = {"n_gram": n_gram, "weights": weights}
        bleu = self._bleu = host_metric(metric, _DEFAULTS, options)
        self._has_own_numbers = isinstance(scorer_of(bleu).dialect, TorchEvalDialect)
        self.n_gram = n_gram = bleu.max_ngram_order
        # float64, which gives the same products as TorchEval's float32 weights.
        self.weights = (
            None if bleu.weights is None else torch.tensor(bleu.weights, dtype=torch.float64)
        )
        for name, shape in zip(_STATES, ((), (), n_gram, n_gram), strict=True):
            self._add_state(name, torch.zeros(shape, dtype=torch.int64, device=self.device))

    @not_compiled
    def update(self, input: str | Hypotheses, target: References) -> BLEUScore:
        """Add a batch and return the metric; if that raises, nothing is added.

        Parameters
        ----------
        input, target
            The hypotheses and references of `fastbleu.BLEU.update`, whose errors use these names: a
            str or S str, and S str or sequences of str, where ``target[i]`` are the references of
            ``input[i]``; for a metric with ``tokenize=False`` ids, such as tensors of shape
            (S, length) and (S, length) or (S, references, length).

        Raises
        ------
        ValueError
            With ``metric="torcheval"`` also if no text of the batch has `n_gram` tokens.
        """
        hypotheses = [input] if isinstance(input, str) else input
        own = self._has_own_numbers
        if own and isinstance(hypotheses, Sized) and isinstance(target, Sized):
            sizes = f"input corpus size = {len(hypotheses)}, target corpus size = {len(target)}"
            if len(hypotheses) != len(target):
                raise InputError(f"Input and target corpus should have same sizes, but {sizes} ")
        sums = sums_of_batch(self._bleu, hypotheses, target)
        if own and 0 in sums.row[2 + self.n_gram :]:
            raise InputError(
                "the input is too short to find all n-gram matches with "
                f"n_gram={self.n_gram}; the default dialect accepts such a batch"
            )
        self._add(*[count[0] for count in tensors(sums.adapted(), self.device)])
        return self

    def compute(self) -> torch.Tensor:
        """The score of all batches, on 0-1, as float64 of shape (); 0 without batches.

        On Apple's GPUs it is float32. OverflowError if a count has exceeded int64.
        """
        states = [getattr(self, name) for name in _STATES]
        row = joined(*states)
        if self._has_own_numbers:
            return TORCHEVAL.score_tensors(states, self.weights, torch.float64)
        return score(self._bleu, row, self.matches_by_order.device)

    def load_state_dict(self, state_dict: dict[str, Any], strict: bool = True) -> None:
        """Replace the states; ValueError if they are of another n_gram, or TorchEval's own."""
        matches = state_dict.get("matches_by_order")
        if matches is not None and (len(matches) != self.n_gram or matches.is_floating_point()):
            raise ValueError(
                f"the states are {matches.dtype} of n_gram {len(matches)}, this BLEUScore's are "
                f"torch.int64 of n_gram {self.n_gram}; TorchEval's own counts cannot be loaded"
            )
        super().load_state_dict(state_dict, strict)

    def merge_state(self, metrics: Iterable[Any]) -> BLEUScore:
        """Add the counts of other metrics, which stay as they are, and return this one.

        They may also be metrics that TorchEval's toolkit creates from the states of other ranks.
        ValueError if one of them has a different n_gram, or counts differently.
        """
        metrics = list(metrics)
        for metric in metrics:
            n_gram = len(metric.matches_by_order)
            if n_gram != self.n_gram:
                raise ValueError(f"n_gram {n_gram} cannot be added to n_gram {self.n_gram}")
            differs = isinstance(metric, BLEUScore) and metric._counted_as() != self._counted_as()
            if differs or metric.matches_by_order.is_floating_point():  # TorchEval's own
                raise ValueError("a metric that counts in another way cannot be added")
        for metric in metrics:
            self._add(*(getattr(metric, name) for name in _STATES))
        return self

    def _add(self, *counts: torch.Tensor) -> None:
        for name, count in zip(_STATES, counts, strict=True):
            setattr(self, name, getattr(self, name) + count.to(self.device))

    def _counted_as(self) -> dict[str, Any]:
        return {"dialect": self._bleu.dialect, **scorer_of(self._bleu).counted_as}

"""BLEU as a metric for PyTorch-Ignite: of token ids or text, in engines and across processes.

>>> import fastbleu
>>> from ignite.engine import Engine
>>> evaluator = Engine(lambda engine, batch: batch)  # a real one decodes; it returns (y_pred, y)
>>> BLEU(metric=fastbleu.BLEU(tokenize=False, ignore_ids=(0,))).attach(evaluator, "bleu")
>>> sentence = [[5, 6, 7, 8, 9, 0]]
>>> evaluator.run([(torch.tensor(sentence), torch.tensor(sentence))]).metrics["bleu"]
100.00000000000004
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..core.metric.argument import scorer_of, sums_of_batch
from ._host_metric import host_imports, host_metric

with host_imports("ignite", "torch", "ignite"):
    import torch
    from ignite.exceptions import NotComputableError
    from ignite.metrics import Metric
    from ignite.metrics.metric import reinit__is_reduced, sync_all_reduce

if TYPE_CHECKING:
    from ..core.metric.argument import Metric as MetricArgument
    from ..core.scoring.score import Score


def _unchanged(output: Any) -> Any:
    """The default `output_transform`: a named function, so that a metric can be pickled."""
    return output


class BLEU(Metric):
    """`fastbleu.BLEU` of all batches since `reset`, summed over all processes by `compute`.

    Its scores are those of `fastbleu.BLEU`: sacreBLEU's on 0-100 by default. With
    ``fastbleu.BLEU(tokenize=False, smooth_method="none")`` they are, divided by 100, those of
    ignite's own ``Bleu(average="micro")``, except for rounding: ignite computes them differently.

    Parameters
    ----------
    output_transform : callable, optional
        Converts the result of the engine's process function to ``(y_pred, y)`` or
        ``{"y_pred": y_pred, "y": y}``.
    device : str or torch.device, default "cpu"
        Where the counts are kept. Counting is done on the CPU.
    metric : fastbleu.BLEU or str, optional
        A BLEU, or the name of a dialect; by default ``fastbleu.BLEU()``. For ids pass one with
        ``tokenize=False`` and, depending on the data, `ignore_ids`, `stop_ids`, `skip_ids`.

    Raises
    ------
    TypeError, ValueError
        `metric` is not a metric, keeps segments, or its dialect does not score sums.

    Notes
    -----
    A list of tensors is one ragged batch here; ignite passes other metrics one tensor at a time
    (its `skip_unrolling`). The state is one int64 tensor, `fastbleu.BLEU.state`. Not thread-safe.
    """

    _state_dict_all_req_keys = ("_counts",)

    def __init__(
        self,
        output_transform: Callable[[Any], Any] = _unchanged,
        device: str | torch.device = "cpu",
        *,
        metric: MetricArgument | None = None,
    ) -> None:
        self._bleu = host_metric(metric)
        super().__init__(output_transform=output_transform, device=device, skip_unrolling=True)

    @reinit__is_reduced
    def reset(self) -> None:
        """Forget all batches."""
        self._counts = torch.from_numpy(self._bleu.state).to(self._device)

    @reinit__is_reduced
    def update(self, output: Sequence[Any]) -> None:
        """Add a batch; if that raises, nothing is added.

        Parameters
        ----------
        output : (y_pred, y)
            Hypotheses and references as for `fastbleu.BLEU.update`, with its errors: for ids
            a tensor ``(batch, length)`` or a list of 1-D tensors, for text a list of str; `y` may
            have several references each, ``(batch, refs, length)`` or a list of lists.
        """
        y_pred, y = output
        before = scorer_of(self._bleu).restore(self._counts.tolist())
        total = before + sums_of_batch(self._bleu, y_pred, y)
        self._counts = torch.tensor(total.row.tolist()).to(self._device)

    def compute(self) -> float:
        """BLEU of the batches of all processes, which must all call it, on the dialect's scale.

        Raises
        ------
        NotComputableError
            No process has added a segment.
        OverflowError
            A sum over the processes does not fit in int64.
        """
        return self.score().value

    def score(self) -> Score:
        """Like `compute`, but returns a `fastbleu.Score` with counts and signature."""
        # Split into halves, so that a sum beyond int64 is detected instead of wrapping around.
        self._halves = torch.stack((self._counts >> 32, self._counts & 0xFFFFFFFF))
        counts = [(high << 32) + low for high, low in zip(*self._sum_of_halves(), strict=True)]
        if max(counts) >= 1 << 63:
            raise OverflowError(f"a count over all processes, {max(counts)}, exceeds int64")
        if not any(counts):
            raise NotComputableError(
                "there is no BLEU yet: no process has been given a hypothesis or a reference "
                "since the start or reset()"
            )
        scorer = scorer_of(self._bleu)
        return scorer.score(scorer.restore(counts))

    # The decorated function must not raise, or the global sums would replace the local counts.
    @sync_all_reduce("_halves")
    def _sum_of_halves(self) -> list[list[int]]:
        halves: list[list[int]] = self._halves.tolist()
        return halves

    def _load_state_dict_per_rank(self, state_dict: Mapping[str, Any]) -> None:
        counts = state_dict.get("_counts")
        expected = self._counts.shape
        if counts is not None and (counts.shape != expected or counts.dtype != torch.int64):
            raise ValueError(
                f"the state has a {counts.dtype} tensor of shape {tuple(counts.shape)}, this "
                f"BLEU's is torch.int64 of shape {tuple(expected)}: another max_ngram_order?"
            )
        super()._load_state_dict_per_rank(state_dict)

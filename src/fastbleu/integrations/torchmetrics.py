"""BLEU as metrics for TorchMetrics: its `BLEUScore` and `SacreBLEUScore`, exact and fast.

>>> metric = SacreBLEUScore()
>>> metric.update(["The cat sat on the mat."], [["The cat sat on a mat."]])
>>> metric.compute()
tensor(0.4889, dtype=torch.float64)
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from ..core.counting._counted import Sums
from ..core.metric.argument import counter_of, scorer_of, sums_of_batch
from ..core.metric.bleu import BLEU
from ..core.runtime.extras import not_compiled
from ..originals.float32 import TORCHMETRICS, TorchMetricsDialect, tensors
from ._host_metric import host_imports, host_metric, joined, score

with host_imports("torchmetrics", "torch", "torchmetrics"):
    import torch
    from torchmetrics import Metric

if TYPE_CHECKING:
    from ..core.inputs.types import Hypotheses, References
    from ..core.metric.argument import Metric as MetricArgument

_DEFAULTS = {"n_gram": 4, "smooth": False, "weights": None, "tokenize": "none"}
_STATES = ("preds_len", "target_len", "numerator", "denominator")

# TorchMetrics lowercases a text after tokenizing it; sacreBLEU lowercases it before, and first
# strips whitespace at the end. The tokens of these tokenizers are still the same, unless a text
# contains one of the characters in the first string, or, if it is lowercased, in the second: 13a
# drops "-" before a newline, and recognizes &quot; and <skipped> in lower case only; the lower case
# of a capital sigma depends on its context; the lower case of three signs is outside the range of
# characters that zh splits; that of the dotted I is two characters.
_EQUAL_WITHOUT = {
    "none": ("", ""),
    "13a": ("\n", "&<\N{GREEK CAPITAL LETTER SIGMA}"),
    "zh": ("", "\N{GREEK CAPITAL LETTER SIGMA}\N{OHM SIGN}\N{KELVIN SIGN}\N{ANGSTROM SIGN}"),
    "char": ("", "\N{GREEK CAPITAL LETTER SIGMA}\N{LATIN CAPITAL LETTER I WITH DOT ABOVE}"),
}


class BLEUScore(Metric):
    """BLEU of text that is split at whitespace, on 0-1: ``torchmetrics.text.BLEUScore``.

    The score is exact: float64 from int64 counts, by sacreBLEU's rules but, as in TorchMetrics,
    without sacreBLEU's smoothing, so that a corpus without 4-gram matches scores 0. With
    ``metric="torchmetrics"`` it is TorchMetrics' own number, to the last bit of its float32.

    Parameters
    ----------
    n_gram : int, default 4
        The longest n-grams.
    smooth : bool, default False
        Add one to the matches and the n-grams of all orders but the first: the smoothing "add-k"
        of `fastbleu.BLEU`.
    weights : sequence of float, shape (n_gram,), optional
        Weight of each order; equal weights by default.
    metric : fastbleu.BLEU or str, optional
        A BLEU, or the name of a dialect, instead of all options above: for token ids, another
        smoothing or tokenizer, or TorchMetrics' own number.
    **kwargs
        Arguments of ``torchmetrics.Metric``.

    Raises
    ------
    ValueError
        An option is out of range, there are both a metric and options, or the metric's dialect does
        not score sums.

    Notes
    -----
    The states are always int64: `set_dtype` sets the type in which the dialect "torchmetrics"
    computes. In that dialect a named tokenizer is TorchMetrics' own, and ``smooth_method="add-k"``,
    its `smooth`, still scores 0 if an order has no match. TorchMetrics itself adds up in float32,
    which is inexact above 2**24 = 16,777,216. Its result for more n-grams depends on their
    distribution over ranks, and is not reproduced.

    The state `counted_by` is a digest of everything that the counts depend on. It ensures that
    metrics that count differently, such as BLEUScore and SacreBLEUScore, do not share a compute
    group of a ``MetricCollection``, and that ranks, `merge_state` and checkpoints do not mix them.
    """

    is_differentiable = False
    higher_is_better = True
    full_state_update = False
    plot_lower_bound = 0.0
    plot_upper_bound = 1.0

    def __init__(
        self,
        n_gram: int = 4,
        smooth: bool = False,
        weights: Sequence[float] | None = None,
        *,
        metric: MetricArgument | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        options = {"n_gram": n_gram, "smooth": smooth, "weights": weights}
        bleu = self._bleu = host_metric(metric, _DEFAULTS, options)
        # Reads texts as TorchMetrics does; those without any of `_marks` have the same tokens.
        self._own: BLEU | None = None
        self._marks: str | None = ""
        self._has_own_numbers = isinstance(scorer_of(bleu).dialect, TorchMetricsDialect)
        if self._has_own_numbers and bleu.tokenize:
            from torchmetrics.functional.text.sacre_bleu import _SacreBLEUTokenizer

            name = bleu.tokenize.name
            if name in _SacreBLEUTokenizer._TOKENIZE_FN:
                split = _SacreBLEUTokenizer(name, bleu.lowercase)
                self._own = BLEU(**bleu.get_params() | {"tokenize": split, "lowercase": False})
                marks = _EQUAL_WITHOUT.get(name)
                self._marks = None if marks is None else "".join(marks[: 1 + bleu.lowercase])
        self.n_gram = n_gram = bleu.max_ngram_order
        self.smooth = bleu.smooth_method == "add-k"
        self.weights = [1.0 / n_gram] * n_gram if bleu.weights is None else list(bleu.weights)
        counted_as = {"dialect": bleu.dialect, "n_gram": n_gram, **scorer_of(bleu).counted_as}
        self._counted_as = sha256(repr(counted_as).encode()).digest()[:16]
        # The first state, so that it is compared before anything is added up.
        counted_by = torch.tensor(list(self._counted_as), dtype=torch.uint8)
        self.add_state("counted_by", counted_by, dist_reduce_fx=_the_same)
        for name, shape in zip(_STATES, ((), (), n_gram, n_gram), strict=True):
            self.add_state(name, torch.zeros(shape, dtype=torch.int64), dist_reduce_fx="sum")

    def update(self, preds: Hypotheses | Sums, target: References) -> None:
        """Add a batch; if that raises, nothing is added.

        Parameters
        ----------
        preds, target
            The hypotheses and references of `fastbleu.BLEU.update`, whose errors use these names: S
            str, and S str or sequences of str, where ``target[i]`` are the references of
            ``preds[i]``; for a metric with ``tokenize=False`` ids, such as tensors of shape
            (S, length) and (S, length) or (S, references, length). As in TorchMetrics, an empty
            list is read as an empty text.
        """
        sums = preds if isinstance(preds, Sums) else self._count(preds, target)
        counts = tensors(sums.adapted(), self.numerator.device)
        # Not in place: the metrics of a compute group share these tensors.
        for name, count in zip(_STATES, counts, strict=True):
            setattr(self, name, getattr(self, name) + count[0])

    def _wrap_update(self, update: Any) -> Any:
        # Here, because torch.compile would look into what TorchMetrics wraps around `update`.
        return not_compiled(super()._wrap_update(update))

    @torch.jit.unused
    @not_compiled
    def forward(self, preds: Hypotheses, target: References) -> Any:
        """Add a batch and return its score; arguments as for `update`."""
        # Counted first: Metric.forward sets all counts to zero, where an error would leave them.
        return super().forward(self._count(preds, target), target)

    def compute(self) -> torch.Tensor:
        """The score of all batches of all ranks, on 0-1, of shape (); 0 without batches.

        It is float64 (on Apple's GPUs float32); with ``metric="torchmetrics"`` it has the default
        dtype that torch had when the metric was created.

        Raises
        ------
        ValueError
            The counts come from a metric that counts differently.
        OverflowError
            A count has exceeded int64.
        """
        if bytes(self.counted_by.tolist()) != self._counted_as:
            raise ValueError(
                "the counts come from a metric that counts in another way (dialect, n_gram, "
                "tokenizer, ...): from a checkpoint, or in a compute group that was chosen by hand"
            )
        states = [getattr(self, name) for name in _STATES]
        row = joined(*states)
        if self._has_own_numbers:
            return TORCHMETRICS.score_tensors(states, self.weights, self.dtype, self.smooth)
        return score(self._bleu, row, self.numerator.device)

    def merge_state(self, incoming_state: dict[str, Any] | Metric) -> None:
        """Add the counts of another metric of this class, or of its `metric_state`."""
        super().merge_state(incoming_state)
        self._computed = None  # The cached result of compute, which Metric would return again.

    def _count(self, preds: Any, target: Any) -> Sums:
        """The sums of a batch."""
        bleu = self._bleu
        if self._own is not None and (self._marks is None or _may_have(self._marks, preds, target)):
            bleu = self._own
        try:
            return sums_of_batch(bleu, preds, target)
        except TypeError:
            if counter_of(self._bleu).tokenizer is None or not {type(preds), type(target)} <= {
                list,
                tuple,
            }:
                raise
        listed = [_with_texts(references) for references in target]
        return sums_of_batch(bleu, _with_texts(preds), listed)

    def _apply(self, fn: Any, exclude_state: Sequence[str] = ()) -> Any:
        """Move the states without casting them, as `set_dtype` would."""
        super()._apply(fn, tuple(self._defaults))
        for name, default in self._defaults.items():
            self._defaults[name] = default.to(self.device)
            setattr(self, name, getattr(self, name).to(self.device))
        self._computed = None  # The cached score was cast, too.
        return self

    def plot(
        self, val: torch.Tensor | Sequence[torch.Tensor] | None = None, ax: object = None
    ) -> Any:
        """Plot one value or several, by default that of `compute`; needs matplotlib."""
        return self._plot(val, ax)


class SacreBLEUScore(BLEUScore):
    """BLEU as sacreBLEU computes it, on 0-1: ``torchmetrics.text.SacreBLEUScore``.

    It is the score of sacreBLEU 2.6.0 divided by 100, in float64 (1.0000000000000004 if perfect),
    with sacreBLEU's smoothing "none" or, if `smooth` is set, "add-k". sacreBLEU's own default is
    "exp", which differs from "none" only if an order has no match: ``metric="sacrebleu"``.

    Parameters
    ----------
    n_gram, smooth, weights, metric, **kwargs
        As for `BLEUScore`.
    tokenize : str, default "13a"
        The name of a tokenizer of `fastbleu.BLEU`.
    lowercase : bool, default False
        Ignore case.
    """

    def __init__(
        self,
        n_gram: int = 4,
        smooth: bool = False,
        tokenize: str = "13a",
        lowercase: bool = False,
        weights: Sequence[float] | None = None,
        *,
        metric: MetricArgument | None = None,
        **kwargs: Any,
    ) -> None:
        options: dict[str, Any] = {"n_gram": n_gram, "smooth": smooth, "tokenize": tokenize}
        options |= {"lowercase": lowercase, "weights": weights}
        defaults = _DEFAULTS | {"tokenize": "13a", "lowercase": False}
        super().__init__(metric=host_metric(metric, defaults, options), **kwargs)


def _the_same(counted_by: torch.Tensor) -> torch.Tensor:
    """Reduce the states `counted_by`, shape (metrics, 16), which must be equal."""
    if (counted_by != counted_by[0]).any():
        raise ValueError(
            "counts that were made in different ways cannot be added up: all ranks, and metrics "
            "that are merged, need the same dialect, n_gram, tokenizer, ids to ignore, ..."
        )
    return counted_by[0]


def _with_texts(texts: Any) -> Any:
    """Texts with "" in place of an empty list, which TorchMetrics reads as an empty text."""
    if type(texts) not in (list, tuple):
        return texts
    return ["" if type(text) is list and not text else text for text in texts]


def _may_have(marks: str, preds: Any, target: Any) -> bool:
    """Whether a text has one of the characters `marks`; True if a value is not a text."""
    if not marks:
        return False
    texts: list[Any] = []
    for part in (preds, *target) if type(target) in (list, tuple) else (target,):
        if type(part) not in (str, list, tuple):
            return True
        texts += [part] if type(part) is str else part
    return any(type(text) is not str or any(map(text.__contains__, marks)) for text in texts)

"""BLEU as metrics for TorchMetrics: its `BLEUScore` and `SacreBLEUScore`, exact and fast.

>>> metric = SacreBLEUScore()
>>> metric.update(["The cat sat on the mat."], [["The cat sat on a mat."]])
>>> metric.compute()
tensor(0.4889, dtype=torch.float64)
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from ..counting._counted import Sums
from ..dialects.float32 import TORCHMETRICS, tensors
from ..metric.bleu import BLEU
from ..runtime.extras import HostImports
from ..runtime.torch_compile import not_compiled
from ..tokenizers.loaded import get as get_tokenizer

with HostImports("torchmetrics", "torch", "torchmetrics"):
    import torch
    from torchmetrics import Metric

    from ._tensors import joined, options_of, score

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..inputs.types import Hypotheses, References
    from ..tokenizers.loaded import TokenFunction, Tokenizer
    from ..tokenizers.table import TokenizerName

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

    By default the score is exact: float64 from int64 counts, by sacreBLEU's rules but, as in
    TorchMetrics, without sacreBLEU's smoothing, so that a corpus without 4-gram matches scores 0;
    with ``dialect="torchmetrics"`` it is TorchMetrics' own number, to the last bit of its float32.

    Parameters
    ----------
    n_gram : int, default 4
        The longest n-grams.
    smooth : bool, default False
        Add one to the matches and the n-grams of all orders but the first. With
        ``dialect="torchmetrics"`` the score is still 0 if an order has no match.
    weights : sequence of float, shape (n_gram,), optional
        Weight of each order; equal weights by default.
    dialect : {"sacrebleu", "torchmetrics"}, default "sacrebleu"
        Whose rules to follow.
    smooth_method : {"none", "exp", "floor", "add-k"}, optional
        Replaces `smooth`, which selects "none" or "add-k": see `fastbleu.BLEU`.
    tokenize, lowercase, ignore_ids, stop_ids, skip_ids, threads : optional
        As for `fastbleu.BLEU`, with its errors. ``tokenize="none"``, the default, splits at
        whitespace; with None the input is token ids.
    **kwargs
        Those of ``torchmetrics.Metric``.

    Notes
    -----
    The states are always int64: `set_dtype` sets the type in which the dialect "torchmetrics"
    computes. TorchMetrics itself adds up in float32, which is inexact above 2**24 = 16,777,216. Its
    result for more n-grams depends on their distribution over ranks, and is not reproduced.

    The state `counted_by` is a digest of everything that the counts depend on. It ensures that
    metrics that count differently, such as BLEUScore and SacreBLEUScore, do not share a compute
    group of a ``MetricCollection``, and that ranks, `merge_state` and checkpoints do not mix them.
    """

    is_differentiable = False
    higher_is_better = True
    full_state_update = False
    plot_lower_bound = 0.0
    plot_upper_bound = 1.0

    if TYPE_CHECKING:  # torch.jit.script cannot read annotations that are not evaluated
        counted_by: torch.Tensor
        preds_len: torch.Tensor
        target_len: torch.Tensor
        numerator: torch.Tensor
        denominator: torch.Tensor

    def __init__(
        self,
        n_gram: int = 4,
        smooth: bool = False,
        weights: Sequence[float] | None = None,
        *,
        dialect: str = "sacrebleu",
        smooth_method: str | None = None,
        tokenize: TokenizerName | TokenFunction | Tokenizer | None = "none",
        lowercase: bool = False,
        ignore_ids: Sequence[int] = (),
        stop_ids: int | Sequence[int] = (),
        skip_ids: Sequence[int] = (),
        threads: int = 1,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        ids = {"ignore_ids": ignore_ids, "stop_ids": stop_ids, "skip_ids": skip_ids}
        chosen = smooth_method or ("add-k" if smooth else "none")
        options = options_of(TORCHMETRICS, dialect, n_gram, chosen, weights, threads=threads, **ids)
        if dialect == TORCHMETRICS.name and smooth_method is not None:
            raise ValueError("smooth_method is sacreBLEU's; TorchMetrics' dialect has smooth only")
        self._fast, self._marks = None, ""
        if dialect == TORCHMETRICS.name and isinstance(tokenize, str):
            from torchmetrics.functional.text.sacre_bleu import _SacreBLEUTokenizer

            self._bleu = BLEU(tokenize=_SacreBLEUTokenizer(tokenize, lowercase), **options)
            if tokenize in _EQUAL_WITHOUT:
                self._fast = BLEU(tokenize=get_tokenizer(tokenize), lowercase=lowercase, **options)
                always, lowered = _EQUAL_WITHOUT[tokenize]
                self._marks = always + lowered if lowercase else always
        else:
            self._bleu = BLEU(tokenize=tokenize, lowercase=lowercase, **options)
        self.dialect = dialect
        self.n_gram = n_gram
        self.smooth = smooth
        self.weights = [1.0 / n_gram] * n_gram if weights is None else weights
        # self._bleu does not have TorchMetrics' own tokenizers.
        named = {"tokenizer": tokenize, "lowercase": bool(lowercase)}
        counted_as = self._bleu.scorer.counted_as
        if isinstance(tokenize, str):
            counted_as |= named
        counted_as = {"dialect": dialect} | counted_as
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
            ``preds[i]``; if `tokenize` is None ids, such as tensors of shape (S, length) and
            (S, length) or (S, references, length). As in TorchMetrics, an empty list is read as an
            empty text.
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
        # Counted before Metric.forward sets all counts to zero, where they would stay if it raised.
        return super().forward(self._count(preds, target), target)

    def compute(self) -> torch.Tensor:
        """The score of all batches of all ranks, on 0-1, of shape (); 0 without batches.

        It is float64 (on Apple's GPUs float32); with ``dialect="torchmetrics"`` it has the default
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
                "the counts come from a metric that counts in another way (tokenizer, dialect, "
                "...): from a checkpoint, or in a compute group that was chosen by hand"
            )
        states = [getattr(self, name) for name in _STATES]
        row = joined(*states)
        if self.dialect == TORCHMETRICS.name:
            return TORCHMETRICS.score_tensors(states, self.weights, self.smooth, self.dtype)
        return score(self._bleu, row, self.numerator.device)

    def merge_state(self, incoming_state: dict[str, Any] | Metric) -> None:
        """Add the counts of another metric of this class, or of its `metric_state`."""
        super().merge_state(incoming_state)
        self._computed = None  # The cached result of compute, which Metric would return again.

    def _count(self, preds: Any, target: Any) -> Sums:
        """The sums of a batch."""
        bleu = self._fast
        if bleu is None or _may_have(self._marks, preds, target):
            bleu = self._bleu
        try:
            return bleu._sums_of_batch(preds, target)
        except TypeError:
            if self._bleu.counter.tokenizer is None or not {type(preds), type(target)} <= {
                list,
                tuple,
            }:
                raise
        listed = [_with_texts(references) for references in target]
        return bleu._sums_of_batch(_with_texts(preds), listed)

    def _apply(self, fn: Any, exclude_state: Sequence[str] = ()) -> Any:
        """Move the states without casting them, as `set_dtype` would."""
        super()._apply(fn, tuple(self._defaults))
        for name, default in self._defaults.items():
            self._defaults[name] = default.to(self.device)
            setattr(self, name, getattr(self, name).to(self.device))
        self._computed = None  # The cached score was cast, too.
        return self

    def plot(
        self,
        val: torch.Tensor | Sequence[torch.Tensor] | None = None,
        ax: object = None,
    ) -> Any:
        """Plot one value or several, by default that of `compute`; needs matplotlib."""
        return self._plot(val, ax)


class SacreBLEUScore(BLEUScore):
    """BLEU as sacreBLEU computes it, on 0-1: ``torchmetrics.text.SacreBLEUScore``.

    By default it is the score of sacreBLEU 2.6.0 divided by 100, in float64 (1.0000000000000004 if
    perfect), with sacreBLEU's smoothing "none" or, if `smooth` is set, "add-k". sacreBLEU's own
    default is "exp", which differs from "none" only if an order has no match. With
    ``dialect="torchmetrics"`` it is TorchMetrics' own number, with its own tokenizers.

    Parameters
    ----------
    n_gram, smooth, tokenize, lowercase, weights, **kwargs
        As for `BLEUScore`, but `tokenize` is "13a" by default.
    """

    def __init__(
        self,
        n_gram: int = 4,
        smooth: bool = False,
        tokenize: TokenizerName | TokenFunction | Tokenizer | None = "13a",
        lowercase: bool = False,
        weights: Sequence[float] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(n_gram, smooth, weights, tokenize=tokenize, lowercase=lowercase, **kwargs)


def _the_same(counted_by: torch.Tensor) -> torch.Tensor:
    """Reduce the states `counted_by`, shape (metrics, 16), which must be equal."""
    if (counted_by != counted_by[0]).any():
        raise ValueError(
            "counts that were made in different ways cannot be added up: all ranks, and metrics "
            "that are merged, need the same dialect, tokenizer, ids to ignore, ..."
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

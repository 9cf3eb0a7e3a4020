"""What `fastbleu.sacrebleu` returns: `BLEUScore` and `BLEUSignature`, as in sacreBLEU 2.6.0."""

from __future__ import annotations

from ..core.runtime.caching import cached_property
from ..core.scoring._sacrebleu import LazyScore
from ..core.scoring.sacrebleu import SACREBLEU
from .base import Score, Signature

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class BLEUScore(LazyScore, Score):
    """A BLEU score and what it was computed from.

    Parameters
    ----------
    score : float
        In 0-100.
    counts, totals : list of int (float where add-k has added one), length max_ngram_order
        Clipped n-gram matches and n-grams of the hypotheses.
    precisions : list of float, length max_ngram_order
        In 0-100, smoothed.
    bp : float
        The brevity penalty, 0-1.
    sys_len, ref_len : int
        Lengths of the hypotheses and of the closest references, in tokens.

    Attributes
    ----------
    name : str
        "BLEU".
    ratio : float
        sys_len / ref_len; the integer 0 if ref_len is 0.
    prec_str : str
        The precisions with one digit, separated by slashes.
    """

    counts: list[float]
    totals: list[float]
    precisions: list[float]
    bp: float
    sys_len: int
    ref_len: int

    def __init__(
        self,
        score: float,
        counts: list[float],
        totals: list[float],
        precisions: list[float],
        bp: float,
        sys_len: int,
        ref_len: int,
    ) -> None:
        self._assign(score, counts, totals, precisions, bp, sys_len, ref_len)

    # Formatting the texts takes longer than scoring, and most scores are never printed.
    @cached_property
    def prec_str(self) -> str:
        return "/".join([f"{p:.1f}" for p in self.precisions])

    @cached_property
    def ratio(self) -> float:
        return self.sys_len / self.ref_len if self.ref_len else 0

    @cached_property
    def _verbose(self) -> str:
        return (
            f"{self.prec_str} (BP = {self.bp:.3f} ratio = {self.ratio:.3f} "
            f"hyp_len = {self.sys_len:d} ref_len = {self.ref_len:d})"
        )


class BLEUSignature(Signature):
    """The signature of a BLEU score."""

    def __init__(self, args: dict[str, Any]) -> None:
        super().__init__(args)
        smoothing = args["smooth_method"]
        value = SACREBLEU.smoothings[smoothing]
        if value is not None:
            if args["smooth_value"] is not None:
                value = args["smooth_value"]
            smoothing += f"[{value:.2f}]"
        self._abbr |= {"case": "c", "eff": "e", "tok": "tok", "smooth": "s"}
        self.info |= {
            "case": "lc" if args["lowercase"] else "mixed",
            "eff": "yes" if args["effective_order"] else "no",
            "tok": args["tokenizer_signature"],
            "smooth": smoothing,
        }

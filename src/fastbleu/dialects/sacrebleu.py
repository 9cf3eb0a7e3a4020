"""sacreBLEU's rules over rows of sufficient statistics."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from math import exp, fsum, isfinite, log

from ..counting.stats import Stats
from . import _sacrebleu
from .score import Score, check_one_row, score_of, signature_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class SacrebleuDialect:
    """sacreBLEU's rules: `sacrebleu.metrics.BLEU` of sacreBLEU 2.6.0, for rows instead of text.

    Smoothing is "exp", "floor" (value 0.1 if not given), "add-k" (value 1 if not given) or "none".
    """

    version = _sacrebleu.VERSION
    floors_totals = False

    def adapt(self, stats: Stats) -> Stats:
        """Rows as sacreBLEU counts them: as they are."""
        return stats

    def score(
        self,
        sums: Stats,
        *,
        smoothing: str = "exp",
        smoothing_value: float | None = None,
        effective_order: bool = False,
        weights: Sequence[float] | None = None,
        nrefs: int | None = None,
        lowercase: bool | None = None,
        tokenizer: str | None = None,
        reference_length: str | None = None,
    ) -> Score:
        """The score of a corpus.

        Parameters
        ----------
        sums : Stats
            One row: the sum of all.
        smoothing : {"exp", "floor", "add-k", "none"}, default "exp"
        smoothing_value : float, optional
            For "floor" and "add-k".
        effective_order : bool, default False
            Average over the orders that the hypotheses reach; their weights are scaled up to the
            sum of all.
        weights : sequence of float, shape (max_order,), optional
            Weight of each order, at least 0. Default: equal weights, as sacreBLEU has them.
        nrefs, lowercase, tokenizer : optional
            What rows do not know, for the signature: references per segment (-1: it varies),
            whether the text was lowered, the tokenizer's signature. None leaves the field out.
        reference_length : str, optional
            For the signature: which reference's length counted, if not that of the closest.

        Returns
        -------
        Score
            `value` in 0-100.

        Raises
        ------
        ValueError
            There is not exactly one row, or as `sentence_scores`.
        """
        check_one_row(sums)
        options = smoothing, smoothing_value, effective_order
        value = self.sentence_scores(
            sums,
            smoothing=smoothing,
            smoothing_value=smoothing_value,
            effective_order=effective_order,
            weights=weights,
        )[0]
        bp = _sacrebleu.details(sums._rows, sums.max_order, *options)[2]
        signature = self.signature(
            sums.max_order,
            *options,
            weights,
            nrefs=nrefs,
            lowercase=lowercase,
            tokenizer=tokenizer,
            reference_length=reference_length,
        )
        return score_of(sums, value, bp, signature)

    def sentence_scores(
        self,
        stats: Stats,
        *,
        smoothing: str = "exp",
        smoothing_value: float | None = None,
        effective_order: bool = False,
        weights: Sequence[float] | None = None,
    ) -> array[float]:
        """The score of each row by itself, in 0-100; parameters as in `score`.

        Raises
        ------
        ValueError
            The smoothing is unknown or takes no value, its value is negative or not finite, or the
            weights are not as many as orders, negative, not finite or all 0.
        """
        if smoothing not in _sacrebleu.SMOOTH_DEFAULTS:
            names = ", ".join(_sacrebleu.SMOOTH_DEFAULTS)
            raise ValueError(f"smoothing {smoothing!r} is unknown; choose one of {names}")
        if smoothing_value is not None:
            if _sacrebleu.SMOOTH_DEFAULTS[smoothing] is None:
                raise ValueError(f"smoothing {smoothing!r} takes no value")
            if not 0 <= smoothing_value < float("inf"):
                raise ValueError(
                    f"smoothing_value is {smoothing_value}, but must be finite and at least 0"
                )
        options = stats.max_order, smoothing, smoothing_value, effective_order
        weighting = self._weights(stats.max_order, weights)
        if weighting is None:
            return _sacrebleu.score_rows(stats._rows, *options)
        scores = array("d")
        for row in stats:
            _, precisions, bp, _, totals = _sacrebleu.details(row._rows, *options)
            scores.append(_weighted(precisions, bp, totals, effective_order, weighting))
        return scores

    def expected_scores(
        self,
        rows: Any,
        max_order: int,
        *,
        smoothing: str = "exp",
        smoothing_value: float | None = None,
        effective_order: bool = False,
        weights: Sequence[float] | None = None,
    ) -> array[float]:
        """The score of each row of expected counts, in 0-100.

        Parameters
        ----------
        rows : C-contiguous array of float64, shape (rows, 2 + 2 * max_order)
            [hyp_len, ref_len, matches..., totals...], which may be fractions.
        max_order : int
        smoothing, smoothing_value, effective_order, weights
            As in `score`; they are not checked again.
        """
        options = smoothing, smoothing_value, effective_order
        weighting = self._weights(max_order, weights)
        if weighting is None:
            return _sacrebleu.score_rows(rows, max_order, *options, "expected")
        scores = array("d")
        for hyp_len, ref_len, *counts in rows.tolist():
            totals = counts[max_order:]
            _, precisions, bp = _sacrebleu.compute_plainly(
                counts[:max_order], totals, hyp_len, ref_len, *options, max_order
            )
            scores.append(_weighted(precisions, bp, totals, effective_order, weighting))
        return scores

    def signature(
        self,
        max_order: int,
        smoothing: str = "exp",
        smoothing_value: float | None = None,
        effective_order: bool = False,
        weights: Sequence[float] | None = None,
        *,
        nrefs: int | None = None,
        lowercase: bool | None = None,
        tokenizer: str | None = None,
        reference_length: str | None = None,
    ) -> str:
        """The signature in sacreBLEU's form; `order` and `weights` appear where not the default.

        Examples
        --------
        >>> SACREBLEU.signature(4, nrefs=1, lowercase=False, tokenizer="13a").rpartition("|")[0]
        'nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp'
        """
        amount = (
            _sacrebleu.SMOOTH_DEFAULTS[smoothing] if smoothing_value is None else smoothing_value
        )
        if amount is not None:
            rounded = f"{amount:.2f}"
            smoothing += f"[{rounded if float(rounded) == amount else amount}]"
        weighting = self._weights(max_order, weights)
        return signature_of(
            nrefs=nrefs,
            case=lowercase,
            eff="yes" if effective_order else "no",
            tok=tokenizer,
            smooth=smoothing,
            order=None if max_order == 4 else max_order,
            weights=None if weighting is None else ",".join(map(str, weighting)),
            reflen=reference_length,
            version=self.version,
        )

    def _weights(self, max_order: int, weights: Sequence[float] | None) -> list[float] | None:
        """The weights, checked; None for equal ones that add up to 1, which sacreBLEU has."""
        if weights is None:
            return None
        checked = [float(weight) for weight in weights]
        if len(checked) != max_order:
            raise ValueError(f"there are {len(checked)} weights for max_order {max_order}")
        if not all(isfinite(weight) and weight >= 0 for weight in checked) or not any(checked):
            raise ValueError(
                f"weights is {tuple(checked)}, but must be finite, at least 0 and not all 0"
            )
        return None if all(weight == 1 / max_order for weight in checked) else checked


def _weighted(
    precisions: Sequence[float],
    bp: float,
    totals: Sequence[float],
    effective_order: bool,
    weights: list[float],
) -> float:
    """The score of one row: bp * (100 * exp(sum of weight * log(precision)))."""
    if not any(precisions):
        return 0.0
    if effective_order:
        reached = [weight for weight, total in zip(weights, totals, strict=True) if total]
        if len(reached) < len(weights):
            if not any(reached):
                return 0.0
            scale = fsum(weights) / fsum(reached)
            weights = [weight * scale for weight in reached]
    terms = [(weight, p / 100) for weight, p in zip(weights, precisions, strict=False) if weight]
    if any(p == 0.0 for _, p in terms):
        return 0.0
    # In this order, because the matrix of pairs multiplies by bp last (_pairs.pyx).
    return bp * (100 * exp(fsum(weight * log(p) for weight, p in terms)))


SACREBLEU = SacrebleuDialect()

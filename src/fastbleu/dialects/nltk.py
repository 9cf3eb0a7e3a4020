"""nltk's rules over rows of sufficient statistics."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from .._core import raise_totals
from ..counting.stats import Stats
from ..nltk import _segments as _nltk
from ..nltk import functions as nltk
from ..nltk.precision import SmoothingFunction
from .score import Score, check_one_row, score_of, signature_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


# By the field's names: a method of SmoothingFunction, and the parameter of that which a value sets.
SMOOTHING = {
    "none": (None, None),
    "floor": ("method1", "epsilon"),
    "add-k": ("method2", None),
    "exp": ("method3", None),
    "method4": ("method4", "k"),
}

# Those of nltk's methods that are no function of rows.
LAST_SEGMENT_ONLY = ("method5", "method6", "method7")

# What smoothing functions are told about the segment; those of this dialect do not look at it.
NO_SEGMENT = {"references": None, "hypothesis": None}


def least_positive(p_n: list[Any], **segment: Any) -> list[Any]:
    """nltk's method 0 without its warnings."""
    return [p if p.numerator else sys.float_info.min for p in p_n]


class NltkDialect:
    """nltk's rules: `nltk.translate.bleu_score` of nltk 3.10.4, for rows instead of tokens.

    Smoothing goes by the field's names: "none" (no smoothing function), "floor" (method 1, value
    epsilon, default 0.1), "add-k" (method 2, k = 1), "exp" (method 3) and "method4" (value k,
    default 5). Methods 5 to 7 look at the last segment's tokens and are no function of rows.
    """

    version = "nltk-3.10.4"
    floors_totals = True

    def adapt(self, stats: Stats) -> Stats:
        """Rows as nltk counts them: every total is at least 1. Adapt first, then add up."""
        rows = stats[:]
        raise_totals(rows._rows, len(rows), rows.max_order)
        return rows

    def score(
        self,
        sums: Stats,
        weights: Sequence[float] | None = None,
        smoothing: str = "none",
        smoothing_value: float | None = None,
        *,
        nrefs: int | None = None,
        lowercase: bool | None = None,
        tokenizer: str | None = None,
        reference_length: str | None = None,
    ) -> Score:
        """The score of a corpus.

        Parameters
        ----------
        sums : Stats
            One row: the sum of adapted rows.
        weights : sequence of float, shape (max_order,), optional
            Weight of each order; equal weights by default.
        smoothing : {"none", "floor", "add-k", "exp", "method4"}, default "none"
        smoothing_value : float, optional
            For "floor" (default 0.1) and "method4" (default 5).
        nrefs, lowercase, tokenizer : optional
            What rows do not know, for the signature: references per segment (-1: it varies),
            whether the text was lowered, the tokenizer's signature. None leaves the field out.
        reference_length : str, optional
            For the signature: which reference's length counted, if not that of the closest.

        Returns
        -------
        Score
            `value` in 0-1.

        Raises
        ------
        ValueError
            There is not exactly one row, or as `sentence_scores`; or the row has a total of 0,
            because there were no segments or they were not adapted.
        """
        check_one_row(sums)
        if 0 in sums._rows[2 + sums.max_order :]:
            raise ValueError(
                "the row has a total of 0: there are no segments, or they were not adapted; "
                "pass NLTK.adapt(stats).sum()"
            )
        options = weights, smoothing, smoothing_value
        value = self.sentence_scores(sums, *options)[0]
        hyp_len, ref_len = sums._rows[:2]
        bp = float(nltk.brevity_penalty(ref_len, hyp_len))
        signature = self.signature(
            sums.max_order,
            *options,
            nrefs=nrefs,
            lowercase=lowercase,
            tokenizer=tokenizer,
            reference_length=reference_length,
        )
        return score_of(sums, value, bp, signature)

    def sentence_scores(
        self,
        stats: Stats,
        weights: Sequence[float] | None = None,
        smoothing: str = "none",
        smoothing_value: float | None = None,
    ) -> list[float]:
        """The score of each adapted row by itself, in 0-1; parameters as in `score`.

        Raises
        ------
        ValueError
            There are not as many weights as orders, there is no such smoothing or it takes no
            value, or a row is not adapted.
        """
        weights = _weights(weights, stats.max_order)
        if len(weights) != stats.max_order:
            raise ValueError(f"there are {len(weights)} weights for max_order {stats.max_order}")
        function = self._smoothing_function(smoothing, smoothing_value)
        scores = _nltk.score_rows(stats._rows, weights, function, warn=False)
        if scores is None:
            scores = [None] * len(stats)
        for i, score in enumerate(scores):
            if score is None:
                if 0 in stats[i]._rows[2 + stats.max_order :]:
                    raise ValueError(f"row {i} is not adapted: pass NLTK.adapt(stats)")
                scores[i] = nltk.score_in_python(
                    stats[i]._rows, [weights], function or least_positive, False, NO_SEGMENT
                )
        return [float(score) for score in scores]

    def _smoothing_function(self, smoothing: str, value: float | None) -> Any:
        if smoothing in LAST_SEGMENT_ONLY:
            raise ValueError(
                f"smoothing {smoothing!r} looks at the last segment alone: the score depends "
                "on the order of the segments, is no function of the summed counts, and so can be "
                "neither streamed nor merged; score all at once by corpus_bleu(..., "
                f"smoothing_function=SmoothingFunction().{smoothing}), single pairs by "
                "sentence_bleu(...)"
            )
        if smoothing not in SMOOTHING:
            method_name = getattr(smoothing, "__name__", None)
            for name, (method, _) in SMOOTHING.items():
                if method is not None and method == method_name:
                    raise ValueError(
                        f"smoothing is a function: nltk's {method} goes by its name here; pass "
                        f"smoothing={name!r}"
                    )
            names = ", ".join(SMOOTHING)
            theirs = ", ".join(
                f"{method} is {name!r}" for name, (method, _) in SMOOTHING.items() if method
            )
            raise ValueError(
                f"smoothing {smoothing!r} is unknown; choose one of {names}; nltk's {theirs}"
            )
        method, parameter = SMOOTHING[smoothing]
        if value is None:
            return method and getattr(SmoothingFunction(), method)
        if method is None or parameter is None:
            raise ValueError(f"smoothing {smoothing!r} takes no value")
        return getattr(SmoothingFunction(**{parameter: value}), method)

    def signature(
        self,
        max_order: int,
        weights: Sequence[float] | None = None,
        smoothing: str = "none",
        smoothing_value: float | None = None,
        *,
        nrefs: int | None = None,
        lowercase: bool | None = None,
        tokenizer: str | None = None,
        reference_length: str | None = None,
    ) -> str:
        """All that a score depends on besides the counts; parameters as in `score`."""
        weights = _weights(weights, max_order)
        uniform = all(weight == 1 / max_order for weight in weights)
        amount = "" if smoothing_value is None else f"[{smoothing_value}]"
        return signature_of(
            nrefs=nrefs,
            case=lowercase,
            tok=tokenizer,
            dialect=self.version,
            order=max_order,
            weights=None if uniform else ",".join(str(float(weight)) for weight in weights),
            smooth=f"{smoothing}{amount}",
            reflen=reference_length,
        )


def _weights(weights: Sequence[float] | None, max_order: int) -> tuple[float, ...]:
    return (1 / max_order,) * max_order if weights is None else tuple(weights)


NLTK = NltkDialect()

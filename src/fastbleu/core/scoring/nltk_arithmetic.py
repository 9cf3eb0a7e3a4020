"""nltk's formulas in Python numbers: any smoothing, any weights, any counts.

They repeat those of _nltk.pyx, which only uses doubles: nltk computes with unreduced fractions
until it meets a float, and accepts any type of number in counts, weights and smoothing functions.
Imported late, because importing `fractions` takes longer than everything else that a score needs.
"""

from __future__ import annotations

import decimal
import fractions
import math
import sys
from collections.abc import Callable, Iterable, Sequence
from math import exp, fsum, inf, log
from typing import Any


class Fraction(fractions.Fraction):
    """A fraction whose `numerator` and `denominator` stay as given: 2/4, not 1/2.

    With `_normalize` they are in lowest terms. Everything else is inherited. Before Python 3.12 the
    inherited attributes are unreduced as well, so 2/4 and 1/2 are not equal, as in nltk.

    References
    ----------
    nltk 3.10.4, `nltk.translate.bleu_score.Fraction`.
    """

    # Fraction's own methods create results in lowest terms without calling __new__.
    _normalize: bool = True
    _given: tuple[int, int]

    def __new__(
        cls, numerator: Any = 0, denominator: Any = None, _normalize: bool = False
    ) -> Fraction:
        # Before 3.12 the inherited attributes of nltk's fractions are unreduced, too, and printed.
        inside: dict[str, Any] = {"_normalize": _normalize} if sys.version_info < (3, 12) else {}
        self: Fraction = super().__new__(cls, numerator, denominator, **inside)
        self._normalize = _normalize
        self._given = (numerator, denominator)
        return self

    @classmethod
    def _of_integers(cls, numerator: int, denominator: int) -> Fraction:
        """A fraction of n-gram counts, without checks, which would take longer than counting."""
        self: Any = object.__new__(cls)
        common = 1 if sys.version_info < (3, 12) else math.gcd(numerator, denominator)
        self._numerator, self._denominator = numerator // common, denominator // common
        self._normalize = False
        self._given = (numerator, denominator)
        made: Fraction = self
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        # As Python does it from 3.11 on; 3.10 goes through str(), which this class cannot read.
        return type(self), (self._numerator, self._denominator)  # type: ignore[attr-defined]

    @property
    def numerator(self) -> int:
        """The numerator as given."""
        return super().numerator if self._normalize else self._given[0]

    @property
    def denominator(self) -> int:
        """The denominator as given."""
        return super().denominator if self._normalize else self._given[1]


# Without annotations, so that the signature equals nltk's.
def brevity_penalty(closest_ref_len, hyp_len):  # type: ignore[no-untyped-def]
    """BLEU's factor for hypotheses that are shorter than their references.

    Parameters
    ----------
    closest_ref_len, hyp_len : int
        Lengths of the closest reference and the hypothesis, or their sums over a corpus.

    Returns
    -------
    float
        0-1; the integer 1 if the hypothesis is longer, the integer 0 if it is empty.

    References
    ----------
    nltk 3.10.4, `nltk.translate.bleu_score.brevity_penalty`.

    Examples
    --------
    >>> brevity_penalty(28, 12)
    0.2635971381157267
    """
    if hyp_len > closest_ref_len:
        return 1
    if hyp_len == 0:
        return 0
    return exp(1 - closest_ref_len / hyp_len)


def score_sums(
    sums: Sequence[int],
    vectors: Sequence[Sequence[float]],
    smooth: Callable[[list[Any], int], Iterable[Any]],
    auto_reweigh: bool = False,
) -> Any:
    """The score of a corpus, 0-1, or a list of scores for several weight vectors.

    `sums` is the sum of rows with totals of at least 1, shape (2 + 2 * orders,); `smooth` takes the
    precisions and the length of the hypotheses.
    """
    max_ngram_order = len(sums) // 2 - 1
    hyp_len, ref_len = sums[0], sums[1]
    if sums[2] == 0:
        return 0 if len(vectors) == 1 else [0] * len(vectors)
    p_n: list[Any] = list(map(Fraction, sums[2 : 2 + max_ngram_order], sums[2 + max_ngram_order :]))
    smoothed = smooth(p_n, hyp_len)
    bp: Any = brevity_penalty(ref_len, hyp_len)  # type: ignore[no-untyped-call]
    scores = []
    for vector in vectors:
        if auto_reweigh and hyp_len < 4 and vector == (0.25, 0.25, 0.25, 0.25):
            vector = (1 / hyp_len,) * hyp_len
        logs = (weight * log(p) for weight, p in zip(vector, smoothed, strict=False) if p > 0)
        scores.append(bp * exp(fsum(logs)))
    return scores[0] if len(vectors) == 1 else scores


# The smoothing methods of `fastbleu.nltk.SmoothingFunction`, which documents them; methods 3 to 7
# change the list that they are given, as nltk's do.


def method0(p_n: list[Any], warn: Callable[[int], None] | None = None) -> list[Any]:
    smoothed = []
    for order, precision in enumerate(p_n, 1):
        if precision.numerator == 0:
            if warn is not None:
                warn(order)
            smoothed.append(sys.float_info.min)
        else:
            smoothed.append(precision)
    return smoothed


def method1(p_n: list[Any], epsilon: float) -> list[Any]:
    return [p if p.numerator != 0 else (p.numerator + epsilon) / p.denominator for p in p_n]


def method2(p_n: list[Any]) -> list[Any]:
    higher = [Fraction(p.numerator + 1, p.denominator + 1) for p in p_n[1:]]
    return [*p_n[:1], *higher]


def method3(p_n: list[Any]) -> Any:
    doubling = 1
    for i, precision in enumerate(p_n):
        if precision.numerator == 0:
            doubling *= 2
            p_n[i] = 1 / (doubling * precision.denominator)
    return p_n


def method4(p_n: list[Any], k: float, length: int) -> Any:
    doubling = 1
    for i, precision in enumerate(p_n):
        if precision.numerator == 0 and length > 1:
            doubling *= 2
            p_n[i] = (1 / (doubling * k / log(length))) / precision.denominator
    return p_n


def method6(p_n: list[Any], alpha: float, length: int) -> Any:
    if not p_n[2]:
        raise AssertionError("This smoothing method requires non-zero precision for bigrams.")
    for i in range(2, len(p_n)):
        lowest, lower = p_n[i - 2], p_n[i - 1]
        prior = 0 if lowest == 0 else lower**2 / lowest
        p_n[i] = (p_n[i].numerator + alpha * prior) / (max(0, length - i) + alpha)
    return p_n


def rounded_method6(p_n: list[Any], alpha: float, length: int) -> Any:
    """Numbers that round to the same floats as those of `method6`, in linear time.

    In `method6` the number of digits doubles with each order. Here decimals bound each fraction
    from both sides; if both bounds round to the same float, the fraction does, too.
    """
    # With a trigram match no prior is 0.
    if type(alpha) is not int or alpha <= 0 or not (p_n[2:] and all(p_n[:3])):
        return method6(p_n, alpha, length)
    # Each order increases the relative distance of the bounds by a factor of at most 2.5.
    digits = 40 + len(p_n) // 2
    limits = decimal.MIN_EMIN, decimal.MAX_EMAX
    down = decimal.Context(digits, decimal.ROUND_FLOOR, *limits)
    up = decimal.Context(digits, decimal.ROUND_CEILING, *limits)
    low = [down.divide(p.numerator, p.denominator) for p in p_n[:2]]
    high = [up.divide(p.numerator, p.denominator) for p in p_n[:2]]
    for i in range(2, len(p_n)):
        total = max(0, length - i) + alpha
        for context, bounds, others in ((down, low, high), (up, high, low)):
            square = context.multiply(bounds[i - 1], bounds[i - 1])
            prior = context.divide(square, others[i - 2])
            matches = context.add(p_n[i].numerator, context.multiply(alpha, prior))
            bounds.append(context.divide(matches, total))
    floats = list(map(float, low))
    if floats != list(map(float, high)) or inf in floats:
        return method6(p_n, alpha, length)
    return [*p_n[:2], *low[2:]]


# Methods by their names in the dialect, as functions of a value, precisions and length.
METHODS: dict[str, Callable[[Any, list[Any], int], Iterable[Any]]] = {
    "none": lambda value, p_n, length: method0(p_n),
    "floor": lambda value, p_n, length: method1(p_n, value),
    "add-k": lambda value, p_n, length: method2(p_n),
    "exp": lambda value, p_n, length: method3(p_n),
    "method4": lambda value, p_n, length: method4(p_n, value, length),
}

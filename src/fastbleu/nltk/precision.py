"""nltk's smoothing methods."""

from __future__ import annotations

import warnings

from ..dialects import nltk_arithmetic
from ..inputs.checks import NltkTokenChecks
from ..runtime.import_lock import import_warning_formatter
from ._sentence_bleu import modified_precision, use_smoothing


def no_overlap_message(order):
    """nltk's warning about an order without a match, word for word: code filters on it."""
    return (
        f"\nThe hypothesis contains 0 counts of {order}-gram overlaps.\n"
        "Therefore the BLEU score evaluates to 0, independently of\n"
        "how many N-gram overlaps of lower order it contains.\n"
        "Consider using lower n-gram order or use SmoothingFunction()"
    )


def _warn_of_no_overlap(order):
    import_warning_formatter()
    warnings.warn(no_overlap_message(order), stacklevel=1)


def check_hashable(reference, number):
    """Raise TypeError at the first token of a reference that is not hashable."""
    for position, token in enumerate(reference):
        try:
            hash(token)
        except TypeError as error:
            NltkTokenChecks().refuse_unhashable(error, token, 0, number, position)
            raise


class SmoothingFunction:
    """The smoothing methods 0 to 7 of Chen and Cherry (2014), as nltk has them.

    Each method takes the precisions p_n of a score, a list of fractions with a `numerator` and a
    `denominator`, and returns those that the score is computed from. Methods 3 to 7 also change the
    list in place. Methods 4 to 7 need the segment: for a corpus score nltk passes them the
    LAST segment's references and hypothesis, with the total length of all hypotheses.

    Parameters
    ----------
    epsilon : float, default 0.1
        The number of matches in method 1 if there are none.
    alpha : int, default 5
        Weight of the prior in method 6.
    k : int, default 5
        Scale of method 4.

    References
    ----------
    Boxing Chen and Colin Cherry (2014), A Systematic Comparison of Smoothing Techniques for
    Sentence-Level BLEU, WMT. nltk 3.10.4, `nltk.translate.bleu_score.SmoothingFunction`.
    """

    def __init__(self, epsilon=0.1, alpha=5, k=5):
        self.epsilon = epsilon
        self.alpha = alpha
        self.k = k

    def method0(self, p_n, *args, **kwargs):
        """No smoothing: if nothing matched, the smallest normal float and a warning."""
        return nltk_arithmetic.method0(p_n, _warn_of_no_overlap)

    def method1(self, p_n, *args, **kwargs):
        """Count `epsilon` matches where there are none."""
        return nltk_arithmetic.method1(p_n, self.epsilon)

    def method2(self, p_n, *args, **kwargs):
        """Add 1 to matches and totals of every order but the first (Lin and Och 2004)."""
        return nltk_arithmetic.method2(p_n)

    def method3(self, p_n, *args, **kwargs):
        """Count 1/2, 1/4, 1/8 ... matches for the first, second, third order without any (NIST)."""
        return nltk_arithmetic.method3(p_n)

    def method4(self, p_n, references, hypothesis, hyp_len=None, *args, **kwargs):
        """Like method 3, but smaller counts for shorter hypotheses: divided by k / ln(length)."""
        return nltk_arithmetic.method4(p_n, self.k, hyp_len or len(hypothesis))

    def method5(self, p_n, references, hypothesis, hyp_len=None, *args, **kwargs):
        """Average each precision with its lower (smoothed) and its higher (raw) neighbor."""
        higher = [*p_n[1:], modified_precision(references, hypothesis, 5)]
        average = p_n[0] + 1
        for i, precision in enumerate(p_n):
            average = p_n[i] = (average + precision + higher[i]) / 3
        return p_n

    def method6(self, p_n, references, hypothesis, hyp_len=None, *args, **kwargs):
        """Interpolate from the third order on with a prior from the two below (Gao and He 2013)."""
        return nltk_arithmetic.method6(p_n, self.alpha, len(hypothesis))

    def method7(self, p_n, references, hypothesis, hyp_len=None, *args, **kwargs):
        """Method 4, then method 5."""
        p_n = self.method4(p_n, references, hypothesis, hyp_len)
        return self.method5(p_n, references, hypothesis, hyp_len)


use_smoothing(SmoothingFunction, no_overlap_message)

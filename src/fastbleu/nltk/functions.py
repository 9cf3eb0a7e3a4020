"""The functions of `nltk.translate.bleu_score` (nltk 3.10.4), with the same signatures."""

from __future__ import annotations

import warnings
from collections import deque
from itertools import chain, islice

from .._core import accumulate_rows, zero_rows
from ..core.counting.counter import Counter
from ..core.inputs._batch import Batch
from ..core.inputs.arguments import shown
from ..core.inputs.checks import NltkTokenChecks
from ..core.inputs.errors import InputError
from ..core.inputs.mistakes import hint_at_sacrebleu, warn_of_unsplit_text
from ..core.runtime.import_lock import import_warning_formatter, lazy
from ._sentence_bleu import corpus_score, modified_precision, use

nltk_arithmetic = lazy("fastbleu.core.scoring.nltk_arithmetic")

# Segments read at a time from an iterable that is neither a list nor a tuple.
_BATCH_SEGMENTS = 512


def corpus_bleu(
    list_of_references,
    hypotheses,
    weights=(0.25, 0.25, 0.25, 0.25),
    smoothing_function=None,
    auto_reweigh=False,
):
    """BLEU of a corpus, from the summed counts of all segments; not the mean of their scores.

    Parameters
    ----------
    list_of_references : sized iterable of S sequences of token sequences
        ``list_of_references[i][k]`` is the k-th reference of ``hypotheses[i]``.
    hypotheses : sized iterable of S token sequences
    weights, smoothing_function, auto_reweigh
        As in `sentence_bleu`.

    Returns
    -------
    float, or list of float
        As in `sentence_bleu`.

    Raises
    ------
    AssertionError
        The numbers of hypotheses and of lists of references differ.
    ValueError, TypeError
        As in `sentence_bleu`; the message names the segment.
    ZeroDivisionError
        There are no segments.

    References
    ----------
    nltk 3.10.4, `nltk.translate.bleu_score.corpus_bleu`.

    Examples
    --------
    >>> hypotheses = ["the cat sat on the mat".split(), "hello world".split()]
    >>> references = [["the cat is on the mat".split()], ["hello big world".split()]]
    >>> corpus_bleu(references, hypotheses, weights=(0.5, 0.5))
    0.5837168342559085
    """
    if len(list_of_references) != len(hypotheses):
        raise AssertionError(
            "The number of hypotheses and their reference(s) should be the same "
            + hint_at_sacrebleu(list_of_references, hypotheses)
        )
    vectors = weight_vectors(weights)
    max_order = max(map(len, vectors))
    sums, last = count_corpus(list_of_references, hypotheses, max_order)
    if len(hypotheses) in sums[:2]:  # perhaps each hypothesis or each reference is one token
        warn_of_unsplit_text(list_of_references, hypotheses)
    if max_order == 0:
        return 0 if len(vectors) == 1 else [0] * len(vectors)
    if sums[2 + max_order] == 0:
        raise ZeroDivisionError("BLEU of no segments: hypotheses is empty")
    if not auto_reweigh:
        score = corpus_score(sums, weights, smoothing_function)
        if score is not None:
            return score

    def smooth(p_n, hyp_len):
        method = smoothing_function or SmoothingFunction().method0
        if getattr(method, "__func__", None) is SmoothingFunction.method6:
            return nltk_arithmetic.rounded_method6(p_n, method.__self__.alpha, len(last[0]))
        name = getattr(method, "__qualname__", "")
        is_unbound = name.startswith("SmoothingFunction") and not hasattr(method, "__self__")
        if not callable(method) or is_unbound:
            raise TypeError(
                f"smoothing_function is {name or shown(method)}, expected a method of an object, "
                "as in smoothing_function=SmoothingFunction().method1"
            )
        return method(p_n, references=last[1], hypothesis=last[0], hyp_len=hyp_len)

    return nltk_arithmetic.score_sums(sums, vectors, smooth, auto_reweigh)


def weight_vectors(weights):
    """The weight vectors; `weights` may be a single one."""
    if not hasattr(weights, "__len__"):
        fix = "expected one for each order, as (0.25, 0.25, 0.25, 0.25), or (1,) for BLEU-1"
        if callable(weights):
            fix = "which is a smoothing function: pass it as smoothing_function="
        raise TypeError(f"weights is {shown(weights)}, {fix}")
    try:
        weights[0][0]
    except (TypeError, IndexError):
        return [weights]
    return weights


def count_corpus(list_of_references, hypotheses, max_order):
    """The sum of all rows, with totals raised to at least 1, and the last segment."""
    order = max(max_order, 1)
    counter = Counter(None, max_ngram_order=order, least_total=1, checks=NltkTokenChecks())
    sums, last = zero_rows(1, order), (None, None)
    for batch in _batches(hypotheses, list_of_references):
        counted = counter.count(batch, keep_rows=False)
        accumulate_rows(counted.rows, 1, sums)
        last = counted.last_segment
    return sums, last


def _batches(hypotheses, references):
    """Batches of two iterables whose lengths were checked.

    Lists and tuples are one batch; other iterables are read in parts to save memory.
    """
    if type(hypotheses) in (list, tuple) and type(references) in (list, tuple):
        yield Batch(hypotheses, references)
        return
    pairs = zip(references, hypotheses, strict=False)
    before = 0
    while block := list(islice(pairs, _BATCH_SEGMENTS)):
        yield Batch([pair[1] for pair in block], [pair[0] for pair in block], before)
        before += len(block)


def ngrams(sequence, n, **kwargs):
    """Yield the n-grams of a sequence, with the padding options of `nltk.util.ngrams`."""
    rest = _padded(iter(sequence), n - 1, **kwargs)
    window = deque(islice(rest, n), maxlen=n)
    if len(window) == n:
        yield tuple(window)
    for item in rest:
        window.append(item)
        yield tuple(window)


def _padded(items, n, pad_left=False, pad_right=False, left_pad_symbol=None, right_pad_symbol=None):
    left, right = [left_pad_symbol] * n, [right_pad_symbol] * n
    return chain(left if pad_left else [], items, right if pad_right else [])


def closest_ref_length(references, hyp_len):
    """Length in tokens of the reference closest to `hyp_len`; of two equally close, the shorter.

    Raises ValueError if there are no references.

    References
    ----------
    nltk 3.10.4, `nltk.translate.bleu_score.closest_ref_length`.

    Examples
    --------
    >>> closest_ref_length([["a"] * 13, ["a"] * 11], 12)
    11
    """
    lengths = [len(reference) for reference in references]
    if not lengths:
        raise InputError("references is empty: no reference length can be the closest")
    return min(lengths, key=lambda length: (abs(length - hyp_len), length))


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


class SmoothingFunction:
    """The smoothing methods 0 to 7 of Chen and Cherry (2014), as in nltk.

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


use(corpus_bleu, SmoothingFunction, no_overlap_message)

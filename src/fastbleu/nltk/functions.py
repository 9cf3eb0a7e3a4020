"""The functions of `nltk.translate.bleu_score` (nltk 3.10.4), with the same signatures."""

from __future__ import annotations

from collections import deque
from itertools import chain, islice

from .._core import accumulate_rows, zero_rows
from ..counting.counter import Counter
from ..dialects.nltk_arithmetic import rounded_method6, score_sums
from ..inputs.arguments import shown
from ..inputs.batch import batches
from ..inputs.checks import NltkTokenChecks, is_iterable
from ..inputs.mistakes import hint_at_sacrebleu, warn_of_unsplit_text
from ._sentence_bleu import corpus_score
from .precision import SmoothingFunction


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
        As of `sentence_bleu`.

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
    if len(hypotheses) in sums[:2]:  # perhaps each is one token, or each reference
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
            return rounded_method6(p_n, method.__self__.alpha, len(last[0]))
        name = getattr(method, "__qualname__", "")
        is_unbound = name.startswith("SmoothingFunction") and not hasattr(method, "__self__")
        if not callable(method) or is_unbound:
            raise TypeError(
                f"smoothing_function is {name or shown(method)}, expected a method of an object, "
                "as in smoothing_function=SmoothingFunction().method1"
            )
        return method(p_n, references=last[1], hypothesis=last[0], hyp_len=hyp_len)

    return score_sums(sums, vectors, smooth, auto_reweigh)


def weight_vectors(weights):
    """The vectors of weights, of which `weights` may be one."""
    if not (hasattr(weights, "__len__") or is_iterable(weights)):
        fix = "expected one for each order, as (0.25, 0.25, 0.25, 0.25), or (1,) for BLEU-1"
        if callable(weights):
            fix = "which smooths: pass it as smoothing_function="
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
    for batch in batches(hypotheses, list_of_references):
        counted = counter.count(batch, keep_rows=False)
        accumulate_rows(counted.rows, 1, sums)
        last = counted.last_segment
    return sums, last


def ngrams(sequence, n, **kwargs):
    """Yield the n-grams of a sequence, padded as the options say, as nltk's `nltk.util.ngrams`."""
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

    ValueError if there are no references.

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
        raise ValueError("references is empty: no reference length can be the closest")
    return min(lengths, key=lambda length: (abs(length - hyp_len), length))

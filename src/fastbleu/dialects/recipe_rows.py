"""The arithmetic of recipes that have some of their own: a row of counts to a score.

Each function takes the row's lengths, matches and totals, those of a segment or the sums of a
corpus, and returns the score on the recipe's scale. The recipes are in recipe_table.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import exp, fsum, log, nan
from sys import float_info

from ..runtime.import_lock import import_lock
from . import fdlibm
from ._single_precision import single_precision_score
from .codexglue import CODEXGLUE_SUMMARY
from .nmt import EVALUATE, TF_NMT
from .plain import doubling_logarithms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    from .plain import Row

    Counts: TypeAlias = Sequence[int]
    Formula: TypeAlias = Callable[[int, int, Counts, Counts], float]


def _penalty(c: float, r: float, empty: float = 0.0) -> float:
    """The usual brevity penalty; `empty` without hypothesis tokens."""
    return 1.0 if c >= r else exp(1 - r / c) if c else empty


def _float32(value: float) -> Any:
    with import_lock:
        import numpy

    return numpy.float32(value)


def to_float32(value: float) -> float:
    return float(_float32(value))


def times_100(value: float) -> float:
    return value * 100.0


def summed(rows: Iterable[Row]) -> Row:
    """The sum of rows."""
    c, r, matches, totals = zip(*rows, strict=True)
    counts = ([*map(sum, zip(*its, strict=True))] for its in (matches, totals))
    return sum(c), sum(r), *counts


# Evaluate's "bleu" in the runners of other tools, which differ in what an empty text scores.


def evaluate_or(
    of_empty: float | None, no_reference: float, zero: float, c: int, r: int, m: Counts, t: Counts
) -> float:
    """Evaluate's score, `zero` instead of 0; other scores where a text is empty, or an error."""
    if not r:
        return no_reference
    if c:
        return EVALUATE.details([c, r, *m, *t], False)[0] or zero
    if of_empty is None:
        raise ValueError("the hypothesis has no tokens, and the original divides by zero")
    return of_empty


def nmt_smooth(c: int, r: int, m: Counts, t: Counts) -> float:
    """tf-nmt's add-1, but 0 where its ratio of lengths is 0."""
    return TF_NMT.details([c, r, *m, *t], True)[0] if c and r else 0.0


codebert = CODEXGLUE_SUMMARY._sentence


def codenn(c: int, r: int, m: Counts, t: Counts) -> float:
    """`codebert` without its guard against an empty hypothesis."""
    if not c:
        raise ValueError("the hypothesis has no tokens, and the original takes the log of 0")
    total = 0.0
    for order, (matched, ngrams) in enumerate(zip(m, t, strict=True)):
        added = float(order > 0)
        total += log(matched + added + float_info.min) - log(ngrams + added)
    return exp(total / 4.0 + min(0.0, 1 - (r + 1) / (c + 1)))


# ignite


def ignite(smoothing: str, single: bool, c: int, r: int, m: Counts, t: Counts) -> float:
    """ignite's smoothing; `single`: "no_smooth" divides in float32, as its macro average does."""
    if not m[0] or (smoothing == "no_smooth" and 0 in m):
        return 0.0
    precisions = []
    for order, (matched, ngrams) in enumerate(zip(m, t, strict=True)):
        total = max(1, ngrams)
        if smoothing == "no_smooth" and single:
            precisions.append(float(_float32(matched) * (_float32(1) / _float32(total))))
        elif smoothing == "no_smooth":
            precisions.append(matched * (1 / total))
        elif smoothing == "smooth1":
            precisions.append((matched or 0.1) / total)
        elif order:
            total = total if smoothing == "nltk_smooth2" else ngrams
            precisions.append((matched + 1) / (total + 1))
        else:
            precisions.append(matched / total)
    return _penalty(c, r) * exp(fsum([0.25 * log(p) for p in precisions]))


# float32


def smoothed(smoothing: str, m: Counts, t: Counts) -> list[float]:
    """TensorBLEU's precisions."""
    pairs = zip(m, t, strict=True)
    if smoothing == "floor":
        return [to_float32(_float32(its or 0.1) / _float32(n or 1)) for its, n in pairs]
    if smoothing == "add-k":
        return [(its + 1) / (n + 1) for its, n in pairs]
    return [its / n if its else 1e-12 * (smoothing == "exp") for its, n in pairs]


def tensorbleu(smoothing: str, c: int, r: int, m: Counts, t: Counts) -> float:
    """TensorBLEU of a sentence."""
    return torch_score(c, r, smoothed(smoothing, m, t), 1e-12)


def torch_score(c: float, r: float, precisions: Sequence[float], added: float) -> float:
    """BP * exp(mean of log(p + added)) by PyTorch's float32."""
    with import_lock:
        import torch

    if not c:
        return 0.0
    logs = torch.log(torch.tensor(precisions, dtype=torch.float32) + added)
    lengths = torch.tensor([r, c], dtype=torch.float32)
    bp = torch.exp(1 - lengths[0] / lengths[1]) if c < r else torch.tensor(1.0)
    return float(bp * torch.exp(torch.sum(0.25 * logs)))


def _float32_penalty(c: int, r: int) -> float:
    """The brevity penalty by a float32 ratio of lengths; both are positive."""
    ratio, one = _float32(c) / _float32(r), _float32(1)
    return 1.0 if ratio > 1 else exp(one - one / ratio)


def metrax(c: int, r: int, m: Counts, t: Counts) -> float:
    if not all(m) or not r:
        return 0.0
    logs = [0.25 * log(_float32(matched) / _float32(n)) for matched, n in zip(m, t, strict=True)]
    return to_float32(exp(sum(logs)) * _float32_penalty(c, r))


def torchtext(c: int, r: int, m: Counts, t: Counts) -> float:
    with import_lock:
        import torch

    if not all(m):
        return 0.0
    counts = torch.tensor(m, dtype=torch.float32) / torch.tensor(t, dtype=torch.float32)
    total, *others = torch.log(counts) * 0.25
    for term in others:
        total = total + term
    return float(torch.exp(total)) * exp(min(1 - r / c, 0))


def keras_hub(smooth: bool, c: int, r: int, m: Counts, t: Counts) -> float:
    """keras-hub's score; `smooth` adds 1 to all orders."""
    if not r and not c:
        return nan
    added = _float32(smooth)
    pairs = zip(map(_float32, m), map(_float32, t), strict=True)
    precisions = [(its + added) / (n + added) if n + added else 0.0 for its, n in pairs]
    if not c or not all(precisions):
        return 0.0
    bp = _float32_penalty(c, r) if r else 1.0
    return to_float32(exp(sum([0.25 * log(p) for p in precisions])) * bp)


def moses(added: int, c: int, r: float, m: Counts, t: Counts) -> float:
    return single_precision_score(c, r, [n + added for n in m], [n + added for n in t])


def marian(c: int, r: int, m: Counts, t: Counts) -> float:
    return float(_float32(single_precision_score(c, r, m, t)) * _float32(100))


# Java


def joshua(c: int, r: int, m: Counts, t: Counts) -> float:
    total, halved = 0.0, 1.0
    for order, (matched, ngrams) in enumerate(zip(m, t, strict=True)):
        if ngrams:
            halved *= 1.0 if matched else 0.5
            total += 0.25 * log(matched / ngrams if matched else halved / (c - order))
    return _penalty(c, r) * exp(total)


def multeval(c: int, r: int, m: Counts, t: Counts) -> float:
    total = 0.0
    for logarithm in doubling_logarithms(m, t):
        total += logarithm * 0.25
    return min(1.0, _penalty(c, r) * exp(total)) * 100


def phrasal(empty: float, smooth: bool, c: int, r: int, m: Counts, t: Counts) -> float:
    """Phrasal's BLEU, `smooth` with 1 added to the orders above 1."""
    total = 0.0
    if not c:
        return empty
    for order, (matched, ngrams) in enumerate(zip(m, t, strict=True)):
        added = int(smooth and order > 0)
        if not matched + added:
            return 0.0
        total += 0.25 * log((matched + added) / (ngrams + added))
    return exp((1 - r / c if c < r else 0.0) + total)


# Others


def nematus(c: int, r: int, m: Counts, t: Counts) -> float:
    product = m[0] / t[0] if t[0] else 0.0
    for matched, ngrams in zip(m[1:], t[1:], strict=True):
        product *= (matched + 1) / (ngrams + 1)
    mean: float = product ** (1 / 4)
    return mean * min(1.0, exp(1 - (r / c if c else 0)))


def multiwoz(c: int, r: int, m: Counts, t: Counts) -> float:
    precisions = [matched / (ngrams + 1e-7) + 1e-7 for matched, ngrams in zip(m, t, strict=True)]
    bp = 1.0 if c > r else exp(1 - r / c)
    return bp * exp(fsum([0.25 * log(p) for p in precisions]))


def allennlp(c: int, r: int, m: Counts, t: Counts) -> float:
    if not c:
        return 0.0
    logs = [0.25 * (log(its + 1e-13) - log(n + 1e-13)) for its, n in zip(m, t, strict=True)]
    return (1.0 if c > r else exp(1 - r / c)) * exp(sum(logs))


def paddlenlp(c: int, r: int, m: Counts, t: Counts) -> float:
    if not c:
        raise ValueError("the hypotheses have no tokens, and the original divides by zero")
    precisions = [its / n if its else float_info.min for its, n in zip(m, t, strict=True)]
    return exp(min(1 - r / c, 0)) * exp(fsum([0.25 * log(p) for p in precisions]))


def promptfoo(rewards_short: bool, c: int, r: int, m: Counts, t: Counts) -> float:
    """promptfoo's score by JavaScript's log and exp; `rewards_short`: before its fixes of 2026."""
    pairs = [(matched, n) for matched, n in zip(m, t, strict=True) if n or rewards_short]
    total, weight = 0.0, 0.25 / (0.25 * len(pairs)) if pairs else 0.0
    for matched, ngrams in pairs:
        total += weight * fdlibm.log(matched / ngrams if matched else 1e-7)
    if rewards_short:
        bp = 1.0 if c > r else fdlibm.exp(1 - c / r)
    else:
        bp = 1.0 if c >= r else fdlibm.exp(1 - r / c)
    return bp * fdlibm.exp(total)

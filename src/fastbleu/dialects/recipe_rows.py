"""The arithmetic of recipes that have some of their own, which are in recipe_table.py.

First functions of a row's lengths, matches and totals, those of a segment or the sums of a corpus,
to a score on 0-1; then functions of all rows to the score of a corpus. Options come first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, reduce
from math import exp, fsum, inf, log, nan
from operator import add as add_up
from sys import float_info
from typing import Any

import numpy
from numpy import float32

from ..counting.stats import AdaptedRows
from . import fdlibm
from .nltk import NLTK
from .plain import doubling_logarithms, plain_rows
from .scorer import Scorer
from .torchmetrics import load_torch

Counts = Sequence[int]
Formula = Callable[[int, int, Counts, Counts], float]


def running_sum(values: Iterable[float]) -> float:
    """The sum of tools that add up themselves; Python's sum() compensates since 3.12."""
    return reduce(add_up, values, 0.0)


def to_float32(value: float | float32) -> float:
    return float(float32(value))


def _penalty(c: float, r: float) -> float:
    """The usual brevity penalty."""
    return 1.0 if c >= r else exp(1 - r / c) if c else 0.0


def _log(p: float) -> float:
    return log(p) if p else -inf


def _bleu(
    c: int, r: int, logs: Iterable[float], add: Callable[..., float] = fsum, orders: int = 4
) -> float:
    """The usual penalty times exp of the mean of logarithms, which `add` adds up."""
    weight = 1 / orders
    return _penalty(c, r) * exp(add([weight * one for one in logs]))


# A row to a score.


def by_order(logarithm: Callable[[int, int], float], add: Callable[..., float] = fsum) -> Formula:
    """A formula from the logarithm of each order, which follows from its matches and total."""
    return lambda c, r, m, t: _bleu(c, r, map(logarithm, m, t), add)


multiwoz = by_order(lambda m, t: log(m / (t + 1e-7) + 1e-7))
paddlenlp = by_order(lambda m, t: log(m / t if m else float_info.min))
allennlp = by_order(lambda m, t: log(m + 1e-13) - log(t + 1e-13), sum)


def ignite(smoothing: str, single: bool, c: int, r: int, m: Counts, t: Counts) -> float:
    """ignite's smoothing; `single`: "no_smooth" divides in float32, as its macro average does."""
    if not (all(m) if smoothing == "no_smooth" else m[0]):
        return 0.0
    totals = [max(1, ngrams) for ngrams in t]
    pairs = zip(m, totals, strict=True)
    if smoothing == "no_smooth":
        times = _times_float32_reciprocal if single else _times_reciprocal
        precisions = [times(its, ngrams) for its, ngrams in pairs]
    elif smoothing == "smooth1":
        precisions = [(its or 0.1) / ngrams for its, ngrams in pairs]
    else:
        others = zip(m[1:], (totals if smoothing == "nltk_smooth2" else t)[1:], strict=True)
        precisions = [m[0] / totals[0], *[(its + 1) / (ngrams + 1) for its, ngrams in others]]
    return _bleu(c, r, map(_log, precisions), orders=len(m))


def _times_reciprocal(its: int, ngrams: int) -> float:
    return its * (1.0 / ngrams)


@lru_cache(1 << 12)
def _times_float32_reciprocal(its: int, ngrams: int) -> float:
    """`_times_reciprocal` in float32, which takes ten times as long."""
    return float(float32(its) * (float32(1) / float32(ngrams)))


def nematus(c: int, r: int, m: Counts, t: Counts) -> float:
    product = m[0] / t[0] if t[0] else 0.0
    for matched, ngrams in zip(m[1:], t[1:], strict=True):
        product *= (matched + 1) / (ngrams + 1)
    return float(product ** (1 / 4) * _penalty(c, r))


def keras_hub(added: int, c: int, r: int, m: Counts, t: Counts) -> float:
    """keras-hub's score in float32 with `added` to all orders; with 0 it is metrax'."""
    if not c:
        return 0.0 if r else nan
    pairs = [(float32(its + added), float32(n + added)) for its, n in zip(m, t, strict=True)]
    logs = [0.25 * log(its / n) if its else -inf for its, n in pairs]
    one, ratio = float32(1), float32(c) / float32(r) if r else inf
    bp = 1.0 if ratio > 1 else exp(one - one / ratio)
    return to_float32(float(exp(sum(logs)) * bp))


def _tensor(values: object) -> Any:
    """For PyTorch's float32."""
    torch = load_torch()
    return torch.tensor(values, dtype=torch.float32)


def torchtext(c: int, r: int, m: Counts, t: Counts) -> float:
    if not all(m):
        return 0.0
    total = reduce(add_up, (_tensor(m) / _tensor(t)).log() * 0.25)
    return float(total.exp()) * _penalty(c, r)


def torch_score(c: int, r: int, precisions: Sequence[float], added: float) -> float:
    """BP * exp(mean of log(p + added)) in float32."""
    if not c:
        return 0.0
    logs = (_tensor(precisions) + added).log()
    bp = (1 - _tensor(r) / _tensor(c)).exp() if c < r else 1.0
    return float(bp * (0.25 * logs).sum().exp())


def of_tensorbleu(smoothing: str, m: Counts, t: Counts) -> list[float]:
    """TensorBLEU's precisions."""
    pairs = zip(m, t, strict=True)
    if smoothing == "floor":
        return [to_float32(float32(its or 0.1) / float32(n or 1)) for its, n in pairs]
    if smoothing == "add-k":
        return [(its + 1) / (n + 1) for its, n in pairs]
    return [its / n if its else 1e-12 * (smoothing == "exp") for its, n in pairs]


def tensorbleu(smoothing: str, c: int, r: int, m: Counts, t: Counts) -> float:
    """TensorBLEU of a sentence."""
    return torch_score(c, r, of_tensorbleu(smoothing, m, t), 1e-12)


def joshua(c: int, r: int, m: Counts, t: Counts) -> float:
    pairs = enumerate(zip(m, t, strict=True))
    totals = [n if its or not n else c - order for order, (its, n) in pairs]
    return multeval(c, r, m, totals)


def multeval(c: int, r: int, m: Counts, t: Counts) -> float:
    return _bleu(c, r, doubling_logarithms(m, t), running_sum)


def phrasal(added: int, c: int, r: int, m: Counts, t: Counts) -> float:
    """Phrasal's BLEU with `added` to the orders above 1."""
    pairs = [(m[0], t[0]), *((m[n] + added, t[n] + added) for n in range(1, 4))]
    logs = [0.25 * log(its / n) if its else -inf for its, n in pairs]
    return exp((1 - r / c if 0 < c < r else 0.0) + running_sum(logs))


def promptfoo(rewards_short: bool, c: int, r: int, m: Counts, t: Counts) -> float:
    """promptfoo's score by JavaScript's log and exp; `rewards_short`: before its fixes of 2026."""
    pairs = [(matched, n) for matched, n in zip(m, t, strict=True) if n or rewards_short]
    weight = 0.25 / (0.25 * len(pairs))
    logs = [weight * fdlibm.log(its / n if its else 1e-7) for its, n in pairs]
    exponent = 1 - c / r if rewards_short else 1 - r / c
    bp = 1.0 if c > r or (c == r and not rewards_short) else fdlibm.exp(exponent)
    return bp * fdlibm.exp(running_sum(logs))


# The rows of a corpus, as they are added up, to its score.


def mean_of_pairs(rows: AdaptedRows) -> float:
    """ms-swift's, of scores before they are rounded; pairs with an empty side are left out."""
    table = numpy.array(rows)
    pairs = AdaptedRows.of_table(table[table[:, :2].all(1)])
    scores = Scorer(NLTK, 4, smoothing="exp").scores_of_sums(pairs) or [0.0]
    return round(sum(scores) / len(scores) * 100, 6)


def phrasal_mean(rows: AdaptedRows) -> float:
    """Phrasal's mean, which an empty hypothesis makes 0."""
    its = list(plain_rows(rows))
    total = running_sum(phrasal(1, *row) for row in its)
    return total / len(its) if all(c for c, *_ in its) else 0.0

"""The arithmetic of recipes that have some of their own: a row of counts to a score.

Each function takes options, and the row's lengths, matches and totals, those of a segment or the
sums of a corpus. It returns the score on 0-1. The recipes are in recipe_table.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from math import exp, fsum, inf, log, nan
from operator import add as add_up
from sys import float_info

from numpy import float32

from ..runtime.import_lock import import_lock
from . import fdlibm
from ._single_precision import single_precision_score
from .plain import doubling_logarithms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    from .plain import Row

    Counts: TypeAlias = Sequence[int]
    Formula: TypeAlias = Callable[[int, int, Counts, Counts], float]


def _penalty(c: float, r: float) -> float:
    """The usual brevity penalty."""
    return 1.0 if c >= r else exp(1 - r / c) if c else 0.0


def _log(p: float) -> float:
    return log(p) if p else -inf


def _bleu(
    c: int,
    r: int,
    logs: Iterable[float],
    add: Callable[[Iterable[float]], float] = fsum,
    orders: int = 4,
) -> float:
    """The usual penalty times exp of the mean of logarithms, which `add` adds up."""
    weight = 1 / orders
    return _penalty(c, r) * exp(add([weight * one for one in logs]))


def running_sum(values: Iterable[float]) -> float:
    """The sum of tools that add up themselves; Python's sum() compensates since 3.12."""
    return reduce(add_up, values, 0.0)


def to_float32(value: float) -> float:
    return float(float32(value))


def summed(rows: Iterable[Row]) -> Row:
    """The sum of rows."""
    c, r, matches, totals = zip(*rows, strict=True)
    counts = ([*map(sum, zip(*its, strict=True))] for its in (matches, totals))
    return sum(c), sum(r), *counts


# Python


def ignite(smoothing: str, single: bool, c: int, r: int, m: Counts, t: Counts) -> float:
    """ignite's smoothing; `single`: "no_smooth" divides in float32, as its macro average does."""
    if not m[0]:
        return 0.0
    totals = [max(1, ngrams) for ngrams in t]
    if smoothing == "no_smooth":
        number: Any = float32 if single else float
        pairs = zip(map(number, m), map(number, totals), strict=True)
        logs = [_log(matched * (number(1) / ngrams)) for matched, ngrams in pairs]
    elif smoothing == "smooth1":
        counts = zip(m, totals, strict=True)
        logs = [log((matched or 0.1) / ngrams) for matched, ngrams in counts]
    else:
        others = zip(m[1:], (totals if smoothing == "nltk_smooth2" else t)[1:], strict=True)
        smoothed = [(matched + 1) / (ngrams + 1) for matched, ngrams in others]
        logs = [*map(log, [m[0] / totals[0], *smoothed])]
    return _bleu(c, r, logs, orders=len(logs))


def multiwoz(c: int, r: int, m: Counts, t: Counts) -> float:
    pairs = zip(m, t, strict=True)
    return _bleu(c, r, [log(matched / (ngrams + 1e-7) + 1e-7) for matched, ngrams in pairs])


def paddlenlp(c: int, r: int, m: Counts, t: Counts) -> float:
    pairs = zip(m, t, strict=True)
    return _bleu(c, r, [log(its / n if its else float_info.min) for its, n in pairs])


def allennlp(c: int, r: int, m: Counts, t: Counts) -> float:
    logs = [log(its + 1e-13) - log(n + 1e-13) for its, n in zip(m, t, strict=True)]
    return _bleu(c, r, logs, sum)


def nematus(c: int, r: int, m: Counts, t: Counts) -> float:
    product = m[0] / t[0] if t[0] else 0.0
    for matched, ngrams in zip(m[1:], t[1:], strict=True):
        product *= (matched + 1) / (ngrams + 1)
    return float(product ** (1 / 4) * _penalty(c, r))


# float32


def keras_hub(added: int, c: int, r: int, m: Counts, t: Counts) -> float:
    """keras-hub's score with `added` to all orders; with 0 it is metrax'."""
    if not c:
        return 0.0 if r else nan
    pairs = [(float32(its + added), float32(n + added)) for its, n in zip(m, t, strict=True)]
    logs = [0.25 * log(its / n) if its else -inf for its, n in pairs]
    one, ratio = float32(1), float32(c) / float32(r) if r else inf
    bp = 1.0 if ratio > 1 else exp(one - one / ratio)
    return to_float32(float(exp(sum(logs)) * bp))


def smoothed(smoothing: str, m: Counts, t: Counts) -> list[float]:
    """TensorBLEU's precisions."""
    pairs = zip(m, t, strict=True)
    if smoothing == "floor":
        return [float(float32(its or 0.1) / float32(n or 1)) for its, n in pairs]
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


def torchtext(c: int, r: int, m: Counts, t: Counts) -> float:
    with import_lock:
        import torch

    if not all(m):
        return 0.0
    counts = torch.tensor(m, dtype=torch.float32) / torch.tensor(t, dtype=torch.float32)
    total = reduce(add_up, torch.log(counts) * 0.25)
    return float(torch.exp(total)) * _penalty(c, r)


def moses(added: int, c: int, r: float, m: Counts, t: Counts) -> float:
    return single_precision_score(c, r, [n + added for n in m], [n + added for n in t])


# Java and JavaScript


def joshua(c: int, r: int, m: Counts, t: Counts) -> float:
    pairs = enumerate(zip(m, t, strict=True))
    totals = [n if its or not n else c - order for order, (its, n) in pairs]
    return _bleu(c, r, doubling_logarithms(m, totals), running_sum)


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

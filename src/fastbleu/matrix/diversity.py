"""Self-BLEU: how alike the sentences of a set are."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from math import fsum
from random import Random

import numpy

from ..counting.stats import Stats
from ..dialects.parameters import Parameters
from ..inputs.arguments import check_integer, check_positive
from ..inputs.sentences import parts_of
from ..runtime.progress import ProgressBar
from ._references import LeaveOneOut
from .reader import SentenceReader, parameters_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

# Sentences whose rows are scored at once; Ctrl-C is checked in between.
_ROWS = 1 << 15


@dataclass(frozen=True, eq=False)
class SelfBLEU:
    """Scores of sentences, each with all others of its set as references.

    Higher scores mean that the set repeats itself more.

    Attributes
    ----------
    values : dict of int to float
        For each order n the mean score for n-grams of up to n tokens, equally weighted; on the
        dialect's scale: 0-1 for nltk's, 0-100 for sacreBLEU's.
    scores : ndarray of float64, shape (N, orders)
        The score of each sentence that was scored, for each order; on the same scale.
    orders : tuple of int
        The orders of the columns of `scores`.
    indices : ndarray of int64, shape (N,)
        The sentences of the rows of `scores`, in ascending order.
    signature : str
        Everything that the scores depend on besides the sentences and the order; the sample and its
        seed if there is one.
    """

    values: dict[int, float]
    scores: NDArray[numpy.float64]
    orders: tuple[int, ...]
    indices: NDArray[numpy.int64]
    signature: str = ""

    def __repr__(self) -> str:
        values = ", ".join(f"{order}: {value:.4g}" for order, value in self.values.items())
        return f"<SelfBLEU {{{values}}} of {len(self.indices)} sentences>"


def self_bleu(
    sentences: Any,
    orders: Iterable[int] = (2, 3, 4, 5),
    sample: int | None = None,
    *,
    seed: int = 0,
    progress: bool = False,
    mask: Any = None,
    metric: Any = None,
    **parameters: Any,
) -> SelfBLEU:
    """Self-BLEU: how much a set of sentences repeats itself.

    Each sentence is scored with all others as its references, and scores are averaged, for
    each order n with equal weights for 1 to n. By default each score equals nltk's
    ``sentence_bleu`` with method 1. The time is linear in the number of sentences; `threads` has
    no effect.

    Parameters
    ----------
    sentences : iterable of S sentences
        As in `pairwise`. An iterator is read in parts, so that only token ids are in memory.
    orders : iterable of int, default (2, 3, 4, 5)
        Replaces `max_order` and `weights`.
    sample : int, optional
        Score only this number of sentences, drawn without replacement, each against all others.
    seed : int, default 0
        Seed of the sample.
    mask, progress
        As `hypothesis_mask` and `progress` of `pairwise`.
    metric, **parameters
        As for `pairwise`, but by default ``dialect="nltk", smoothing="floor", tokenize=None``:
        the sentences are lists of tokens. With ``dialect="sacrebleu"`` as for `pairwise`.

    Returns
    -------
    SelfBLEU
        Averages by order, and the score of each sentence; on the dialect's scale.

    Raises
    ------
    ValueError
        There are fewer than 2 sentences, an order is below 1, or as for `pairwise`.
    TypeError
        As for `pairwise`, like the warnings.

    References
    ----------
    Zhu et al. (2018), Texygen: A Benchmarking Platform for Text Generation Models.

    Examples
    --------
    >>> found = self_bleu([["a", "b", "c"], ["a", "b", "d"], ["x", "y", "z"]], orders=(1, 2))
    >>> {order: round(value, 3) for order, value in found.values.items()}
    {1: 0.444, 2: 0.385}
    """
    if metric is None and parameters.get("effective_order") and "dialect" not in parameters:
        raise ValueError(
            "effective_order is an option of sacreBLEU's dialect, and self_bleu has nltk's by "
            'default: pass dialect="sacrebleu", too'
        )
    if metric is None and parameters.setdefault("dialect", "nltk") == "nltk":
        parameters = {"smoothing": "floor", "tokenize": None} | parameters
    made = parameters_of(metric, parameters)
    checked = _check_orders(orders)
    seed = check_integer("seed", seed)
    max_order = max(checked)
    others = LeaveOneOut(max_order, made.reference_length)
    reader = SentenceReader(made)
    for order in checked:
        made.rules._check_order(order)
    short = 0
    total = len(sentences) if type(sentences) in (list, tuple) else None
    with ProgressBar(progress, total, " sentences") as bar:
        for part in parts_of(sentences, mask is not None):
            read = reader.read(part, "sentences", mask, before=len(others), counted=True)
            others.add(read)
            short += read.shorter_than(max_order)
            bar.update(len(read))
    count = len(others)
    made.rules._check_references(count - 1)
    reader.warn_of_input()
    made.warn_of_short(short, count, max_order)
    if count < 2:
        raise ValueError(
            f"there are {count} sentences; self-BLEU needs 2 or more, because each is compared "
            "with all the others"
        )
    if sample is not None and not 1 <= check_integer("sample", sample) <= count:
        raise ValueError(f"sample is {sample}, but must lie in 1..{count}, the sentences there are")
    every = range(count)
    indices = array("q", every if sample is None else sorted(Random(seed).sample(every, sample)))
    rows = others.rows(indices)
    scores = numpy.empty((len(indices), len(checked)))
    width = len(rows) // len(indices)
    for first in range(0, len(indices), _ROWS):
        part = rows[first * width : (first + _ROWS) * width]
        for column, order in enumerate(checked):
            scores[first : first + _ROWS, column] = _scores(made, part, max_order, order)
    means = (fsum(column.tolist()) / len(indices) for column in scores.T)
    values = dict(zip(checked, means, strict=True))
    # The metric's own max_order and weights are ignored.
    unused = "order:", "weights:"
    fields = [field for field in made.signature.split("|") if not field.startswith(unused)]
    if sample is not None:
        fields += [f"sample:{sample}", f"seed:{seed}"]
    return SelfBLEU(values, scores, checked, numpy.array(indices, numpy.int64), "|".join(fields))


def _scores(parameters: Parameters, rows: array[int], max_order: int, order: int) -> Any:
    """The score of each row by its n-grams of up to `order` tokens."""
    table = numpy.frombuffer(rows, numpy.int64).reshape(-1, 2 + 2 * max_order)
    kept = [*range(2 + order), *range(2 + max_order, 2 + max_order + order)]
    cut = Stats._own(array("q", table[:, kept].tobytes()), order)
    return parameters.equal_scores(parameters.rules.adapt(cut))


def _check_orders(orders: Any) -> tuple[int, ...]:
    """The distinct orders, in the given order."""
    if not hasattr(orders, "__iter__"):
        raise TypeError(f"orders is {orders!r}, expected several integers; pass ({orders!r},)")
    checked = tuple(check_positive(f"orders[{i}]", order) for i, order in enumerate(orders))
    if not checked:
        raise ValueError("orders is empty; the usual ones are (2, 3, 4, 5)")
    for order in checked:
        if checked.count(order) > 1:
            raise ValueError(f"orders has {order} twice")
    return checked

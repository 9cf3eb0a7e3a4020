"""Self-BLEU: how alike the sentences of a set are."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from math import fsum
from random import Random

import numpy

from ..core.counting.stats import stats_of, truncated
from ..core.inputs.arguments import (
    a_type,
    check_choice,
    check_integer,
    check_positive,
    number_of,
    shape_of,
    shown,
)
from ..core.inputs.columns import listed_column
from ..core.inputs.errors import InputError, InputTypeError
from ..core.metric.bleu import BLEU
from ..core.runtime.terminal import ProgressBar
from ..core.scoring.counters import check_order
from ._references import LeaveOneOut
from .all_pairs import PairScorer
from .reader import SentenceReader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal

    from numpy.typing import NDArray

    from ..core.inputs.types import Mask, SentenceStream
    from ..core.metric.argument import Metric
    from ..core.scoring.scorer import Scorer

    Floats = NDArray[numpy.float64]

# How many rows are scored at once; Ctrl-C is handled in between.
_ROWS = 1 << 15


@dataclass(frozen=True, eq=False)
class SelfBLEUResult:
    """Scores of sentences, each with all others in its set as references.

    Higher scores mean that the set repeats itself more.

    Attributes
    ----------
    values : dict of int to float
        For each order n, the mean score for n-grams of up to n tokens, equally weighted; on the
        dialect's scale: 0-1 for nltk's, 0-100 for sacreBLEU's.
    scores : ndarray of float64, shape (N, orders)
        The scores of the N sentences that were scored, for each order; on the same scale.
    orders : tuple of int
        The orders of the columns of `scores`.
    indices : ndarray of int64, shape (N,)
        The sentences to which the rows of `scores` belong, in ascending order.
    signature : str
        Everything that the scores depend on besides the sentences and the order, including the size
        and seed of a sample.
    """

    values: dict[int, float]
    scores: Floats
    orders: tuple[int, ...]
    indices: NDArray[numpy.int64]
    signature: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The attributes by name, for `json.dumps`: arrays as lists."""
        return {
            "values": dict(self.values),
            "scores": self.scores.tolist(),
            "orders": list(self.orders),
            "indices": self.indices.tolist(),
            "signature": self.signature,
        }

    def __repr__(self) -> str:
        values = ", ".join(f"{order}: {value:.4g}" for order, value in self.values.items())
        return f"<SelfBLEUResult {{{values}}} of {number_of(len(self.indices), 'sentence')}>"


def self_bleu(
    sentences: SentenceStream,
    *,
    orders: Iterable[int] = (2, 3, 4, 5),
    sample_size: int | None = None,
    seed: int | None = 12345,
    sentence_mask: Mask | None = None,
    against: Literal["others", "each", "earlier"] = "others",
    metric: Metric | None = None,
    progress: bool = False,
) -> SelfBLEUResult:
    """Self-BLEU: how much a set of sentences repeats itself.

    Each sentence is scored with all others as its references, and the scores are averaged, for each
    order n with equal weights for 1 to n. By default each score equals nltk's ``sentence_bleu``
    with method 1. The time is linear in the number of sentences. The metric's `threads` have no
    effect.

    Parameters
    ----------
    sentences : iterable of S sentences
        Texts, or tokens or token ids as in `pairwise`. An iterator is read in blocks, so that
        only token ids are in memory.
    orders : iterable of int, default (2, 3, 4, 5)
        Replace the metric's `max_ngram_order` and `weights`.
    sample_size : int, optional
        Score only this number of sentences, drawn without replacement, each against all others.
    seed : int or None, default 12345
        Seed of the sample; None draws a new seed each time, which the signature names.
    sentence_mask : array of bool or integers, optional
        For token ids, of the same shape: an id counts if its mask is not 0.
    against : {"others", "each", "earlier"}, default "others"
        What a sentence is scored against; definitions of self-BLEU differ in this. "others": all
        others at once, as its references; this is Texygen's definition, and HELM's with
        ``orders=(4,), metric="sacrebleu"``. "each": each other sentence separately, averaged over
        all pairs. "earlier": each sentence before it separately, averaged over these pairs; this is
        DiffuSeq's definition with ``orders=(4,)`` and smoothing "method4" on tokens split by
        "none"; the first sentence scores NaN. Pairs take quadratic time, and the memory of their
        matrix.
    metric : fastbleu.BLEU or str, optional
        A BLEU, or a dialect's name; by default
        ``BLEU("nltk", smooth_method="floor", tokenize="13a")``, for texts. Texygen's numbers
        require lists of its tokens and ``tokenize=False``.
    progress : bool, default False
        Show a progress bar on standard error.

    Returns
    -------
    SelfBLEUResult
        Averages by order, and the score of each sentence; on the dialect's scale.

    Raises
    ------
    ValueError
        There are fewer than 2 sentences, an order is below 1, or as for `pairwise`.
    TypeError
        As for `pairwise`.

    Warns
    -----
    InputWarning
        As for `pairwise`.

    References
    ----------
    Zhu et al. (2018), Texygen: A Benchmarking Platform for Text Generation Models. HELM 0.5.16,
    disinformation_metrics.py, ``_self_bleu``, which strips texts and leaves out empty ones.
    DiffuSeq 8bfafcb, scripts/eval_seq2seq.py, ``diversityOfSet``.

    Examples
    --------
    >>> result = self_bleu(["a b c", "a b d", "x y z"], orders=(1, 2))
    >>> {order: round(value, 3) for order, value in result.values.items()}
    {1: 0.444, 2: 0.385}
    """
    if metric is None:
        _check_texts(sentences)
    reader = SentenceReader(_default_metric() if metric is None else metric)
    checked = _check_orders(orders)
    for order in checked:
        check_order(reader.scorer.dialect, order)
    reader.max_ngram_order = max(checked)
    check_choice("against", against, ("others", "each", "earlier"))
    if against != "others" and sample_size is not None:
        raise ValueError(
            f'against is {against!r}, which takes no sample_size; pass against="others"'
        )
    seed = Random().getrandbits(32) if seed is None else check_integer("seed", seed)
    drawn = "" if sample_size is None else f"|sample:{sample_size}|seed:{seed}"
    scorers = [reader.scorer.with_equal_weights(order) for order in checked]
    if against == "others":
        scores, values, indices = _against_others(
            reader, scorers, sentences, sentence_mask, progress, sample_size, seed
        )
    else:
        is_earlier = against == "earlier"
        scores, values, indices = _of_pairs(
            reader, scorers, sentences, sentence_mask, progress, is_earlier
        )
    reader.warn_of_input()
    signature = _signature(reader) + (drawn if against == "others" else f"|against:{against}")
    return SelfBLEUResult(
        dict(zip(checked, values, strict=True)), scores, checked, indices, signature
    )


@cache
def _default_metric() -> BLEU:
    return BLEU("nltk", smooth_method="floor", tokenize="13a")


def _against_others(
    reader: SentenceReader,
    scorers: list[Scorer],
    sentences: Any,
    mask: Any,
    progress: bool,
    sample_size: int | None,
    seed: int,
) -> tuple[Floats, list[float], NDArray[numpy.int64]]:
    """Score each sentence, or each of a sample, with all others as its references.

    Returns the scores, shape (N, orders), their means by order, and which sentences were scored.
    """
    max_ngram_order = reader.max_ngram_order
    reader.choosing = 2  # the first reference of all others, and that of the first sentence
    others = LeaveOneOut(max_ngram_order, reader.counter.reference_length)
    for block, bar in reader.read_blocks(sentences, "sentences", mask, progress, counted=True):
        others.add(block)
        bar.update(len(block))
    count = len(others)
    reader.scorer.check_references(count - 1)
    _check_count(count)
    sampled: Sequence[int] = range(count)
    if sample_size is not None:
        if not 1 <= check_integer("sample_size", sample_size) <= count:
            raise ValueError(
                f"sample_size is {sample_size}, but must lie in 1..{count}, the sentences there are"
            )
        sampled = sorted(Random(seed).sample(sampled, sample_size))
    indices = array("q", sampled)
    rows = stats_of(others.rows(indices), max_ngram_order)
    scores = numpy.empty((len(indices), len(scorers)))
    for first in range(0, len(indices), _ROWS):
        part = rows[first : first + _ROWS]
        for column, scorer in enumerate(scorers):
            of_orders = truncated(part, scorer.max_ngram_order)
            scores[first : first + _ROWS, column] = scorer.row_scores(of_orders)
    means = [fsum(column.tolist()) / len(indices) for column in scores.T]
    return scores, means, numpy.array(indices, numpy.int64)


def _of_pairs(
    reader: SentenceReader,
    scorers: list[Scorer],
    sentences: Any,
    mask: Any,
    progress: bool,
    is_earlier: bool,
) -> tuple[Floats, list[float], NDArray[numpy.int64]]:
    """Score each sentence separately with every other one, or with every earlier one."""
    listed = listed_column(sentences, "sentences")
    if not hasattr(listed, "__len__"):
        listed = list(listed)
    read = reader.read(listed, "sentences", mask, counted=True)
    count = len(read)
    _check_count(count)
    chosen = numpy.tri(count, count, -1, bool) if is_earlier else ~numpy.eye(count, dtype=bool)
    scores, means = numpy.empty((count, len(scorers))), []
    pairs = numpy.empty((count, count))
    with ProgressBar(progress, pairs.size * len(scorers), " pairs") as bar:
        for column, scorer in enumerate(scorers):
            pair_scorer = PairScorer(scorer, reader.counter.threads, bar)
            pair_scorer.prepare(read, read)
            pair_scorer.fill(pairs)
            # Reference by reference, as DiffuSeq adds them up.
            means.append(float(numpy.mean(pairs.T[chosen.T])))
            with numpy.errstate(invalid="ignore"):
                by_sentence = numpy.where(chosen, pairs, 0.0).sum(axis=1) / chosen.sum(axis=1)
            scores[:, column] = by_sentence
    return scores, means, numpy.arange(count)


def _signature(reader: SentenceReader) -> str:
    """The signature without the metric's max_ngram_order and weights, which are not used."""
    fields = reader.signature.split("|")
    return "|".join(field for field in fields if not field.startswith(("order:", "weights:")))


def _check_count(count: int) -> None:
    if count < 2:
        raise InputError(
            f"sentences has {number_of(count, 'entry', 'entries')}; self-BLEU needs 2 or more, "
            "because each is compared with all the others"
        )


def _check_texts(sentences: Any) -> None:
    """Refuse tokens and groups of sentences, which the default metric cannot read."""
    is_listed = type(sentences) in (list, tuple)
    dimensions = 0 if is_listed else len(shape_of(sentences) or ())
    first = sentences[0] if is_listed and sentences else None
    if dimensions > 1 or type(first) in (list, tuple) or shape_of(first):
        what = (
            "sentences is an array of ids" if dimensions > 1 else f"sentences[0] is {a_type(first)}"
        )
        raise InputTypeError(
            f"{what}, expected a str: for lists of tokens and for token ids pass "
            'metric=BLEU("nltk", smooth_method="floor", tokenize=False); for groups of '
            "sentences call self_bleu for each"
        )


def _check_orders(orders: Any) -> tuple[int, ...]:
    """The distinct orders, in the given order."""
    if not hasattr(orders, "__iter__"):
        raise TypeError(f"orders is {shown(orders)}, expected integers; pass ({shown(orders)},)")
    checked = tuple(check_positive(f"orders[{i}]", order) for i, order in enumerate(orders))
    if not checked:
        raise ValueError("orders is empty; the usual ones are (2, 3, 4, 5)")
    for order in checked:
        if checked.count(order) > 1:
            raise ValueError(f"orders has {order} twice")
    return checked

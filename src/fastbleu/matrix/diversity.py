"""Self-BLEU: how alike the sentences of a set are."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain, islice
from math import fsum
from random import Random

import numpy

from ..counting.stats import Stats
from ..dialects.names import get
from ..dialects.nltk import NLTK
from ..dialects.sacrebleu import SACREBLEU
from ..inputs import mistakes
from ..inputs.arguments import check_choice, check_integer, check_positive, shown
from ..inputs.arrays import shape_of
from ..inputs.columns import listed_column
from ..inputs.sentences import check_sizes, masks_of
from ..runtime.progress import ProgressBar
from ._references import LeaveOneOut
from .all_pairs import PairScorer
from .reader import SentenceMetric, SentenceReader, sentence_metric_of
from .source_pairs import is_batch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal, Unpack

    from numpy.typing import NDArray

    from ..dialects.scorer import Scorer
    from ..inputs.types import Mask, SentenceStream, SequenceOf
    from ..metric.bleu import BLEU
    from ..metric.keyword_types import MetricOptions
    from ._sentences import Sentences

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
    sentences: SentenceStream | SequenceOf[SentenceStream],
    orders: Iterable[int] = (2, 3, 4, 5),
    sample: int | None = None,
    *,
    seed: int = 0,
    progress: bool = False,
    mask: Mask | None = None,
    against: Literal["others", "each", "earlier"] = "others",
    metric: BLEU | None = None,
    **options: Unpack[MetricOptions],
) -> Any:
    """Self-BLEU: how much a set of sentences repeats itself.

    Each sentence is scored with all others as its references, and scores are averaged, for
    each order n with equal weights for 1 to n. By default each score equals nltk's
    ``sentence_bleu`` with method 1. The time is linear in the number of sentences; `threads` has
    no effect.

    Parameters
    ----------
    sentences : iterable of S sentences, or of G groups of sentences
        As in `pairwise`; groups may have different sizes. An iterator is read in blocks, so that
        only token ids are in memory.
    orders : iterable of int, default (2, 3, 4, 5)
        Replaces `max_ngram_order` and `weights`.
    sample : int, optional
        Score only this number of sentences (of each group), drawn without replacement, each against
        all others.
    seed : int, default 0
        Seed of the sample.
    mask, progress
        As `hypothesis_mask` and `progress` of `pairwise`.
    against : {"others", "each", "earlier"}, default "others"
        What a sentence is scored against, of which there are several definitions. "others": all
        others as its references at once, Texygen's, and HELM's with ``orders=(4,),
        dialect="sacrebleu"``. "each": each other one by itself, averaged over all pairs.
        "earlier": each sentence before it by itself, averaged over these pairs, DiffuSeq's with
        ``orders=(4,), smooth_method="method4", tokenize="none"``; the first sentence scores NaN.
        Pairs take quadratic time, and the memory of their matrix.
    metric, **options
        As for `pairwise`, but by default ``dialect="nltk", smooth_method="floor"``. If the first
        sentence is a str all are text, tokenized as by `pairwise`; if not `tokenize` is None:
        a list of lists of str holds tokens, unless `tokenize` says that these are groups of texts.

    Returns
    -------
    SelfBLEU, or list of G SelfBLEU
        Averages by order, and the score of each sentence; on the dialect's scale.

    Raises
    ------
    ValueError
        There are fewer than 2 sentences, or in a group, an order is below 1, or as for `pairwise`.
    TypeError
        As for `pairwise`, like the warnings.

    References
    ----------
    Zhu et al. (2018), Texygen: A Benchmarking Platform for Text Generation Models. HELM 0.5.16,
    disinformation_metrics.py, ``_self_bleu``, which strips texts and leaves empty ones out.
    DiffuSeq 8bfafcb, scripts/eval_seq2seq.py, ``diversityOfSet``.

    Examples
    --------
    >>> found = self_bleu([["a", "b", "c"], ["a", "b", "d"], ["x", "y", "z"]], orders=(1, 2))
    >>> {order: round(value, 3) for order, value in found.values.items()}
    {1: 0.444, 2: 0.385}
    >>> groups = [["a dog", "a cat"], ["it is", "it was", "it will be"]]
    >>> [round(found.values[2], 3) for found in self_bleu(groups, tokenize="13a")]
    [0.224, 0.192]
    """
    if metric is None and options.get("effective_order") and "dialect" not in options:
        raise ValueError(
            "effective_order is an option of sacreBLEU's dialect, and self_bleu has nltk's by "
            'default: pass dialect="sacrebleu", too'
        )
    given, first = _peeked(sentences)
    if metric is None and get(options.setdefault("dialect", "nltk")) is NLTK:
        options.setdefault("smooth_method", "floor")
        if "tokenize" not in options and isinstance(first, str):
            options["tokenize"] = SACREBLEU.tokenizer
        elif "tokenize" not in options:
            mistakes.warn_of_groups("sentences", given)
            options["tokenize"] = False
    is_explicit = "tokenize" in options
    sentence_metric = sentence_metric_of(metric, options)
    tokenizer = sentence_metric.counter.tokenizer
    if tokenizer is not None and tokenizer.splits_at_spaces and not is_explicit:
        mistakes.refuse_words_as_groups("sentences", given)
    reader = SentenceReader(sentence_metric)
    checked = _check_orders(orders)
    seed = check_integer("seed", seed)
    for order in checked:
        sentence_metric.scorer.dialect._check_order(order)
    check_choice("against", against, ("others", "each", "earlier"))
    if against != "others" and sample is not None:
        raise ValueError(f'against is {against!r}, which takes no sample: pass against="others"')
    group = _Group(sentence_metric, checked, sample, seed)

    def score_group(sentences: Any, name: str, mask: Any, progress: bool = False) -> SelfBLEU:
        if against != "others":
            return group.score_pairs(sentences, reader, against == "earlier", mask, progress, name)
        blocks = reader.read_blocks(sentences, name, mask, progress, counted=True)
        return group.score(blocks, name)

    is_listed = hasattr(given, "__len__") and not isinstance(given, str)
    result: Any
    if not is_batch(given if is_listed else [first], tokenizer is not None):
        result = score_group(given, "sentences", mask, progress)
    else:
        groups = given if is_listed else list(given)
        check_sizes("sentences", groups, "", ragged=True)
        masks = masks_of(("sentences", ""), (mask, None), len(groups))
        result = []
        with ProgressBar(progress, len(groups), " groups") as bar:
            for number, (of_group, (mask_of_group, _)) in enumerate(
                zip(groups, masks, strict=True)
            ):
                reader.vocabulary.forget()
                result.append(score_group(of_group, f"sentences[{number}]", mask_of_group))
                bar.update(1)
    reader.warn_of_input()
    sentence_metric.scorer.warn_of_short(group.short, reader.sentences, max(checked))
    return result


class _Group:
    """Scores groups of sentences; `short` is the number of those without n-grams of every order."""

    def __init__(
        self, metric: SentenceMetric, orders: tuple[int, ...], sample: Any, seed: int
    ) -> None:
        self.short = 0
        self._metric, self._orders, self._sample, self._seed = metric, orders, sample, seed
        self._scorers = [metric.scorer.with_equal_weights(order) for order in orders]
        # The metric's own max_ngram_order and weights are ignored.
        unused = "order:", "weights:"
        signature = metric.scorer.signature()
        fields = [field for field in signature.split("|") if not field.startswith(unused)]
        if sample is not None:
            fields += [f"sample:{sample}", f"seed:{seed}"]
        self._signature = "|".join(fields)

    def score(self, blocks: Iterable[tuple[Sentences, ProgressBar]], name: str) -> SelfBLEU:
        """Score a group; messages use `name`."""
        max_ngram_order, sample = max(self._orders), self._sample
        others = LeaveOneOut(max_ngram_order, self._metric.counter.reference_length)
        for block, bar in blocks:
            others.add(block)
            self.short += block.shorter_than(max_ngram_order)
            bar.update(len(block))
        count = len(others)
        self._metric.scorer.dialect._check_references(count - 1)
        where = _check_count(count, name)
        every = range(count)
        if sample is not None and not 1 <= check_integer("sample", sample) <= count:
            raise ValueError(
                f"{where}sample is {sample}, but must lie in 1..{count}, the sentences there are"
            )
        chosen = every if sample is None else sorted(Random(self._seed).sample(every, sample))
        indices = array("q", chosen)
        rows = others.rows(indices)
        scores = numpy.empty((len(indices), len(self._orders)))
        width = len(rows) // len(indices)
        for first in range(0, len(indices), _ROWS):
            part = rows[first * width : (first + _ROWS) * width]
            for column, scorer in enumerate(self._scorers):
                scores[first : first + _ROWS, column] = _scores(scorer, part, max_ngram_order)
        means = (fsum(column.tolist()) / len(indices) for column in scores.T)
        values = dict(zip(self._orders, means, strict=True))
        numbers = numpy.array(indices, numpy.int64)
        return SelfBLEU(values, scores, self._orders, numbers, self._signature)

    def score_pairs(
        self,
        sentences: Any,
        reader: SentenceReader,
        is_earlier: bool,
        mask: Any,
        progress: bool,
        name: str,
    ) -> SelfBLEU:
        """Score each pair of a group by itself: with all other sentences, or only earlier ones."""
        listed = sentences if hasattr(sentences, "__len__") else list(sentences)
        count = len(listed)
        _check_count(count, name)
        chosen = numpy.tri(count, count, -1, bool) if is_earlier else ~numpy.eye(count, dtype=bool)
        scores, values = numpy.empty((count, len(self._orders))), {}
        pairs, threads = numpy.empty((count, count)), self._metric.counter.threads
        read = reader.read(listed, name, mask, counted=True)
        self.short += read.shorter_than(max(self._orders))
        with ProgressBar(progress, pairs.size * len(self._orders), " pairs") as bar:
            for column, order in enumerate(self._orders):
                scorer = PairScorer(self._scorers[column], threads, bar)
                scorer.prepare(read, read)
                scorer.fill(pairs)
                # Reference by reference, as DiffuSeq adds them up.
                values[order] = float(numpy.mean(pairs.T[chosen.T]))
                with numpy.errstate(invalid="ignore"):
                    means = numpy.where(chosen, pairs, 0.0).sum(axis=1) / chosen.sum(axis=1)
                scores[:, column] = means
        signature = f"{self._signature}|against:{'earlier' if is_earlier else 'each'}"
        return SelfBLEU(values, scores, self._orders, numpy.arange(count), signature)


def _check_count(count: int, name: str) -> str:
    """What precedes messages about a group, after a check that it has two sentences."""
    where, fix = ("", "") if name == "sentences" else (f"{name}: ", "; leave this group out")
    if count < 2:
        raise ValueError(
            f"{where}there are {count} sentences; self-BLEU needs 2 or more, because each is "
            f"compared with all the others{fix}"
        )
    return where


def _peeked(sentences: Any) -> tuple[Any, Any]:
    """The same sentences, to be read from the start, and the first one; None if there is none."""
    given = listed_column(sentences, "sentences")
    if isinstance(given, str) or not hasattr(given, "__iter__") or shape_of(given) == ():
        return given, None
    if hasattr(given, "__len__"):
        return given, next(iter(given), None)
    rest = iter(given)
    first = list(islice(rest, 1))
    return chain(first, rest), first[0] if first else None


def _scores(scorer: Scorer, rows: array[int], max_ngram_order: int) -> Any:
    """The score of each row by its n-grams of the scorer's orders."""
    order = scorer.max_ngram_order
    table = numpy.frombuffer(rows, numpy.int64).reshape(-1, 2 + 2 * max_ngram_order)
    kept = [*range(2 + order), *range(2 + max_ngram_order, 2 + max_ngram_order + order)]
    return scorer.row_scores(Stats._own(array("q", table[:, kept].tobytes()), order))


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

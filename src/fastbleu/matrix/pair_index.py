"""Nearest references: the best of all pairs, without scoring all of them."""

from __future__ import annotations

from array import array

import numpy

from ..counting.stats import Stats
from ..inputs.arguments import as_double, check_integer
from ..runtime.progress import ProgressBar
from ..runtime.threads import pop_until_empty, run_on_threads
from ._ngrams import Features, Ngrams
from ._postings import NearestSearch, Postings
from ._sentences import sentences_of
from .reader import SentenceMetric, SentenceReader, sentence_metric_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, Unpack

    from numpy.typing import NDArray

    from ..inputs.types import Mask, SentenceStream
    from ..metric.bleu import BLEU
    from ..metric.keyword_types import MetricOptions
    from ._sentences import Sentences

    Scores = NDArray[numpy.float64]
    Positions = NDArray[numpy.int64]

# Hypotheses that a thread takes at a time.
_CHUNK = 16


class PairIndex:
    """References that are kept, to find those that score best with a hypothesis.

    Scores are those of `pairwise`, to the last bit. Threads may share an index.

    Parameters
    ----------
    references : iterable of R sentences
        As in `pairwise`. An iterator is read in blocks, so that only token ids are in memory.
    reference_mask, progress, metric, **options
        As for `pairwise`, with its errors and warnings. `nearest` uses the `threads`.

    Examples
    --------
    >>> index = PairIndex(["the cat sat down", "a dog barked", "the cat sat"])
    >>> scores, positions = index.nearest(["the cat sat up", "a dog"], k=2)
    >>> positions.tolist(), scores.round(1).tolist()
    ([[0, 2], [1, 0]], [[59.5, 59.5], [60.7, 0.0]])
    """

    __slots__ = ("__weakref__", "_metric", "_postings", "_reader")

    def __init__(
        self,
        references: SentenceStream,
        *,
        metric: BLEU | None = None,
        reference_mask: Mask | None = None,
        progress: bool = False,
        **options: Unpack[MetricOptions],
    ) -> None:
        sentence_metric = sentence_metric_of(metric, options)
        reader = SentenceReader(sentence_metric)
        blocks = reader.read_blocks(references, "references", reference_mask, progress)
        self._keep(sentence_metric, reader, _joined(blocks))

    def _keep(self, metric: SentenceMetric, reader: SentenceReader, references: Sentences) -> None:
        reader.warn_of_input()
        ngrams = Ngrams(max(1, min(metric.scorer.max_ngram_order, references.longest)))
        self._metric, self._reader = metric, reader
        self._postings = Postings(ngrams, references)

    def nearest(
        self,
        hypotheses: SentenceStream,
        k: int = 5,
        min_score: float = 0,
        *,
        hypothesis_mask: Mask | None = None,
        progress: bool = False,
    ) -> tuple[Scores, Positions]:
        """The `k` best references of each hypothesis: see `fastbleu.matrix.nearest`."""
        if check_integer("k", k) < 1:
            raise ValueError(f"k is {k}, but must be at least 1")
        least = as_double("min_score", min_score)
        reader = self._reader.sharing()
        every_score, every_position = [numpy.empty((0, k))], [numpy.empty((0, k), numpy.int64)]
        for block, bar in reader.read_blocks(
            hypotheses, "hypotheses", hypothesis_mask, progress, known_only=True, counted=True
        ):
            scores = numpy.full((len(block), k), numpy.nan)
            positions = numpy.full((len(block), k), -1, numpy.int64)
            for number, (best, places) in enumerate(self._search(block, k, least, bar)):
                scores[number, : len(best)] = best
                positions[number, : len(best)] = places
            every_score.append(scores)
            every_position.append(positions)
        reader.warn_of_input()
        self._metric.scorer.warn_of_short(reader.short, reader.sentences)
        return numpy.concatenate(every_score), numpy.concatenate(every_position)

    def _search(
        self,
        hypotheses: Sentences,
        k: int,
        min_score: float,
        bar: ProgressBar,
        only_later: bool = False,
    ) -> list[tuple[array[float], array[int]]]:
        """The scores of the best references of each hypothesis, and which ones they are.

        With `only_later` those of hypothesis i come after reference i.
        """
        scorer, postings = self._metric.scorer, self._postings
        features = Features(postings.ngrams, hypotheses, known_only=True)
        order = numpy.argsort(hypotheses.lengths, kind="stable").tolist()
        left = [order[first : first + _CHUNK] for first in range(0, len(order), _CHUNK)]
        found: list[Any] = [None] * len(order)

        def score(rows: array[int]) -> bytes:
            return scorer.row_scores(Stats._own(rows, scorer.max_ngram_order)).tobytes()

        def work(search: NearestSearch) -> None:
            for numbers in pop_until_empty(left):
                for number in numbers:
                    if search.cancelled:
                        return
                    found[number] = search.best(features, number, number + 1 if only_later else 0)
                bar.update(len(numbers))

        separable = bool(scorer.dialect.separable)
        arguments = postings, score, scorer.max_ngram_order, separable, k, min_score
        threads = min(self._metric.counter.threads, len(left))
        run_on_threads(work, [NearestSearch(*arguments) for _ in range(threads)])
        return found

    def __len__(self) -> int:
        """Number of references."""
        return len(self._postings)


def nearest(
    hypotheses: SentenceStream,
    references: SentenceStream,
    k: int = 5,
    min_score: float = 0,
    *,
    progress: bool = False,
    hypothesis_mask: Mask | None = None,
    reference_mask: Mask | None = None,
    metric: BLEU | None = None,
    **options: Unpack[MetricOptions],
) -> tuple[Scores, Positions]:
    """The `k` best references of each hypothesis: their scores, and which ones they are.

    That is each row of `pairwise`, sorted, in less time and memory.

    Parameters
    ----------
    hypotheses, references, progress, hypothesis_mask, reference_mask, metric, **options
        As for `pairwise`, of one source, with its errors and warnings. Iterators are read in
        blocks.
    k : int, default 5
        At least 1.
    min_score : float, default 0
        Leave out references with lower scores, on the dialect's scale.

    Returns
    -------
    scores : ndarray of float64, shape (H, k)
        The highest first; NaN where there are fewer than `k`.
    positions : ndarray of int64, shape (H, k)
        Which references have these scores, of equal scores the first one first; or -1.

    Examples
    --------
    >>> scores, positions = nearest(["the cat sat up"], ["a dog", "the cat", "the cat sat"], k=2)
    >>> scores.round(1), positions
    (array([[59.5, 31.9]]), array([[2, 1]]))
    """
    index = PairIndex(
        references, metric=metric, reference_mask=reference_mask, progress=progress, **options
    )
    return index.nearest(
        hypotheses, k, min_score, hypothesis_mask=hypothesis_mask, progress=progress
    )


def duplicates(
    sentences: SentenceStream,
    threshold: float,
    *,
    progress: bool = False,
    mask: Mask | None = None,
    metric: BLEU | None = None,
    **options: Unpack[MetricOptions],
) -> tuple[Positions, Scores]:
    """The pairs of sentences that are alike.

    Parameters
    ----------
    sentences : iterable of S sentences
        As in `pairwise`; an iterator is read in blocks.
    threshold : float
        The lowest score of a pair, on the dialect's scale.
    progress, mask, metric, **options
        As for `pairwise`, with its errors and warnings.

    Returns
    -------
    pairs : ndarray of int64, shape (P, 2)
        The positions i < j of both sentences, in ascending order.
    scores : ndarray of float64, shape (P,)
        The scores of i as the hypothesis and j as the reference.

    Examples
    --------
    >>> pairs, scores = duplicates(["it is a dog", "hello", "it is a cat", "it is a dog"], 50)
    >>> pairs.tolist(), scores.round(1).tolist()
    ([[0, 2], [0, 3], [2, 3]], [59.5, 100.0, 59.5])
    """
    least = as_double("threshold", threshold)
    sentence_metric = sentence_metric_of(metric, options)
    reader = SentenceReader(sentence_metric)
    index = PairIndex.__new__(PairIndex)
    read = _joined(reader.read_blocks(sentences, "sentences", mask, counted=True))
    index._keep(sentence_metric, reader, read)
    sentence_metric.scorer.warn_of_short(reader.short, reader.sentences)
    with ProgressBar(progress, len(read), " sentences") as bar:
        found = index._search(read, len(read), least, bar, only_later=True)
    seconds, every_score = [numpy.empty(0, numpy.int64)], [numpy.empty(0)]
    for scores, places in found:
        order = numpy.argsort(places)
        seconds.append(numpy.array(places, numpy.int64)[order])
        every_score.append(numpy.array(scores)[order])
    numbers = numpy.arange(len(read), dtype=numpy.int64)
    firsts = numpy.repeat(numbers, [len(places) for _, places in found])
    return numpy.stack([firsts, numpy.concatenate(seconds)], axis=1), numpy.concatenate(every_score)


def _joined(blocks: Iterable[tuple[Sentences, ProgressBar]]) -> Sentences:
    """All sentences of blocks."""
    ids, lengths = array("i"), array("q")
    for block, bar in blocks:
        ids += block.flat()
        lengths += block.lengths
        bar.update(len(block))
    return sentences_of(ids, lengths, [])

"""Nearest references: the best pairs, found without scoring all of them."""

from __future__ import annotations

from array import array

import numpy

from ..core.counting.stats import stats_of
from ..core.inputs.arguments import as_double, check_integer
from ..core.runtime.terminal import ProgressBar
from ..core.runtime.threads import share_out
from ._ngrams import Features, Ngrams
from ._postings import NearestSearch, Postings
from ._sentences import sentences_of
from .index import SentenceIndex
from .reader import SentenceReader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from numpy.typing import NDArray

    from ..core.inputs.types import Mask, SentenceStream
    from ..core.metric.argument import Metric
    from ._sentences import Sentences

    Scores = NDArray[numpy.float64]
    Positions = NDArray[numpy.int64]

# How many hypotheses a thread takes at a time.
_CHUNK = 16


class NearestIndex(SentenceIndex):
    """References, kept to find those that score best with a hypothesis.

    Scores equal those of `pairwise`, to the last bit. An index cannot be changed, and threads may
    share it.

    Parameters
    ----------
    references : iterable of R sentences
        As in `pairwise`. An iterator is read in blocks, so that only token ids are in memory.
    reference_mask, metric, progress
        As for `pairwise`, with its errors and warnings. `nearest` uses the metric's threads.

    Examples
    --------
    >>> index = NearestIndex(["the cat sat down", "a dog barked", "the cat sat"])
    >>> scores, positions = index.nearest(["the cat sat up", "a dog"], k=2)
    >>> positions.tolist(), scores.round(1).tolist()
    ([[0, 2], [1, 0]], [[59.5, 59.5], [60.7, 0.0]])
    """

    _references: Postings

    def __init__(
        self,
        references: SentenceStream,
        *,
        reference_mask: Mask | None = None,
        metric: Metric | None = None,
        progress: bool = False,
    ) -> None:
        reader = SentenceReader(metric)
        blocks = reader.read_blocks(references, "references", reference_mask, progress)
        self._finish(reader, _joined(blocks))

    def _finish(self, reader: SentenceReader, references: Sentences) -> None:
        reader.warn_of_input()
        ngrams = Ngrams(max(1, min(reader.max_ngram_order, references.longest)))
        vars(self).update(_reader=reader, _references=Postings(ngrams, references))

    def nearest(
        self,
        hypotheses: SentenceStream,
        *,
        hypothesis_mask: Mask | None = None,
        k: int = 5,
        min_score: float = 0,
        progress: bool = False,
    ) -> tuple[Scores, Positions]:
        """The `k` best references for each hypothesis: see `fastbleu.matrix.nearest`."""
        k = check_integer("k", k, 1)
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
        return numpy.concatenate(every_score), numpy.concatenate(every_position)

    def _search(
        self,
        hypotheses: Sentences,
        k: int,
        min_score: float,
        bar: ProgressBar,
        only_later: bool = False,
    ) -> list[tuple[array[float], array[int]]]:
        """The scores of the best references for each hypothesis, and their positions.

        With `only_later`, only references after reference i are considered for hypothesis i.
        """
        scorer, postings = self._reader.scorer, self._references
        features = Features(postings.ngrams, hypotheses, known_only=True)
        order = numpy.argsort(hypotheses.lengths)[::-1].tolist()  # the longest first
        chunks = [order[first : first + _CHUNK] for first in range(0, len(order), _CHUNK)]
        nearest: list[Any] = [None] * len(order)

        def score(rows: array[int]) -> bytes:
            return scorer.row_scores(stats_of(rows, scorer.max_ngram_order)).tobytes()

        def search_chunk(search: NearestSearch, numbers: list[int]) -> None:
            for number in numbers:
                if search.cancelled:
                    return
                nearest[number] = search.best(features, number, number + 1 if only_later else 0)
            bar.update(len(numbers))

        separable = bool(scorer.dialect.separable)
        arguments = postings, score, scorer.max_ngram_order, separable, k, min_score
        threads = min(self._reader.counter.threads, len(chunks))
        share_out(search_chunk, chunks, [NearestSearch(*arguments) for _ in range(threads)])
        return nearest


def nearest(
    hypotheses: SentenceStream,
    references: SentenceStream,
    *,
    hypothesis_mask: Mask | None = None,
    reference_mask: Mask | None = None,
    k: int = 5,
    min_score: float = 0,
    metric: Metric | None = None,
    progress: bool = False,
) -> tuple[Scores, Positions]:
    """The `k` best references for each hypothesis: their scores and positions.

    These are the best of each row of `pairwise`, found in less time and memory.

    Parameters
    ----------
    hypotheses, references, hypothesis_mask, reference_mask, metric, progress
        As for `pairwise` with one source, with its errors and warnings. Iterators are read in
        blocks.
    k : int, default 5
        How many references to return, at least 1.
    min_score : float, default 0
        Leave out references with lower scores, on the dialect's scale.

    Returns
    -------
    scores : ndarray of float64, shape (H, k)
        The highest first; NaN if there are fewer than `k`.
    positions : ndarray of int64, shape (H, k)
        The references with these scores, in ascending order for equal scores; -1 if there are
        fewer.

    Examples
    --------
    >>> scores, positions = nearest(["the cat sat up"], ["a dog", "the cat", "the cat sat"], k=2)
    >>> scores.round(1), positions
    (array([[59.5, 31.9]]), array([[2, 1]]))
    """
    index = NearestIndex(
        references, reference_mask=reference_mask, metric=metric, progress=progress
    )
    return index.nearest(
        hypotheses, hypothesis_mask=hypothesis_mask, k=k, min_score=min_score, progress=progress
    )


def duplicates(
    sentences: SentenceStream,
    *,
    min_score: float,
    sentence_mask: Mask | None = None,
    metric: Metric | None = None,
    progress: bool = False,
) -> tuple[Scores, Positions]:
    """The pairs of similar sentences.

    Parameters
    ----------
    sentences : iterable of S sentences
        As in `pairwise`; an iterator is read in blocks.
    min_score : float
        The lowest score of a pair, on the dialect's scale.
    sentence_mask, metric, progress
        As `hypothesis_mask`, `metric` and `progress` in `pairwise`, with its errors and warnings.

    Returns
    -------
    scores : ndarray of float64, shape (P,)
        The scores of pairs (i, j) with i as the hypothesis and j as the reference.
    positions : ndarray of int64, shape (P, 2)
        The positions i < j of the two sentences, in ascending order.

    Examples
    --------
    >>> texts = ["it is a dog", "hello", "it is a cat", "it is a dog"]
    >>> scores, positions = duplicates(texts, min_score=50)
    >>> scores.round(1).tolist(), positions.tolist()
    ([59.5, 100.0, 59.5], [[0, 2], [0, 3], [2, 3]])
    """
    least = as_double("min_score", min_score)
    reader = SentenceReader(metric)
    index = NearestIndex.__new__(NearestIndex)
    read = _joined(reader.read_blocks(sentences, "sentences", sentence_mask, counted=True))
    index._finish(reader, read)
    with ProgressBar(progress, len(read), " sentences") as bar:
        later = index._search(read, len(read), least, bar, only_later=True)
    seconds, every_score = [numpy.empty(0, numpy.int64)], [numpy.empty(0)]
    for scores, places in later:
        order = numpy.argsort(places)
        seconds.append(numpy.array(places, numpy.int64)[order])
        every_score.append(numpy.array(scores)[order])
    numbers = numpy.arange(len(read), dtype=numpy.int64)
    firsts = numpy.repeat(numbers, [len(places) for _, places in later])
    positions = numpy.stack([firsts, numpy.concatenate(seconds)], axis=1)
    return numpy.concatenate(every_score), positions


def _joined(blocks: Iterable[tuple[Sentences, ProgressBar]]) -> Sentences:
    """The sentences of all blocks."""
    ids, lengths = array("i"), array("q")
    for block, bar in blocks:
        ids += block.flat()
        lengths += block.lengths
        bar.update(len(block))
    return sentences_of(ids, lengths, [])

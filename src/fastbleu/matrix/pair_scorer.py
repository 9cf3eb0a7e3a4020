"""Scores of every hypothesis with every reference, by blocks of them, on one thread or several."""

from __future__ import annotations

from functools import partial

import numpy

from ..counting.stats import Stats
from ..runtime.threads import drain, run_on_threads
from ._ngrams import Features, Ngrams
from ._pairs import PairCounter, ReferenceBlock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable
    from typing import Any, TypeAlias

    from numpy.typing import NDArray

    from ..dialects.parameters import Parameters
    from ..runtime.progress import ProgressBar
    from ._sentences import Sentences

    Scores: TypeAlias = NDArray[numpy.floating[Any]]
    Rows: TypeAlias = NDArray[numpy.int64]
    Pairs: TypeAlias = tuple[ReferenceBlock, Features, int, int]

# Pairs that are counted before their new rows are scored: so few that they stay in the cache.
TILE_PAIRS = 1 << 15

# The minimum capacity of counters, so that few sources need new ones: a number of matches takes
# whole bytes.
_LEAST_LONGEST = 255


class PairScorer:
    """Scores pairs of sentences by a metric's rules; large sources on several threads.

    A row of counts that was scored for one source is not scored again for later ones.
    """

    def __init__(self, parameters: Parameters, threads: int) -> None:
        self._parameters = parameters
        self._threads = threads
        self._counters: list[PairCounter] = []
        self._orders, self._longest = 1, _LEAST_LONGEST
        self._cancelled = False
        # If scores are not separable: all rows that each counter has met.
        self._rows: dict[PairCounter, Rows] = {}

    @property
    def cancelled(self) -> bool:
        """Whether to stop: another thread sets it."""
        return self._cancelled

    @cancelled.setter
    def cancelled(self, value: bool) -> None:
        self._cancelled = value
        for counter in self._counters:
            counter.cancelled = value

    def prepare(self, hypotheses: Sentences, references: Sentences) -> None:
        """Number the n-grams of sentences with one vocabulary, which `fill` then pairs."""
        longest = min(hypotheses.longest, references.longest)
        orders = max(1, min(self._parameters.max_order, longest))
        if orders > self._orders or longest > self._longest:
            self._orders, self._longest = max(orders, self._orders), max(longest, self._longest)
            self._counters = []
        ngrams = Ngrams(orders)
        features = self._hypotheses = Features(ngrams, references)
        if not self._parameters.rules.separable:
            self._lengths = numpy.asarray(references.lengths, numpy.int64)
        if hypotheses is not references:
            # An n-gram that no reference has matches nothing and needs no number.
            self._hypotheses = Features(ngrams, hypotheses, known_only=True)
        self._block = ReferenceBlock(ngrams, features, self._hypotheses)

    def fill(self, out: Scores, bar: ProgressBar, first: int = 0) -> None:
        """Write the scores of the hypotheses from number `first` on, one for each row of `out`."""
        start = 0
        while not self._cancelled and (width := self._block.fill(start)):
            height = max(1, TILE_PAIRS // width)
            untaken = [*range(0, len(out), height)][::-1]
            threads = min(self._threads, len(untaken))
            while len(self._counters) < threads:
                counter = PairCounter(self._parameters.max_order, self._orders, self._longest)
                self._counters.append(counter)
            columns = slice(start, start + width)
            score_tiles = partial(self._score_tiles, out, columns, first, height, untaken, bar)
            run_on_threads(score_tiles, self._counters[:threads])
            start += width

    def _score_tiles(
        self,
        out: Scores,
        columns: slice,
        first: int,
        height: int,
        untaken: list[int],
        bar: ProgressBar,
        counter: PairCounter,
    ) -> None:
        """Score tiles of `height` rows, which begin at rows in `untaken`, for the current block."""
        for row in drain(untaken):
            if counter.cancelled:
                break
            tile = out[row : row + height, columns]
            pairs = self._block, self._hypotheses, first + row, first + row + len(tile)
            rows = counter.count(*pairs)
            if not self._parameters.rules.separable:
                tile[:] = self._scores_of_rows(counter, rows, pairs, self._lengths[columns])
            else:
                if rows:
                    new = Stats._own(rows, counter.max_order)
                    counter.score(self._parameters.sentence_scores(new))
                counter.write(*pairs, tile)
            bar.update(tile.size)

    def _scores_of_rows(
        self, counter: PairCounter, new: array[int], pairs: Pairs, lengths: Rows
    ) -> Scores:
        """The scores of a tile whose dialect needs each pair's reference length, too."""
        width = 2 + 2 * counter.max_order
        known = self._rows.get(counter, numpy.zeros((0, width), numpy.int64))
        added = numpy.frombuffer(new, numpy.int64).reshape(-1, width) if new else known[:0]
        # Each entry is the number of a row instead of a score.
        counter.score(numpy.arange(len(known), len(known) + len(added), dtype=numpy.float64))
        known = self._rows[counter] = numpy.concatenate([known, added])
        numbers = numpy.empty((pairs[3] - pairs[2], len(lengths)))
        counter.write(*pairs, numbers, penalize=False)
        longest = int(lengths.max(initial=0)) + 1
        keys = numbers.astype(numpy.int64) * longest + lengths
        different, places = numpy.unique(keys, return_inverse=True)
        rows = known[different // longest]
        rows[:, 1] = different % longest
        scores = self._parameters.sentence_scores(Stats(rows, counter.max_order))
        return scores[places].reshape(keys.shape)


def on_sources(
    threads: int,
    shape: tuple[int, ...],
    make: Callable[[int], Any],
    work: Callable[[Any, int], None],
) -> None:
    """Call ``work(worker, number)`` for each source; `shape` is (sources, hypotheses, references).

    ``make(threads)`` creates a worker, with an attribute `cancelled`, that may use `threads`
    threads: all of them for large sources. Small sources are distributed over the threads.
    """
    sources, rows, columns = shape
    if sources < 2 or rows * columns >= threads * TILE_PAIRS:
        worker = make(threads)
        for source in range(sources):
            work(worker, source)
        return
    untaken = [*range(sources)][::-1]

    def take_turns(worker: Any) -> None:
        for source in drain(untaken):
            if worker.cancelled:
                break
            work(worker, source)

    run_on_threads(take_turns, [make(1) for _ in range(min(threads, sources))])

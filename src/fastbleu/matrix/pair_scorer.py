"""Scores of every hypothesis with every reference, by blocks of them, on one thread or several."""

from __future__ import annotations

from functools import partial

from ..counting.stats import Stats
from ..runtime.threads import drain, run_on_threads
from ._ngrams import Features, Ngrams
from ._pairs import PairCounter, ReferenceBlock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    import numpy
    from numpy.typing import NDArray

    from ..dialects.parameters import Parameters
    from ..runtime.progress import ProgressBar
    from ._sentences import Sentences

    Scores = NDArray[numpy.floating[Any]]

# Pairs that are counted before their new rows are scored: so few that they stay in the cache.
TILE_PAIRS = 1 << 15

# What counters are made for at least, so that hardly any source needs new ones: a number of matches
# takes whole bytes.
_LEAST_LONGEST = 255


class PairScorer:
    """Scores pairs of sentences as a metric does; sources of many pairs on several threads.

    A row of counts that was met in one source is not scored again in the next ones.
    """

    def __init__(self, parameters: Parameters, threads: int) -> None:
        if not parameters.rules.separable:
            name = parameters.dialect
            raise ValueError(f"dialect {name!r} does not support the matrix of pairs")
        self._parameters = parameters
        self._threads = threads
        self._counters: list[PairCounter] = []
        self._orders, self._longest = 1, _LEAST_LONGEST
        self._cancelled = False

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
        """Number the n-grams of sentences over one vocabulary, which `fill` is going to pair."""
        longest = min(hypotheses.longest, references.longest)
        orders = max(1, min(self._parameters.max_order, longest))
        if orders > self._orders or longest > self._longest:
            self._orders, self._longest = max(orders, self._orders), max(longest, self._longest)
            self._counters = []
        ngrams = Ngrams(orders)
        features = self._hypotheses = Features(ngrams, references)
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
            part = out[:, start : start + width]
            score_tiles = partial(self._score_tiles, part, first, height, untaken, bar)
            run_on_threads(score_tiles, self._counters[:threads])
            start += width

    def _score_tiles(
        self,
        out: Scores,
        first: int,
        height: int,
        untaken: list[int],
        bar: ProgressBar,
        counter: PairCounter,
    ) -> None:
        """Score tiles of `height` rows, which begin at those `untaken`, with the present block."""
        for row in drain(untaken):
            if counter.cancelled:
                break
            tile = out[row : row + height]
            pairs = self._block, self._hypotheses, first + row, first + row + len(tile)
            rows = counter.count(*pairs)
            if rows:
                counter.score(self._parameters.sentence_scores(Stats._own(rows, counter.max_order)))
            counter.write(*pairs, tile)
            bar.update(tile.size)


def on_sources(
    threads: int,
    shape: tuple[int, ...],
    make: Callable[[int], Any],
    work: Callable[[Any, int], None],
) -> None:
    """Call ``work(worker, number)`` for each source; `shape` is (sources, hypotheses, references).

    ``make(threads)`` makes a worker, with an attribute `cancelled`, that may use so many threads:
    all of them for sources that are large enough. Of smaller ones each thread takes one after the
    other.
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

"""Scores of every hypothesis with every reference, by blocks of them, on one thread or several."""

from __future__ import annotations

from ..counting.stats import Stats
from ..runtime.threads import drain, run_on_threads
from ._ngrams import Features, Ngrams
from ._pairs import PairCounter, ReferenceBlock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import numpy
    from numpy.typing import NDArray

    from ..metric.scorer import Scorer
    from ..runtime.progress import ProgressBar
    from ._sentences import Sentences

    Scores = NDArray[numpy.floating[Any]]

# Pairs that are counted before their new rows are scored: so few that they stay in the cache.
TILE_PAIRS = 1 << 15

# What counters are made for at least, so that hardly any source needs new ones: a number of matches
# takes whole bytes.
_LEAST_LONGEST = 255


class PairScorer:
    """Scores pairs of sentences as a metric does.

    Keeps what it has computed: a row of counts that was met in one source is not scored again in
    the next ones.

    Parameters
    ----------
    scorer : Scorer
    threads : int
        What a source of more than `TILE_PAIRS` pairs is scored on.
    """

    def __init__(self, scorer: Scorer, threads: int) -> None:
        self._scorer = scorer
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
        orders = max(1, min(self._scorer.max_order, longest))
        if orders > self._orders or longest > self._longest:
            self._orders, self._longest = max(orders, self._orders), max(longest, self._longest)
            self._counters = []
        ngrams = Ngrams(orders)
        features = Features(ngrams, references)
        # An n-gram that no reference has matches nothing and needs no number.
        self._hypotheses = (
            features if hypotheses is references else Features(ngrams, hypotheses, known_only=True)
        )
        self._block = ReferenceBlock(ngrams, features, self._hypotheses)

    def fill(self, out: Scores, bar: ProgressBar, first: int = 0) -> None:
        """Write the scores of the hypotheses from number `first` on.

        Parameters
        ----------
        out : ndarray of float64 or float32, shape (rows, references)
        bar : ProgressBar
            Is told how many pairs were scored.
        first : int, default 0
        """
        start = 0
        while not self._cancelled and (width := self._block.fill(start)):
            rows = max(1, TILE_PAIRS // width)
            part = out[:, start : start + width]
            tiles = [(first + row, part[row : row + rows]) for row in range(0, len(out), rows)]
            self._score_tiles(tiles, bar)
            start += width

    def _score_tiles(self, tiles: list[tuple[int, Scores]], bar: ProgressBar) -> None:
        """Score hypotheses with the references of the present block."""
        threads = min(self._threads, len(tiles))
        while len(self._counters) < threads:
            counter = PairCounter(self._scorer.max_order, self._orders, self._longest)
            self._counters.append(counter)
        untaken = tiles[::-1]

        def work(counter: PairCounter) -> None:
            for first, out in drain(untaken):
                if counter.cancelled:
                    break
                self._score_tile(counter, first, out)
                bar.update(out.size)

        run_on_threads(work, self._counters[:threads])

    def _score_tile(self, counter: PairCounter, first: int, out: Scores) -> None:
        """Score the hypotheses from `first` on, one for each row of `out`."""
        pairs = self._block, self._hypotheses, first, first + len(out)
        rows = counter.count(*pairs)
        if rows:
            counter.score(self._scorer._scores(Stats._own(rows, counter.max_order)))
        counter.write(*pairs, out)

"""Scores of all pairs: the matrix, and the scorer that fills it, on one thread or several."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy

from ..core.counting.stats import Stats, stats_of
from ..core.inputs.arguments import check_integer
from ..core.runtime.terminal import ProgressBar
from ..core.runtime.threads import share_out
from ._ngrams import Features, Ngrams
from ._pairs import PairCounter, ReferenceBlock
from .reader import SentenceReader, read_sources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable
    from typing import Any

    from numpy.typing import DTypeLike, NDArray

    from ..core.inputs.types import Hypotheses, Mask, Sources
    from ..core.metric.argument import Metric
    from ..core.scoring.scorer import Scorer
    from ._sentences import Sentences

    Scores = NDArray[numpy.floating[Any]]
    Rows = NDArray[numpy.int64]
    Pairs = tuple[ReferenceBlock, Features, int, int]

# A block is a run of hypotheses, or references, that are scored at a time. Default memory of a
# block of `pairwise_chunked`: 64 MB hold 400 rows of 20,000 scores, enough to make the work that is
# repeated for each block negligible.
_BLOCK_BYTES = 1 << 26

# How many pairs are counted before their new rows are scored: few enough to stay in the cache.
BLOCK_PAIRS = 1 << 15

# The minimum capacity of counters (one byte for each number of matches), so that few sources need
# new counters.
_LEAST_LONGEST = 255


def pairwise(
    hypotheses: Sources,
    references: Sources,
    *,
    hypothesis_mask: Mask | None = None,
    reference_mask: Mask | None = None,
    out: Scores | None = None,
    dtype: DTypeLike | None = None,
    metric: Metric | None = None,
    progress: bool = False,
) -> Scores:
    """Sentence BLEU of every hypothesis with every reference.

    Each entry equals what the metric's `fastbleu.BLEU.sentence_scores` (by default sacreBLEU's
    ``sentence_bleu``) gives for that pair. The metric's threads share one large source; many small
    sources are distributed over them.

    Parameters
    ----------
    hypotheses : sequence of H sentences, or of B sequences of H sentences
        Sentences are str; for a metric with ``tokenize=False``, lists of tokens, or token ids in an
        array of shape (H, length) or (B, H, length) or in a list of arrays. As tokens may be
        tuples, nested tuples without lists are one source.
    references : sequence of R sentences, or of B sequences of R sentences
        Each is the only reference of a pair: references are not nested by segment.
    hypothesis_mask, reference_mask : array of bool or integers, optional
        For token ids, of the same shapes: an id counts if its mask is not 0.
    out : ndarray of float64 or float32, shape (H, R) or (B, H, R), optional
        An array for the scores; undefined after an error or Ctrl-C.
    dtype : float64 or float32, optional
        By default the type of `out`, or float64; float32 rounds each score and halves the memory.
    metric : fastbleu.BLEU or str, optional
        A BLEU, or the name of a dialect or recipe; by default ``BLEU()``, sacreBLEU's.
    progress : bool, default False
        Show a progress bar on standard error.

    Returns
    -------
    ndarray, shape (H, R) or (B, H, R)
        Scores on the dialect's scale; `out` if it was given.

    Raises
    ------
    ValueError
        One side is batched and the other is not, sources have different sizes, `out` has the wrong
        shape or type, or no dialect has the name.
    TypeError
        Something is not a sentence (the message says where), or `metric` is not a metric.

    Warns
    -----
    InputWarning
        Lists of tokens look like sources of text; or as for `fastbleu.BLEU.sentence_scores`.

    Examples
    --------
    >>> pairwise(["a b c d", "a b"], ["a b c d", "b a c d", "x"]).round(1)
    array([[100. ,  38. ,   0. ],
           [ 36.8,  26. ,   0. ]])
    """
    reader = SentenceReader(metric)
    kind = _checked_dtype(dtype, out)
    masks = hypothesis_mask, reference_mask
    sources, shape = read_sources(reader, (hypotheses, references), masks)
    scores = numpy.empty(shape, kind) if out is None else _checked_out(out, shape)
    by_source = scores if len(shape) == 3 else scores[None]
    with ProgressBar(progress, scores.size, " pairs") as bar:

        def score(scorer: PairScorer, number: int) -> None:
            scorer.prepare(*sources[number])
            scorer.fill(by_source[number])

        make = partial(PairScorer, reader.scorer, bar=bar)
        on_sources(reader.counter.threads, by_source.shape, make, score)
    return scores


def pairwise_chunked(
    hypotheses: Hypotheses,
    references: Hypotheses,
    *,
    hypothesis_mask: Mask | None = None,
    reference_mask: Mask | None = None,
    rows: int | None = None,
    dtype: DTypeLike | None = None,
    metric: Metric | None = None,
    progress: bool = False,
) -> Iterator[tuple[slice, Scores]]:
    """The matrix of `pairwise` block by block, so that it is never in memory as a whole.

    Parameters
    ----------
    hypotheses, references, hypothesis_mask, reference_mask, dtype, metric, progress
        As for `pairwise`, with its errors; for a single source only.
    rows : int, optional
        Hypotheses in a block; by default as many as fit into 64 MB.

    Yields
    ------
    (slice, ndarray of shape (rows, R))
        The hypotheses of the block, and their scores with all references in a new array.

    Examples
    --------
    >>> for rows, scores in pairwise_chunked(["a b", "b", "a"], ["a", "b"], rows=2):
    ...     print(rows, scores.argmax(axis=1))
    slice(0, 2, None) [0 1]
    slice(2, 3, None) [0]
    """
    reader = SentenceReader(metric)
    kind = _checked_dtype(dtype, None)
    if rows is not None:
        rows = check_integer("rows", rows, 1)
    masks = hypothesis_mask, reference_mask
    sources, shape = read_sources(reader, (hypotheses, references), masks)
    if len(shape) == 3:
        raise ValueError("pairwise_chunked takes one source; for a batch call it for each source")
    count, width = shape
    scorer = PairScorer(reader.scorer, reader.counter.threads)
    scorer.prepare(*sources[0])
    height = rows or max(1, _BLOCK_BYTES // (kind.itemsize * max(1, width)))

    def blocks() -> Iterator[tuple[slice, Scores]]:
        with ProgressBar(progress, count * width, " pairs") as scorer.bar:
            for first in range(0, count, height):
                scores = numpy.empty((min(height, count - first), width), kind)
                scorer.fill(scores, first)
                yield slice(first, first + len(scores)), scores

    # Errors are raised now, not when the first block is requested.
    return blocks()


class PairScorer:
    """Scores all pairs of sentences; large sources on several threads.

    Rows of counts that were scored for one source are not scored again for later ones.
    """

    def __init__(self, scorer: Scorer, threads: int, bar: ProgressBar | None = None) -> None:
        self.bar = bar or ProgressBar(False, None, "")
        self._scorer = scorer
        self._threads = threads
        self._counters: list[PairCounter] = []
        self._orders, self._longest = 1, _LEAST_LONGEST
        self._cancelled = False
        # If scores are not separable: all rows that each counter has found.
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
        """Number the n-grams of sentences over one vocabulary; `fill` then scores the pairs."""
        longest = min(hypotheses.longest, references.longest)
        orders = max(1, min(self._scorer.max_ngram_order, longest))
        if orders > self._orders or longest > self._longest:
            self._orders, self._longest = max(orders, self._orders), max(longest, self._longest)
            self._counters = []
        ngrams = Ngrams(orders)
        features = self._hypotheses = Features(ngrams, references)
        if not self._scorer.dialect.separable:
            self._lengths = numpy.asarray(references.lengths, numpy.int64)
        if hypotheses is not references:
            # N-grams that no reference has match nothing and need no number.
            self._hypotheses = Features(ngrams, hypotheses, known_only=True)
        self._references = ReferenceBlock(ngrams, features, self._hypotheses)

    def fill(self, out: Scores, first: int = 0) -> None:
        """Write the scores of the hypotheses from number `first` on, one per row of `out`."""
        start = 0
        while not self._cancelled and (width := self._references.fill(start)):
            self._fill_columns(out, slice(start, start + width), first)
            start += width

    def _fill_columns(self, out: Scores, columns: slice, first: int) -> None:
        """Score blocks of hypotheses with the current block of references."""
        height = max(1, BLOCK_PAIRS // (columns.stop - columns.start))
        blocks = range(0, len(out), height)
        threads = min(self._threads, len(blocks))
        while len(self._counters) < threads:
            counter = PairCounter(self._scorer.max_ngram_order, self._orders, self._longest)
            self._counters.append(counter)

        def fill_block(counter: PairCounter, row: int) -> None:
            block = out[row : row + height, columns]
            pairs = self._references, self._hypotheses, first + row, first + row + len(block)
            rows = counter.count(*pairs)
            if not self._scorer.dialect.separable:
                block[:] = self._scores_of_rows(counter, rows, pairs, self._lengths[columns])
            else:
                if rows:
                    new = stats_of(rows, counter.max_order)
                    counter.score(self._scorer.row_scores(new))
                counter.write(*pairs, block)
            self.bar.update(block.size)

        share_out(fill_block, blocks, self._counters[:threads])

    def _scores_of_rows(
        self, counter: PairCounter, new: array[int], pairs: Pairs, lengths: Rows
    ) -> Scores:
        """The scores of a block in a dialect that also needs each pair's reference length."""
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
        scores = self._scorer.row_scores(Stats(rows, counter.max_order))
        return scores[places].reshape(keys.shape)


def on_sources(
    threads: int,
    shape: tuple[int, ...],
    make: Callable[[int], Any],
    work: Callable[[Any, int], None],
) -> None:
    """Call ``work(worker, number)`` for each source; `shape` is (sources, hypotheses, references).

    ``make(threads)`` creates a worker that may use `threads` threads: all of them for large
    sources. Small sources are distributed over the threads. Another thread sets a worker's
    `cancelled` to stop it.
    """
    sources, rows, columns = shape
    if sources < 2 or rows * columns >= threads * BLOCK_PAIRS:
        worker = make(threads)
        for number in range(sources):
            work(worker, number)
        return
    share_out(work, range(sources), [make(1) for _ in range(min(threads, sources))])


def _checked_dtype(dtype: DTypeLike | None, out: Scores | None) -> numpy.dtype[Any]:
    """The type of the scores; an error if `out` is not an array of this type."""
    if out is not None and not isinstance(out, numpy.ndarray):
        raise TypeError(f"out is a {type(out).__name__}, expected an ndarray")
    if dtype is None:
        dtype = numpy.float64 if out is None else out.dtype
    kind: numpy.dtype[Any] = numpy.dtype(dtype)
    if kind not in (numpy.float64, numpy.float32):
        raise ValueError(f"dtype is {kind}, but must be float64 or float32")
    if out is not None and out.dtype != kind:
        raise ValueError(f"out has the dtype {out.dtype}, but dtype={kind}")
    return kind


def _checked_out(out: Scores, shape: tuple[int, ...]) -> Scores:
    """The caller's array; an error if scores of this shape cannot be written to it."""
    if out.shape != shape:
        raise ValueError(f"out has the shape {out.shape}, but there are {shape} scores")
    if not out.flags.writeable:
        raise ValueError("out is read-only")
    if not out.flags.aligned:
        raise ValueError("out is not aligned, as a view of bytes may be; pass another array")
    return out

"""Matrices of the scores of all pairs."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from functools import partial

import numpy

from ..runtime.progress import ProgressBar
from .pair_scorer import PairScorer, on_sources
from .reader import parameters_of, read_sources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    Scores = NDArray[numpy.floating[Any]]

_NAMES = "hypotheses", "references"

# Default memory of a block of rows: 64 MB hold 400 rows of 20,000 scores, for which the work that
# is repeated for each block is negligible.
_BLOCK_BYTES = 1 << 26


def pairwise(
    hypotheses: Any,
    references: Any,
    *,
    out: Any = None,
    dtype: Any = None,
    progress: bool = False,
    hypothesis_mask: Any = None,
    reference_mask: Any = None,
    metric: Any = None,
    **parameters: Any,
) -> Scores:
    """Sentence BLEU of every hypothesis with every reference.

    Each entry equals what ``fastbleu.sacrebleu.BLEU(effective_order=True).sentence_score``, and so
    sacreBLEU, gives for that pair. Threads share one large source; many small sources are
    distributed over the threads.

    Parameters
    ----------
    hypotheses : sequence of H sentences, or of B sequences of H sentences
        Sentences are str; if `tokenize` is None lists of tokens, or token ids in an array of
        shape (H, length) or (B, H, length) or in a list of arrays. Tokens may be tuples: nested
        tuples without lists are one source.
    references : sequence of R sentences, or of B sequences of R sentences
        Each is the only reference of a pair: references are not nested by segment here.
    out : ndarray of float64 or float32, shape (H, R) or (B, H, R), optional
        An array for the scores; undefined after an error or Ctrl-C.
    dtype : float64 or float32, optional
        By default that of `out`, or float64; float32 rounds each score and halves the memory.
    progress : bool, default False
        Show a progress bar on standard error.
    hypothesis_mask, reference_mask : array of bool or integers, optional
        For token ids, of the same shapes: an id counts if its mask is not 0.
    metric : fastbleu.BLEU, optional
        Use its parameters instead of `parameters`.
    **parameters
        Those of `fastbleu.BLEU`. With sacreBLEU's dialect `effective_order` is True by default.

    Returns
    -------
    ndarray, shape (H, R) or (B, H, R)
        Scores on the dialect's scale; `out` if it was given.

    Raises
    ------
    ValueError
        One side is batched and the other is not, batches have different sizes, or `out` has another
        shape or type.
    TypeError
        Something is not a sentence; the message names its place.

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
    made = parameters_of(metric, parameters)
    kind = _checked_dtype(dtype, out)
    masks = hypothesis_mask, reference_mask
    sources, shape = read_sources(made, (hypotheses, references), masks, _NAMES)
    scores = numpy.empty(shape, kind) if out is None else _checked_out(out, shape)
    of_sources = scores if len(shape) == 3 else scores[None]
    with ProgressBar(progress, scores.size, " pairs") as bar:

        def score(pairs: PairScorer, source: int) -> None:
            pairs.prepare(*sources[source])
            pairs.fill(of_sources[source], bar)

        on_sources(made.threads, of_sources.shape, partial(PairScorer, made), score)
    return scores


def iter_blocks(
    hypotheses: Any,
    references: Any,
    *,
    rows: int | None = None,
    dtype: Any = None,
    progress: bool = False,
    hypothesis_mask: Any = None,
    reference_mask: Any = None,
    metric: Any = None,
    **parameters: Any,
) -> Iterator[tuple[slice, Scores]]:
    """The matrix of `pairwise` block by block, so that it is never in memory as a whole.

    Parameters
    ----------
    hypotheses, references, dtype, progress, hypothesis_mask, reference_mask, metric, **parameters
        As for `pairwise`, with its errors; for a single source only.
    rows : int, optional
        Hypotheses in a block; by default as many as make 64 MB.

    Yields
    ------
    (slice, ndarray of shape (rows, R))
        The hypotheses of the block, and their scores with all references in a new array.

    Examples
    --------
    >>> for rows, scores in iter_blocks(["a b", "b", "a"], ["a", "b"], rows=2):
    ...     print(rows, scores.argmax(axis=1))
    slice(0, 2, None) [0 1]
    slice(2, 3, None) [0]
    """
    made = parameters_of(metric, parameters)
    kind = _checked_dtype(dtype, None)
    if rows is not None and operator.index(rows) < 1:
        raise ValueError(f"rows is {rows}, but must be at least 1")
    masks = hypothesis_mask, reference_mask
    sources, shape = read_sources(made, (hypotheses, references), masks, _NAMES)
    if len(shape) == 3:
        raise ValueError("iter_blocks takes one source; for a batch call it for each source")
    count, width = shape
    pairs = PairScorer(made, made.threads)
    pairs.prepare(*sources[0])
    height = rows or max(1, _BLOCK_BYTES // (kind.itemsize * max(1, width)))

    def blocks() -> Iterator[tuple[slice, Scores]]:
        with ProgressBar(progress, count * width, " pairs") as bar:
            for first in range(0, count, height):
                scores = numpy.empty((min(height, count - first), width), kind)
                pairs.fill(scores, bar, first)
                yield slice(first, first + len(scores)), scores

    # Errors are raised now, not when the first block is requested.
    return blocks()


def _checked_dtype(dtype: Any, out: Any) -> numpy.dtype[Any]:
    """The type of the scores; refuses an `out` that is no array of it."""
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


def _checked_out(out: Any, shape: tuple[int, ...]) -> Any:
    """The array of the caller, if scores of this shape can be written to it."""
    if out.shape != shape:
        raise ValueError(f"out has the shape {out.shape}, but there are {shape} scores")
    if not out.flags.writeable:
        raise ValueError("out is read-only")
    if not out.flags.aligned:
        raise ValueError("out is not aligned, as a view of bytes may be; pass an array of its own")
    return out

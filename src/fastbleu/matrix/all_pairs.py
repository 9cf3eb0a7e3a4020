"""Matrices of the scores of all pairs."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from functools import partial

import numpy

from ..runtime.progress import ProgressBar
from .pair_scorer import PairScorer, on_sources
from .reader import read_sources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from ..dialects.parameters import Parameters

    Scores = NDArray[numpy.floating[Any]]

_NAMES = "hypotheses", "references"

# Memory of a block of rows, unless the caller chooses: 64 MB hold 400 rows of 20,000 scores, and
# what is done anew for each block vanishes beside scoring them.
_BLOCK_BYTES = 1 << 26


def pairwise(
    parameters: Parameters,
    hypotheses: Any,
    references: Any,
    masks: tuple[Any, Any],
    out: Any,
    dtype: Any,
    progress: bool,
) -> Scores:
    """The score of every pair: see `fastbleu.BLEU.pairwise`."""
    kind = _checked_dtype(dtype, out)
    sources, shape = read_sources(parameters, (hypotheses, references), masks, _NAMES)
    scores = numpy.empty(shape, kind) if out is None else _checked_out(out, shape)
    of_sources = scores if len(shape) == 3 else scores[None]
    with ProgressBar(progress, scores.size, " pairs") as bar:

        def score(pairs: PairScorer, source: int) -> None:
            pairs.prepare(*sources[source])
            pairs.fill(of_sources[source], bar)

        on_sources(parameters.threads, of_sources.shape, partial(PairScorer, parameters), score)
    return scores


def iter_blocks(
    parameters: Parameters,
    hypotheses: Any,
    references: Any,
    masks: tuple[Any, Any],
    rows: int | None,
    dtype: Any,
    progress: bool,
) -> Iterator[tuple[slice, Scores]]:
    """The matrix in blocks of rows: see `fastbleu.BLEU.iter_blocks`."""
    kind = _checked_dtype(dtype, None)
    if rows is not None and operator.index(rows) < 1:
        raise ValueError(f"rows is {rows}, but must be at least 1")
    sources, shape = read_sources(parameters, (hypotheses, references), masks, _NAMES)
    if len(shape) == 3:
        raise ValueError("iter_blocks takes one source; for a batch call it for each source")
    count, width = shape
    pairs = PairScorer(parameters, parameters.threads)
    pairs.prepare(*sources[0])
    height = rows or max(1, _BLOCK_BYTES // (kind.itemsize * max(1, width)))

    def blocks() -> Iterator[tuple[slice, Scores]]:
        with ProgressBar(progress, count * width, " pairs") as bar:
            for first in range(0, count, height):
                scores = numpy.empty((min(height, count - first), width), kind)
                pairs.fill(scores, bar, first)
                yield slice(first, first + len(scores)), scores

    # What is wrong is told now, and not when the first block is asked for.
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

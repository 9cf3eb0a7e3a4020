"""Minimum Bayes risk decoding: of many candidates the one that agrees best with all references."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy

from ..dialects.parameters import Parameters
from ..inputs.weights import read_weights
from ..runtime.progress import ProgressBar
from .aggregation import Aggregation
from .pair_scorer import PairScorer, on_sources
from .reader import read_sources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from ._sentences import Sentences

    Floats = NDArray[numpy.float64]

# Scores that are held at a time where no matrix is asked for: 32 MB, and as much for weighted ones.
# Fewer would cost time, because what is kept of the references is made anew for each block.
_BLOCK_SCORES = 1 << 22

_NAMES = "candidates", "references"


@dataclass(frozen=True, eq=False)
class MBRResult:
    """Which candidate agrees best with the references, and how well each one does.

    Attributes
    ----------
    best : int, or ndarray of int64, shape (B,)
        The number of the candidate with the highest utility; of several the lowest.
    utilities : ndarray of float64, shape (C,) or (B, C)
        The expected score of each candidate over the references, on the dialect's scale: 0-100 for
        sacreBLEU's, 0-1 for nltk's.
    matrix : ndarray of float64, shape (C, R) or (B, C, R), or None
        The score of each candidate against each reference, if it was asked for.
    signature : str
        All that the scores depend on besides the sentences and their weights.
    """

    # An int for one source and an array for a batch, which no type tells apart: both index.
    best: Any
    utilities: Floats
    matrix: Floats | None = None
    signature: str = ""


def mbr(
    parameters: Parameters,
    candidates: Any,
    references: Any,
    masks: tuple[Any, Any],
    weights: Any,
    log_probabilities: Any,
    aggregate: bool,
    matrix: bool,
    progress: bool,
) -> MBRResult:
    """The candidates' expected scores, of one source or of several; see `fastbleu.BLEU.mbr`."""
    if aggregate and matrix:
        raise ValueError("aggregate=True makes no matrix; leave one of aggregate and matrix out")
    if aggregate:
        parameters.rules.require("aggregate=True")
    first = references[:1] if type(references) in (list, tuple) else ()
    if any(isinstance(value, float) for value in first):
        raise TypeError("references holds numbers: pass weights by their name, weights=")
    if references is None:
        if masks[1] is not None:
            raise ValueError("there is a reference_mask without references; pass candidate_mask=")
        references, masks = candidates, (masks[0], masks[0])
    sources, shape = read_sources(parameters, (candidates, references), masks, _NAMES)
    single = len(shape) == 2
    for name, size in zip(_NAMES, shape[-2:], strict=True):
        if not size:
            place = "[0]" if sources and not single else ""
            raise ValueError(f"{name}{place} is empty: there is nothing to choose by")
    of_references = read_weights(weights, log_probabilities, (*shape[:-2], shape[-1]))
    if single:
        shape = 1, *shape
        of_references = None if of_references is None else of_references[None]
    utilities = numpy.empty(shape[:2])
    matrices = numpy.empty(shape) if matrix else None
    with ProgressBar(progress, prod(shape), " pairs") as bar:

        def decode(worker: Any, b: int) -> None:
            its_weights = None if of_references is None else of_references[b]
            its_matrix = None if matrices is None else matrices[b]
            if aggregate:
                utilities[b] = worker.scores(*sources[b], its_weights)
                bar.update(shape[1] * shape[2])
            else:
                utilities[b] = _mean_scores(worker, *sources[b], its_weights, its_matrix, bar)

        def make(threads: int) -> Any:
            return Aggregation(parameters) if aggregate else PairScorer(parameters, threads)

        on_sources(parameters.threads, shape, make, decode)
    best = utilities.argmax(axis=1)
    signature = parameters.signature + "|references:aggregated" * aggregate
    if single:
        its_matrix = None if matrices is None else matrices[0]
        return MBRResult(int(best[0]), utilities[0], its_matrix, signature)
    return MBRResult(best, utilities, matrices, signature)


def _mean_scores(
    pairs: PairScorer,
    candidates: Sentences,
    references: Sentences,
    weights: Floats | None,
    matrix: Floats | None,
    bar: ProgressBar,
) -> Floats:
    """The utilities of a source's candidates; writes the matrix if there is to be one."""
    rows, row_of = candidates.unique()
    columns, column_of = (rows, row_of) if references is candidates else references.unique()
    row_numbers = numpy.asarray(row_of)
    pairs.prepare(rows, columns)
    step = max(1, _BLOCK_SCORES // len(references))
    utilities = numpy.empty(len(rows))
    block = numpy.empty((min(step, len(rows)), len(columns)))
    for first in range(0, len(rows), step):
        scores = block[: len(rows) - first]
        pairs.fill(scores, bar, first)
        # Duplicates take part like all others, so that no sum depends on who is merged.
        if len(columns) < len(references):
            scores = scores.take(column_of, axis=1)
        # Each row is added up by itself, in numpy's order.
        if weights is None:
            means = scores.sum(axis=1) / scores.shape[1]
        else:
            means = (scores * weights).sum(axis=1) / weights.sum()
        utilities[first : first + step] = means
        if matrix is not None:
            (equal,) = numpy.nonzero((row_numbers >= first) & (row_numbers < first + len(scores)))
            matrix[equal] = scores[row_numbers[equal] - first]
    bar.update(len(candidates) * len(references) - len(rows) * len(columns))
    return utilities.take(row_numbers)

"""Minimum Bayes risk decoding: choose the candidate that agrees best with all references."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy

from ..inputs.weights import read_weights
from ..runtime.progress import ProgressBar
from .aggregation import Aggregation
from .pair_scorer import PairScorer, on_sources
from .reader import parameters_of, read_sources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from ._sentences import Sentences

    Floats = NDArray[numpy.float64]

# Scores in memory at a time if no matrix is requested: 32 MB, and the same for weighted scores.
# Fewer would cost time, because tables of the references are rebuilt for each block.
_BLOCK_SCORES = 1 << 22

_NAMES = "candidates", "references"
# Sources, in notebooks.
_SHOWN = 10


@dataclass(frozen=True, eq=False)
class MBRResult:
    """Which candidate agrees best with the references, and how well each one does.

    Attributes
    ----------
    best : int, or ndarray of int64, shape (B,)
        The index of the candidate with the highest utility; the first of equal ones.
    utilities : ndarray of float64, shape (C,) or (B, C)
        The expected score of each candidate over the references, on the dialect's scale: 0-100 for
        sacreBLEU's, 0-1 for nltk's.
    matrix : ndarray of float64, shape (C, R) or (B, C, R), or None
        The score of each candidate against each reference, if requested.
    signature : str
        Everything that the scores depend on besides the sentences and their weights.
    """

    # An int for one source and an array for a batch; both can be used as an index.
    best: Any
    utilities: Floats
    matrix: Floats | None = None
    signature: str = ""

    def _repr_html_(self) -> str:
        from ..rendering.tables import html_table

        rows = []
        many = self.utilities.ndim == 2
        for source, utilities in enumerate(self.utilities[:_SHOWN] if many else [self.utilities]):
            best = int(self.best[source] if many else self.best)
            ranked = sorted(utilities.tolist(), reverse=True)
            second = f"{ranked[1]:.4g}" if len(ranked) > 1 else ""
            rows.append(
                [str(source), str(best), f"{ranked[0]:.4g}", second, f"{utilities.mean():.4g}"]
            )
        head = ["source", "best", "utility", "second best", "mean"]
        candidates = f"{self.utilities.shape[-1]} candidates"
        return html_table([head, *rows], f"{candidates}; {self.signature}")


def mbr(
    candidates: Any,
    references: Any = None,
    weights: Any = None,
    *,
    log_probabilities: Any = None,
    aggregate: bool = False,
    matrix: bool = False,
    progress: bool = False,
    candidate_mask: Any = None,
    reference_mask: Any = None,
    metric: Any = None,
    **parameters: Any,
) -> MBRResult:
    """Minimum Bayes risk decoding: the candidate with the highest expected score.

    Parameters
    ----------
    candidates : sequence of C sentences, or of B sequences of C sentences
        Those of one source, or of B sources; sentences as in `pairwise`.
    references : sequence of R sentences, or of B sequences of R sentences, optional
        Samples to compare with. By default the candidates; each is also compared with itself.
    weights : array_like of float, shape (R,) or (B, R), optional
        Weights of the references: finite, at least 0, not all 0. By default all are equal, which is
        right for samples drawn from a model.
    log_probabilities : array_like of float, shape (R,) or (B, R), optional
        Logarithms of the weights, up to a constant, instead of `weights`.
    aggregate : bool, default False
        Score each candidate once, against the expected n-gram counts of all references, in linear
        time. An approximation: see Notes. Only for sacreBLEU's dialect.
    matrix : bool, default False
        Keep the score of each pair in the result.
    candidate_mask, reference_mask, progress
        As `hypothesis_mask`, `reference_mask` and `progress` of `pairwise`.
    metric, **parameters
        As for `pairwise`. Weights of the orders need a metric:
        ``fastbleu.BLEU(weights=..., effective_order=True).mbr(...)``.

    Returns
    -------
    MBRResult
        `best` (of several equal candidates the first), `utilities`, `matrix`, `signature`.

    Raises
    ------
    ValueError
        There are no candidates or no references, weights have the wrong shape or value, or as for
        `pairwise`.
    TypeError
        As for `pairwise`.

    Warns
    -----
    InputWarning
        `log_probabilities` look like probabilities, or as for `pairwise`.

    Notes
    -----
    Equal candidates, and equal references, are scored once. Utilities are compared as floats, so
    the last bits of sums may decide between candidates with the same scores in a different order.

    ``aggregate=True`` on 64 candidates crossed from the outputs of three WMT22 systems chose the
    same candidate for 74 to 84 % of the sources and lost 0.2 to 0.5 points of expected score on
    average; for candidates of two unlike systems 51 to 70 % and 0.4 to 1.8 points
    (`tests/matrix/test_mbr.py` prints this).

    References
    ----------
    Kumar and Byrne (2004), Minimum Bayes-risk decoding for statistical machine translation. Eikema
    and Aziz (2020), Is MAP decoding all you need? DeNero, Chiang and Knight (2009), Fast consensus
    decoding over translation forests: ``aggregate=True``.

    Examples
    --------
    >>> samples = ["the cat sat", "the cat sat down", "a cat sat down", "the cat sat down"]
    >>> mbr(samples).best
    1
    """
    made = parameters_of(metric, parameters)
    if aggregate and matrix:
        raise ValueError("aggregate=True makes no matrix; leave one of aggregate and matrix out")
    if aggregate:
        made.rules.require("aggregate=True")
    first = references[:1] if type(references) in (list, tuple) else ()
    if any(isinstance(value, float) for value in first):
        raise TypeError("references holds numbers: pass weights by their name, weights=")
    if references is None:
        if reference_mask is not None:
            raise ValueError("there is a reference_mask without references; pass candidate_mask=")
        references, reference_mask = candidates, candidate_mask
    masks = candidate_mask, reference_mask
    sources, shape = read_sources(made, (candidates, references), masks, _NAMES)
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

        def make_worker(threads: int) -> Any:
            return Aggregation(made) if aggregate else PairScorer(made, threads)

        on_sources(made.threads, shape, make_worker, decode)
    best = utilities.argmax(axis=1)
    signature = made.signature + "|references:aggregated" * aggregate
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
    """The utilities of a source's candidates; fills the matrix if there is one."""
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
        # Sums include duplicates, so that they do not depend on which candidates are merged.
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

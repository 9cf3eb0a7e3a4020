"""Minimum Bayes risk decoding: choose the candidate that agrees best with all references."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from math import prod

import numpy

from ..inputs.weights import read_weights, read_weights_by_source
from ..runtime.import_lock import lazy
from ..runtime.progress import ProgressBar
from .aggregation import Aggregation
from .all_pairs import PairScorer, on_sources
from .reader import sentence_metric_of
from .source_pairs import read_sources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Unpack

    from numpy.typing import NDArray

    from ..inputs.types import Mask, Numbers, Sources
    from ..metric.bleu import BLEU
    from ..metric.keyword_types import OptionsWithoutWeights
    from ..plots import tables
    from ._sentences import Sentences

    Floats = NDArray[numpy.float64]
else:
    tables = lazy("fastbleu.plots.tables")

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
    utilities : ndarray of float64, shape (C,) or (B, C), or list of B of shape (C,)
        The expected score of each candidate over the references, on the dialect's scale: 0-100 for
        sacreBLEU's, 0-1 for nltk's. A list if sources have different sizes.
    matrix : ndarray of float64, shape (C, R) or (B, C, R), or list of B of shape (C, R), or None
        The score of each candidate against each reference, if requested.
    signature : str
        Everything that the scores depend on besides the sentences and their weights.
    """

    # An int for one source and an array for a batch; both can be used as an index.
    best: Any
    # Arrays, for a batch of different sizes lists of them.
    utilities: Any
    matrix: Any = None
    signature: str = ""

    def _repr_html_(self) -> str:
        rows = []
        many = isinstance(self.utilities, list) or self.utilities.ndim == 2
        for source, utilities in enumerate(self.utilities[:_SHOWN] if many else [self.utilities]):
            best = int(self.best[source] if many else self.best)
            ranked = sorted(utilities.tolist(), reverse=True)
            second = f"{ranked[1]:.4g}" if len(ranked) > 1 else ""
            rows.append(
                [str(source), str(best), f"{ranked[0]:.4g}", second, f"{utilities.mean():.4g}"]
            )
        head = ["source", "best", "utility", "second best", "mean"]
        sizes = {len(utilities) for utilities in self.utilities} if many else {len(self.utilities)}
        candidates = f"{'-'.join(map(str, sorted({min(sizes), max(sizes)})))} candidates"
        return tables.html_table([head, *rows], f"{candidates}; {self.signature}")


def mbr(
    candidates: Sources,
    references: Sources | None = None,
    weights: Numbers | None = None,
    *,
    log_probabilities: Numbers | None = None,
    aggregate: bool = False,
    matrix: bool = False,
    progress: bool = False,
    candidate_mask: Mask | None = None,
    reference_mask: Mask | None = None,
    metric: BLEU | None = None,
    **options: Unpack[OptionsWithoutWeights],
) -> MBRResult:
    """Minimum Bayes risk decoding: the candidate with the highest expected score.

    Parameters
    ----------
    candidates : sequence of C sentences, or of B sequences of C sentences
        Those of one source, or of B sources, which may have different numbers of candidates and of
        references; sentences as in `pairwise`.
    references : sequence of R sentences, or of B sequences of R sentences, optional
        Samples to compare with. By default the candidates; each is also compared with itself.
    weights : array_like of float, shape (R,) or (B, R), optional
        Weights of the references: finite, at least 0, not all 0. By default all are equal, which is
        right for samples drawn from a model. For sources of different sizes a list of B arrays.
    log_probabilities : array_like of float, shape (R,) or (B, R), optional
        Logarithms of the weights, up to a constant, instead of `weights`.
    aggregate : bool, default False
        Score each candidate once, against the expected n-gram counts of all references, in linear
        time. An approximation: see Notes. Only for sacreBLEU's dialect.
    matrix : bool, default False
        Keep the score of each pair in the result.
    candidate_mask, reference_mask, progress
        As `hypothesis_mask`, `reference_mask` and `progress` of `pairwise`.
    metric, **options
        As for `pairwise`. Weights of the orders need a metric:
        ``metric=fastbleu.BLEU(weights=...)``.

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
    (`tests/matrix/test_aggregate.py` prints this).

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
    sentence_metric = sentence_metric_of(metric, options)
    if aggregate and matrix:
        raise ValueError("aggregate=True makes no matrix; leave one of aggregate and matrix out")
    if aggregate:
        sentence_metric.scorer.dialect.require("aggregate=True")
    if isinstance(references, (list, tuple)) and any(isinstance(r, float) for r in references[:1]):
        raise TypeError("references holds numbers: pass weights by their name, weights=")
    if references is None:
        if reference_mask is not None:
            raise ValueError("there is a reference_mask without references; pass candidate_mask=")
        references, reference_mask = candidates, candidate_mask
    masks = candidate_mask, reference_mask
    sides = candidates, references
    sources, shape = read_sources(sentence_metric, sides, masks, _NAMES, ragged=True)
    single = len(shape) == 2
    shapes = [(len(rows), len(columns)) for rows, columns in sources]
    for source, sizes in enumerate(shapes or [shape]):
        for name, size in zip(_NAMES, sizes, strict=True):
            if not size:
                place = f"[{source}]" if sources and not single else ""
                fix = "; leave this source out" if len(sources) > 1 else ""
                raise ValueError(f"{name}{place} is empty: there is nothing to choose by{fix}")
    weights_of: Any = [None] * len(sources)
    utilities: Any
    matrices: Any = None
    if len(set(shapes)) > 1:
        weights_of = read_weights_by_source(weights, log_probabilities, [r for _, r in shapes])
        utilities = [numpy.empty(count) for count, _ in shapes]
        matrices = [numpy.empty(sizes) for sizes in shapes] if matrix else None
    else:
        table = read_weights(weights, log_probabilities, (*shape[:-2], shape[-1]))
        if table is not None:
            weights_of = table.reshape(len(sources), shape[-1])
        utilities = numpy.empty((len(sources), shape[-2]))
        matrices = numpy.empty((len(sources), *shape[-2:])) if matrix else None
    scorer, threads = sentence_metric.scorer, sentence_metric.counter.threads
    signature = scorer.signature()
    with ProgressBar(True, sum(map(prod, shapes)), " pairs") if progress else nullcontext() as bar:

        def aggregate_source(aggregation: Aggregation, number: int) -> None:
            utilities[number][:] = aggregation.scores(*sources[number], weights_of[number])
            if bar is not None:
                bar.update(prod(shapes[number]))

        def score_source(pairs: PairScorer, number: int) -> None:
            scores = None if matrices is None else matrices[number]
            utilities[number][:] = _mean_scores(pairs, *sources[number], weights_of[number], scores)

        sizes = len(sources), *shape[-2:]
        if aggregate:
            signature += "|references:aggregated"
            on_sources(threads, sizes, lambda _: Aggregation(scorer), aggregate_source)
        else:
            on_sources(threads, sizes, partial(PairScorer, scorer, bar=bar), score_source)
    best = numpy.array([means.argmax() for means in utilities], numpy.int64)
    if not single:
        return MBRResult(best, utilities, matrices, signature)
    only_matrix = None if matrices is None else matrices[0]
    return MBRResult(int(best[0]), utilities[0], only_matrix, signature)


def _mean_scores(
    scorer: PairScorer,
    candidates: Sentences,
    references: Sentences,
    weights: Floats | None,
    matrix: Floats | None,
) -> Floats:
    """The utilities of a source's candidates; fills the matrix if there is one."""
    rows, row_of = candidates.unique()
    columns, column_of = (rows, row_of) if references is candidates else references.unique()
    # numpy's own type of index: it refuses int64 where that has 32 bits.
    row_numbers, column_numbers = (numpy.asarray(of, numpy.intp) for of in (row_of, column_of))
    scorer.prepare(rows, columns)
    step = max(1, _BLOCK_SCORES // len(references))
    utilities = numpy.empty(len(rows))
    block = numpy.empty((min(step, len(rows)), len(columns)))
    for first in range(0, len(rows), step):
        scores = block[: len(rows) - first]
        scorer.fill(scores, first)
        # Sums include duplicates, so that they do not depend on which candidates are merged.
        if len(columns) < len(references):
            scores = scores.take(column_numbers, axis=1)
        # Each row is added up by itself, in numpy's order.
        if weights is None:
            means = scores.sum(axis=1) / scores.shape[1]
        else:
            means = (scores * weights).sum(axis=1) / weights.sum()
        utilities[first : first + step] = means
        if matrix is not None:
            (equal,) = numpy.nonzero((row_numbers >= first) & (row_numbers < first + len(scores)))
            matrix[equal] = scores[row_numbers[equal] - first]
    if scorer.bar is not None:
        scorer.bar.update(len(candidates) * len(references) - len(rows) * len(columns))
    return utilities.take(row_numbers)

"""Minimum Bayes risk decoding: choose the hypothesis that agrees best with all references."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import exp, isnan, log, prod

import numpy

from ..core.inputs.arguments import number_of
from ..core.inputs.errors import InputError, warn_input
from ..core.inputs.ids import copy_lists, in_main_memory
from ..core.runtime.import_lock import lazy
from ..core.runtime.terminal import ProgressBar
from ..core.scoring.base import EXPECTED_COUNTS
from ._ngrams import Features, Ngrams, expected_rows
from .all_pairs import PairScorer, on_sources
from .reader import SentenceReader, check_entries, read_sources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from ..core.inputs.types import Mask, Numbers, Sources
    from ..core.metric.argument import Metric
    from ..core.runtime import html
    from ..core.scoring.scorer import Scorer
    from ._sentences import Sentences

    Floats = NDArray[numpy.float64]
else:
    html = lazy("fastbleu.core.runtime.html")

# How many scores are in memory at a time if no matrix is requested: 32 MB, and the same for
# weighted scores. Fewer would be slower, as tables of the references are rebuilt for each block.
_BLOCK_SCORES = 1 << 22

# How many sources are shown in notebooks.
_SHOWN = 10


@dataclass(frozen=True, eq=False)
class MBRResult:
    """Which hypothesis agrees best with the references, and how well each one does.

    Attributes
    ----------
    best : int, or ndarray of int64, shape (B,)
        The index of the hypothesis with the highest utility; of equal ones the first. NaN, which
        some dialects give for two empty sentences, is never the highest.
    utilities : ndarray of float64, shape (H,) or (B, H), or list of B of shape (H,)
        The expected score of each hypothesis over the references, on the dialect's scale: 0-100 for
        sacreBLEU's, 0-1 for nltk's. A list if sources have different sizes.
    matrix : ndarray of float64, shape (H, R) or (B, H, R), or list of B of shape (H, R), or None
        The score of each hypothesis against each reference, with ``return_matrix=True``.
    signature : str
        Everything that the scores depend on besides the sentences and their weights.
    """

    best: Any
    utilities: Any
    matrix: Any = None
    signature: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The attributes by name, for `json.dumps`: arrays as lists."""
        return {name: _listed(value) for name, value in vars(self).items()}

    def _repr_html_(self) -> str:
        rows = []
        many = isinstance(self.utilities, list) or self.utilities.ndim == 2
        for source, utilities in enumerate(self.utilities[:_SHOWN] if many else [self.utilities]):
            best = int(self.best[source] if many else self.best)
            ranked = (-numpy.sort(-utilities)).tolist()  # NaN last
            second = f"{ranked[1]:.4g}" if len(ranked) > 1 else ""
            mean = f"{numpy.nanmean(utilities):.4g}"
            rows.append([str(source), str(best), f"{ranked[0]:.4g}", second, mean])
        head = ["source", "best", "utility", "second best", "mean"]
        sizes = {len(utilities) for utilities in self.utilities} if many else {len(self.utilities)}
        hypotheses = f"{'-'.join(map(str, sorted({min(sizes), max(sizes)})))} hypotheses"
        return html.html_table([head, *rows], f"{hypotheses}; {self.signature}")


def _listed(value: Any) -> Any:
    """Arrays, and lists of arrays, as lists of numbers; other values as they are."""
    if isinstance(value, list):
        return [part.tolist() for part in value]
    return value.tolist() if isinstance(value, numpy.ndarray) else value


def mbr(
    hypotheses: Sources,
    references: Sources | None = None,
    *,
    reference_weights: Numbers | None = None,
    reference_lprobs: Numbers | None = None,
    hypothesis_mask: Mask | None = None,
    reference_mask: Mask | None = None,
    return_matrix: bool = False,
    aggregate: bool = False,
    metric: Metric | None = None,
    progress: bool = False,
) -> MBRResult:
    """Minimum Bayes risk decoding: the hypothesis with the highest expected score.

    Parameters
    ----------
    hypotheses : sequence of H sentences, or of B sequences of H sentences
        The candidates of one source, or of B sources, which may have different numbers of
        hypotheses and of references; sentences as in `pairwise`.
    references : sequence of R sentences, or of B sequences of R sentences, optional
        Samples to compare with. By default the hypotheses; each is then also compared with itself.
    reference_weights : array_like of float, shape (R,) or (B, R), optional
        Finite, at least 0, not all 0. By default all are equal, which is right for samples drawn
        from a model. For sources of different sizes, a list of B arrays.
    reference_lprobs : array_like of float, shape (R,) or (B, R), optional
        Logarithms of the weights, up to a constant, instead of `reference_weights`.
    hypothesis_mask, reference_mask, metric, progress
        As for `pairwise`.
    return_matrix : bool, default False
        Keep the score of each pair in the result.
    aggregate : bool, default False
        Score each hypothesis once, against the expected n-gram counts of all references, in linear
        time. An approximation: see Notes. Only for sacreBLEU's dialect.

    Returns
    -------
    MBRResult
        `best` (of several equal hypotheses the first), `utilities`, `matrix`, `signature`.

    Raises
    ------
    ValueError
        There are no hypotheses or no references, weights have the wrong shape or value, or as for
        `pairwise`.
    TypeError
        As for `pairwise`.

    Warns
    -----
    InputWarning
        `reference_lprobs` look like probabilities, or as for `pairwise`.

    Notes
    -----
    Equal hypotheses, and equal references, are scored once. Utilities are compared as floats, so
    the last bits of sums may decide between hypotheses with the same scores in a different order.

    ``aggregate=True`` on 64 hypotheses crossed from the outputs of three WMT22 systems chose the
    same one for 74 to 84 % of the sources and lost 0.2 to 0.5 points of expected score on
    average; for hypotheses of two unlike systems 51 to 70 % and 0.4 to 1.8 points
    (`tests/matrix/test_aggregate.py` prints this).

    References
    ----------
    Kumar and Byrne (2004), Minimum Bayes-risk decoding for statistical machine translation. Eikema
    and Aziz (2020), Is MAP decoding all you need? DeNero, Chiang and Knight (2009), Fast consensus
    decoding over translation forests: ``aggregate=True``. Vamvas and Sennrich (2024), Linear-time
    minimum Bayes risk decoding with reference aggregation: the same for other utilities.

    Examples
    --------
    >>> samples = ["the cat sat", "the cat sat down", "a cat sat down", "the cat sat down"]
    >>> mbr(samples).best
    1
    """
    reader = SentenceReader(metric)
    if aggregate and return_matrix:
        raise ValueError(
            "aggregate=True makes no matrix; leave out either aggregate or return_matrix"
        )
    if aggregate:
        reader.scorer.require(EXPECTED_COUNTS)
    if isinstance(references, (list, tuple)) and any(isinstance(r, float) for r in references[:1]):
        raise TypeError("references holds numbers: pass weights by name, reference_weights=")
    if references is None:
        if reference_mask is not None:
            raise ValueError("there is a reference_mask without references; pass hypothesis_mask=")
        references, reference_mask = hypotheses, hypothesis_mask
    masks = hypothesis_mask, reference_mask
    sources, shape = read_sources(reader, (hypotheses, references), masks, ragged=True)
    single = len(shape) == 2
    shapes = [(len(rows), len(columns)) for rows, columns in sources]
    for source, sizes in enumerate(shapes or [shape]):
        for name, size in zip(("hypotheses", "references"), sizes, strict=True):
            if not size:
                place = f"[{source}]" if sources and not single else ""
                fix = "; leave this source out" if len(sources) > 1 else ""
                raise InputError(f"{name}{place} is empty: there is nothing to choose by{fix}")
    weights_of: Any = [None] * len(sources)
    utilities: Any
    matrices: Any = None
    if len(set(shapes)) > 1:
        weights_of = _read_weights_by_source(
            reference_weights, reference_lprobs, [count for _, count in shapes]
        )
        utilities = [numpy.empty(count) for count, _ in shapes]
        matrices = [numpy.empty(sizes) for sizes in shapes] if return_matrix else None
    else:
        table = _read_weights(reference_weights, reference_lprobs, (*shape[:-2], shape[-1]))
        if table is not None:
            weights_of = table.reshape(len(sources), shape[-1])
        utilities = numpy.empty((len(sources), shape[-2]))
        matrices = numpy.empty((len(sources), *shape[-2:])) if return_matrix else None
    scorer, threads = reader.scorer, reader.counter.threads
    signature = reader.signature
    with ProgressBar(progress, sum(map(prod, shapes)), " pairs") as bar:

        def aggregate_source(aggregation: Aggregation, number: int) -> None:
            utilities[number][:] = aggregation.scores(*sources[number], weights_of[number])
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
    best = numpy.empty(len(utilities), numpy.int64)
    for source, means in enumerate(utilities):
        best[source] = chosen = means.argmax()  # the first NaN, if there is one
        if isnan(means[chosen]):
            if numpy.isnan(means).all():
                place = "" if single else f"[{source}]"
                raise InputError(f"no entry of hypotheses{place} has a score: all are NaN")
            best[source] = numpy.nanargmax(means)
    if not single:
        return MBRResult(best, utilities, matrices, signature)
    only_matrix = None if matrices is None else matrices[0]
    return MBRResult(int(best[0]), utilities[0], only_matrix, signature)


def _mean_scores(
    scorer: PairScorer,
    hypotheses: Sentences,
    references: Sentences,
    weights: Floats | None,
    matrix: Floats | None,
) -> Floats:
    """The utilities of a source's hypotheses; also fills `matrix`, if not None."""
    rows, row_of = hypotheses.unique()
    columns, column_of = (rows, row_of) if references is hypotheses else references.unique()
    # numpy's type of index, because numpy refuses int64 indices on 32-bit systems.
    row_numbers, column_numbers = (numpy.asarray(of, numpy.intp) for of in (row_of, column_of))
    scorer.prepare(rows, columns)
    step = max(1, _BLOCK_SCORES // len(references))
    utilities = numpy.empty(len(rows))
    block = numpy.empty((min(step, len(rows)), len(columns)))
    for first in range(0, len(rows), step):
        scores = block[: len(rows) - first]
        scorer.fill(scores, first)
        # Sums include duplicates, so that they do not depend on which hypotheses are merged.
        if len(columns) < len(references):
            scores = scores.take(column_numbers, axis=1)
        # Each row is added up separately, in numpy's order.
        if weights is None:
            means = scores.sum(axis=1) / scores.shape[1]
        else:
            # A weight of 0 leaves a reference out, also if its score is NaN.
            means = numpy.where(weights > 0, scores * weights, 0).sum(axis=1) / weights.sum()
        utilities[first : first + step] = means
        if matrix is not None:
            (equal,) = numpy.nonzero((row_numbers >= first) & (row_numbers < first + len(scores)))
            matrix[equal] = scores[row_numbers[equal] - first]
    scorer.bar.update(len(hypotheses) * len(references) - len(rows) * len(columns))
    return utilities.take(row_numbers)


class Aggregation:
    """Scores hypotheses, by sacreBLEU's formula, against the mean counts of their references.

    The matches of an n-gram are the smaller of its count in the hypothesis and its mean count in
    the references; the reference length is their mean length.
    """

    def __init__(self, scorer: Scorer) -> None:
        self.cancelled = False  # whether to stop after the current source: another thread sets it
        self._scorer = scorer
        self._ngrams = Ngrams(scorer.max_ngram_order)

    def scores(
        self,
        hypotheses: Sentences,
        references: Sentences,
        weights: NDArray[numpy.float64] | None = None,
        logarithms: bool = False,
    ) -> NDArray[numpy.float64]:
        """The score (0-100) of each hypothesis against the expected counts, over one vocabulary.

        By default all references have equal weights. With `logarithms` the weights are logarithms
        of weights that add up to 1, and the sums are those of `mbrs` to the last bit.
        """
        if weights is None:
            weights = numpy.ones(len(references))
        self._ngrams.clear()
        reference_features = Features(self._ngrams, references)
        alone = hypotheses is references
        hypothesis_features = reference_features if alone else Features(self._ngrams, hypotheses)
        flat = expected_rows(
            self._ngrams, hypothesis_features, reference_features, weights, logarithms
        )
        max_ngram_order = self._scorer.max_ngram_order
        rows = numpy.frombuffer(flat).reshape(-1, 2 + 2 * max_ngram_order)
        if logarithms:
            # Python's own sum, which is compensated from 3.12 on.
            lengths = zip(references.lengths, weights.tolist(), strict=True)
            rows[:, 1] = sum([exp(log(n) + weight) if n else 0.0 for n, weight in lengths])
        return numpy.asarray(self._scorer.expected_scores(rows), numpy.float64)


def _read_weights_by_source(weights: Any, lprobs: Any, sizes: list[int]) -> list[Floats | None]:
    """Return the checked weights of each source, whose numbers of references are `sizes`."""
    sources = number_of(len(sizes), "source")
    expected = f"{sources} of different sizes; pass a list with the weights of each"
    for name, values in (("reference_weights", weights), ("reference_lprobs", lprobs)):
        check_entries(name, values, expected, len(sizes))
    return [
        _read_weights(
            None if weights is None else weights[b],
            None if lprobs is None else lprobs[b],
            (sizes[b],),
            f"[{b}]",
        )
        for b in range(len(sizes))
    ]


def _read_weights(
    weights: object, lprobs: object, shape: tuple[int, ...], of_source: str = ""
) -> Floats | None:
    """Return checked weights of `shape` (R,) or (B, R), or None if neither argument is given.

    The weights of each source are scaled by a power of two so that no sum overflows. `of_source`
    is what messages add to the name of the argument.
    """
    if weights is None and lprobs is None:
        return None
    if weights is not None and lprobs is not None:
        raise ValueError(
            "reference_weights and reference_lprobs are alternatives; pass only one of them"
        )
    name = ("reference_lprobs" if weights is None else "reference_weights") + of_source
    numbers = _floats(lprobs if weights is None else weights, name)
    if numbers.shape != shape:
        sources = "" if len(shape) == 1 else f" for each of {shape[0]} sources"
        orders = "" if weights is None else "; weights of n-gram orders go to fastbleu.BLEU"
        raise InputError(
            f"{name} has the shape {numbers.shape}, but there are {shape[-1]} references{sources}; "
            f"expected the shape {shape}{orders}"
        )
    if weights is None:
        wrong, expected = numpy.isnan(numbers) | (numbers == numpy.inf), "neither nan nor inf"
        nothing = numbers == -numpy.inf
    else:
        wrong, expected = ~((numbers >= 0) & (numbers < numpy.inf)), "finite and at least 0"
        nothing = numbers == 0
    if wrong.any():
        place = numpy.unravel_index(int(wrong.argmax()), shape)
        at = ", ".join(map(str, place))
        raise InputError(f"{name}[{at}] is {numbers[place]}, but must be {expected}")
    if nothing.all(axis=-1).any():
        source = "" if len(shape) == 1 else f"[{int(nothing.all(axis=-1).argmax())}]"
        raise InputError(
            f"{name}{source} is {'0' if lprobs is None else '-inf'} for all references; "
            "at least one must count"
        )
    largest = numbers.max(axis=-1, keepdims=True)
    if weights is None:
        if shape[-1] > 1 and (numbers >= 0).all() and (abs(numbers.sum(axis=-1) - 1) <= 1e-6).all():
            warn_input(
                "reference_lprobs lie in 0..1 and add up to 1, as probabilities do; if they are "
                "probabilities, pass reference_weights="
            )
        with numpy.errstate(over="ignore"):
            checked: Floats = numpy.exp(numbers - largest)
    else:
        checked = numpy.ldexp(numbers, -numpy.frexp(largest)[1])
    return checked


def _floats(value: Any, name: str) -> Floats:
    """Return numbers of any library as an array of float64."""
    if type(value) in (list, tuple):
        # numpy would read tensors number by number, and cannot read some of them at all.
        value = [_floats(part, name) if hasattr(part, "detach") else part for part in value]
        try:
            value = numpy.asarray(copy_lists(value))
        except ValueError as error:
            raise ValueError(f"{name} cannot be read as an array: {error}") from None
    elif hasattr(value, "detach"):
        value = value.detach().cpu().double()  # numpy does not have bfloat16
    numbers = in_main_memory(value, name)
    if numbers.dtype.kind not in "fiub":
        raise TypeError(f"{name} has the dtype {numbers.dtype}, expected numbers")
    return numpy.asarray(numbers, numpy.float64, order="C")

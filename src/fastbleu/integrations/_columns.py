"""Shared by hosts that call functions inside a query: Arrow columns in, Arrow columns out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy
import pyarrow

from ..core.inputs._batch import Batch
from ..core.inputs.arguments import check_choice, shown
from ..core.inputs.errors import InputError, restated, warn_input
from ..core.inputs.missing import CHOICES
from ..core.metric.argument import as_metric, counter_of, scorer_of
from ..core.metric.bleu import BLEU
from ..core.scoring.base import PARTS, SUMS, UPDATE
from ..core.scoring.score import NoScoreError
from ..tables.groups import FEWEST, MOST, count_names, part_rows, reductions_of
from ..tables.rows import column_of, counted_parts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..core.counting._counted import Counted
    from ..core.counting.stats import AdaptedRows
    from ..core.inputs.types import MissingChoice
    from ..core.metric.argument import Metric


class ColumnScorer:
    """BLEU of columns: hypotheses, and one column of references, or one of lists, or several.

    A host calls it for each batch of rows, so it gives no warnings that need a whole corpus.

    Parameters
    ----------
    metric : BLEU or str, optional
    missing : {"error", "empty", "skip", "ragged"}
        With "skip" a row with a missing text has no score, and sums do not include it.
    threads : int, optional
        Number of threads; by default the metric's.
    """

    def __init__(
        self,
        metric: Metric | None = None,
        missing: MissingChoice = "error",
        threads: int | None = None,
    ) -> None:
        metric = as_metric(metric)
        check_choice("missing", missing, CHOICES)
        if threads is not None:
            metric = BLEU(**metric.get_params() | {"threads": threads})
        self.metric, self.missing = metric, missing
        self._width = 2 + 2 * metric.max_ngram_order
        # The columns of sums, all int64, and how to reduce each.
        self.reductions = reductions_of(metric.max_ngram_order)
        # The columns that a score needs.
        self.summed = count_names(metric.max_ngram_order)
        self._type = pyarrow.struct([(name, pyarrow.int64()) for name in self.summed])

    def sentence_scores(self, *columns: Any) -> pyarrow.Array:
        """The score of each row, null if it is left out."""
        scorer = scorer_of(self.metric)
        scorer.require(PARTS)
        counted, present = self._counted(columns)
        scores = scorer.sentence_scores(counted, warns=False)
        mask = None if present is None else ~present
        return pyarrow.array(_spread(scores, present), mask=mask)

    def counts(self, *columns: Any) -> pyarrow.StructArray:
        """The counts of each row, a struct with the fields `summed`; null if it is left out."""
        scorer_of(self.metric).require(UPDATE, SUMS)
        counted, present = self._counted(columns)
        rows = scorer_of(self.metric).adapted(counted.stats, counted.nrefs)
        counts = _spread(numpy.asarray(rows).T, present)
        bits = None if present is None else pyarrow.array(present).buffers()[1]
        fields = _as_columns(counts)
        return pyarrow.Array.from_buffers(self._type, counts.shape[1], [bits], children=fields)

    def sums(self, *columns: Any) -> pyarrow.StructArray:
        """Each row as sums of one segment: fields as the columns of `fastbleu.tables.sums`.

        A row that is left out has null for its numbers of references, and 0 in all other fields.
        """
        equal, size = _of_one_length(columns)
        numbers = numpy.zeros((3 + self._width, size), numpy.int64)
        segments, fewest, most, counts = *numbers[:3], numbers[3:]
        for rows, nrefs, stats in self._parts(equal):
            segments[rows] = 1
            fewest[rows] = most[rows] = nrefs
            counts[:, rows] = numpy.asarray(stats).T
        fields = dict(zip(self.reductions, _as_columns(numbers), strict=True))
        if not segments.all():
            fields[FEWEST] = pyarrow.array(fewest, mask=segments == 0)
            fields[MOST] = pyarrow.array(most, mask=segments == 0)
        return pyarrow.StructArray.from_arrays([*fields.values()], [*fields])

    def corpus_scores(self, groups: Any) -> pyarrow.Array:
        """The score of each list of rows, which are structs; null for an empty list."""
        offsets = groups.offsets.to_numpy()
        sizes = numpy.diff(offsets)
        columns = groups.values[offsets[0] : offsets[-1]].flatten()
        return self._scores(columns, numpy.repeat(numpy.arange(len(sizes)), sizes), len(sizes))

    def corpus_score(self, *columns: Any) -> pyarrow.Scalar:
        """The score of all rows; null if there are none."""
        equal, size = _of_one_length(columns)
        return self._scores(equal, numpy.zeros(size, numpy.int64), 1)[0]

    def _scores(self, columns: Sequence[Any], group_of: NDArray[Any], count: int) -> pyarrow.Array:
        """The score of each of `count` groups; the numbers in `group_of` must not decrease."""
        segments = numpy.zeros(count, numpy.int64)
        counts = numpy.zeros((count, self._width), numpy.int64)
        for rows, _, adapted in self._parts(columns):
            groups = group_of[rows]
            starts = numpy.flatnonzero(numpy.diff(groups, prepend=-1))
            segments[groups[starts]] += numpy.diff(starts, append=len(groups))
            counts[groups[starts]] += numpy.add.reduceat(numpy.asarray(adapted), starts)
        return self._values(segments, counts)

    def scores_of_counts(self, sums: Any) -> pyarrow.Array:
        """The score of each struct of summed `counts`; null where these are null."""
        if isinstance(sums, pyarrow.ChunkedArray):
            sums = sums.combine_chunks()
        columns = [sums.field(name) for name in self.summed]
        counts = [column.fill_null(0).to_numpy(zero_copy_only=False) for column in columns]
        present = columns[0].is_valid().to_numpy(zero_copy_only=False)
        return self._values(present, numpy.stack(counts, axis=1).astype(numpy.int64, copy=False))

    def _values(self, present: NDArray[Any], counts: NDArray[Any]) -> pyarrow.Array:
        """The score of each row of sums; null if it is not present or has no score."""
        scorer = scorer_of(self.metric)
        scores: list[float | None] = []
        for is_present, row in zip(present.tolist(), counts.tolist(), strict=True):
            score = None
            if is_present:
                try:
                    score = scorer.value(scorer.restore(row))
                except NoScoreError as error:
                    # Without numbers, because Python shows equal warnings of a host's calls once.
                    warn_input(f"a group has no score, which is NULL: {error}")
            scores.append(score)
        return pyarrow.array(scores, pyarrow.float64())

    def _parts(self, columns: Sequence[Any]) -> Iterator[tuple[Any, Any, AdaptedRows]]:
        """Yield the rows that are present, in parts.

        Each part is a slice or an array of row numbers, the number of references of all rows or of
        each, and the counts to add up.
        """
        scorer_of(self.metric).require(UPDATE, SUMS)
        batch, most = self._batch(columns), part_rows(self.metric.threads)
        for rows, nrefs, counted in counted_parts(self.metric, batch, most):
            yield rows, nrefs, scorer_of(self.metric).adapted(counted.stats)

    def _counted(self, columns: Sequence[Any]) -> tuple[Counted, NDArray[Any] | None]:
        """The counts of the rows that are present, and a mask of these rows; None if all are."""
        batch = self._batch(_of_one_length(columns)[0])
        counted = counter_of(self.metric).count(batch)
        return counted, None if batch.present is None else numpy.array(batch.present)

    def _batch(self, columns: Sequence[Any]) -> Batch:
        hypotheses, *references = columns
        texts = references[0] if len(references) == 1 else references
        batch = counter_of(self.metric).read(hypotheses, texts, missing=self.missing)
        batch.warns = False
        return batch


def argument_names(count: int) -> list[str]:
    """The names of `count` columns that are the arguments of a function in a query."""
    return ["hypothesis", *(f"reference_{number}" for number in range(1, count))]


def naming_columns(
    function: Callable[..., Any], names: Sequence[str] = (), skip: str = 'missing="skip"'
) -> Callable[..., Any]:
    """Wrap a function of columns: its errors name them, and say how to skip rows without a value.

    They do not name segments, whose numbers are those within a batch of the host. Without `names`
    the columns are `argument_names`.
    """

    def called(*columns: pyarrow.Array) -> pyarrow.Array:  # from these types Spark infers its kind
        own = names or argument_names(len(columns))
        if len(own) < 2:
            raise TypeError("there is no column of references; pass at least one")
        try:
            return function(*columns)
        except (TypeError, ValueError) as error:
            message = str(error)
            if isinstance(error, InputError) and error.is_missing:
                name, equal = column_of(own, error.reference), _of_one_length(columns)[0]
                row = _row(own, equal, error.segment)
                fix = f'leave such rows out with {skip}, or use empty texts with missing="empty"'
                problem = f"{name} is missing (NULL) in {row}: {fix}"
                raise restated(error, problem, segment=None) from error
            if isinstance(error, InputError) and error.segment is not None:
                message = f"some row: {error.problem}"
            sides = f"hypotheses: {own[0]}; references: {', '.join(own[1:])}"
            # The engine passes parts of a table, in which rows have other numbers.
            raise restated(error, f"{message} ({sides})", segment=None) from error

    return called


def _row(names: Sequence[str], columns: Sequence[Any], number: int | None) -> str:
    """A row of a batch, whose number a host does not know, by a text in it."""
    for name, column in zip(names, columns, strict=False):
        with suppress(IndexError, TypeError, UnicodeDecodeError):
            if text := column[number].as_py():
                return f"the row whose {name} is {shown(text)}"
    return "some row"


def _spread(values: NDArray[Any], present: NDArray[Any] | None) -> NDArray[Any]:
    """Values of the rows that are present, with zeros for the others."""
    if present is None:
        return values
    spread = numpy.zeros((*values.shape[:-1], len(present)), values.dtype)
    spread[..., present] = values
    return spread


def _of_one_length(columns: Sequence[Any]) -> tuple[list[Any], int]:
    """Return the columns and the number of rows; single values for all rows are repeated."""
    lengths = [1 if isinstance(column, pyarrow.Scalar) else len(column) for column in columns]
    rows = next((length for length in lengths if length != 1), 1)
    equal = []
    for column, length in zip(columns, lengths, strict=True):
        if isinstance(column, pyarrow.Scalar):
            column = pyarrow.repeat(column, rows)
        elif length == 1 != rows:
            column = pyarrow.repeat(column[0], rows)
        equal.append(column)
    return equal, rows


def _as_columns(rows: NDArray[Any]) -> list[pyarrow.Array]:
    """The rows of a matrix as Arrow arrays."""
    count, size = rows.shape
    buffer = pyarrow.py_buffer(rows.reshape(-1))
    column = pyarrow.Array.from_buffers(pyarrow.int64(), rows.size, [None, buffer], 0)
    # Slices of one array are made several times faster than arrays.
    return [column.slice(row * size, size) for row in range(count)]

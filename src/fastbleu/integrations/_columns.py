"""Shared by hosts that call functions inside a query: columns of Arrow in, columns of Arrow out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy
import pyarrow
import pyarrow.compute

from ..counting.stats import Stats
from ..inputs.arguments import a_type, check_choice
from ..inputs.batch import read
from ..inputs.missing import CHOICES
from ..metric.bleu import BLEU
from ..tables.groups import FEWEST, MOST, reductions_of
from ..tables.sums import described

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..counting._counted import Counted
    from ..inputs.types import MissingChoice


class ColumnScorer:
    """BLEU of columns: hypotheses, and one column of references, or one of lists, or several.

    A host calls it for each batch of rows, so that it does not warn of what only a corpus tells.

    Parameters
    ----------
    metric : BLEU, optional
    missing : {"error", "empty", "skip"}
        With "skip" a row with a missing text has no score, and no part in sums.
    """

    def __init__(self, metric: BLEU | None = None, missing: MissingChoice = "error") -> None:
        metric = BLEU() if metric is None else metric
        if not isinstance(metric, BLEU):
            raise TypeError(f"metric is {a_type(metric)}, expected a fastbleu.BLEU")
        check_choice("missing", missing, CHOICES)
        self.metric, self.missing = metric, missing

    @property
    def reductions(self) -> dict[str, str]:
        """The columns of sums, all int64, and how to reduce each."""
        return reductions_of(self.metric.max_order)

    @property
    def counted(self) -> str:
        """The text of the column `counted` of sums."""
        return described(self.metric)

    def sentence_scores(self, *columns: Any) -> pyarrow.Array:
        """The score of each row, null if it is left out."""
        counted, present = self._counted(columns)
        return _with_nulls(self.metric.scorer.sentence_scores(counted, warns=False), present)

    def sums(self, *columns: Any) -> pyarrow.StructArray:
        """Each row as sums of one segment: fields as the columns of `fastbleu.tables.sums`.

        A row that is left out has null for its numbers of references, and 0 for all others.
        """
        numbers, present = self._sums(columns)
        names = list(self.reductions)
        absent = None if present is None else ~present
        fields = [
            pyarrow.array(values, mask=absent if name in (FEWEST, MOST) else None)
            for name, values in zip(names, numpy.ascontiguousarray(numbers.T), strict=True)
        ]
        return pyarrow.StructArray.from_arrays(fields, names)

    def corpus_scores(self, groups: Any) -> pyarrow.Array:
        """The score of each list of structs of a row's columns; null of none."""
        offsets = groups.offsets.to_numpy()
        sizes = numpy.diff(offsets)
        numbers, _ = self._sums(groups.values[offsets[0] : offsets[-1]].flatten())
        sums = numpy.zeros((len(sizes), numbers.shape[1]), numpy.int64)
        if len(numbers):
            sums[sizes > 0] = numpy.add.reduceat(numbers, (offsets[:-1] - offsets[0])[sizes > 0])
        return self._values(sums[:, 0], sums[:, 3:])

    def corpus_score(self, *columns: Any) -> pyarrow.Scalar:
        """The score of all rows; null of none."""
        numbers, _ = self._sums(columns)
        total = numbers.sum(axis=0, keepdims=True)
        return self._values(total[:, 0], total[:, 3:])[0]

    def scores_of_sums(self, sums: Any) -> pyarrow.Array:
        """The score of each struct of sums; null of no segments."""
        if isinstance(sums, pyarrow.ChunkedArray):
            sums = sums.combine_chunks()
        names = [name for name in self.reductions if name not in (FEWEST, MOST)]
        columns = [sums.field(name).fill_null(0).to_numpy(zero_copy_only=False) for name in names]
        numbers = numpy.stack(columns, axis=1).astype(numpy.int64, copy=False)
        return self._values(numbers[:, 0], numbers[:, 1:])

    def _values(self, segments: NDArray[Any], counts: NDArray[Any]) -> pyarrow.Array:
        scorer, order = self.metric.scorer, self.metric.max_order
        scores = [
            scorer.value(scorer.totals_of_rows(Stats(row[None], order))) if size else None
            for size, row in zip(segments.tolist(), counts, strict=True)
        ]
        return pyarrow.array(scores, pyarrow.float64())

    def _sums(self, columns: Sequence[Any]) -> tuple[NDArray[Any], NDArray[Any] | None]:
        """Rows with the columns of sums, and which rows are present; None if all are."""
        for operation in ("update", "sums"):
            self.metric.scorer.dialect.require(operation)
        counted, present = self._counted(columns)
        rows = numpy.asarray(self.metric.scorer.rows_to_add(counted.stats))
        size = len(rows) if present is None else len(present)
        numbers = numpy.zeros((size, 3 + rows.shape[1]), numpy.int64)
        kept = slice(None) if present is None else present
        numbers[kept, 0] = 1
        nrefs: Any = counted.nrefs
        if nrefs < 0:
            lengths = pyarrow.compute.list_value_length(columns[1]).fill_null(1)
            nrefs = lengths.to_numpy(zero_copy_only=False)[kept]
        numbers[kept, 1] = numbers[kept, 2] = nrefs
        numbers[kept, 3:] = rows
        return numbers, present

    def _counted(self, columns: Sequence[Any]) -> tuple[Counted, NDArray[Any] | None]:
        hypotheses, *references = _of_one_length(columns)
        counter = self.metric.counter
        texts = references[0] if len(references) == 1 else references
        batch = read(hypotheses, texts, counter, missing=self.missing)
        batch.warns = False
        counted = counter.count(batch)
        return counted, None if batch.present is None else numpy.array(batch.present)


def _of_one_length(columns: Sequence[Any]) -> list[Any]:
    """The columns; values that hosts pass for all rows, also for none, are repeated."""
    lengths = [1 if isinstance(column, pyarrow.Scalar) else len(column) for column in columns]
    rows = next((length for length in lengths if length != 1), 1)
    found = []
    for column, length in zip(columns, lengths, strict=True):
        if isinstance(column, pyarrow.Scalar):
            column = pyarrow.repeat(column, rows)
        elif length == 1 != rows:
            column = pyarrow.repeat(column[0], rows)
        found.append(column)
    return found


def _with_nulls(scores: NDArray[Any], present: NDArray[Any] | None) -> pyarrow.Array:
    if present is None:
        return pyarrow.array(scores)
    of_all = numpy.zeros(len(present))
    of_all[present] = scores
    return pyarrow.array(of_all, mask=~present)

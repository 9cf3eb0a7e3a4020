"""Scores by group: rows of counts are added up by key, and each sum is scored by the metric."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import repeat
from typing import TYPE_CHECKING, Any

import numpy as np

from ..counting.stats import Stats
from ..dialects.score import Score
from ..significance.procedures import interval_of
from .frames import ROW, Frame, joined
from .rows import RowCounter, check_new_columns
from .segment_rows import SegmentRows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..metric.bleu import BLEU
    from .frames import Indices

# Columns of partial results besides the keys: see `reductions`.
_SEGMENTS, _FEWEST, _MOST = "_fastbleu_segments", "_fastbleu_fewest", "_fastbleu_most"
_ALL = "_fastbleu_all"  # the key where there is none
# Rows of partial results that may wait to be reduced.
WAITING_ROWS = 1 << 17
# Rows whose counts stay in the cache until they are added up; more if several threads share them.
_PART_ROWS = 1 << 13
_SHARED_ROWS = 1 << 16

RESULTS = ("segments", "bleu", "precisions", "bp", "hyp_len", "ref_len", "signature")


class GroupScorer:
    """Adds up counts by the columns `by`, and scores the sums by the metric's `Scorer`.

    With `confidence` each score has an interval from `samples` samples. This needs the rows of all
    segments, like dialects whose corpus score is a mean of sentences.
    """

    def __init__(
        self,
        row_counter: RowCounter,
        by: str | Sequence[str] = (),
        confidence: float | None = None,
        samples: int = 1000,
        seed: int | str | None = None,
    ) -> None:
        self.row_counter = row_counter
        self.by = [by] if isinstance(by, str) else list(by)
        for name in self.by:
            if self.by.count(name) > 1:
                raise ValueError(f"by has {name!r} several times: pass each column once")
        if row_counter.language is not None and row_counter.language not in self.by:
            raise ValueError(
                f"language={row_counter.language!r} is not in by, so that a group could have "
                f"several tokenizers; pass by={[*self.by, row_counter.language]!r}"
            )
        self._confidence, self._samples, self._seed = confidence, samples, seed
        dialect = row_counter.metric.scorer.dialect
        if confidence is not None:
            dialect.require("significance")
        # The counts of segments are kept where their sums do not tell the result.
        self._segment_rows: SegmentRows | None = None
        if confidence is not None or not dialect.supports("sums"):
            self._segment_rows = SegmentRows(len(self._counts))
        new = [*RESULTS, "low", "high"] if confidence is not None else RESULTS
        check_new_columns(self.by, new)

    @property
    def columns(self) -> list[str]:
        """The names of the columns that are read, each once."""
        return list(dict.fromkeys([*self.row_counter.columns, *self.by]))

    @property
    def keys(self) -> list[str]:
        """The key columns of partial results."""
        return self.by or [_ALL]

    @property
    def reductions(self) -> dict[str, str]:
        """The other columns of partial results, all int64, and how to reduce them by group."""
        fixed = {ROW: "min", _SEGMENTS: "sum", _FEWEST: "min", _MOST: "max"}
        return fixed | dict.fromkeys(self._counts, "sum")

    @property
    def _counts(self) -> list[str]:
        width = 2 + 2 * self.row_counter.metric.max_order
        return [f"_fastbleu_{column}" for column in range(width)]

    def totals(self, frames: Iterable[Frame]) -> Frame | None:
        """The partial result of frames, a row for each group; None if there are no frames.

        If the rows of segments are kept, it has several for each group, one for each frame.
        """
        total: list[Frame] = []
        waiting: list[tuple[Frame, Indices]] = []
        row = parts = 0
        reduces = self._segment_rows is None
        for frame in frames:
            waiting.append(self._sums(frame, row, parts))
            row += len(frame)
            parts += len(waiting[-1][0])
            if reduces and sum(len(keys) for keys, _ in waiting) > WAITING_ROWS:
                total, waiting = [self.reduced([*total, self._joined(waiting)])], []
        if waiting:
            total.append(self._joined(waiting))
        if not total:
            return None
        return self.reduced(total) if reduces else joined(total)

    def _sums(self, frame: Frame, first: int, parts: int) -> tuple[Frame, Indices]:
        """The keys of groups and their `reductions`; several results may have equal keys.

        `first` is the number of the first row, `parts` how many results there are before these.
        """
        keys, metric = self._keyed(frame), self.row_counter.metric
        scorer, kept = metric.scorer, self._segment_rows
        groups = keys.row_groups(len(self._counts))
        most = _PART_ROWS if metric.threads == 1 else _SHARED_ROWS
        numbers = np.arange(first, first + len(frame))
        of_rows: list[Indices] = []
        for rows, nrefs, counted in self.row_counter.counts(frame, numbers, most):
            adapted = scorer.rows_to_add(counted.stats)
            groups.add(rows, adapted._rows, nrefs)
            if kept is not None:
                of_rows.append(np.asarray(groups.groups)[rows])
                kept.add_counts(counted.stats if scorer.averages_sentences else adapted)
        totals: Indices = np.asarray(groups.totals).reshape(-1, len(self.reductions))
        present = totals[:, 1] > 0  # all if nothing is missing
        if kept is not None:
            part_of = parts + np.cumsum(present) - 1
            kept.add_parts(part_of[np.concatenate([np.zeros(0, np.int32), *of_rows])])
        totals = totals[present]
        rows = totals[:, 0].copy()
        totals[:, 0] += first
        return keys[rows], totals

    def _joined(self, parts: Sequence[tuple[Frame, Indices]]) -> Frame:
        """Keys and their numbers in one frame."""
        keys, numbers = zip(*parts, strict=True)
        # Column-major, so that each column is contiguous.
        columns = np.ascontiguousarray(np.concatenate(numbers).T)
        return joined(keys).with_columns(dict(zip(self.reductions, columns, strict=True)))

    def reduced(self, frames: Sequence[Frame]) -> Frame:
        """Partial results added up, a row for each group."""
        return joined(frames).reduce(self.keys, self.reductions)

    def scores(self, total: Frame) -> Frame:
        """A row for each group in the order of their first rows: keys, and scores."""
        keys = total.select(self.keys)
        counts = total.counts([*self._counts, _SEGMENTS, _FEWEST, _MOST])
        order = np.argsort(total.counts([ROW])[:, 0], kind="stable")
        if self._segment_rows is not None:
            groups = [(metric, order[rows]) for metric, rows in self._grouped(keys[order])]
            tables: Iterable[Any] = self._segment_rows.by_group([rows for _, rows in groups])
        else:
            values = list(zip(*(keys.values(name) for name in self.keys), strict=True))
            groups = [
                (self._metric_of(values[row]), order[i : i + 1]) for i, row in enumerate(order)
            ]
            tables = repeat(None, len(groups))
        results = [
            self._score(metric, counts[rows], table)
            for (metric, rows), table in zip(groups, tables, strict=True)
        ]
        self.row_counter.warn()
        return self._with_results(keys[np.array([rows[0] for _, rows in groups])], results)

    def score_texts(self, frame: Frame) -> Frame:
        """Like `scores`, from the texts of each group, for dialects whose counts do not add up."""
        keys = self._keyed(frame)
        results = []
        for metric, rows in self._grouped(keys):
            kept, score, stats = self.row_counter.score_all(metric, frame[rows], rows)
            table = None
            if stats is not None:
                table = np.asarray(metric.scorer.rows_to_add(stats))
            results.append((int(kept[0]), self._row(len(kept), score, metric, table)))
        self.row_counter.warn()
        results.sort(key=lambda result: result[0])
        firsts = np.array([first for first, _ in results], np.int64)
        return self._with_results(keys[firsts], [row for _, row in results])

    def _keyed(self, frame: Frame) -> Frame:
        """The key columns of a frame."""
        if self.by:
            return frame.select(self.by)
        key = {_ALL: np.zeros(len(frame), np.int64)}
        return frame.select([self.row_counter.hypothesis]).with_columns(key).select([_ALL])

    def _grouped(self, keys: Frame) -> list[tuple[BLEU, Indices]]:
        """The metric and the rows of each group, in the order of the first rows."""
        groups = sorted(
            (int(rows.min()), key, np.sort(rows)) for key, rows in keys.groups(self.keys)
        )
        return [(self._metric_of(key), rows) for _, key, rows in groups]

    def _metric_of(self, key: Sequence[Any]) -> BLEU:
        language = self.row_counter.language
        return self.row_counter.metric_of(
            None if language is None else key[self.by.index(language)]
        )

    def _score(self, metric: BLEU, sums: Indices, table: NDArray[Any] | None) -> dict[str, Any]:
        """The results of a group from its partial results, and the rows of its segments if kept."""
        segments, fewest, most = sums[:, -3].sum(), sums[:, -2].min(), sums[:, -1].max()
        scorer = metric.scorer
        rows = table if scorer.averages_sentences else sums[:, :-3]
        nrefs = int(fewest) if fewest == most else -1
        score = scorer.score(scorer.totals_of_rows(Stats(rows, metric.max_order), nrefs))
        return self._row(int(segments), score, metric, table)

    def _row(
        self, segments: int, score: Score, metric: BLEU, table: NDArray[Any] | None
    ) -> dict[str, Any]:
        """The results of a group: a value for each column."""
        row: dict[str, Any] = {"segments": segments, "bleu": score.value}
        row |= {"precisions": list(score.precisions), "bp": score.bp}
        row |= {"hyp_len": score.hyp_len, "ref_len": score.ref_len}
        if self._confidence is not None:
            row |= {"low": None, "high": None}
            if table is not None and segments > 1:
                interval = interval_of(
                    table, metric.scorer, self._confidence, self._samples, self._seed
                )
                row |= {"low": interval.low, "high": interval.high}
        return row | {"signature": score.signature}

    def _with_results(self, keys: Frame, results: list[dict[str, Any]]) -> Frame:
        """The keys and the results of the groups side by side."""
        if not results:
            raise ValueError("there are no segments to score: the table has no rows")
        columns = {name: [row[name] for row in results] for name in results[0]}
        return keys.without_index().with_columns(columns).select([*self.by, *columns])

"""Scores by group: rows of counts are added up by key, and each sum is scored by the metric."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from ..counting.stats import Stats
from ..dialects.base import SIGNIFICANCE, SUMS
from ..dialects.score import NoScoreError, Score
from ..inputs.arguments import a_type, shown
from ..inputs.errors import warn_input
from ..significance.procedures import intervals_of
from ._row_groups import RowGroups
from .frames import ROW, Frame, joined
from .rows import RowCounter, check_new_columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..counting._counted import Sums
    from ..counting.stats import Rows
    from ..metric.bleu import BLEU
    from ..significance.results import Interval
    from .frames import Indices, Reductions

    Totals = NDArray[np.void]

# Columns of sums besides the keys and the counts: see `reductions_of`.
SEGMENTS, FEWEST, MOST = "segments", "fewest_references", "most_references"
COUNTS = "counts"  # all counts of a group, in arrays
_ALL = "_fastbleu_all"  # the key where there is none
# Rows of partial results that may wait to be reduced.
WAITING_ROWS = 1 << 17
# Groups whose intervals are computed together, and the most rows of all of them.
_GROUPS, _ROWS_OF_GROUPS = 64, 1 << 14

NO_INTERVAL: Mapping[str, Any] = {}
RESULTS = (SEGMENTS, "bleu", "bp", "hyp_len", "ref_len", "signature")


def part_rows(threads: int) -> int:
    """Rows whose counts stay in the cache until they are added up; more if threads share them."""
    return 1 << 13 if threads == 1 else 1 << 16


@cache
def count_names(max_ngram_order: int) -> tuple[str, ...]:
    """The names of the columns with the counts of a row of `Stats`."""
    orders = range(1, max_ngram_order + 1)
    return ("hyp_len", "ref_len", *(f"{k}_{n}" for k in ("matches", "totals") for n in orders))


@cache
def precision_names(max_ngram_order: int) -> tuple[str, ...]:
    """The columns of a score's precisions: numbers, because files of text have no lists."""
    return tuple([f"precision_{order}" for order in range(1, max_ngram_order + 1)])


@cache
def reductions_of(max_ngram_order: int) -> Mapping[str, str]:
    """The columns of sums besides the keys, all int64, and how to reduce them by group."""
    fixed = {SEGMENTS: "sum", FEWEST: "min", MOST: "max"}
    return fixed | dict.fromkeys(count_names(max_ngram_order), "sum")


@cache
def _totals_type(names: tuple[str, ...], max_ngram_order: int) -> np.dtype[np.void]:
    """Numbers of a group as fields: `names`, and COUNTS, as in a row of `Stats`."""
    fields: list[Any] = [(name, np.int64) for name in names]
    return np.dtype([*fields, (COUNTS, np.int64, 2 + 2 * max_ngram_order)])


def totals_of(groups: RowGroups, max_ngram_order: int) -> Totals:
    """The totals of groups of rows, with ROW, the first, SEGMENTS, FEWEST, MOST and COUNTS."""
    numbers = np.asarray(groups.totals or array("q"))
    return numbers.view(_totals_type((ROW, SEGMENTS, FEWEST, MOST), max_ngram_order))


def totals_in(sums: Frame, max_ngram_order: int) -> Totals:
    """The totals that a frame has in columns, with SEGMENTS, FEWEST, MOST and COUNTS."""
    names = (SEGMENTS, FEWEST, MOST)
    numbers = sums.counts([*names, *count_names(max_ngram_order)])
    return numbers.view(_totals_type(names, max_ngram_order))[:, 0]


class SegmentRows:
    """Rows of counts of all segments, and the number of the partial result that each is part of.

    A row takes 24 bytes with 4 orders while all counts are less than 65,536, and 24 more once the
    rows of each group are put together.
    """

    def __init__(self, width: int) -> None:
        self._width = width
        self._counts: array[int] = array("H")
        self._parts: array[int] = array("i")

    def add_counts(self, rows: Rows) -> None:
        """Add rows, in the order of the table within each group."""
        counts = np.asarray(rows)
        limits = np.iinfo(np.uint16)
        fits = not counts.size or limits.min <= counts.min() <= counts.max() <= limits.max
        if self._counts.typecode == "H" and not fits:  # totals of the dialect e2e may be negative
            self._counts = array("q", self._counts)
        self._counts.frombytes(counts.astype(self._counts.typecode).tobytes())

    def add_parts(self, parts: Indices) -> None:
        """Add the number of the partial result of each row."""
        self._parts.frombytes(parts.astype(np.int32).tobytes())

    def by_group(self, groups: Sequence[Indices]) -> list[NDArray[Any]]:
        """The rows of each group, given by the numbers of its partial results, which are freed."""
        counts = np.frombuffer(self._counts, self._counts.typecode).reshape(-1, self._width)
        if len(groups) == 1:
            return [counts]
        group_of = np.empty(sum(map(len, groups)), np.int32)
        for number, parts in enumerate(groups):
            group_of[parts] = number
        numbers = group_of[np.frombuffer(self._parts, np.int32)]
        self._parts = array("i")
        ends = np.cumsum(np.bincount(numbers, minlength=len(groups))).tolist()
        together = counts[np.argsort(numbers, kind="stable")]
        return [together[first:last] for first, last in pairwise([0, *ends])]


class PartialSums:
    """Rows with keys and numbers, which are reduced by key whenever many of them wait.

    Without `reduces` they stay as they are.
    """

    def __init__(self, keys: Sequence[str], reductions: Reductions, reduces: bool = True) -> None:
        self._keys, self._reductions, self._reduces = keys, reductions, reduces
        self._frames: list[Frame] = []
        self._waiting = 0

    def add(self, frame: Frame) -> None:
        """Add rows, as a table of the library of the first."""
        self._frames.append(frame.like(self._frames[0]) if self._frames else frame)
        self._waiting += len(frame)
        if self._waiting > WAITING_ROWS and self._reduces:
            self._frames, self._waiting = [self._total()], 0

    def total(self) -> Frame | None:
        """A row for each key; None if nothing was added."""
        return self._total() if self._frames else None

    def _total(self) -> Frame:
        rows = joined(self._frames)
        return rows.reduce(self._keys, self._reductions) if self._reduces else rows


class GroupScorer:
    """Adds up counts by the columns `by`, and scores the sums by the metric's `Scorer`.

    With `confidence` each score has an interval from `samples` samples. This needs the rows of all
    segments, like dialects whose corpus score is a mean of sentences.
    """

    def __init__(
        self,
        row_counter: RowCounter,
        by: str | Sequence[str] | None = None,
        confidence: float | None = None,
        samples: int = 1000,
        seed: int | None = 12345,
    ) -> None:
        self.row_counter = row_counter
        if by is not None and not isinstance(by, Iterable):
            raise TypeError(f"by is {a_type(by)}, expected names of columns")
        self.by = [by] if isinstance(by, str) else list(by or ())
        for name in self.by:
            if self.by.count(name) > 1:
                raise ValueError(f"by has {shown(name)} several times: pass each column once")
        if row_counter.language is not None and row_counter.language not in self.by:
            raise ValueError(
                f"language={shown(row_counter.language)} is not in by, so that a group could have "
                f"several tokenizers; pass by={shown([*self.by, row_counter.language])}"
            )
        self._confidence, self._samples, self._seed = confidence, samples, seed
        dialect = row_counter.metric._scorer.dialect
        if confidence is not None:
            dialect.require(SIGNIFICANCE)
        # The counts of segments are kept where their sums do not tell the result.
        self._segment_rows: SegmentRows | None = None
        if confidence is not None or not dialect.supports(SUMS):
            self._segment_rows = SegmentRows(self._width)
        new = [*RESULTS, "low", "high"] if confidence is not None else RESULTS
        precisions = precision_names(row_counter.metric.max_ngram_order)
        check_new_columns(self.by, [*new, *precisions, *self.reductions])

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
        return {ROW: "min", **reductions_of(self.row_counter.metric.max_ngram_order)}

    @property
    def _width(self) -> int:
        return len(count_names(self.row_counter.metric.max_ngram_order))

    def totals(self, frames: Iterable[Frame]) -> Frame | None:
        """The partial result of frames, a row for each group; None if there are no frames.

        If the rows of segments are kept, it has several for each group, one for each frame.
        """
        partial = PartialSums(self.keys, self.reductions, self._segment_rows is None)
        row = parts = 0
        for frame in frames:
            sums = self._sums(frame, row, parts)
            partial.add(sums)
            row += len(frame)
            parts += len(sums)
        return partial.total()

    def _sums(self, frame: Frame, first: int, parts: int) -> Frame:
        """The keys of groups, and a column for each of the `reductions`; keys may be repeated.

        `first` is the number of the first row, `parts` how many results there are before these.
        """
        keys, metric = self._keyed(frame), self.row_counter.metric
        scorer, kept = metric._scorer, self._segment_rows
        groups = keys.row_groups(self._width)
        most = part_rows(metric.threads)
        numbers = np.arange(first, first + len(frame))
        groups_of_rows: list[Indices] = []
        for rows, nrefs, counted in self.row_counter.counts(frame, numbers, most):
            adapted = scorer.adapted(counted)
            groups.add(rows, adapted._rows, nrefs)
            if kept is not None:
                groups_of_rows.append(np.asarray(groups.groups)[rows])
                kept.add_counts(counted.stats if scorer.dialect.mean_of_sentences else adapted)
        totals = totals_of(groups, metric.max_ngram_order)
        present = totals[SEGMENTS] > 0  # all if nothing is missing
        if kept is not None:
            part_of = parts + np.cumsum(present) - 1
            kept.add_parts(part_of[np.concatenate([np.zeros(0, np.int32), *groups_of_rows])])
        totals = totals[present]
        first_rows = totals[ROW].copy()
        totals[ROW] += first
        # Column-major, so that each column is contiguous.
        names = self.reductions
        columns = np.ascontiguousarray(totals.view(np.int64).reshape(-1, len(names)).T)
        return keys[first_rows].with_columns(dict(zip(names, columns, strict=True)))

    def sums(self, total: Frame) -> tuple[Frame, list[BLEU]]:
        """The totals as sums: keys and counts in the order of first rows; each group's metric."""
        order = np.argsort(total.counts([ROW])[:, 0], kind="stable")
        columns = [*self.by, *reductions_of(self.row_counter.metric.max_ngram_order)]
        ordered = total.select([*dict.fromkeys([*self.keys, *columns])])[order]
        return ordered.select(columns), self.metrics_of(ordered)

    def metrics_of(self, sums: Frame) -> list[BLEU]:
        """The metric of each row of a frame with the keys."""
        if self.row_counter.language is None:
            return [self.row_counter.metric] * len(sums)
        return list(map(self.row_counter.metric_of, sums.values(self.row_counter.language)))

    def scores(self, total: Frame) -> Frame:
        """A row for each group in the order of their first rows: keys, and scores."""
        rows = self._segment_rows
        scores = scored(*self.sums(total), self.by) if rows is None else self._scores(total, rows)
        self.row_counter.warn()
        return scores

    def _scores(self, total: Frame, segment_rows: SegmentRows) -> Frame:
        """The result of `scores`, for which the rows of segments are needed, too."""
        order = np.argsort(total.counts([ROW])[:, 0], kind="stable")
        grouped = self._grouped(total.select(self.keys)[order])
        tables = segment_rows.by_group([order[rows] for _, rows in grouped])
        sums, metrics = self.sums(total.reduce(self.keys, self.reductions))
        all_sums = _sums_of(metrics, totals_in(sums, metrics[0].max_ngram_order), tables)
        results = list(map(_result, metrics, all_sums, self._intervals(metrics, tables)))
        return with_results(sums.select(self.by) if self.by else sums, results, self.by)

    def score_texts(self, frame: Frame) -> Frame:
        """Like `scores`, from the texts of each group, for dialects whose counts do not add up."""
        keys = self._keyed(frame)
        groups = []
        for metric, rows in self._grouped(keys):
            kept, sums, adapted = self.row_counter.sums(metric, frame[rows], rows)
            if len(kept):
                groups.append((int(kept[0]), metric, sums, np.asarray(adapted)))
        if not groups:
            raise self.row_counter.no_rows()
        groups.sort(key=itemgetter(0))
        firsts, metrics, all_sums, tables = zip(*groups, strict=True)
        intervals = self._intervals(metrics, tables)
        self.row_counter.warn()
        results = list(map(_result, metrics, all_sums, intervals))
        return with_results(keys[np.array(firsts, np.int64)], results, self.by)

    def _keyed(self, frame: Frame) -> Frame:
        """The key columns of a frame."""
        if self.by:
            return frame.keys(self.by)
        key = {_ALL: np.zeros(len(frame), np.int64)}
        return frame.select([self.row_counter.hypotheses]).with_columns(key).select([_ALL])

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

    def _intervals(
        self, metrics: Sequence[BLEU], tables: Sequence[NDArray[Any]]
    ) -> list[dict[str, Any]]:
        """The columns with the interval of each group, from the rows of its segments.

        Groups of equally many rows share their draws.
        """
        if self._confidence is None:
            return [{} for _ in tables]
        intervals: list[Interval | None] = [None] * len(tables)
        alike: dict[tuple[int, int], list[int]] = defaultdict(list)
        for number, (metric, table) in enumerate(zip(metrics, tables, strict=True)):
            if len(table) > 1:
                alike[id(metric), len(table)].append(number)
        for (_, rows), numbers in alike.items():
            metric = metrics[numbers[0]]
            size = min(_GROUPS, max(1, _ROWS_OF_GROUPS // rows))
            for first in range(0, len(numbers), size):
                part = numbers[first : first + size]
                options = self._confidence, self._samples, self._seed, metric.threads
                made = intervals_of([tables[n] for n in part], metric._scorer, *options)
                for number, interval in zip(part, made, strict=True):
                    intervals[number] = interval
        return [
            {name: getattr(interval, name, None) for name in ("low", "high")}
            for interval in intervals
        ]


def _sums_of(
    metrics: Sequence[BLEU], totals: Totals, tables: Sequence[NDArray[Any] | None]
) -> list[Sums]:
    """The sums of groups, from their totals, which are sums of adapted rows.

    `tables` have the rows of their segments, for dialects that take the mean of sentences.
    """
    columns = [totals[name].tolist() for name in (COUNTS, SEGMENTS, FEWEST, MOST)]
    all_sums = []
    for metric, table, row, segments, fewest, most in zip(metrics, tables, *columns, strict=True):
        is_mean = metric._scorer.dialect.mean_of_sentences
        stats = Stats(table, metric.max_ngram_order) if is_mean else None
        nrefs = fewest if fewest == most else -1
        all_sums.append(metric._scorer.restore(row, segments, nrefs, stats))
    return all_sums


def _result(metric: BLEU, sums: Sums, interval: Mapping[str, Any] = NO_INTERVAL) -> dict[str, Any]:
    """The results of a group; with a NoScoreError for `bleu` if it has no score."""
    score: Score | None = None
    value: float | NoScoreError
    try:
        score = metric._scorer.score(sums)
        value = score.value
    except NoScoreError as error:
        value = error
    names = precision_names(metric.max_ngram_order)
    hyp_len, ref_len = sums.row[:2]
    return {
        SEGMENTS: sums.segments,
        "bleu": value,
        **dict(zip(names, score.precisions if score else [None] * len(names), strict=True)),
        "bp": score and score.bp,
        "hyp_len": score.hyp_len if score else hyp_len,
        "ref_len": score.ref_len if score else ref_len,
        **interval,
        "signature": score.signature if score else metric._scorer.signature(sums.nrefs),
    }


def scored(sums: Frame, metrics: Sequence[BLEU], by: Sequence[str]) -> Frame:
    """The score of each row of sums by its metric."""
    totals = totals_in(sums, metrics[0].max_ngram_order if metrics else 1)
    results = list(map(_result, metrics, _sums_of(metrics, totals, [None] * len(metrics))))
    return with_results(sums.select(by) if by else sums, results, by)


def with_results(keys: Frame, results: list[dict[str, Any]], by: Sequence[str]) -> Frame:
    """The keys and the results of the groups side by side; without a score, null and a warning."""
    failed = [n for n, row in enumerate(results) if isinstance(row["bleu"], NoScoreError)]
    if failed:
        reason: NoScoreError = results[failed[0]]["bleu"]
        if not by:
            raise reason
        group = ", ".join(f"{name}={shown(keys.values(name)[failed[0]])}" for name in by)
        warn_input(f"{len(failed)} of {len(results)} groups have no score: {group}: {reason}")
    for n in failed:
        results[n]["bleu"] = None
    columns = {name: list(map(itemgetter(name), results)) for name in results[0]}
    return keys.without_index().with_columns(columns).select([*by, *columns])

"""Scores by group: rows of counts are added up by key, and each sum is scored by the metric."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache, reduce
from itertools import chain, repeat
from operator import add, itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.counting.stats import Stats
from ..core.inputs.arguments import a_type, shown
from ..core.inputs.errors import warn_input
from ..core.metric.argument import scorer_of
from ..core.scoring.base import SIGNIFICANCE, SUMS
from ..core.scoring.score import NoScoreError
from ..significance.procedures import intervals_of
from .data_files import import_pyarrow
from .frames import (
    ROW,
    counts_in,
    frame_of,
    group_rows,
    joined,
    keys_of,
    like,
    load_narwhals,
    row_groups,
    take,
    with_columns,
)
from .rows import RowCounter, check_new_columns

if TYPE_CHECKING:
    from narwhals import DataFrame as Frame
    from numpy.typing import NDArray

    from ..core.counting._counted import Sums
    from ..core.counting.stats import Rows
    from ..core.metric.bleu import BLEU
    from ..significance.results import Interval
    from .frames import Indices
    from .sources import Source

    # Numbers of groups, with the fields of `totals_type`.
    Totals = NDArray[np.void]
    # The key and the totals of each group, and the rows of its segments (None: not kept).
    Groups = tuple[Frame, Totals, list[NDArray[Any]] | None]

# Columns of sums other than keys and counts: see `reductions_of`.
SEGMENTS, FEWEST, MOST = "segments", "fewest_references", "most_references"
COUNTS = "counts"  # all counts of a group, in arrays
_ALL = "_fastbleu_all"  # the key if there are no key columns
# The most rows of partial results before they are added up.
WAITING_ROWS = 1 << 17
# The most groups, and rows in all, whose intervals are computed together.
_GROUPS, _ROWS_OF_GROUPS = 64, 1 << 14

RESULTS = (SEGMENTS, "bleu", "bp", "hyp_len", "ref_len", "signature")


def part_rows(threads: int) -> int:
    """The number of rows counted at once: few stay in the cache, threads need more."""
    return 1 << 13 if threads == 1 else 1 << 16


@cache
def count_names(max_ngram_order: int) -> tuple[str, ...]:
    """The names of the columns with the counts of a row of `Stats`."""
    orders = range(1, max_ngram_order + 1)
    return ("hyp_len", "ref_len", *(f"{k}_{n}" for k in ("matches", "totals") for n in orders))


@cache
def precision_names(max_ngram_order: int) -> tuple[str, ...]:
    """The columns of a score's precisions: not a list, because text files have no lists."""
    return tuple([f"precision_{order}" for order in range(1, max_ngram_order + 1)])


@cache
def reductions_of(max_ngram_order: int) -> Mapping[str, str]:
    """The int64 columns of sums other than keys, and how to reduce them by group."""
    fixed = {SEGMENTS: "sum", FEWEST: "min", MOST: "max"}
    return fixed | dict.fromkeys(count_names(max_ngram_order), "sum")


# How to add up each field of totals.
_ADDING = {ROW: np.minimum, SEGMENTS: np.add, FEWEST: np.minimum, MOST: np.maximum, COUNTS: np.add}


@cache
def totals_type(max_ngram_order: int) -> np.dtype[np.void]:
    """The numbers of a group: ROW, its first; and those of `reductions_of`, counts in one."""
    fields: list[Any] = [(name, np.int64) for name in (ROW, SEGMENTS, FEWEST, MOST)]
    return np.dtype([*fields, (COUNTS, np.int64, 2 + 2 * max_ngram_order)])


def totals_in(sums: Frame, max_ngram_order: int, first: int) -> Totals:
    """The totals in a frame's columns of `reductions_of`; its first row has number `first`."""
    rows = np.arange(first, first + len(sums))
    numbers = np.column_stack([rows, counts_in(sums, [*reductions_of(max_ngram_order)])])
    return numbers.view(totals_type(max_ngram_order))[:, 0]


def columns_of(totals: Totals) -> dict[str, Indices]:
    """The totals as columns of `reductions_of`."""
    names = reductions_of(totals.dtype[COUNTS].shape[0] // 2 - 1)
    columns = totals.view(np.int64).reshape(len(totals), 1 + len(names)).T[1:]
    return dict(zip(names, np.ascontiguousarray(columns), strict=True))


class SegmentRows:
    """The counts of all segments, each with the number of its partial result.

    A row takes 24 bytes with 4 orders if all counts are less than 65,536, and 24 more once rows are
    arranged by group.
    """

    def __init__(self, width: int) -> None:
        self._width = width
        self._counts: array[int] = array("H")
        self._parts: array[int] = array("i")
        self._results = 0

    def add_counts(self, rows: Rows) -> None:
        """Add rows, in the order of the table within each group."""
        counts = np.asarray(rows)
        limits = np.iinfo(np.uint16)
        fits = not counts.size or limits.min <= counts.min() <= counts.max() <= limits.max
        if self._counts.typecode == "H" and not fits:  # the dialect e2e may have negative totals
            self._counts = array("q", self._counts)
        self._counts.frombytes(counts.astype(self._counts.typecode).tobytes())

    def add_parts(self, parts: Indices, results: int) -> None:
        """Add the partial result of each row, a number below `results`, the number of new ones."""
        self._parts.frombytes((self._results + parts).astype(np.int32).tobytes())
        self._results += results

    def by_group(self, group_of: Indices, groups: int) -> list[NDArray[Any]]:
        """The rows of each group, from the group of each partial result; to be called once."""
        counts = np.frombuffer(self._counts, self._counts.typecode).reshape(-1, self._width)
        if groups == 1:
            return [counts]
        numbers = group_of[np.frombuffer(self._parts, np.int32)]
        self._parts = array("i")
        ends = np.cumsum(np.bincount(numbers, minlength=groups))
        return np.split(counts[np.argsort(numbers, kind="stable")], ends[:-1])


class GroupTotals:
    """Adds up totals by key whenever there are many; with `segment_rows` only at the end."""

    def __init__(self, by: Sequence[str], segment_rows: SegmentRows | None = None) -> None:
        self._by, self._segment_rows = by, segment_rows
        self._keys: list[Frame] = []
        self._totals: list[Totals] = []
        self._waiting = 0

    def add(self, keys: Frame, totals: Totals) -> None:
        """Add the keys of groups, converted to the library of the first keys, and their totals."""
        self._keys.append(like(keys, self._keys[0]) if self._keys else keys)
        self._totals.append(totals)
        self._waiting += len(totals)
        if self._waiting > WAITING_ROWS and self._segment_rows is None:
            self._add_up()

    def result(self) -> Groups:
        """The groups in the order of their first rows, after at least one `add`."""
        group_of = self._add_up()
        [keys], [totals], kept = self._keys, self._totals, self._segment_rows
        return keys, totals, None if kept is None else kept.by_group(group_of, len(totals))

    def _add_up(self) -> Indices:
        """Replace the totals by their sums by key; returns the group of each."""
        keys, totals = joined(self._keys), np.concatenate(self._totals)
        rows, starts = group_rows(keys, self._by)
        sums = np.empty(len(starts), totals.dtype)
        for name, adding in _ADDING.items():
            sums[name] = adding.reduceat(totals[name][rows], starts)
        order = np.argsort(sums[ROW])
        self._keys, self._totals = [take(keys, rows[starts[order]])], [sums[order]]
        self._waiting = 0
        group_of = np.empty(len(rows), np.int64)
        group_of[rows] = np.repeat(np.argsort(order), np.diff(starts, append=len(rows)))
        return group_of


class GroupScorer:
    """Adds up counts by the columns `by`, and scores the sums by the metric's `Scorer`.

    With `confidence` each score has an interval from `samples` samples. This needs the rows of all
    segments, as do dialects whose corpus score is a mean of sentences.
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
                f"language={shown(row_counter.language)} is not in by, so a group could have "
                f"several tokenizers; pass by={shown([*self.by, row_counter.language])}"
            )
        self._confidence, self._samples, self._seed = confidence, samples, seed
        scorer = scorer_of(row_counter.metric)
        if confidence is not None:
            scorer.require(SIGNIFICANCE)
        # The counts of segments are kept if the result does not follow from their sums.
        self._segment_rows: SegmentRows | None = None
        if confidence is not None or not scorer.supports(SUMS):
            self._segment_rows = SegmentRows(2 + 2 * row_counter.metric.max_ngram_order)
        order = row_counter.metric.max_ngram_order
        new = [*RESULTS, *(("low", "high") if confidence is not None else ())]
        check_new_columns(self.by, [*new, *precision_names(order), *reductions_of(order), ROW])
        # The columns to read, each once; and the keys of totals.
        self.columns = list(dict.fromkeys([*row_counter.columns, *self.by]))
        self._keys = self.by or [_ALL]

    def totals(self, source: Source) -> Groups:
        """The groups of a table, without their scores; none for a table without rows."""
        total, row = GroupTotals(self._keys, self._segment_rows), 0
        frames = source.chunks()
        first = next(frames, None)
        if first is None:  # not even an empty part, which would tell the types of keys
            pyarrow = import_pyarrow("an empty table")
            first = frame_of(pyarrow.table(dict.fromkeys(self.columns, pyarrow.nulls(0))))
        with source.bar() as bar:
            for frame in chain([first], frames):
                total.add(*self._count(frame, row))
                row += len(frame)
                bar.update(len(frame))
        return total.result()

    def _count(self, frame: Frame, first: int) -> tuple[Frame, Totals]:
        """The keys and totals of a frame's groups; `first` is the number of its first row.

        Keys may be repeated.
        """
        keys, metric, kept = self._keyed(frame), self.row_counter.metric, self._segment_rows
        scorer, order = scorer_of(metric), metric.max_ngram_order
        groups = row_groups(keys, self.by, 2 + 2 * order)
        groups_of_rows: list[Indices] = [np.zeros(0, np.int32)]
        for rows, nrefs, counted in self.row_counter.counts(
            frame, first, part_rows(metric.threads)
        ):
            adapted = scorer.adapted(counted.stats)
            groups.add(rows, adapted.flat, nrefs)
            if kept is not None:
                groups_of_rows.append(np.asarray(groups.groups)[rows])
                kept.add_counts(counted.stats if scorer.dialect.aggregation == "mean" else adapted)
        all_totals = np.asarray(groups.totals or array("q")).view(totals_type(order))
        present = all_totals[SEGMENTS] > 0  # all if nothing is missing
        totals = all_totals[present]
        if kept is not None:
            part_of = np.cumsum(present) - 1
            kept.add_parts(part_of[np.concatenate(groups_of_rows)], len(totals))
        keys = take(keys, totals[ROW])
        totals[ROW] += first
        return keys, totals

    def metrics_of(self, keys: Frame) -> list[BLEU]:
        """The metric of each group."""
        if self.row_counter.language is None:
            return [self.row_counter.metric] * len(keys)
        languages = keys[self.row_counter.language].to_list()
        return list(map(self.row_counter.metric_of, languages))

    def scores(self, groups: Groups) -> Frame:
        """A row for each group, with its key and score."""
        keys, totals, tables = groups
        metrics = self.metrics_of(keys)
        all_sums = sums_of(metrics, totals, tables)
        scores = scored(keys, self.by, metrics, all_sums, self._intervals(metrics, tables))
        self.row_counter.warn()
        return scores

    def score_texts(self, frame: Frame) -> Frame:
        """Like `scores`, but from the texts of groups, for dialects whose counts do not add up."""
        keys = self._keyed(frame)
        rows, starts = group_rows(keys, self._keys)
        groups = []
        metrics = self.metrics_of(take(keys, rows[starts]))
        for metric, own in zip(metrics, np.split(rows, starts)[1:], strict=True):
            kept, sums, adapted = self.row_counter.sums(metric, frame, own)
            if len(kept):
                groups.append((int(kept[0]), metric, sums, np.asarray(adapted)))
        if not groups:
            raise self.row_counter.no_rows()
        groups.sort(key=itemgetter(0))
        firsts, metrics, all_sums, tables = map(list, zip(*groups, strict=True))
        intervals = self._intervals(metrics, tables)
        self.row_counter.warn()
        return scored(take(keys, np.array(firsts)), self.by, metrics, all_sums, intervals)

    def _keyed(self, frame: Frame) -> Frame:
        """The key columns of a frame."""
        if self.by:
            return keys_of(frame, self.by)
        key = {_ALL: np.zeros(len(frame), np.int64)}
        return with_columns(frame.select(self.row_counter.hypotheses), key).select(_ALL)

    def _intervals(
        self, metrics: Sequence[BLEU], tables: Sequence[NDArray[Any]] | None
    ) -> dict[str, list[Any]]:
        """The columns with the interval of each group, from the rows of its segments.

        Groups with the same number of rows share their draws.
        """
        if self._confidence is None or tables is None:
            return {}
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
                made = intervals_of([tables[n] for n in part], scorer_of(metric), *options)
                for number, interval in zip(part, made, strict=True):
                    intervals[number] = interval
        bounds = "low", "high"
        return {name: [getattr(interval, name, None) for interval in intervals] for name in bounds}


def sums_of(
    metrics: Sequence[BLEU], totals: Totals, tables: Sequence[NDArray[Any]] | None = None
) -> list[Sums]:
    """The `Sums` of groups from their totals, which are sums of adapted rows.

    `tables` has the rows of their segments, for dialects that take the mean of sentences.
    """
    columns = [totals[name].tolist() for name in (COUNTS, SEGMENTS, FEWEST, MOST)]
    all_sums = []
    for metric, table, row, segments, fewest, most in zip(
        metrics, tables or repeat(None), *columns, strict=False
    ):
        scorer = scorer_of(metric)
        is_mean = scorer.dialect.aggregation == "mean"
        stats = Stats(table, scorer.max_ngram_order) if is_mean else None
        nrefs = fewest if fewest == most else -1
        all_sums.append(scorer.restore(row, segments, nrefs, stats))
    return all_sums


def scored(
    keys: Frame,
    by: Sequence[str],
    metrics: Sequence[BLEU],
    all_sums: Sequence[Sums],
    intervals: Mapping[str, list[Any]],
) -> Frame:
    """The keys and scores of groups; a group without a score has null, and causes a warning."""
    pairs = list(zip(map(scorer_of, metrics), all_sums, strict=True))
    hyp_lens, ref_lens, *counts = map(list, zip(*[sums.row for sums in all_sums], strict=True))
    orders = len(counts) // 2
    by_order = [
        [matched / total if total > 0 else 0.0 for matched, total in zip(*of_order, strict=True)]
        for of_order in zip(counts[:orders], counts[orders:], strict=True)
    ]
    # Fields of each group's `Score`: from its row, unless the dialect computes a field itself.
    fields: dict[str, list[Any]] = {
        "value": [None] * len(pairs),
        "precisions": list(zip(*by_order, strict=True)),
        "bp": [None] * len(pairs),
        "hyp_len": hyp_lens,
        "ref_len": ref_lens,
    }
    failed: dict[int, NoScoreError] = {}
    for number, (scorer, sums) in enumerate(pairs):
        try:
            own = scorer.attributes(sums, warns=False)
            own.setdefault("bp", scorer.brevity_penalty(*sums.row[:2]))
        except NoScoreError as error:
            failed[number] = error
            own = {"precisions": (None,) * orders}
        for name, field in own.items():
            if name in fields:
                fields[name][number] = field
    together = defaultdict(list)
    for scorer, sums in pairs:
        together[scorer].append(sums)
    for scorer, own_sums in together.items():
        if len(own_sums) == 1 or scorer.dialect.aggregation != "mean":  # whose rows would be copied
            with suppress(NoScoreError):
                scorer.attributes(reduce(add, own_sums))  # warns of the whole table, once
    if failed:
        number, reason = next(iter(failed.items()))
        if not by:
            raise reason
        group = ", ".join(f"{name}={shown(keys[name].to_list()[number])}" for name in by)
        warn_input(f"{len(failed)} of {len(keys)} groups have no score: {group}: {reason}")
    results = {SEGMENTS: [sums.segments for sums in all_sums], "bleu": fields.pop("value")}
    by_order = [*map(list, zip(*fields.pop("precisions"), strict=True))]
    results |= zip(precision_names(orders), by_order, strict=True)
    results |= {**fields, **intervals}
    kinds = [(s, sums.nrefs, sums.tokenizers) for s, sums in pairs]
    signatures = {kind: kind[0].signature(*kind[1:]) for kind in dict.fromkeys(kinds)}
    results["signature"] = [signatures[kind] for kind in kinds]
    plain = load_narwhals().maybe_reset_index(keys)
    return with_columns(plain, results).select(*by, *results)

"""Scores by group: rows of counts are added up by key, and each sum is scored by the metric."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..counting.stats import Stats
from ..dialects.score import Score
from ..inputs.column_pairs import columns_of
from ..significance import bootstrap
from ..significance.texts import scoring_options
from .frames import ROW, Frame, joined
from .rows import Located, RowCounter, check_columns, check_new_columns
from .sources import pieces

if TYPE_CHECKING:
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
    """Adds up counts by the columns `by`, and scores the sums.

    With `confidence` each score has an interval from `samples` samples. This needs the rows of all
    segments, like dialects whose corpus score is a mean of sentences.
    """

    def __init__(
        self,
        counter: RowCounter,
        by: str | Sequence[str] = (),
        confidence: float | None = None,
        samples: int = 1000,
        seed: int | str | None = None,
    ) -> None:
        self.counter = counter
        self.by = [by] if isinstance(by, str) else list(by)
        if counter.language is not None and counter.language not in self.by:
            raise ValueError(
                f"language={counter.language!r} is not in by, so that a group could have several "
                f"tokenizers; pass by={[*self.by, counter.language]!r}"
            )
        self.confidence, self._samples, self._seed = confidence, samples, seed
        rules = counter.metric._parameters.rules
        self.keeps_rows = confidence is not None or rules.mean_of_sentences
        new = [*RESULTS, "low", "high"] if confidence is not None else RESULTS
        check_new_columns(self.by, new)

    @property
    def columns(self) -> list[str]:
        """The names of the columns that are read, each once."""
        return list(dict.fromkeys([*self.counter.columns, *self.by]))

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
        width = 2 + 2 * self.counter.metric._parameters.max_order
        return [f"_fastbleu_{column}" for column in range(width)]

    def totals(self, frames: Iterable[Frame]) -> Frame | None:
        """The partial result of frames, a row for each group; None if there are no frames.

        If the rows of segments are kept, it has a row for each segment.
        """
        total: list[Frame] = []
        waiting: list[tuple[Frame, Indices]] = []
        row = 0
        for frame in frames:
            check_columns(frame.columns, self.columns)
            waiting += self._rows(frame, row) if self.keeps_rows else [self._sums(frame, row)]
            row += len(frame)
            if not self.keeps_rows and sum(len(keys) for keys, _ in waiting) > WAITING_ROWS:
                total, waiting = [self.reduced([*total, self._joined(waiting)])], []
        if waiting:
            total.append(self._joined(waiting))
        if not total:
            return None
        return joined(total) if self.keeps_rows else self.reduced(total)

    def _rows(self, frame: Frame, first: int) -> Iterator[tuple[Frame, Indices]]:
        """The keys of segments and their `reductions`; `first` is the number of the first row."""
        for before, piece in pieces(frame):
            counted = self.counter.count(piece, first + before, "statistics")
            numbers, nrefs = counted.numbers, counted.nrefs
            columns = [numbers, np.ones_like(numbers), nrefs, nrefs, np.asarray(counted.stats)]
            yield self._keyed(counted.frame), np.column_stack(columns)

    def _sums(self, frame: Frame, first: int) -> tuple[Frame, Indices]:
        """Like `_rows`, but summed by group; several results may have equal keys."""
        keys, width = self._keyed(frame), len(self._counts)
        groups = keys.row_groups(width)
        for numbers, stats, nrefs in self._counted(frame, first):
            stats = self.counter.metric._parameters.rules.adapt(stats)
            groups.add(numbers - first, stats._rows, nrefs)
        totals: Indices = np.asarray(groups.totals).reshape(-1, len(self.reductions))
        totals = totals[totals[:, 1] > 0]  # if nothing is missing
        rows = totals[:, 0].copy()
        totals[:, 0] += first
        return keys[rows], totals

    def _counted(self, frame: Frame, first: int) -> Iterator[tuple[Indices, Stats, Indices]]:
        """The numbers of rows, their counts and their numbers of references, part by part."""
        done = 0
        for stats, nrefs in self._counted_columns(frame):
            numbers = np.arange(first + done, first + done + len(stats))
            done += len(stats)
            yield numbers, stats, nrefs
        for before, piece in pieces(frame[done:]) if done < len(frame) else ():
            yield self.counter.count(piece, first + done + before, "update")[1:]

    def _counted_columns(self, frame: Frame) -> Iterator[tuple[Stats, Indices]]:
        """Counts and numbers of references of the first rows, in parts that stay in the cache.

        Ends before a part that cannot be counted, of which `RowCounter.count` says why, or leaves
        out what is missing; at once if texts are no columns, or languages have tokenizers.
        """
        metric, texts = self.counter.metric, self.counter.text_columns(frame)
        if texts is None or self.counter.language is not None:
            return
        done = 0
        try:
            columns: Any = columns_of(*texts, True, metric._options.reads_utf8)
            columns.pause = _PART_ROWS if metric.threads == 1 else _SHARED_ROWS
            while done < len(frame):
                how = (None, None), metric._options, "update"
                counted = metric._parameters.count(columns, None, *how)
                if not counted.segments:
                    return
                part = slice(done, done + counted.segments)
                done = part.stop
                yield self.counter.noted(metric, counted, frame, part)
        except (TypeError, ValueError):
            return

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
        total = total.sort(ROW)
        keys = total.select(self.keys)
        counts = total.counts([*self._counts, _SEGMENTS, _FEWEST, _MOST])
        if self.keeps_rows:
            groups = self._grouped(keys)
        else:
            values = zip(*(keys.values(name) for name in self.keys), strict=True)
            rows = np.arange(len(keys))[:, None]
            groups = [(self._metric_of(key), its) for key, its in zip(values, rows, strict=True)]
        results = [self._score(metric, counts[rows]) for metric, rows in groups]
        self.counter.warn()
        return self._with_results(keys[np.array([rows[0] for _, rows in groups])], results)

    def score_texts(self, frame: Frame) -> Frame:
        """Like `scores`, from the texts of each group, for dialects whose counts do not add up."""
        check_columns(frame.columns, self.columns)
        frame, _ = self.counter.present(frame, 0)
        keys = self._keyed(frame)
        results, firsts = [], []
        for metric, rows in self._grouped(keys):
            part = frame[rows]
            with Located(self.counter, rows):
                texts = self.counter.texts(part)
                score = metric.score(*texts)
                stats = None if self.confidence is None else metric.statistics(*texts)
            results.append(self._row(len(rows), score, metric, stats))
            firsts.append(rows[0])
        self.counter.warn()
        return self._with_results(keys[np.array(firsts, np.int64)], results)

    def _keyed(self, frame: Frame) -> Frame:
        """The key columns of a frame."""
        if self.by:
            return frame.select(self.by)
        key = {_ALL: np.zeros(len(frame), np.int64)}
        return frame.select([self.counter.hypothesis]).with_columns(key).select([_ALL])

    def _grouped(self, keys: Frame) -> list[tuple[BLEU, Indices]]:
        """The metric and the rows of each group, in the order of the first rows."""
        groups = sorted(
            (int(rows.min()), key, np.sort(rows)) for key, rows in keys.groups(self.keys)
        )
        return [(self._metric_of(key), rows) for _, key, rows in groups]

    def _metric_of(self, key: Sequence[Any]) -> BLEU:
        language = self.counter.language
        return self.counter.metric_of(None if language is None else key[self.by.index(language)])

    def _score(self, metric: BLEU, table: Indices) -> dict[str, Any]:
        """The results of a group from its partial result."""
        parameters = metric._parameters
        segments, fewest, most = table[:, -3].sum(), table[:, -2].min(), table[:, -1].max()
        stats = Stats(table[:, :-3], parameters.max_order)
        counts = (
            stats if parameters.rules.mean_of_sentences else parameters.rules.adapt(stats).sum()
        )
        score = parameters.score(counts, int(fewest) if fewest == most else -1, 0)
        return self._row(int(segments), score, metric, stats)

    def _row(
        self, segments: int, score: Score, metric: BLEU, stats: Stats | None
    ) -> dict[str, Any]:
        """The results of a group: a value for each column."""
        row: dict[str, Any] = {"segments": segments, "bleu": score.value}
        row |= {"precisions": list(score.precisions), "bp": score.bp}
        row |= {"hyp_len": score.hyp_len, "ref_len": score.ref_len}
        if self.confidence is not None and stats is not None:
            row |= {"low": None, "high": None}
            if segments > 1:
                how: dict[str, Any] = {"confidence": self.confidence, "samples": self._samples}
                how |= {"seed": self._seed, "dialect": metric._parameters.rules}
                interval = bootstrap(stats, **how, **scoring_options(metric))
                row |= {"low": interval.low, "high": interval.high}
        return row | {"signature": score.signature}

    def _with_results(self, keys: Frame, results: list[dict[str, Any]]) -> Frame:
        """The keys and the results of the groups side by side."""
        if not results:
            raise ValueError("there are no segments to score: the table has no rows")
        columns = {name: [row[name] for row in results] for name in results[0]}
        return keys.with_columns(columns).select([*self.by, *columns])

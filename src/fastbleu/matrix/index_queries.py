"""Scoring hypotheses that all have the references of an index."""

from __future__ import annotations

from _thread import allocate_lock as _Lock

from .._core import add_rows, zero_rows
from ..counting.stats import Stats
from ..counting.workers import Counted
from ..inputs.mistakes import warn_of_label_padding
from ..metric.scorer import Scorer
from ..runtime.threads import Pool, drain, run_on_threads
from ._references import ReferenceSet, RowScratch
from .reader import SentenceReader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._sentences import Sentences

# Hypotheses that a thread takes at a time: so many that the cost of a turn vanishes, so few that
# what was read of them is still in the cache.
_TURN = 1024


class SetScorer(Scorer):
    """A scorer whose references are those of a set, whatever is passed in their place.

    Parameters
    ----------
    references : ReferenceSet
        Which nobody adds to.
    reader : SentenceReader
        That has read them.
    **parameters
        Those of the metric.
    """

    __slots__ = ("_pool", "_reader", "_references")

    _pool: Pool
    _reader: SentenceReader
    _references: ReferenceSet

    def __init__(self, references: ReferenceSet, reader: SentenceReader, **parameters: Any) -> None:
        super().__init__(**parameters)
        object.__setattr__(self, "_references", references)
        object.__setattr__(self, "_reader", reader)
        object.__setattr__(self, "_pool", Pool(self.threads))

    def _begin(self) -> None:
        """Nothing: what a Scorer counts segments with is not needed."""

    def _counted(self, hypotheses: Any, references: Any, *masks: Any, kept: bool = True) -> Counted:
        readers: list[SentenceReader] = []
        whole: Sentences | None = None
        if type(hypotheses) not in (list, tuple) or masks[0] is not None:
            readers.append(self._reader.sharing())
            whole = readers[0].read(hypotheses, "hypotheses", masks[0], True, counted=True)
        count = len(hypotheses if whole is None else whole)
        untaken = [*range(0, count, _TURN)][::-1]
        total = zero_rows(count if kept else 1, self.max_order)
        adding = _Lock()

        def work(scratch: RowScratch) -> None:
            reader = self._reader.sharing()
            readers.append(reader)
            for first in drain(untaken):
                if scratch.cancelled:
                    break
                end, start, sentences = min(first + _TURN, count), first, whole
                if sentences is None:
                    start, sentences = 0, _read_turn(reader, hypotheses, first, end, count)
                stop = start + end - first
                if kept:
                    self._references.count(sentences, total, start, stop, first, scratch)
                    continue
                rows = zero_rows(stop - start, self.max_order)
                self._references.count(sentences, rows, start, stop, 0, scratch)
                sums = self._rules.adapt(Stats._own(rows, self.max_order)).sum()
                with adding:
                    add_rows(total, sums._rows, total)

        threads = min(self.threads, len(untaken))
        if self.tokenizer is not None and self.tokenizer.function is not None:
            threads = min(threads, 1)  # a user's function need not bear several
        scratches = [self._pool.acquire(RowScratch) for _ in range(threads)]
        run_on_threads(work, scratches)
        for scratch in scratches:
            self._pool.release(scratch)
        counted = Counted(Stats._own(total, self.max_order))
        counted.segments = count
        counted.nrefs = self._references.lengths.references
        counted.tokenized_periods = sum(reader.tokenized_periods for reader in readers)
        counted.label_padding = any(reader.label_padding for reader in readers)
        if counted.label_padding:
            warn_of_label_padding()
        return counted


def _read_turn(
    reader: SentenceReader, hypotheses: Any, first: int, end: int, count: int
) -> Sentences:
    """Read some of so many hypotheses."""
    part = hypotheses[first:end]
    if len(part) != end - first:
        raise ValueError(
            f"hypotheses had {count} sentences and has {len(hypotheses)} now: pass a list that "
            "nothing else changes"
        )
    return reader.read(part, "hypotheses", None, True, first, counted=True)

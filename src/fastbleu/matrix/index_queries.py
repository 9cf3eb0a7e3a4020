"""Counting hypotheses that all have the references of an index."""

from __future__ import annotations

from _thread import allocate_lock as _Lock

from .._core import add_rows, zero_rows
from ..counting.batch import Counted
from ..counting.stats import Stats
from ..inputs.mistakes import warn_of_label_padding
from ..runtime.threads import Pool, drain, run_on_threads
from ._references import ReferenceSet, RowScratch
from .reader import SentenceReader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..dialects.parameters import Parameters
    from ._sentences import Sentences

# Hypotheses that a thread takes at a time: so many that the cost of a turn vanishes, so few that
# what was read of them is still in the cache.
_TURN = 1024


def count_against(
    references: ReferenceSet,
    index_reader: SentenceReader,
    parameters: Parameters,
    pool: Pool,
    hypotheses: Any,
    mask: Any,
    *,
    keep_rows: bool,
) -> Counted:
    """Count hypotheses, each against all references of a set.

    Parameters
    ----------
    references : ReferenceSet
        Which nobody adds to.
    index_reader : SentenceReader
        That has read them.
    parameters : Parameters
    pool : Pool
        Of RowScratch.
    hypotheses, mask
        As for `ReferenceIndex.score`.
    keep_rows : bool
        False: the result has one row, the sum of all as the dialect adapts them.
    """
    readers: list[SentenceReader] = []
    whole: Sentences | None = None
    if type(hypotheses) not in (list, tuple) or mask is not None:
        readers.append(index_reader.sharing())
        whole = readers[0].read(hypotheses, "hypotheses", mask, True, counted=True)
    count, max_order = len(hypotheses if whole is None else whole), parameters.max_order
    untaken = [*range(0, count, _TURN)][::-1]
    counted = Counted(count if keep_rows else 1, max_order)
    total, adding = counted.stats._rows, _Lock()

    def work(scratch: RowScratch) -> None:
        reader = index_reader.sharing()
        readers.append(reader)
        for first in drain(untaken):
            if scratch.cancelled:
                break
            end, start, sentences = min(first + _TURN, count), first, whole
            if sentences is None:
                start, sentences = 0, _read_turn(reader, hypotheses, first, end, count)
            stop = start + end - first
            if keep_rows:
                references.count(sentences, total, start, stop, first, scratch)
                continue
            rows = zero_rows(stop - start, max_order)
            references.count(sentences, rows, start, stop, 0, scratch)
            sums = parameters.rules.adapt(Stats._own(rows, max_order)).sum()
            with adding:
                add_rows(total, sums._rows, total)

    threads = min(parameters.threads, len(untaken))
    if parameters.tokenizer is not None and parameters.tokenizer.function is not None:
        threads = min(threads, 1)  # a user's function may not be safe on several
    scratches = [pool.acquire(RowScratch) for _ in range(threads)]
    run_on_threads(work, scratches)
    for scratch in scratches:
        pool.release(scratch)
    counted.segments = count
    counted.nrefs = references.lengths.references
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

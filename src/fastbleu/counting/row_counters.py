"""Counting a batch whose segments have tokenizers of their own."""

from __future__ import annotations

from itertools import groupby

from ..inputs.batch import Batch
from ._counted import Counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .counter import Counter


def runs(batch: Batch, counters: Iterable[Counter]) -> Iterator[tuple[Counter, Batch]]:
    """Parts of a batch of lists, in its order, each with a counter for all of its segments.

    `counters` has one for each segment; neighbors with the same counter are one part.
    """
    first = 0
    for counter, run in groupby(counters):
        last = first + len(list(run))
        sides = batch.hypotheses[first:last], batch.references[first:last]
        yield counter, Batch(*sides, batch.before + first)
        first = last


def count_runs(
    parts: Iterable[tuple[Counter, Batch]], max_order: int, keep_rows: bool = True
) -> Counted:
    """Count the parts that `runs` gives; `Counted.tokenizers` has the signatures of theirs."""
    total = Counted(0, max_order, keep_rows)
    for counter, part in parts:
        counted = counter.count(part, keep_rows=keep_rows)
        assert counter.tokenizer is not None
        counted.tokenizers |= {counter.tokenizer.signature}
        total.add(counted)
    return total

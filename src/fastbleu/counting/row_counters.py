"""Counting a batch whose segments have tokenizers of their own."""

from __future__ import annotations

from itertools import groupby

from ..inputs.batch import Batch
from ..runtime.progress import ProgressBar
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
        yield counter, Batch(*sides, batch.before + first, None, batch.warns)
        first = last


def count_runs(
    own: Counter, batch: Batch, counters: Iterable[Counter], keep_rows: bool, bar: ProgressBar
) -> Counted:
    """Count the parts that `runs` gives, for the counter `own`; see `Counted.tokenizers`."""
    total = Counted(0, own.max_order, keep_rows)
    used: set[str | None] = set()
    for counter, part in runs(batch, counters):
        counted = counter.count(part, keep_rows=keep_rows)
        tokenizer = counter.tokenizer
        assert tokenizer is not None
        if tokenizer.name == "none":
            counted.tokenized_periods = 0  # as they should be
        total.add(counted)
        bar.update(counted.segments)
        its = None if counter is own else tokenizer.signature
        used |= {its if one is None else one for one in counted.tokenizers or [None]}
    if used - {None}:
        total.tokenizers = frozenset(used)
    return total

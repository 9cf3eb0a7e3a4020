"""The positions at which n-grams of hypotheses match, for showing segments."""

from __future__ import annotations

from .._core import SegmentCounter
from .stats import Stats

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .batch import CountOptions


def match_positions(hypotheses: Any, references: Any, options: CountOptions) -> tuple[bytes, Stats]:
    """The matches at every token of every hypothesis, and the rows, which are their sums.

    Parameters
    ----------
    hypotheses, references
        Segments of text or lists of tokens, as `count_batch` takes them.

    Returns
    -------
    bytes, shape (tokens of all hypotheses,)
        Bit n - 1 is set where the n-gram of order n that starts at the token is a clipped match.
        Orders above the eighth are left out.
    Stats
        S rows, those of `count_batch`.
    """
    packer = options._packer(list)
    counter = SegmentCounter(options.max_order, options.reference_length)
    marks, parts, first = [], [], 0
    while taken := packer.fill(hypotheses, references, first, 0):
        marked, rows = counter.mark(packer)
        marks.append(marked)
        parts.append(Stats._own(rows, options.max_order))
        first += taken
    stats = Stats.concatenate(parts) if parts else Stats.zeros(0, options.max_order)
    return b"".join(marks), stats

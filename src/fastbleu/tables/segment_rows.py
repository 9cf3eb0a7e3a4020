"""`SegmentRows`: the counts of all segments of a table, in little memory."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..counting.stats import Rows
    from .frames import Indices


class SegmentRows:
    """Rows of counts, and the number of the partial result that each is part of.

    A row takes 24 bytes with 4 orders while all counts are less than 65,536, and up to 24 more
    while the rows of a group are put together.
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

    def by_group(self, groups: Sequence[Indices]) -> Iterator[NDArray[Any]]:
        """The rows of each group, given by the numbers of its partial results, which are freed."""
        counts = np.frombuffer(self._counts, self._counts.typecode).reshape(-1, self._width)
        if len(groups) == 1:
            yield counts
            return
        group_of = np.empty(sum(map(len, groups)), np.int32)
        for number, parts in enumerate(groups):
            group_of[parts] = number
        numbers = group_of[np.frombuffer(self._parts, np.int32)]
        self._parts = array("i")
        ends = np.cumsum(np.bincount(numbers, minlength=len(groups)))
        order = np.argsort(numbers, kind="stable")
        del numbers
        for first, last in pairwise([0, *ends]):
            yield counts[order[first:last]]

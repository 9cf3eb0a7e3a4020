"""`Batch`: segments that were checked, to be counted."""

from __future__ import annotations

from itertools import islice

from .errors import warn_input

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

# Segments read at a time from an iterable that is neither a list nor a tuple.
BATCH_SEGMENTS = 512


class Batch:
    """Segments that were checked. `read` makes one; code with checks of its own, too.

    Attributes
    ----------
    hypotheses, references : list, tuple, IdRows, Utf8Rows or ndarray of object
        Of the same length; references are segment-major.
    before : int
        The number of segments before these, for messages.
    present : list of bool or None
        Whether each given segment is in the batch; None if all are.
    warns : bool
        Whether counting it looks for likely mistakes and warns of them.
    """

    __slots__ = ("before", "hypotheses", "present", "references", "warns")

    def __init__(
        self,
        hypotheses: Any,
        references: Any,
        before: int = 0,
        present: list[bool] | None = None,
        warns: bool = False,
    ) -> None:
        self.hypotheses = hypotheses
        self.references = references
        self.before = before
        self.present = present
        self.warns = warns

    @property
    def segments(self) -> int | None:
        """The number of segments; None if it is known only when all are read."""
        return len(self.hypotheses)

    def blocks(self, threads: int = 1, most: int = 0) -> Iterator[Batch]:
        """The batches that are counted one after the other: this one alone."""
        yield self

    def lists(self) -> tuple[Any, Any]:
        """Hypotheses and references as lists that can be read twice."""
        return self.hypotheses, self.references

    def warn_of_missing(self) -> None:
        """Warn if segments were left out, after they were counted."""
        if self.present is not None and not all(self.present):
            warn_input(
                f"left out {self.present.count(False)} of {len(self.present)} segments, because a "
                f"value is missing; the first is segment {self.present.index(False)}"
            )


def batches(hypotheses: Any, references: Any) -> Iterator[Batch]:
    """Batches of two iterables of the same length, which were checked.

    Lists and tuples are one batch; other iterables are read bit by bit to save memory.
    """
    if type(hypotheses) in (list, tuple) and type(references) in (list, tuple):
        yield Batch(hypotheses, references)
        return
    pairs = zip(references, hypotheses, strict=False)
    before = 0
    while block := list(islice(pairs, BATCH_SEGMENTS)):
        yield Batch([pair[1] for pair in block], [pair[0] for pair in block], before)
        before += len(block)

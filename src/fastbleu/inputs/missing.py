"""Missing values among segments, as columns of tables have them: None, NaN, pandas.NA."""

from __future__ import annotations

from .segments import is_missing, listed_segments
from .warnings import warn_input

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# What a metric may do where a hypothesis or a reference is missing.
CHOICES = "error", "empty", "skip"


def replace_missing(
    hypotheses: Any, references: Any, choice: str, empty: Any
) -> tuple[list[Any], list[Any], list[bool]] | None:
    """Return copies without missing values, and of each segment whether it is in them.

    A missing value is replaced by `empty`, or its segment is left out, with a warning. None where
    no value is missing.
    """
    pairs = list(zip(*listed_segments(hypotheses, references), strict=True))
    present = [not (is_missing(hypothesis) or _lack(its)) for hypothesis, its in pairs]
    if all(present):
        return None
    if choice == "empty":
        pairs = [(_filled(hypothesis, empty), _all_filled(its, empty)) for hypothesis, its in pairs]
        present = [True] * len(pairs)
    else:
        pairs = [pair for pair, is_present in zip(pairs, present, strict=True) if is_present]
        warn_input(
            f"left out {present.count(False)} of {len(present)} segments, because a value is "
            f"missing; the first is segment {present.index(False)}"
        )
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs], present


def _lack(references: Any) -> bool:
    """Whether the references of a segment are missing, or one of them."""
    several = type(references) in (list, tuple)
    return any(map(is_missing, references)) if several else is_missing(references)


def _filled(value: Any, empty: Any) -> Any:
    return empty if is_missing(value) else value


def _all_filled(references: Any, empty: Any) -> Any:
    if type(references) in (list, tuple):
        return [_filled(reference, empty) for reference in references]
    return [empty] if is_missing(references) else references

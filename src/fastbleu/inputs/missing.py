"""Missing values among segments, such as None, NaN and pandas.NA in columns of tables."""

from __future__ import annotations

from .warnings import warn_input

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# The values of `missing`.
CHOICES = "error", "empty", "skip"
# By name, because importing pandas for its NA takes long, and pandas may not be installed.
_MISSING_TYPES = "NoneType", "NAType", "NaTType"
_FLOAT_TYPES = "float", "float16", "float32", "float64"


def is_missing(value: Any) -> bool:
    """Whether a value means a missing one: None, NaN, pandas.NA or pandas.NaT."""
    name = type(value).__name__
    return name in _MISSING_TYPES or (name in _FLOAT_TYPES and bool(value != value))


def refuse_missing(where: str, value: Any) -> None:
    """Raise TypeError if a value is a missing one."""
    if is_missing(value):
        name = "NaN" if type(value).__name__ in _FLOAT_TYPES else str(value)
        raise TypeError(
            f"{where} is missing ({name}); leave it out or pass an empty one, as BLEU.score does "
            'with missing="skip" or "empty"'
        )


def replace_missing(
    hypotheses: Any, references: Any, choice: str, empty: Any
) -> tuple[list[Any], list[Any], list[bool]] | None:
    """Return lists without missing values, and for each segment whether it is in them.

    A missing value is replaced by `empty`, or its segment is left out, with a warning. None if
    no value is missing.
    """
    pairs = list(zip(hypotheses, references, strict=True))
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
    """Whether the references of a segment, or one of them, are missing."""
    several = type(references) in (list, tuple)
    return any(map(is_missing, references)) if several else is_missing(references)


def _filled(value: Any, empty: Any) -> Any:
    return empty if is_missing(value) else value


def _all_filled(references: Any, empty: Any) -> Any:
    if type(references) in (list, tuple):
        return [_filled(reference, empty) for reference in references]
    return [empty] if is_missing(references) else references

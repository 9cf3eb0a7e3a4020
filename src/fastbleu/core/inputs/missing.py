"""Missing values among segments, such as None, NaN and pandas.NA in columns of tables."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain, compress

from .arguments import is_array, list_or_tuple, shape_of
from .errors import InputTypeError, Place, place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    # Nulls of a column: the row, and the number of the null element, or None if the row is null.
    Missing = list[tuple[int, int | None]]

# A set has no order, and iterating over a dict, or over a data frame, yields its keys.
UNORDERED = set, frozenset, Mapping
CHOICES = "error", "empty", "skip", "ragged"
# By name, because importing pandas for its NA is slow, and pandas may not be installed.
_MISSING_TYPES = "NoneType", "NAType", "NaTType"
_FLOAT_TYPES = "float", "float16", "float32", "float64"
_TYPES_OF_MISSING = {*_MISSING_TYPES, *_FLOAT_TYPES}


def is_missing(value: object) -> bool:
    """Whether a value is None, NaN, pandas.NA or pandas.NaT."""
    name = type(value).__name__
    return name in _MISSING_TYPES or (name in _FLOAT_TYPES and bool(value != value))


def refuse_missing(where: str | Place, value: object) -> None:
    """Raise TypeError if a value is missing."""
    if is_missing(value):
        name = "NaN" if type(value).__name__ in _FLOAT_TYPES else str(value)
        fix = 'leave it out or pass an empty one, as BLEU.score does with missing="skip" or "empty"'
        raise InputTypeError.at(where, f" is missing ({name}); {fix}", is_missing=True)


def without_missing(
    hypotheses: object, references: object, choice: str, empty: object
) -> tuple[Any, Any, list[bool] | None]:
    """Both sides without missing values, and whether each segment is kept.

    With the choice "empty", a missing value becomes `empty`; with "skip", its segment is left out;
    with "ragged", missing and blank references are left out, unless a segment has no others.
    Values that cannot be segments are returned unchanged, for the checks to refuse. The list is
    None if no segment is left out.
    """
    sides = _listed(hypotheses), _listed(references)
    if sides[0] is None or sides[1] is None or len(sides[0]) != len(sides[1]):
        return hypotheses, references, None
    if any(hasattr(kind, "__next__") for kind in {*map(type, sides[1])}):  # can be read only once
        references = [list(t) if hasattr(t, "__next__") else t for t in sides[1]]
        sides = sides[0], references
    if choice == "ragged":
        return hypotheses, [_without_blank(texts, empty) for texts in sides[1]], None
    may_miss, may_lack = _may_be_missing(sides[0]), _may_lack(sides[1])
    if not (may_miss or may_lack):
        return hypotheses, references, None
    if choice == "empty":
        if may_miss:
            hypotheses = [
                empty if is_missing(hypothesis) else hypothesis for hypothesis in sides[0]
            ]
        if may_lack:
            references = [_filled(texts, empty) for texts in sides[1]]
        return hypotheses, references, None
    present = [
        not ((may_miss and is_missing(hypothesis)) or (may_lack and lacks(texts)))
        for hypothesis, texts in zip(*sides, strict=True)
    ]
    if all(present):
        return hypotheses, references, None
    left, left_references = (list(compress(side, present)) for side in sides)
    return left, left_references, present


def _may_be_missing(values: Iterable[object]) -> bool:
    """Whether a value may be missing, judged cheaply by the types of the values."""
    return any(kind.__name__ in _TYPES_OF_MISSING for kind in {*map(type, values)})


def _may_lack(references: Sequence[Any]) -> bool:
    """Whether references, in lists or as texts, may be missing; True for all other types."""
    kinds = {*map(type, references)}
    if kinds <= {list, tuple}:
        return _may_be_missing(chain.from_iterable(references))
    return kinds != {str}


def left_out_rows(hypotheses: Missing, references: Missing, before: int, choice: str) -> set[int]:
    """The rows of a block of columns to leave out; nulls in other rows are read as empty texts.

    Raises the error for the first null if the choice is "error".
    """
    if choice == "empty" or not (hypotheses or references):
        return set()
    if choice == "skip":
        return {row for row, _ in hypotheses + references}
    if hypotheses and (not references or hypotheses[0][0] <= references[0][0]):
        where = place(before + hypotheses[0][0], None)
    else:
        segment, k = references[0]
        segment += before
        where = Place(segment, "the reference", 0) if k is None else place(segment, k)
    refuse_missing(where, None)
    return set()


def _listed(values: Any) -> Any:
    """Segments as a list or tuple; None for arrays of ids and values that cannot be segments."""
    if type(values) in (list, tuple):
        return values
    if not are_segments(values) or not hasattr(values, "__iter__"):
        return None
    return None if is_array(values) or shape_of(values) == () else list_or_tuple(values)


def are_segments(value: object) -> bool:
    """Whether a value is a sized, ordered collection that may have one entry per segment."""
    wrong = isinstance(value, (str, bytes, *UNORDERED)) or hasattr(value, "columns")
    return not wrong and hasattr(value, "__len__")


def lacks(references: Any) -> bool:
    """Whether the references of a segment, or one of them, are missing."""
    several = _are_several(references)
    return any(map(is_missing, references)) if several else is_missing(references)


def _are_several(references: Any) -> bool:
    """Whether a value is a collection of references, not one reference of text or ids."""
    if type(references) in (list, tuple):
        return True
    dtype = str(getattr(references, "dtype", "")).lower()  # of any library
    is_number = any(kind in dtype for kind in ("int", "float", "bool"))
    return are_segments(references) and hasattr(references, "__iter__") and not is_number


def _without_blank(references: Any, empty: Any) -> Any:
    """The references of a segment that are not blank; an `empty` one if all are."""
    if type(references) is list and {*map(type, references)} == {str}:
        return [text for text in references if text.strip()] or [empty]
    filled = _filled(references, empty)
    if not (_are_several(references) and len(references)):  # the checks refuse an empty list
        return filled
    return [reference for reference in filled if not is_blank(reference)] or [empty]


def is_blank(reference: Any) -> bool:
    """Whether a reference has no tokens; False for values that the checks refuse."""
    if isinstance(reference, str):
        return not reference.strip()
    return hasattr(reference, "__len__") and shape_of(reference) != () and not len(reference)


def _filled(references: Any, empty: Any) -> Any:
    if _are_several(references):
        return [empty if is_missing(reference) else reference for reference in references]
    return [empty] if is_missing(references) else references

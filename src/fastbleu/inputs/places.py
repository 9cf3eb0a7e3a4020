"""Places in a corpus: named in messages, and attributes of errors for callers that name rows."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    Error = TypeVar("Error", bound=Exception)


class Place(str):
    """A segment, or a part of it, as messages begin: "segment 3: references[1]".

    `reference` is the number of a reference, None for the hypothesis.
    """

    segment: int
    reference: int | None

    def __new__(cls, segment: int, part: str = "", reference: int | None = None) -> Place:
        place = super().__new__(cls, f"segment {segment}: {part}" if part else f"segment {segment}")
        place.segment, place.reference = segment, reference
        return place


def refusal(kind: type[Error], where: str, problem: str, is_missing: bool = False) -> Error:
    """An error whose message begins with a place; see `located`."""
    return located(kind(f"{where}{problem}"), where, is_missing)


def located(error: Error, where: str, is_missing: bool = False) -> Error:
    """The error with the attributes of a `Place`, and `is_missing`: whether there is no value.

    Errors of a user's own code have none of these, whatever their messages say.
    """
    if isinstance(where, Place):
        vars(error).update(vars(where), is_missing=is_missing)
    return error

"""Errors about the input, which carry the place of the problem, and warnings.

Callers add what they know about the place. Errors raised by a user's own code carry no such facts,
whatever their messages say.
"""

from __future__ import annotations

import sys
import warnings
from contextvars import ContextVar

from ..runtime.import_lock import import_warning_formatter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Self, TypeVar

    T = TypeVar("T")


class Place:
    """A segment, or a part of it, as messages name it: "segment 3: references[1]".

    `reference` is the number of a reference, None for the hypothesis; `side` is "hypothesis",
    "reference", or None for both. Many are created for errors that are not raised.
    """

    __slots__ = ("part", "reference", "segment", "side")

    def __init__(
        self, segment: int, part: str = "", reference: int | None = None, side: str | None = None
    ) -> None:
        self.segment, self.part, self.reference = segment, part, reference
        self.side = side if reference is None else "reference"

    def __str__(self) -> str:
        return f"segment {self.segment}: {self.part}"


def place(segment: int, reference: int | None) -> Place:
    """The place of a hypothesis, or of reference number `reference`."""
    if reference is None:
        return Place(segment, "the hypothesis", side="hypothesis")
    return Place(segment, f"references[{reference}]", reference)


def mask_of(where: str | Place) -> str | Place:
    """The mask of a `Place`, or of the argument that `where` names."""
    if isinstance(where, str):
        return f"the mask of {where}"
    return Place(where.segment, f"the mask of {where.part}", where.reference, where.side)


class InputError(ValueError):
    """Hypotheses, references, masks, a table or a file cannot be scored.

    Where a value has a wrong type, the error is also a TypeError. Attributes that are unknown, or
    that do not apply, are None.

    Attributes
    ----------
    segment, reference : int or None
        The numbers of the segment, in tables of the row, and of its reference, from 0.
    side : {"hypothesis", "reference"} or None
    file : str or None
    line : int or None
        From 1.
    """

    __module__ = "fastbleu"

    segment: int | None = None
    reference: int | None = None
    side: str | None = None
    file: str | None = None
    line: int | None = None
    # For code that restates errors: whether there is no value, and the message without the segment.
    is_missing = False
    problem = ""

    def __init__(self, message: str, **facts: Any) -> None:
        super().__init__(message)
        vars(self).update(facts)

    @classmethod
    def at(cls, where: str | Place, problem: str, is_missing: bool = False) -> Self:
        """The error at a `Place`, or in the argument that `where` names."""
        message = f"{where}{problem}"
        if isinstance(where, str):
            return cls(message)
        facts = {"segment": where.segment, "reference": where.reference, "side": where.side}
        return cls(message, problem=f"{where.part}{problem}", is_missing=is_missing, **facts)

    @classmethod
    def in_file(cls, file: str, problem: str, **facts: Any) -> Self:
        """The error in a file, whose `line` may be among the facts."""
        return cls(f"{file}: {problem}", file=file, **facts)


class InputTypeError(InputError, TypeError):
    """An InputError about a value of a wrong type."""


def restated(error: Exception, message: str, **facts: Any) -> InputError:
    """A TypeError or ValueError with a new message, the facts that it carries, and `facts`."""
    if isinstance(error, InputError):
        return type(error)(message, **vars(error) | facts)
    kind = InputTypeError if isinstance(error, TypeError) else InputError
    return kind(message, **facts)


class AmongGiven:
    """Makes errors about segments name these by their numbers among all that were given.

    `present` says whether each given segment was kept; `before` segments were given earlier.
    """

    def __init__(self, present: list[bool] | None, before: int = 0) -> None:
        self.present, self.before = present, before

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: object, traceback: object) -> None:
        if self.present is None or not isinstance(error, InputError) or error.segment is None:
            return
        kept = [number for number, is_kept in enumerate(self.present, self.before) if is_kept]
        place = error.segment - self.before
        if 0 <= place < len(kept):  # otherwise it is about another corpus
            named = f"segment {kept[place]}: {error.problem}"
            raise restated(error, named, segment=kept[place]) from error


# How messages spell an option: in Python, unless another interface sets its own spellings.
_IN_PYTHON: Mapping[str, str] = {
    "encoding": 'encoding="{}"',
    "format": 'format="{}"',
    "missing": 'missing="{}"',
    "ragged": ', as BLEU.score does with missing="ragged"',
    "quoted": "quoted=False",
    "tokenize": 'BLEU(tokenize="{}")',
    "effective_order": " For short ones effective_order=True",
    "first reference": "pass references=[texts[0] for texts in references]",
}
spellings = ContextVar("spellings", default=_IN_PYTHON)


def advised(option: str, value: str = "") -> str:
    """An option with a value, as messages spell it."""
    return spellings.get()[option].format(value)


_is_quiet = ContextVar("_is_quiet", default=False)


class InputWarning(UserWarning):
    """The input was scored, but is probably a mistake."""

    __module__ = "fastbleu"


def warn_input(message: str) -> None:
    """Issue an InputWarning that points at the caller's line outside this package."""
    if _is_quiet.get():
        return
    package = __name__.partition(".")[0]
    level, frame = 1, sys._getframe()
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        level, frame = level + 1, frame.f_back
    import_warning_formatter()
    warnings.warn(message, InputWarning, stacklevel=level)


def without_input_warnings(function: Callable[..., T]) -> Callable[..., T]:
    """Wrap a function so that it issues no InputWarning, for libraries that accept such input."""

    def call(*arguments: Any, **named: Any) -> T:
        token = _is_quiet.set(True)
        try:
            return function(*arguments, **named)
        finally:
            _is_quiet.reset(token)

    return call

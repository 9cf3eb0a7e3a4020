"""Checks of single arguments: each returns what the argument is, or says what is wrong with it."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence

from .._core import MAX_ORDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def check_positive(name: str, value: Any) -> int:
    """The integer that an argument is; an error that names it where it is none, or below 1."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}, expected an integer") from None
    if not 1 <= number <= MAX_ORDER:
        raise ValueError(f"{name} is {number}, but must lie in 1..{MAX_ORDER}")
    return number


def check_flag(name: str, value: Any) -> bool:
    """True or False; refuses words, as configuration files have them: they would always be true."""
    if isinstance(value, (str, bytes)):
        raise TypeError(f"{name} is {value!r}, a {type(value).__name__}; expected True or False")
    return bool(value)


def check_choice(name: str, value: object, choices: Sequence[str]) -> None:
    """Refuse what is none of the names to choose from."""
    if value not in choices:
        raise ValueError(f"{name} {value!r} is unknown; choose one of {', '.join(choices)}")


def closest(name: str, known: Iterable[str]) -> str | None:
    """What an unknown name was probably meant to be."""
    from difflib import get_close_matches

    close = get_close_matches(name, list(known), 1)
    return close[0] if close else None

"""The warning class of the package, and functions that issue it."""

from __future__ import annotations

import sys
import warnings
from contextvars import ContextVar

from ..runtime.import_lock import import_warning_formatter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    T = TypeVar("T")

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


# Hypotheses ending in " ." from which on text looks tokenized, as in sacreBLEU.
TOKENIZED_PERIODS = 100


def warn_tokenized(periods: int, fix: str) -> None:
    """Warn if hypotheses seem to be tokenized already, before they are tokenized."""
    if periods >= TOKENIZED_PERIODS:
        warn_input(
            f'{periods} hypotheses end in " .": they look tokenized already, which changes their '
            f"score; pass plain text, or {fix} if this is intended"
        )


def warn_of_blank(references: int) -> None:
    """Warn of blank references of segments that have others; `references` is their number."""
    if references:
        warn_input(
            f"blank references, which count as texts of length 0: {references:,} of segments that "
            "have others; if they stand for references that are missing, leave them out, as "
            'BLEU.score does with missing="ragged"'
        )


def without_input_warnings(function: Callable[..., T]) -> Callable[..., T]:
    """The function, which issues no InputWarning: for libraries that only score such input."""

    def call(*arguments: Any, **named: Any) -> T:
        token = _is_quiet.set(True)
        try:
            return function(*arguments, **named)
        finally:
            _is_quiet.reset(token)

    return call

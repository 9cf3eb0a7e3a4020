"""Warnings of the package, and the one way to issue them."""

from __future__ import annotations

import sys
import warnings


class InputWarning(UserWarning):
    """The input is scored, but it is probably not what was meant."""

    __module__ = "fastbleu"


def warn_input(message: str) -> None:
    """Issue an InputWarning that points at the line outside this package that called it."""
    package = __name__.partition(".")[0]
    level, frame = 1, sys._getframe()
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, InputWarning, stacklevel=level)


# That many hypotheses that end in " ." look tokenised: sacreBLEU's number.
TOKENIZED_PERIODS = 100


def warn_tokenized(periods: int, fix: str) -> None:
    """Warn where hypotheses that are going to be tokenised look as if they were already."""
    if periods >= TOKENIZED_PERIODS:
        warn_input(
            f'{periods} hypotheses end in " .": they look tokenised already, which changes their '
            f"score; score plain text, or pass {fix} if this is meant"
        )

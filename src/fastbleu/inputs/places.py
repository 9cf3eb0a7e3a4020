"""For compiled modules that were built before errors.py: rebuild them."""

from __future__ import annotations

from .errors import LocatedValueError


def refusal(kind: type[ValueError], where: str, problem: str) -> LocatedValueError:
    """The error of a line that is not UTF-8."""
    return LocatedValueError.at(where, problem)

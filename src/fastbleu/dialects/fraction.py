"""nltk's fraction for precisions, which keeps its numerator and denominator as given.

In its own file because importing `fractions` takes longer than everything else that a score needs.
"""

from __future__ import annotations

import fractions
import math
import sys
from typing import Any


class Fraction(fractions.Fraction):
    """A fraction whose `numerator` and `denominator` stay as given, 2/4 and not 1/2.

    With `_normalize` they are in lowest terms. Everything else is inherited. Before Python 3.12 the
    inherited attributes are unreduced as well, so 2/4 and 1/2 are not equal, as in nltk.

    References
    ----------
    nltk 3.10.4, `nltk.translate.bleu_score.Fraction`.
    """

    # Fraction's own methods create results in lowest terms without calling __new__.
    _normalize: bool = True
    _given: tuple[int, int]

    def __new__(
        cls, numerator: Any = 0, denominator: Any = None, _normalize: bool = False
    ) -> Fraction:
        # Before 3.12 the inherited attributes of nltk's fractions are unreduced, too, and printed.
        inside: dict[str, Any] = {"_normalize": _normalize} if sys.version_info < (3, 12) else {}
        self: Fraction = super().__new__(cls, numerator, denominator, **inside)
        self._normalize = _normalize
        self._given = (numerator, denominator)
        return self

    @classmethod
    def _of_integers(cls, numerator: int, denominator: int) -> Fraction:
        """A fraction of n-gram counts, without checks, which would take longer than counting."""
        self: Any = object.__new__(cls)
        common = 1 if sys.version_info < (3, 12) else math.gcd(numerator, denominator)
        self._numerator, self._denominator = numerator // common, denominator // common
        self._normalize = False
        self._given = (numerator, denominator)
        made: Fraction = self
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        # As Python does it from 3.11 on; 3.10 goes through str(), which this class cannot read.
        return type(self), (self._numerator, self._denominator)  # type: ignore[attr-defined]

    @property
    def numerator(self) -> int:
        """The numerator as given."""
        return super().numerator if self._normalize else self._given[0]

    @property
    def denominator(self) -> int:
        """The denominator as given."""
        return super().denominator if self._normalize else self._given[1]

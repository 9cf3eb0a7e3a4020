"""`Score`: what every metric of this package returns."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn


# Written by hand, because the module `dataclasses` takes longer to import than this whole package.
class Score:
    """A BLEU score and what it was computed from; immutable.

    ``float(score)`` is `value`, and format specifications are those of a float: ``f"{score:.2f}"``.

    Attributes
    ----------
    value : float
        The score, on the scale of its dialect: 0-1 for nltk's, 0-100 for sacreBLEU's.
    precisions : tuple of float, shape (max_order,)
        matches / totals, 0-1, unsmoothed.
    bp : float
        The brevity penalty, 0-1.
    hyp_len, ref_len : int
        Lengths of the hypotheses and of the closest references, in tokens.
    matches, totals : tuple of int, shape (max_order,)
        Clipped n-gram matches and n-grams, as the dialect counts them.
    signature : str
        All that the value depends on besides the counts.
    printed : str or None
        The value with the digits that the dialect's original prints; None if it does not round.
    cumulative : tuple of float, shape (max_order,), or None
        BLEU-1 to BLEU-N, where the dialect's original returns them all.
    """

    __module__ = "fastbleu"  # its public place, for help() and pickles
    __slots__ = __match_args__ = (
        "value",
        "precisions",
        "bp",
        "hyp_len",
        "ref_len",
        "matches",
        "totals",
        "signature",
        "printed",
        "cumulative",
    )

    value: float
    precisions: tuple[float, ...]
    bp: float
    hyp_len: int
    ref_len: int
    matches: tuple[int, ...]
    totals: tuple[int, ...]
    signature: str
    printed: str | None
    cumulative: tuple[float, ...] | None

    def __init__(
        self,
        value: float,
        precisions: tuple[float, ...],
        bp: float,
        hyp_len: int,
        ref_len: int,
        matches: tuple[int, ...],
        totals: tuple[int, ...],
        signature: str,
        printed: str | None = None,
        cumulative: tuple[float, ...] | None = None,
    ) -> None:
        counts = hyp_len, ref_len, matches, totals
        values = value, precisions, bp, *counts, signature, printed, cumulative
        for name, field in zip(self.__match_args__, values, strict=True):
            object.__setattr__(self, name, field)

    def _fields(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self.__match_args__)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a Score cannot be changed; {name} is fixed")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a Score cannot be changed; {name} is fixed")

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self._fields() == other._fields()

    def __hash__(self) -> int:
        return hash(self._fields())

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._fields()

    def __replace__(self, **changes: Any) -> Score:
        """A copy with other values; what `copy.replace` calls."""
        values = dict(zip(self.__match_args__, self._fields(), strict=True))
        return type(self)(**{**values, **changes})

    def __repr__(self) -> str:
        fields = zip(self.__match_args__, self._fields(), strict=True)
        shown = [f"{name}={value!r}" for name, value in fields if value is not None]
        return f"{type(self).__qualname__}({', '.join(shown)})"

    def __float__(self) -> float:
        return self.value

    def __format__(self, specification: str) -> str:
        return format(self.value, specification) if specification else str(self)

    def __str__(self) -> str:
        precisions = "/".join(f"{100 * precision:.1f}" for precision in self.precisions)
        lengths = f"BP = {self.bp:.3f} hyp_len = {self.hyp_len} ref_len = {self.ref_len}"
        return f"BLEU|{self.signature} = {self.value:.4g} {precisions} ({lengths})"

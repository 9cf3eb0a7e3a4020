"""`Score`: what every metric of this package returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..counting.stats import Stats


@dataclass(frozen=True)
class Score:
    """A BLEU score and what it was computed from.

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
    """

    value: float
    precisions: tuple[float, ...]
    bp: float
    hyp_len: int
    ref_len: int
    matches: tuple[int, ...]
    totals: tuple[int, ...]
    signature: str

    def __float__(self) -> float:
        return self.value

    def __format__(self, specification: str) -> str:
        return format(self.value, specification) if specification else str(self)

    def __str__(self) -> str:
        precisions = "/".join(f"{100 * precision:.1f}" for precision in self.precisions)
        lengths = f"BP = {self.bp:.3f} hyp_len = {self.hyp_len} ref_len = {self.ref_len}"
        return f"BLEU|{self.signature} = {self.value:.4g} {precisions} ({lengths})"


def check_one_row(sums: Stats) -> None:
    """Refuse what is not the sum of all rows."""
    if not isinstance(sums, Stats):
        raise TypeError(f"expected Stats of one row, the sum of all, not a {type(sums).__name__}")
    if len(sums) != 1:
        raise ValueError(f"expected one row, the sum of all, but there are {len(sums)}")


def score_of(sums: Stats, value: float, bp: float, signature: str) -> Score:
    """The Score of one row, with what a dialect has computed from it."""
    hyp_len, ref_len, *counts = sums._rows
    matches, totals = tuple(counts[: sums.max_order]), tuple(counts[sums.max_order :])
    precisions = tuple(m / t if t else 0.0 for m, t in zip(matches, totals, strict=True))
    return Score(value, precisions, bp, hyp_len, ref_len, matches, totals, signature)


def signature_of(**fields: Any) -> str:
    """The fields of a signature; those that are None are left out.

    `nrefs` is -1 where the number varies, `case` whether the text was lowered.
    """
    if fields["nrefs"] == -1:
        fields["nrefs"] = "var"
    if fields["case"] is not None:
        fields["case"] = "lc" if fields["case"] else "mixed"
    return "|".join(f"{name}:{value}" for name, value in fields.items() if value is not None)

"""`Score`: what every metric of this package returns."""

from __future__ import annotations

from dataclasses import dataclass


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

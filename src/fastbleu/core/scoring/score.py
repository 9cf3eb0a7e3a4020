"""`Score`: what every metric of this package returns."""

from __future__ import annotations

from ..inputs.errors import InputError
from ..runtime.import_lock import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

    from ..runtime import html
else:
    html = lazy("fastbleu.core.runtime.html")


# What other libraries call the attributes of a score.
_OTHER_NAMES = {
    **dict.fromkeys(("score", "bleu", "item"), "value"),
    **dict.fromkeys(("sys_len", "translation_length"), "hyp_len"),
    **dict.fromkeys(("reference_length", "ref_length"), "ref_len"),
    "counts": "matches",
    "brevity_penalty": "bp",
}


class NoScoreError(InputError):
    """The dialect has no score for these counts: the original divides by zero or refuses them."""


# Not a dataclass, because importing `dataclasses` takes longer than importing this whole package.
class Score:
    """A BLEU score and what it was computed from; immutable.

    A Score is not a number: compare, round and log its `value`. ``float(score)`` is `value`, and
    ``f"{score:.2f}"`` formats it; ``score < 30``, ``max(scores)``, ``round(score)`` and
    ``score - other`` raise a TypeError, because scores of different signatures or scales cannot be
    compared. ``==`` compares all attributes. For JSON: ``score.to_dict()``.

    Attributes
    ----------
    value : float
        The score, on the scale of its dialect: 0-1 for nltk's, 0-100 for sacreBLEU's.
    precisions : tuple of float, shape (max_ngram_order,)
        matches / totals, unsmoothed; 0-1 in every dialect; 0 for totals that are not positive.
    bp : float or None
        The brevity penalty, 0-1; None for a mean of sentence scores, which have their own.
    hyp_len, ref_len : int
        Lengths of the hypotheses and of the closest references, in tokens.
    matches, totals : tuple of int, shape (max_ngram_order,)
        Clipped n-gram matches and n-grams, as the dialect counts them.
    signature : str
        Everything that the value depends on besides the counts.
    printed : str or None
        The value with the digits that the dialect's original prints; None if it does not round.
    cumulative : tuple of float, shape (max_ngram_order,), or None
        BLEU-1 to BLEU-N: the scores of the same counts with each smaller `max_ngram_order`. None
        with custom weights, and for a dialect that has one order or whose score is not a function
        of sums.
    """

    __module__ = "fastbleu"  # its public location, for help() and pickles
    # fmt: off
    __match_args__ = (
        "value", "precisions", "bp", "hyp_len", "ref_len", "matches", "totals", "signature",
        "printed", "cumulative",
    )
    # fmt: on
    __slots__ = (*__match_args__, "_source")

    value: float
    precisions: tuple[float, ...]
    bp: float | None
    hyp_len: int
    ref_len: int
    matches: tuple[int, ...]
    totals: tuple[int, ...]
    signature: str
    printed: str | None
    cumulative: tuple[float, ...] | None
    _source: tuple[Any, ...]

    def __init__(
        self,
        value: float,
        precisions: tuple[float, ...],
        bp: float | None,
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

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            """Compute a field when it is first read."""
            if name not in self.__match_args__:
                hint = f"; here it is .{_OTHER_NAMES[name]}" if name in _OTHER_NAMES else ""
                raise AttributeError(f"a Score has no attribute {name!r}{hint}")
            scorer, attributes, noted = self._source
            field = scorer.field(name, attributes, *noted)
            object.__setattr__(self, name, field)
            return field

    def _fields(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self.__match_args__)

    def __setattr__(self, name: str, *value: object) -> NoReturn:
        raise AttributeError(f"a Score cannot be changed; {name} is fixed")

    __delattr__ = __setattr__

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self._fields() == other._fields()

    def __hash__(self) -> int:
        return hash(self._fields())

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._fields()

    def __replace__(self, **changes: Any) -> Score:
        """A copy with some values replaced, for `copy.replace`."""
        return type(self)(**{**self.to_dict(), **changes})

    def __repr__(self) -> str:
        fields = self.to_dict().items()
        shown = [f"{name}={value!r}" for name, value in fields if value is not None]
        return f"{type(self).__qualname__}({', '.join(shown)})"

    def __float__(self) -> float:
        return self.value

    def __format__(self, specification: str) -> str:
        return format(self.value, specification) if specification else str(self)

    def __str__(self) -> str:
        return self._text(shown_score(self))

    def format(self, width: int = 2) -> str:
        """The text of ``str(score)`` with `width` decimals of `value`.

        Examples
        --------
        >>> from fastbleu import BLEU
        >>> score = BLEU().score(["It rained all night."], ["It rained all day."])
        >>> score.format(width=1).partition(" = ")[2]
        '42.7 80.0/50.0/33.3/0.0 (BP = 1.000 hyp_len = 5 ref_len = 5)'
        """
        return self._text(f"{self.value:.{width}f}")

    def to_dict(self) -> dict[str, Any]:
        """The attributes by name, for `json.dumps`; ``Score(**score.to_dict()) == score``."""
        return dict(zip(self.__match_args__, self._fields(), strict=True))

    def _text(self, value: str) -> str:
        precisions = "/".join(f"{100 * precision:.1f}" for precision in self.precisions)
        penalty = "" if self.bp is None else f"BP = {self.bp:.3f} "
        lengths = f"{penalty}hyp_len = {self.hyp_len} ref_len = {self.ref_len}"
        return f"BLEU|{self.signature} = {value} {precisions} ({lengths})"

    def _repr_html_(self) -> str:
        orders = [f"{order}-grams" for order in range(1, len(self.precisions) + 1)]
        counts = [f"{m} / {total}" for m, total in zip(self.matches, self.totals, strict=True)]
        head = ["BLEU", *orders, "BP", "hyp_len", "ref_len"]
        lengths = [str(self.hyp_len), str(self.ref_len)]
        cells = [shown_score(self), *counts, shown_penalty(self.bp), *lengths]
        return html.html_table([head, cells], self.signature)


def decimals(*scores: float) -> int:
    """How many decimals of scores are printed: 2 on 0-100, 4 on 0-1."""
    return 2 if any(score > 1 for score in scores) else 4


def shown_score(score: Score) -> str:
    """The score as the original prints it, or with the usual number of decimals for its scale."""
    return score.printed or f"{score.value:.{decimals(score.value)}f}"


def shown_penalty(bp: float | None) -> str:
    """A brevity penalty as tables show it."""
    return "" if bp is None else f"{bp:.3f}"


# For `Scorer.score`; `_source` holds the arguments of `Scorer.field`.
new_object = object.__new__
set_value, set_source = (vars(Score)[name].__set__ for name in ("value", "_source"))


def _refuse(score: Score, *operands: object) -> NoReturn:
    raise TypeError(
        "a Score is not a number: compare, round, sort and calculate with its .value, as in "
        "score.value > 30, round(score.value, 2), max(scores, key=float)"
    )


def _refuse_key(score: Score, key: object) -> NoReturn:
    attribute = _OTHER_NAMES.get(str(key), key if key in score.__match_args__ else "value")
    raise TypeError(f"a Score is not a dict: write score.{attribute}, or score.to_dict()")


# Not in the class, so that type checkers reject these operations.
_OPERATIONS = (
    *("__lt__", "__le__", "__gt__", "__ge__", "__round__", "__int__", "__neg__", "__abs__"),
    *("__add__", "__radd__", "__sub__", "__rsub__", "__mul__", "__rmul__"),
    *("__truediv__", "__rtruediv__"),
)
for _name, _function in {**dict.fromkeys(_OPERATIONS, _refuse), "__getitem__": _refuse_key}.items():
    setattr(Score, _name, _function)

"""Sufficient statistics: rows of counts, one per segment."""

from __future__ import annotations

import copyreg
from array import array
from collections import namedtuple
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from itertools import pairwise

from ..._core import accumulate_rows, add_rows, zero_rows
from ..inputs.arguments import a_type, check_positive, number_of
from ..inputs.errors import InputError, InputTypeError
from ..inputs.ids import copy_lists, in_main_memory
from ..runtime.import_lock import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self, TypeVar

    import numpy
    from numpy.typing import NDArray

    from ..runtime import html

    Integers = NDArray[numpy.int64]
    _Rows = TypeVar("_Rows", bound="Rows")
else:
    numpy = lazy("numpy")
    html = lazy("fastbleu.core.runtime.html")


# The rows shown in notebooks.
_SHOWN_ROWS = 10


_COUNTED_AS = "tokenizer", "lowercase", "reference_length", "rules"


class Origin(
    namedtuple("Origin", "tokenizer lowercase reference_length rules nrefs tokenizers is_sum")
):
    """How rows were counted: the options of the metric that affect counts.

    `rules` is "common", or a dialect that counts by its own rules. `nrefs` is the number of
    references per segment (-1: varying; None: unknown). `tokenizers` are those of `Counted`.
    `is_sum` is whether a row may be the sum of several segments' rows.
    """

    __slots__ = ()

    def joined(self, other: Origin) -> Origin:
        """The origin of the rows of both.

        Raises
        ------
        ValueError
            They were counted with different options.
        """
        for name in _COUNTED_AS:
            here, there = getattr(self, name), getattr(other, name)
            if here != there:
                raise ValueError(
                    f"the rows were counted in different ways: {name} is {here} and {there}"
                )
        nrefs, tokenizers = self.nrefs, self.tokenizers
        if nrefs != other.nrefs:
            nrefs = None if None in (nrefs, other.nrefs) else -1
        if tokenizers != other.tokenizers:
            tokenizers = (tokenizers or _OWN) | (other.tokenizers or _OWN)
        is_sum = self.is_sum or other.is_sum
        return self._replace(nrefs=nrefs, tokenizers=tokenizers, is_sum=is_sum)


_OWN = frozenset([None])


class Rows:
    """Rows of counts in one buffer, shape (rows, 2 + 2 * max_ngram_order), int64: see `Stats`."""

    __slots__ = ("_origin", "_rows", "max_ngram_order")

    _rows: array[int]
    max_ngram_order: int
    _origin: Origin | None

    @classmethod
    def _own(cls, rows: array[int], max_ngram_order: int, origin: Origin | None = None) -> Self:
        """Rows that take over a flat buffer; `origin` says how they were counted, if known."""
        self = object.__new__(cls)
        self._rows = rows
        self.max_ngram_order = max_ngram_order
        self._origin = origin
        return self

    @property
    def _width(self) -> int:
        return 2 + 2 * self.max_ngram_order

    def __len__(self) -> int:
        """Number of rows."""
        return len(self._rows) // self._width

    def __getitem__(self, index: int | slice) -> Self:
        """A copy of one row or a slice of rows, as the same type."""
        width = self._width
        try:
            chosen = range(len(self))[index]
        except IndexError:
            raise IndexError(f"row {index} of {len(self)} rows") from None
        if isinstance(chosen, int):
            chosen = range(chosen, chosen + 1)
        if chosen.step == 1:
            rows = self._rows[chosen.start * width : chosen.stop * width]
        else:
            rows = array("q")
            for row in chosen:
                rows.extend(self._rows[row * width : (row + 1) * width])
        return self._own(rows, self.max_ngram_order, self._origin)

    def __iter__(self) -> Iterator[Self]:
        return (self[row] for row in range(len(self)))

    def sum(self) -> Self:
        """One row, the sum of all rows."""
        total = zero_rows(1, self.max_ngram_order)
        accumulate_rows(self._rows, len(self), total)
        origin = self._origin if len(self) == 1 else _of_sum(self._origin)
        return self._own(total, self.max_ngram_order, origin)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        rows = numpy.frombuffer(self._rows, numpy.int64) if self._rows else numpy.zeros(0, "int64")
        rows = rows.reshape(len(self), self._width)
        if dtype is not None and numpy.dtype(dtype) != rows.dtype:
            if copy is False:
                raise ValueError(f"rows are int64; as {numpy.dtype(dtype)} they must be copied")
            return rows.astype(dtype)
        return rows.copy() if copy else rows

    @property
    def hyp_lens(self) -> Integers:
        """Lengths of the hypotheses in tokens, shape (segments,); a view."""
        return self.__array__()[:, 0]

    @property
    def ref_lens(self) -> Integers:
        """Lengths of the closest references in tokens, shape (segments,); a view."""
        return self.__array__()[:, 1]

    @property
    def matches(self) -> Integers:
        """Clipped n-gram matches, shape (segments, max_ngram_order); a view."""
        return self.__array__()[:, 2 : 2 + self.max_ngram_order]

    @property
    def totals(self) -> Integers:
        """N-grams of the hypotheses, shape (segments, max_ngram_order); a view."""
        return self.__array__()[:, 2 + self.max_ngram_order :]


class AdaptedRows(Rows):
    """Rows as a dialect adds them up, and sums of such rows; only `Dialect.adapt` makes them.

    They are not `Stats`, so that nothing adapts them again.
    """

    __slots__ = ()

    @property
    def flat(self) -> array[int]:
        """All rows, end to end; not copied."""
        return self._rows

    @classmethod
    def of_table(cls, table: NDArray[Any]) -> Self:
        """The rows of an array, shape (rows, 2 + 2 * max_ngram_order), int64."""
        return cls._own(array("q", table.tobytes()), table.shape[1] // 2 - 1)


class Stats(Rows):
    """Rows of sufficient statistics, shape (segments, 2 + 2 * max_ngram_order), int64.

    A row is ``[hyp_len, ref_len, matches_1, ..., matches_N, totals_1, ..., totals_N]``: the lengths
    in tokens of the hypothesis and of the reference closest to it (the shorter of two equally
    close), the clipped n-gram matches and the n-grams of the hypothesis for each order. Every BLEU
    is a function of rows, and rows add up: the row of a corpus is the sum of its segments' rows.

    ``numpy.asarray(stats)`` is a view, not a copy. Stats from `BLEU.count` know how they were
    counted, even after slicing, adding or pickling. A metric that counts in another way refuses
    them; a metric whose dialect changes the row of each segment refuses sums of them. Nothing is
    known about rows made from numbers; signatures of their scores say ``tok:given``.

    Parameters
    ----------
    rows : array_like of int, shape (segments, 2 + 2 * max_ngram_order)
    max_ngram_order : int, optional
        Checked against the rows if given; required if there are no rows.

    Raises
    ------
    TypeError, ValueError, OverflowError
        The rows are not integers, have the wrong shape, or do not fit into int64.

    Examples
    --------
    >>> metric = fastbleu.BLEU(tokenize=False, max_ngram_order=2)
    >>> stats = metric.count([["the", "cat"]], [[["the", "cat", "sat"]]])
    >>> stats
    Stats([[2, 3, 2, 1, 2, 1]], max_ngram_order=2)
    >>> stats + stats
    Stats([[4, 6, 4, 2, 4, 2]], max_ngram_order=2)
    >>> metric.score(stats).value == metric.score([["the", "cat"]], [[["the", "cat", "sat"]]]).value
    True
    """

    __module__ = "fastbleu"
    __slots__ = ("__weakref__",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, rows: Any, max_ngram_order: int | None = None) -> None:
        rows = copy_lists(rows)
        table = numpy.asarray(rows)
        if max_ngram_order is not None:
            max_ngram_order = check_positive("max_ngram_order", max_ngram_order)
        if table.ndim < 2 and table.size == 0:
            if max_ngram_order is None:
                raise InputError("rows is empty: pass max_ngram_order")
            table = numpy.zeros((0, 2 + 2 * max_ngram_order), numpy.int64)
        if table.dtype.kind not in "iu" and table.size:
            if all(type(value) is int for value in numpy.array(rows, object).flat):
                raise OverflowError("rows has a number that does not fit into int64")
            raise InputTypeError(f"rows has the type {table.dtype}, expected integers")
        if table.ndim != 2 or table.shape[1] < 4 or table.shape[1] % 2:
            raise InputError(
                f"rows has the shape {table.shape}, expected (segments, 2 + 2 * max_ngram_order)"
            )
        width = table.shape[1]
        if max_ngram_order is not None and width != 2 + 2 * max_ngram_order:
            needed = f"max_ngram_order={max_ngram_order} needs {2 + 2 * max_ngram_order}"
            raise InputError(f"rows has {width} columns, but {needed}")
        if table.dtype.kind == "u" and table.size and int(table.max()) > 2**63 - 1:
            raise OverflowError(f"rows has {table.max()}, which does not fit into int64")
        self._origin = None
        self.max_ngram_order = table.shape[1] // 2 - 1
        self._rows = array("q", numpy.ascontiguousarray(table, numpy.int64).tobytes())

    @property
    def _is_sum(self) -> bool:
        """Whether a row is known to be the sum of several segments' rows."""
        return self._origin is not None and self._origin.is_sum

    def _check_numbers(self) -> None:
        """Raise ValueError if no text can have a row."""
        table = self.__array__()
        for wrong, problem in (
            (table < 0, "a negative number"),
            (self.matches > self.totals, "more matches than n-grams"),
        ):
            if wrong.any():
                row = int(wrong.any(axis=1).argmax())
                raise InputError(f"row {row} of the Stats has {problem}: {table[row].tolist()}")

    @classmethod
    def zeros(cls, segments: int, max_ngram_order: int = 4) -> Stats:
        """Rows of zeros: the neutral element of ``+``."""
        if segments < 0:
            raise ValueError(f"segments is {segments}, but must be at least 0")
        max_ngram_order = check_positive("max_ngram_order", max_ngram_order)
        return cls._own(zero_rows(segments, max_ngram_order), max_ngram_order)

    @classmethod
    def concatenate(cls, parts: Iterable[Stats]) -> Stats:
        """The rows of several Stats with the same max_ngram_order, one after the other."""
        parts = list(parts)
        if not parts:
            raise ValueError("nothing to concatenate; Stats.zeros(0, max_ngram_order) has no rows")
        rows, origins = array("q"), []
        order = getattr(parts[0], "max_ngram_order", 0)
        for number, part in enumerate(parts):
            if not isinstance(part, Stats):
                raise TypeError(f"part {number} is {a_type(part)}, expected Stats")
            if part.max_ngram_order != order:
                raise ValueError(
                    f"part {number} has max_ngram_order={part.max_ngram_order}, part 0 has {order}"
                )
            rows.extend(part._rows)
            if len(part):
                origins.append(part._origin)
        return cls._own(rows, order, _joined(origins))

    def __add__(self, other: object) -> Stats:
        """Add row by row; both must have the same number of segments and max_ngram_order."""
        if not isinstance(other, Stats):
            return NotImplemented
        if (len(self), self.max_ngram_order) != (len(other), other.max_ngram_order):
            added, own = (
                f"{number_of(len(stats), 'row')} of max_ngram_order {stats.max_ngram_order}"
                for stats in (other, self)
            )
            raise ValueError(
                f"cannot add {added} to {own}; for the rows of two corpora use Stats.concatenate, "
                "for their totals add the sums: a.sum() + b.sum()"
            )
        total = zero_rows(len(self), self.max_ngram_order)
        add_rows(self._rows, other._rows, total)
        origin = _of_sum(_joined([self._origin, other._origin]))
        return self._own(total, self.max_ngram_order, origin)

    def __radd__(self, other: object) -> Stats:
        """Support the builtin sum(), which starts from 0."""
        if isinstance(other, int) and other == 0:
            return self[:]
        return NotImplemented

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Stats):
            return NotImplemented
        return self.max_ngram_order == other.max_ngram_order and self._rows == other._rows

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles name `fastbleu.Stats` and hold plain data, so that later versions read them."""
        origin = None if self._origin is None else self._origin._asdict()
        state = self._rows, self.max_ngram_order, origin
        return copyreg.__newobj__, (type(self),), state  # type: ignore[attr-defined]

    def __setstate__(self, state: tuple[array[int], int, dict[str, Any] | None]) -> None:
        rows, order, origin = state
        self._rows = array("q", rows)
        self.max_ngram_order = check_positive("max_ngram_order", order)
        if len(self._rows) % self._width:
            raise ValueError(f"the state has {len(self._rows)} numbers, not rows of {self._width}")
        self._origin = None if origin is None else Origin(**origin)

    def __repr__(self) -> str:
        shown = ", ".join(str(list(self[row]._rows)) for row in range(min(len(self), 3)))
        more = f", ... ({len(self)} rows)" if len(self) > 3 else ""
        return f"{type(self).__name__}([{shown}{more}], max_ngram_order={self.max_ngram_order})"

    def _repr_html_(self) -> str:
        orders = range(1, self.max_ngram_order + 1)
        head = ["", "hyp_len", "ref_len", *(f"{order}-grams" for order in orders)]
        shown = [(str(number), self[number]) for number in range(min(len(self), _SHOWN_ROWS))]
        cells = []
        for name, row in [("sum", self.sum()), *shown]:
            hyp_len, ref_len, *counts = row._rows
            pairs = zip(counts[: self.max_ngram_order], counts[self.max_ngram_order :], strict=True)
            cells.append(
                [name, str(hyp_len), str(ref_len), *(f"{m} / {total}" for m, total in pairs)]
            )
        note = f"{len(shown)} of {len(self)} rows"
        return html.html_table([head, *cells], note)


def stats_of(rows: array[int], max_ngram_order: int) -> Stats:
    """Stats that take over a flat buffer of rows, of which nothing else is known."""
    return Stats._own(rows, max_ngram_order)


def truncated(rows: _Rows, max_ngram_order: int) -> _Rows:
    """The rows without the counts of higher orders."""
    middle = 2 + rows.max_ngram_order
    columns = [*range(2 + max_ngram_order), *range(middle, middle + max_ngram_order)]
    kept = zero_rows(len(rows), max_ngram_order)
    for to, column in enumerate(columns):
        kept[to :: len(columns)] = rows._rows[column :: rows._width]
    return rows._own(kept, max_ngram_order, rows._origin)


def _of_sum(origin: Origin | None) -> Origin | None:
    """The origin of sums of such rows."""
    return None if origin is None else origin._replace(is_sum=True)


def _joined(origins: Sequence[Origin | None]) -> Origin | None:
    """The origin of rows together; None if that of some is unknown."""
    known = [origin for origin in origins if origin is not None]
    if not known or len(known) < len(origins):
        return None
    return reduce(Origin.joined, known)


def _whole(value: Any) -> Any:
    """An integral Decimal, such as DuckDB's HUGEINT, as an int; any other value unchanged."""
    return int(value) if type(value).__name__ == "Decimal" and value == int(value) else value


def row_of_state(state: object, max_ngram_order: int, least_total: int = 0) -> array[int]:
    """A metric's state as a row; ValueError if no text can have it, given `least_total`."""
    row = in_main_memory(state, "the state")
    listed: Any = state if isinstance(state, (list, tuple)) else ()
    if row.dtype == object and row.ndim == 1:
        listed = row.tolist()
    if row.dtype.kind == "b" or any(type(count).__name__ in ("bool", "bool_") for count in listed):
        raise InputTypeError("the state holds booleans, expected counts")
    if row.shape != (2 + 2 * max_ngram_order,):
        raise InputError(
            f"the state has the shape {row.shape}, but max_ngram_order={max_ngram_order} needs "
            f"({2 + 2 * max_ngram_order},): [hyp_len, ref_len, matches..., totals...]"
        )
    # Lists are passed unchanged: numpy would convert integers beyond int64 to floats.
    counts = Stats([list(map(_whole, listed))] if listed else row[None], max_ngram_order)._rows
    matches, ngrams = counts[2 : 2 + max_ngram_order], counts[2 + max_ngram_order :]
    problem = ""
    if min(counts) < 0:
        problem = "a count is negative"
    elif any(m > t for m, t in zip(matches, ngrams, strict=True)):
        problem = "there are more matches than n-grams"
    elif ngrams[0] > counts[0] and not least_total:
        problem = "there are more unigrams than tokens in hypotheses"
    else:
        # Segments with n-grams have one (n + 1)-gram fewer; the others have neither.
        fewer = [count - of_longer for count, of_longer in pairwise(ngrams)]
        impossible = any(here < after for here, after in pairwise([*fewer, 0]))
        if impossible or (0 in fewer and ngrams[fewer.index(0)] and not least_total):
            problem = "its numbers of n-grams are inconsistent"
    if problem:
        raise InputError(f"the state is {counts.tolist()}, which no text has: {problem}")
    return counts

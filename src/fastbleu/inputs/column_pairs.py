"""A column of hypotheses with its references, read block by block."""

from __future__ import annotations

from ._ids import IdRows
from ._utf8 import StringColumn, Utf8Rows, is_object_array
from .columns import LISTED_SEGMENTS, check_type, kind_of, opened, read_all
from .missing import refuse_missing
from .segments import check_lengths, check_segments, list_or_tuple, place
from .warnings import warn_input

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from .columns import Column, Missing

# Segments in a block, and bytes of its hypotheses: enough that starting threads is negligible.
_BLOCK_SEGMENTS = 1 << 16
_BLOCK_BYTES = 1 << 24
# Segments of a block that is a copy: few, so that it is still in the cache when it is counted. More
# if several threads share the block, because they start anew for each block.
_COPIED_SEGMENTS = 1 << 10
_SHARED_SEGMENTS = 1 << 13
# Segments of an array of Python's objects up to which it becomes a list.
_SHORT_ARRAY = 1 << 10


class _ListSide:
    """The side of a pair that is not a column."""

    def __init__(self, name: str, values: Any) -> None:
        check_segments(name, values)
        self.values = list_or_tuple(values)
        self.before = 0

    def read(self, limit: int, most_bytes: int = 0) -> tuple[Any, Missing]:
        part = self.values[self.before : self.before + limit]
        self.before += len(part)
        return part, []


class _SeveralColumns:
    """A list of columns, one for each reference number."""

    is_text = True
    levels = 1

    def __init__(self, columns: list[Column]) -> None:
        self._columns = columns

    @property
    def before(self) -> int:
        return min(column.before for column in self._columns)

    def read(self, limit: int, most_bytes: int = 0) -> tuple[Any, Missing]:
        parts: list[Any] = []
        missing: Missing = []
        for k, column in enumerate(self._columns):
            lines, its_missing = column.read(limit)
            parts.append(lines)
            missing += [(segment, k) for segment, _ in its_missing]
            if len(lines) != len(parts[0]):
                raise ValueError(
                    f"references[{k}] has {column.before} rows, references[0] has "
                    f"{self._columns[0].before}; the columns of references must be equally long"
                )
        return Utf8Rows.side_by_side(parts), sorted(missing)


class Columns:
    """Hypotheses and references, at least one of which is a column, as blocks of segments.

    Parameters
    ----------
    ours, theirs : ArrowColumn, StringColumn, _SeveralColumns or _ListSide
    is_text : bool
        Whether a tokenizer splits the lines; else columns hold tokens or ids.
    in_place : bool
        Whether text can be counted in place; else it becomes Python strings.
    missing : {"error", "empty", "skip"}
        What to do with segments in which something is null.

    With `pause` set, `blocks` yields one block of at most so many segments, and the next when it is
    called again.
    """

    pause = 0

    def __init__(
        self, ours: Any, theirs: Any, is_text: bool, in_place: bool, missing: str = "error"
    ) -> None:
        self._ours, self._theirs = ours, theirs
        self._is_text = is_text
        # Whether one side is not a column.
        self.is_mixed = _ListSide in (type(ours), type(theirs))
        self._in_place = not self.is_mixed and (in_place if is_text else not ours.is_text)
        self._missing = missing
        self._left_out: list[int] = []

    def blocks(self, threads: int = 1) -> Iterator[tuple[Any, Any, int]]:
        """Yield blocks: hypotheses, references, and how many segments were read before them.

        Both are Utf8Rows, IdRows, or lists.
        """
        kinds = type(self._ours), type(self._theirs)
        copied = _SHARED_SEGMENTS if threads > 1 else _COPIED_SEGMENTS
        limit = copied if StringColumn in kinds else _BLOCK_SEGMENTS
        limit = limit if self._in_place else LISTED_SEGMENTS
        limit = min(limit, self.pause or limit)
        while True:
            before = self._ours.before
            ours, our_missing = self._ours.read(limit, _BLOCK_BYTES)
            theirs, their_missing = self._theirs.read(len(ours) or 1)
            if len(ours) != len(theirs):
                self._refuse_lengths()
            if not len(ours):
                break
            left_out: set[int] = set()
            if our_missing or their_missing:
                if self._missing == "error":
                    _refuse_first(our_missing, their_missing, before)
                if self._missing == "skip":
                    left_out = {segment for segment, _ in our_missing + their_missing}
                    self._left_out += sorted(before + segment for segment in left_out)
            if not self._in_place:
                ours = self._listed(ours, before, False)
                theirs = self._listed(theirs, before, True)
            if left_out:
                ours, theirs = _without(ours, left_out), _without(theirs, left_out)
            yield ours, theirs, before
            if self.pause:
                return
        if self._left_out:
            warn_input(
                f"left out {len(self._left_out)} of {self._ours.before} segments, because a value "
                f"is missing; the first is segment {self._left_out[0]}"
            )

    @property
    def present(self) -> list[bool] | None:
        """For each segment that was read, whether it was kept; None if all were."""
        if not self._left_out:
            return None
        present = [True] * self._ours.before
        for segment in self._left_out:
            present[segment] = False
        return present

    def lists(self) -> tuple[Any, Any]:
        """Both sides as whole lists; if one side is a list, nulls of the other become None."""
        if self.is_mixed:
            return self._whole(self._ours, False), self._whole(self._theirs, True)
        self._in_place = False
        ours: list[Any] = []
        theirs: list[Any] = []
        for hypotheses, references, _ in self.blocks():
            ours += hypotheses
            theirs += references
        return ours, theirs

    def _whole(self, side: Any, is_reference: bool) -> Any:
        if type(side) is _ListSide:
            return side.values
        listed, missing = read_all(side, lambda rows, n: self._listed(rows, n, is_reference))
        if missing and not self._is_text:
            _refuse_first(*([], missing) if is_reference else (missing, []), 0)
        for segment, k in missing:
            if is_reference and k is not None:
                listed[segment][k] = None
            else:
                listed[segment] = None
        return listed

    def _listed(self, rows: Any, before: int, is_reference: bool) -> Any:
        """Rows as a list, in which nulls are empty texts or lists."""
        if type(rows) is IdRows:
            return rows.as_lists(is_reference)
        if type(rows) is not Utf8Rows:
            return rows

        def place_of(segment: int, k: int | None) -> str:
            return place(before + segment, (k or 0) if is_reference else None)

        return rows.as_lists(place_of, not self._is_text)

    def _refuse_lengths(self) -> None:
        for side in (self._ours, self._theirs):
            while len(side.read(_BLOCK_SEGMENTS)[0]):
                pass
        check_lengths(self._ours.before, self._theirs.before)


def arrays_of(hypotheses: Any, references: Any) -> tuple[Any, Any] | None:
    """Both sides where one is a long array or Series of Python objects, which is read in place."""
    if len(hypotheses) <= _SHORT_ARRAY or type(hypotheses) is type(references) is list:
        return None
    sides = _in_place(hypotheses), _in_place(references)
    if any(side is None for side in sides):
        return None
    check_lengths(*map(len, sides))
    return sides


def _in_place(value: Any) -> Any:
    """What texts are read from: a list as it is, an array of objects; None of all else."""
    if type(value) in (list, tuple):
        return value
    dtype = str(getattr(value, "dtype", None))
    array = value.to_numpy() if dtype == "object" and hasattr(value, "to_numpy") else value
    return array if is_object_array(array) else None


def _without(rows: Any, left_out: set[int]) -> Any:
    if type(rows) in (list, tuple):
        return [value for number, value in enumerate(rows) if number not in left_out]
    return rows.without(left_out)


def _refuse_first(our_missing: Missing, their_missing: Missing, before: int) -> None:
    """Raise the error for the first missing value."""
    if our_missing and (not their_missing or our_missing[0][0] <= their_missing[0][0]):
        refuse_missing(place(before + our_missing[0][0], None), None)
    segment, k = their_missing[0]
    where = f"segment {before + segment}: the reference"
    refuse_missing(where if k is None else place(before + segment, k), None)


def columns_of(
    hypotheses: Any, references: Any, is_text: bool, in_place: bool, missing: str = "error"
) -> Columns | None:
    """Both sides, to be read in blocks, or None if neither is a column; see `Columns`.

    References may be one column, of texts or of lists, or a list with a column of texts for each
    reference.

    Raises
    ------
    TypeError, ValueError
        A column has the wrong type for the tokenizer, or the columns differ in length.
    """
    if type(hypotheses) is Columns:
        return hypotheses
    if type(hypotheses) is list and type(references) is list:
        return None
    ours: Any = opened(hypotheses, "hypotheses")
    theirs: Any = opened(references, "references")
    if ours is not None and type(references) in (list, tuple) and is_text:
        found = [opened(column, f"references[{k}]") for k, column in enumerate(references)]
        columns = [column for column in found if column is not None]
        if columns and len(columns) == len(found):
            for k, column in enumerate(columns):
                check_type(column, f"references[{k}]", is_text, (0,))
            theirs = _SeveralColumns(columns)
    if ours is None and theirs is None:
        return None
    one = references[0] if type(theirs) is _SeveralColumns else references
    segments, others = _length(hypotheses), _length(one)
    if segments is not None and others is not None:
        check_lengths(segments, others)
    if ours is not None:
        check_type(ours, "hypotheses", is_text, (0,) if is_text else (1,))
    if theirs is not None and type(theirs) is not _SeveralColumns:
        levels = (0, 1) if is_text else (1, 2)
        check_type(theirs, "references", is_text, levels)
    if ours is not None and theirs is not None and ours.is_text != theirs.is_text:
        kinds = [f"{side.name} holds {kind_of(side)}" for side in (ours, theirs)]
        raise TypeError(f"{' and '.join(kinds)}; both must hold tokens, or both token ids")
    ours = _ListSide("hypotheses", hypotheses) if ours is None else ours
    theirs = _ListSide("references", references) if theirs is None else theirs
    return Columns(ours, theirs, is_text, in_place, missing)


def _length(value: Any) -> int | None:
    """The number of segments of a side, if known without reading: DuckDB would run its query."""
    known = hasattr(type(value), "__len__") and not hasattr(type(value), "fetchall")
    return len(value) if known else None

"""The checks for token ids: arrays, tensors and lists of integers, to the rows that are counted."""

from __future__ import annotations

import operator
from collections.abc import Iterable

from ._ids import IdRows, ids_of
from .arrays import id_array, is_array, mask_array, shape_of
from .segments import TokenChecks, check_segments, list_or_tuple, place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class IdRules:
    """Which ids count.

    Parameters
    ----------
    ignore_ids, skip_ids : iterable of int
        Ids that stand for no token, and ids of tokens to leave out.
    stop_id : int or iterable of int, optional
        Any of these ends a sequence.

    Raises
    ------
    TypeError, ValueError
        They are no integers, or do not fit into int64.
    """

    def __init__(
        self,
        ignore_ids: Iterable[int] = (),
        stop_id: int | Iterable[int] | None = None,
        skip_ids: Iterable[int] = (),
    ) -> None:
        self.ignore_ids = _checked_ids("ignore_ids", ignore_ids)
        self.skip_ids = _checked_ids("skip_ids", skip_ids)
        several: Any = () if stop_id is None else stop_id
        self.stop_ids = _checked_ids("stop_id", several if _is_several(several) else [several])

    def __bool__(self) -> bool:
        return bool(self.ignore_ids or self.skip_ids or self.stop_ids)

    @property
    def stop_id(self) -> int | tuple[int, ...] | None:
        """The id that ends a sequence, the ids if there are several, or None."""
        return self.stop_ids if len(self.stop_ids) > 1 else next(iter(self.stop_ids), None)

    @property
    def signature(self) -> str:
        """What the field `tok:` of a signature says."""
        named = ("stop", self.stop_ids), ("ignore", self.ignore_ids), ("skip", self.skip_ids)
        fields = [f"{name}={','.join(map(str, ids))}" for name, ids in named if ids]
        return f"ids({';'.join(fields)})" if fields else "given"

    def uncounted(self, rows: IdRows) -> int | None:
        """What seems to be padding of the rows, and is counted nevertheless."""
        if self.stop_ids:
            return None
        padding = rows.run_at_end()
        return None if padding in self.ignore_ids + self.skip_ids else padding


def _checked_ids(name: str, ids: Any) -> tuple[int, ...]:
    """The ids in ascending order, each once."""
    if not _is_several(ids):
        fix = f"pass ({ids!r},)"
        if ids is None or isinstance(ids, (str, bytes)):
            fix = "leave it out" if ids is None else "look up its id"
        raise TypeError(f"{name} is {ids!r}, expected several integers; {fix}")
    listed = list(ids)
    checked, wrong = ids_of(listed)
    if wrong >= 0:
        _refuse_id(listed[wrong], name)
    return tuple(sorted(set(checked)))


def _is_several(ids: Any) -> bool:
    """Whether these are several ids: an array without a dimension and a str are none."""
    return hasattr(ids, "__iter__") and shape_of(ids) != () and not isinstance(ids, (str, bytes))


def _refuse_id(value: Any, where: str) -> None:
    try:
        number = operator.index(value)
    except TypeError:
        pass
    else:
        raise ValueError(f"{where} has the id {number}, which does not fit into int64")
    if value is None:
        raise TypeError(f"{where} has None: does the tokenizer lack that token? Leave it out then")
    raise TypeError(f"{where} has {value!r}, a {type(value).__name__}; expected integer ids")


def are_ids(hypotheses: Any, references: Any) -> bool:
    """Whether either side is an array of numbers, or a list of such arrays, or of lists of them."""
    return _holds_arrays(hypotheses) or _holds_arrays(references)


def _holds_arrays(value: Any) -> bool:
    if not _is_list_or_tuple(value):
        return is_array(value) or shape_of(value) == ()  # which is refused by `id_rows`
    return is_array(_first(value)) or is_array(_first(_first(value)))


def _is_list_or_tuple(value: Any) -> bool:
    return type(value) in (list, tuple)


def _first(value: Any) -> Any:
    return next(iter(value), None) if _is_list_or_tuple(value) else None


def id_rows(
    hypotheses: Any, references: Any, hypothesis_mask: Any = None, reference_mask: Any = None
) -> tuple[IdRows, IdRows]:
    """Both sides as rows of ids.

    Parameters
    ----------
    hypotheses : array of integers, shape (segments, length) or (length,), or list of S sequences
    references : array of integers, or list of S sequences, or of S lists of sequences
        Arrays of shape (segments, length) or (segments, references, length); for hypotheses of
        shape (length,) those of shape (length,) or (references, length).
    hypothesis_mask, reference_mask : optional
        Of the same shapes; 0 where an id does not count.

    Raises
    ------
    TypeError
        Something is no array of integers, or lies where it cannot be read.
    ValueError
        Shapes do not fit, an id does not fit into int64, or a segment has no reference.
    """
    if _is_one(hypotheses):
        if len(shape_of(references) or ()) > 2:
            raise ValueError(
                f"references has the shape {shape_of(references)}, but hypotheses is one sequence, "
                "whose references have the shape (length,) or (references, length)"
            )
        hypotheses, references = [hypotheses], [references]
        hypothesis_mask = None if hypothesis_mask is None else [hypothesis_mask]
        reference_mask = None if reference_mask is None else [reference_mask]
    hypothesis_rows = _side("hypotheses", hypotheses, hypothesis_mask)
    reference_rows = _side("references", references, reference_mask)
    if len(hypothesis_rows) != len(reference_rows):
        shape = shape_of(references) or ()
        turned = len(shape) == 3 and shape[1] == len(hypothesis_rows)
        fix = "; pass references.swapaxes(0, 1)" if turned else ""
        raise ValueError(
            f"references has {len(reference_rows)} segments{_of_shape(references)}, hypotheses "
            f"has {len(hypothesis_rows)}{_of_shape(hypotheses)}; references[i] must hold the "
            f"references of hypotheses[i]{fix}"
        )
    return hypothesis_rows, reference_rows


def sentence_rows(name: str, sentences: Any, mask: Any = None, before: int = 0) -> IdRows:
    """Sentences that are paired with others as rows of ids; errors as those of `id_rows`.

    Parameters
    ----------
    name : str
        That of the argument, for messages.
    sentences : array of integers, shape (sentences, length), or list of sequences
    mask : optional
        Of the same shape; 0 where an id does not count.
    before : int, default 0
        Number of sentences before these, for messages.
    """
    if is_array(sentences) or shape_of(sentences) == ():
        ids = id_array(sentences, name)
        if ids.ndim != 2:
            raise ValueError(
                f"{name} has the shape {ids.shape} ({ids.dtype}), expected (sentences, length)"
            )
        return IdRows(ids, None if mask is None else mask_array(mask, ids, name))
    check_segments(name, sentences, "sentence")
    sentences = list_or_tuple(sentences)
    if mask is not None:
        _check_masks(mask, len(sentences), f"the mask of {name}")
    rows = IdRows()
    for number, sentence in enumerate(sentences):
        _add(rows, sentence, None if mask is None else mask[number], f"{name}[{before + number}]")
        rows.end_segment()
    return rows


def _is_one(hypotheses: Any) -> bool:
    """Whether the hypotheses are one sequence of ids and no batch."""
    if is_array(hypotheses):
        return len(hypotheses.shape) == 1
    first = _first(hypotheses)
    return hasattr(first, "__index__") and not is_array(first)


def _of_shape(value: Any) -> str:
    shape = shape_of(value)
    return "" if shape is None else f" (shape {shape})"


def _side(name: str, values: Any, mask: Any) -> IdRows:
    """The rows of the hypotheses or of the references."""
    one_each = name == "hypotheses"
    if is_array(values) or shape_of(values) == ():
        ids = id_array(values, name)
        if ids.ndim not in ((2,) if one_each else (2, 3)):
            shapes = (
                "(batch, length)" if one_each else "(batch, length) or (batch, references, length)"
            )
            fix = "; of several samples for each source pass .flatten(0, 1)" if ids.ndim > 2 else ""
            raise ValueError(
                f"{name} has the shape {ids.shape} ({ids.dtype}), expected {shapes}{fix}"
            )
        masked = None if mask is None else mask_array(mask, ids, name)
        if ids.ndim == 3 and ids.shape[1] == 0 and ids.shape[0]:
            TokenChecks().refuse_no_references(0)
        return IdRows(ids, masked)
    check_segments(name, values)
    values = list_or_tuple(values)
    if mask is not None:
        _check_masks(mask, len(values), f"the mask of {name}")
    rows = IdRows()
    lists = not one_each and any(_is_list_or_tuple(value) and _is_nested(value) for value in values)
    for segment, value in enumerate(values):
        its_mask = None if mask is None else mask[segment]
        if one_each:
            _add(rows, value, its_mask, place(segment, None))
        elif _is_nested(value) or (lists and _is_list_or_tuple(value) and not value):
            _add_references(rows, value, its_mask, segment)
        else:
            _add(rows, value, its_mask, place(segment, 0))
        rows.end_segment()
    return rows


def _is_nested(value: Any) -> bool:
    """Whether the references of a segment are several sequences, and not one."""
    if is_array(value):
        return len(value.shape) > 1
    first = _first(value)
    return is_array(first) or (hasattr(first, "__len__") and not hasattr(first, "__index__"))


def _check_masks(mask: Any, count: int, where: str) -> None:
    if not hasattr(mask, "__len__") or not hasattr(mask, "__getitem__"):
        raise TypeError(f"{where} is a {type(mask).__name__}, expected a list of {count} masks")
    if len(mask) != count:
        raise ValueError(f"{where} has {len(mask)} entries, but there are {count} sequences of ids")


def _add_references(rows: IdRows, values: Any, mask: Any, segment: int) -> None:
    if len(shape_of(values) or ()) > 2:
        raise ValueError(
            f"segment {segment}: references has the shape {shape_of(values)}, "
            "expected (length,) or (references, length)"
        )
    values = list_or_tuple(values)
    if len(values) == 0:
        TokenChecks().refuse_no_references(segment)
    if mask is not None:
        _check_masks(mask, len(values), f"segment {segment}: the mask of references")
    for k, value in enumerate(values):
        _add(rows, value, None if mask is None else mask[k], place(segment, k))


def _add(rows: IdRows, value: Any, mask: Any, where: str) -> None:
    """Add one row: an array of one dimension or a list of integers."""
    if _is_list_or_tuple(value):
        listed = list(value)
        ids, wrong = ids_of(listed)
        if wrong >= 0:
            _refuse_id(listed[wrong], f"{where}[{wrong}]")
        if mask is None:
            rows.add(ids)
            return
        value = ids
    elif isinstance(value, (str, bytes)) or not (
        hasattr(value, "__len__") or hasattr(value, "shape")
    ):
        raise TypeError(
            f"{where} is a {type(value).__name__}, expected a sequence of token ids; "
            'for text pass tokenize="13a"'
        )
    array = id_array(value, where)
    if array.ndim != 1:
        raise ValueError(f"{where} has the shape {array.shape} ({array.dtype}), expected (length,)")
    rows.add(array, None if mask is None else mask_array(mask, array, where))

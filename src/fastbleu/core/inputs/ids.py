"""Checks of token ids in arrays, tensors and lists; `IdFilter` says which of them count.

Arrays and tensors of any library become numpy arrays, which are copied only if their byte order is
not native or they are on another device.
"""

from __future__ import annotations

import operator
from array import array as _array
from collections.abc import Callable, Iterable, Mapping

from ..runtime.import_lock import lazy
from ._id_rows import IdRows, ids_of
from .arguments import a_type, is_array, list_or_tuple, number_of, shape_of, shown
from .checks import TokenChecks, check_segments, fix_of_logits, fix_of_samples
from .errors import InputError, InputTypeError, Place, mask_of, place
from .missing import refuse_missing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

    import numpy
    from numpy.typing import NDArray

    Array = NDArray[Any]
else:
    numpy = lazy("numpy")

_ADVICE = {
    "f": "turn logits into ids by .argmax(-1), whole floats by .astype(int) or .long()",
    "b": "pass a mask as hypothesis_mask= or reference_mask=",
    "O": "its elements do not fit into 64 bits, or its rows differ in length; pass a list with "
    "one array per row",
}

# No argument has more dimensions.
_MAX_DEPTH = 4


class IdFilter:
    """Which ids count: arguments as in `fastbleu.BLEU`, checked to fit into int64."""

    def __init__(
        self,
        ignore_ids: int | Iterable[int] = (),
        stop_ids: int | Iterable[int] = (),
        skip_ids: int | Iterable[int] = (),
    ) -> None:
        self.ignore_ids = _checked_ids("ignore_ids", ignore_ids)
        self.stop_ids = _checked_ids("stop_ids", stop_ids)
        self.skip_ids = _checked_ids("skip_ids", skip_ids)

    def __bool__(self) -> bool:
        return bool(self.ignore_ids or self.skip_ids or self.stop_ids)

    @property
    def signature(self) -> str:
        """The field `tok:` of a signature."""
        named = ("stop", self.stop_ids), ("ignore", self.ignore_ids), ("skip", self.skip_ids)
        fields = [f"{name}={','.join(map(str, ids))}" for name, ids in named if ids]
        return f"ids({';'.join(fields)})" if fields else "given"


def _checked_ids(name: str, ids: Any) -> tuple[int, ...]:
    """Return the distinct ids, one or several, in ascending order."""
    if ids is None or isinstance(ids, (str, bytes)):
        fix = "leave it out" if ids is None else "look up its id"
        raise TypeError(f"{name} is {shown(ids)}, expected integers; {fix}")
    listed = list(ids) if hasattr(ids, "__iter__") and shape_of(ids) != () else [ids]
    checked, wrong = ids_of(listed)
    if wrong >= 0:
        _refuse_id(listed[wrong], name)
    return tuple(sorted(set(checked)))


def _refuse_id(value: Any, where: str | Place, position: str = "") -> NoReturn:
    try:
        number = operator.index(value)
    except TypeError:
        fix = f", {a_type(value)}; expected integer ids{fix_of_logits(value)}"
        if value is None:
            fix = "; if the tokenizer lacks this token, leave it out"
        raise InputTypeError.at(where, f"{position} has {shown(value)}{fix}") from None
    problem = f"{position} has the id {number}, which does not fit into int64"
    raise InputError.at(where, problem)


def are_ids(hypotheses: object, references: object) -> bool:
    """Whether either argument is an array of numbers, or a (nested) list of such arrays."""
    return _holds_arrays(hypotheses) or _holds_arrays(references)


def _holds_arrays(value: Any) -> bool:
    if type(value) not in (list, tuple):
        return is_array(value) or shape_of(value) == ()  # 0-d arrays: refused in `id_rows`
    first = _first(value)
    return is_array(first) or is_array(_first(first))


def _first(value: Any) -> Any:
    return next(iter(value), None) if type(value) in (list, tuple) else None


def id_rows(
    hypotheses: object,
    references: object,
    hypothesis_mask: object = None,
    reference_mask: object = None,
) -> tuple[IdRows, IdRows]:
    """Return hypotheses and references as rows of ids.

    Arrays have the shape (segments, length) or, for references, (segments, references, length);
    a single segment may leave out the first dimension. Masks have the same shapes.
    """
    if _is_one(hypotheses):
        if len(shape_of(references) or ()) > 2:
            raise InputError(
                f"references has the shape {shape_of(references)}, but hypotheses is one sequence, "
                "whose references have the shape (length,) or (references, length)"
            )
        hypotheses, references = [hypotheses], [references]
        hypothesis_mask = None if hypothesis_mask is None else [hypothesis_mask]
        reference_mask = None if reference_mask is None else [reference_mask]
    hypothesis_rows = checked_rows(
        "hypotheses", hypotheses, hypothesis_mask, lambda n: place(n, None), ["(batch, length)"]
    )
    shapes = ["(batch, length)", "(batch, references, length)"]
    reference_rows = checked_rows(
        "references", references, reference_mask, lambda n: place(n, 0), shapes
    )
    if len(hypothesis_rows) != len(reference_rows):
        shape = shape_of(references) or ()
        turned = len(shape) == 3 and shape[1] == len(hypothesis_rows)
        fix = fix_of_samples(len(hypothesis_rows), len(reference_rows), references)
        fix = "; pass references.swapaxes(0, 1)" if turned else fix
        raise InputError(
            f"references has {number_of(len(reference_rows), 'segment')}{_of_shape(references)}, "
            f"hypotheses has {len(hypothesis_rows)}{_of_shape(hypotheses)}; references[i] must "
            f"hold the references of hypotheses[i]{fix}"
        )
    return hypothesis_rows, reference_rows


def _is_one(hypotheses: Any) -> bool:
    """Whether the hypotheses are a single sequence of ids, not a batch."""
    if is_array(hypotheses):
        return len(hypotheses.shape) == 1
    first = _first(hypotheses)
    return hasattr(first, "__index__") and not is_array(first)


def _of_shape(value: Any) -> str:
    shape = shape_of(value)
    return "" if shape is None else f" (shape {shape})"


def checked_rows(
    name: str,
    values: Any,
    mask: Any,
    place_of: Callable[[int], str | Place],
    shapes: list[str],
    each: str = "segment",
) -> IdRows:
    """Rows of a list of arrays, or of an array that has one of the `shapes`.

    With two shapes, of 2 and of 3 dimensions, a segment may have several rows.
    """
    may_nest = len(shapes) > 1
    if is_array(values) or shape_of(values) == ():
        ids = id_array(values, name)
        if not 2 <= ids.ndim <= 1 + len(shapes):
            fix = "; for several samples per source pass .reshape(-1, {}), and references as often"
            fix = fix.format(ids.shape[-1]) if ids.ndim > 2 else ""
            problem = f"has the shape {ids.shape} ({ids.dtype}), expected {' or '.join(shapes)}"
            raise InputError(f"{name} {problem}{fix}")
        masked = None if mask is None else mask_array(mask, ids, mask_of(name))
        if ids.ndim == 3 and ids.shape[1] == 0 and ids.shape[0]:
            TokenChecks().refuse_no_references(0)
        return IdRows(ids, masked)
    check_segments(name, values, each)
    rows = IdRows()
    entries = _with_masks(list_or_tuple(values), mask, name)
    are_nested = may_nest and any(
        type(value) in (list, tuple) and _is_nested(value) for value, _ in entries
    )
    for number, (value, value_mask) in enumerate(entries):
        if value_mask is None and _is_plain(value):
            rows.add(value)
        elif may_nest and (
            _is_nested(value) or (are_nested and type(value) in (list, tuple) and not value)
        ):
            _add_references(rows, value, value_mask, number)
        else:
            _add(rows, value, value_mask, place_of(number))
        rows.end_segment()
    return rows


def _with_masks(
    values: Any, mask: Any, name: str, segment: int | None = None
) -> list[tuple[Any, Any]]:
    """Pairs (value, its mask or None) of a list."""
    if mask is None:
        return [(value, None) for value in values]
    where = mask_of(name if segment is None else Place(segment, name))
    if not hasattr(mask, "__len__") or not hasattr(mask, "__getitem__"):
        problem = f" is {a_type(mask)}, expected a list of {number_of(len(values), 'mask')}"
        raise InputTypeError.at(where, problem)
    values, masks = [*values], [*mask]  # another thread may change the lists
    if len(masks) != len(values):
        entries = number_of(len(masks), "entry", "entries")
        problem = f" has {entries} for {number_of(len(values), 'sequence')} of ids"
        raise InputError.at(where, problem)
    return list(zip(values, masks, strict=True))


def _is_nested(value: Any) -> bool:
    """Whether the references of a segment are several sequences, not a single one."""
    if is_array(value):
        return len(value.shape) > 1
    first = _first(value)
    return is_array(first) or (hasattr(first, "__len__") and not hasattr(first, "__index__"))


def _add_references(rows: IdRows, values: Any, mask: Any, segment: int) -> None:
    if len(shape_of(values) or ()) > 2:
        problem = f" has the shape {shape_of(values)}, expected (length,) or (references, length)"
        raise InputError.at(Place(segment, "references", side="reference"), problem)
    values = list_or_tuple(values)
    if len(values) == 0:
        TokenChecks().refuse_no_references(segment)
    for k, (value, value_mask) in enumerate(_with_masks(values, mask, "references", segment)):
        if value_mask is None and _is_plain(value):
            rows.add(value)
        else:
            _add(rows, value, value_mask, place(segment, k))


def _is_plain(value: Any) -> bool:
    """Whether a row is a numpy array that needs no checks."""
    if type(value) in (list, tuple) or type(value) is not numpy.ndarray:
        return False
    return value.ndim == 1 and value.dtype.kind == "i" and value.dtype.isnative


def _add(rows: IdRows, value: Any, mask: Any, where: str | Place) -> None:
    """Add one row: a 1-d array or a list of integers."""
    if type(value) in (list, tuple):
        listed = list(value)
        ids, wrong = ids_of(listed)
        if wrong >= 0:
            _refuse_id(listed[wrong], where, f"[{wrong}]")
        if mask is None:
            rows.add(ids)
            return
        value = ids
    if not hasattr(value, "__len__"):
        refuse_missing(where, value)
    if isinstance(value, (str, bytes)) or not (
        hasattr(value, "__len__") or hasattr(value, "shape")
    ):
        fix = 'expected a sequence of token ids; for text pass tokenize="13a"'
        raise InputTypeError.at(where, f" is {a_type(value)}, {fix}")
    array = id_array(value, where)
    if array.ndim != 1:
        problem = f" has the shape {array.shape} ({array.dtype}), expected (length,)"
        raise InputError.at(where, problem)
    rows.add(array, None if mask is None else mask_array(mask, array, mask_of(where)))


def copy_lists(value: Any, levels: int = _MAX_DEPTH) -> Any:
    """Copy nested sequences into new lists, before numpy makes an array of them.

    numpy calls methods of the objects in a list, and reads freed memory if they empty the list.
    No other code has a reference to the new lists.
    """
    if type(value) not in (list, tuple):
        is_leaf = isinstance(value, (str, bytes, bytearray, memoryview, _array, Mapping))
        if is_leaf or hasattr(value, "__array__") or hasattr(value, "dtype"):
            return value
        if not (hasattr(value, "__len__") and hasattr(value, "__getitem__")):
            return value
    if not levels:
        raise InputError(f"sequences are nested more than {_MAX_DEPTH} levels deep")
    return [
        part if type(part) in (int, float, bool) else copy_lists(part, levels - 1)
        for part in list(value)
    ]


def id_array(value: Any, where: str | Place) -> Array:
    """Return an array of integers in native byte order, copied only if necessary."""
    if hasattr(value, "is_floating_point") and value.is_floating_point():
        _refuse(where, value.dtype, tuple(value.shape), "f")  # numpy does not have bfloat16
    array = in_main_memory(value, where)
    kind = array.dtype.kind
    if kind not in "iu":
        _refuse(where, array.dtype, array.shape, kind)
    if kind == "u" and array.itemsize == 8 and array.size and int(array.max()) > 2**63 - 1:
        problem = f" has the id {array.max()} (dtype {array.dtype}), which does not fit into int64"
        raise InputError.at(where, problem)
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def _refuse(where: str | Place, dtype: object, shape: tuple[int, ...], kind: str) -> NoReturn:
    advice = _ADVICE.get(kind, 'for text pass tokenize="13a"')
    problem = f" has the dtype {dtype} (shape {shape}), expected integer ids; {advice}"
    raise InputTypeError.at(where, problem)


def mask_array(value: object, ids: Array, where: str | Place) -> Array:
    """Return the mask of an array: bool or integers of the same shape."""
    mask = in_main_memory(value, where)
    if mask.dtype.kind not in "biu" and mask.size:
        problem = f" has the dtype {mask.dtype}, expected bool or integers; "
        raise InputTypeError.at(where, f"{problem}pass .astype(bool) or .bool()")
    if mask.shape != ids.shape:
        problem = f" has the shape {mask.shape}, but its ids have {ids.shape}"
        raise InputError.at(where, problem)
    if mask.dtype.kind == "i" and mask.size and mask.min() < 0:
        problem = f" holds {mask.min()}, expected 0 and 1; for a mask that is added to logits pass "
        raise InputError.at(where, f"{problem}mask == 0")
    return mask if mask.size else mask.astype(bool)


def in_main_memory(value: object, where: str | Place) -> Array:
    """Return an array or a tensor on any device as a numpy array; a view if possible."""
    if type(value) is numpy.ndarray:
        return value
    kind = a_type(value)
    if hasattr(value, "mask") and not callable(value.mask):  # a column of a data frame
        fix = "pass its data, and ~mask as hypothesis_mask= or reference_mask="
        raise InputTypeError.at(where, f" is {kind}; {fix}")
    # In this order, because an attribute of PyTorch's sparse tensors raises a RuntimeError.
    if not hasattr(value, "detach") and hasattr(value, "__cuda_array_interface__"):
        fix = "pass a numpy array (with cupy: .get())"
        raise InputTypeError.at(where, f" is {kind} on a GPU; {fix}")
    try:
        if hasattr(value, "detach"):  # a PyTorch tensor; numpy moves others itself
            value = value.detach().cpu().numpy()
        made: Array = numpy.asarray(copy_lists(value))
    except (TypeError, ValueError, RuntimeError, NotImplementedError) as error:
        problem = f" is {kind} that cannot be read: {error}; pass an array of integers"
        raise InputTypeError.at(where, problem) from error
    return made


# Every id counts.
NO_IDS = IdFilter()

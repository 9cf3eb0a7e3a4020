"""Arrays and tensors of any library as checked numpy arrays.

They are copied only if their byte order is not native or they are on another device.
"""

from __future__ import annotations

from array import array as _array
from collections.abc import Mapping

from ..runtime.import_lock import lazy
from .arguments import a_type
from .errors import LocatedTypeError, LocatedValueError

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


def copy_lists(value: Any, levels: int = _MAX_DEPTH) -> Any:
    """Copy nested sequences into new lists, before numpy makes an array of them.

    numpy calls methods of the objects in a list, and reads freed memory if these empty the list.
    No other code has a reference to the new lists.
    """
    if type(value) not in (list, tuple):
        is_leaf = isinstance(value, (str, bytes, bytearray, memoryview, _array, Mapping))
        if is_leaf or hasattr(value, "__array__") or hasattr(value, "dtype"):
            return value
        if not (hasattr(value, "__len__") and hasattr(value, "__getitem__")):
            return value
    if not levels:
        raise ValueError(f"sequences are nested more than {_MAX_DEPTH} levels deep")
    return [
        part if type(part) in (int, float, bool) else copy_lists(part, levels - 1)
        for part in list(value)
    ]


def list_or_tuple(segments: Any) -> Any:
    """Return an exact list or tuple as it is, anything else as a list of its elements."""
    if type(segments) in (list, tuple):
        return segments
    # Arrays and Series convert themselves to lists several times faster than iteration does.
    kind = getattr(getattr(segments, "dtype", None), "kind", "")
    if kind in ("O", "T", "U") and getattr(segments, "ndim", 0) == 1:
        listed = segments.tolist() if hasattr(segments, "tolist") else None
        if type(listed) is list:
            return listed
    if type(segments) is memoryview:  # iteration needs one dimension
        return segments.tolist()
    return list(segments)


def is_array(value: object) -> bool:
    """Whether a value is an array or a tensor of numbers with at least one dimension."""
    if type(value) in (list, tuple, str) or not shape_of(value):
        return False
    dtype = getattr(value, "dtype", None)
    if dtype is None:
        return not hasattr(value, "columns")  # a data frame
    # The dtypes of tensors have no `kind`, and are always numbers.
    return getattr(dtype, "kind", "i") not in "OUSTVmM"


def shape_of(value: object) -> tuple[int, ...] | None:
    try:
        shape = getattr(value, "shape", None)
    except RuntimeError as error:  # so PyTorch's nested tensors
        raise TypeError(
            f"{a_type(value)} without a shape, such as a nested tensor, cannot be read; "
            "pass a list of tensors, as .unbind() returns it"
        ) from error
    return None if shape is None else tuple(shape)


def id_array(value: Any, where: str) -> Array:
    """Return an array of integers of native byte order, copied only if necessary."""
    if hasattr(value, "is_floating_point") and value.is_floating_point():
        _refuse(where, value.dtype, tuple(value.shape), "f")  # numpy does not have bfloat16
    array = in_main_memory(value, where)
    kind = array.dtype.kind
    if kind not in "iu":
        _refuse(where, array.dtype, array.shape, kind)
    if kind == "u" and array.itemsize == 8 and array.size and int(array.max()) > 2**63 - 1:
        problem = f" has the id {array.max()} (dtype {array.dtype}), which does not fit into int64"
        raise LocatedValueError.at(where, problem)
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def _refuse(where: str, dtype: object, shape: tuple[int, ...], kind: str) -> NoReturn:
    advice = _ADVICE.get(kind, 'for text pass tokenize="13a"')
    problem = f" has the dtype {dtype} (shape {shape}), expected integer ids; {advice}"
    raise LocatedTypeError.at(where, problem)


def mask_array(value: object, ids: Array, where: str) -> Array:
    """Return the mask of an array: bool or integers of the same shape."""
    mask = in_main_memory(value, where)
    if mask.dtype.kind not in "biu" and mask.size:
        problem = f" has the dtype {mask.dtype}, expected bool or integers; "
        raise LocatedTypeError.at(where, f"{problem}pass .astype(bool) or .bool()")
    if mask.shape != ids.shape:
        problem = f" has the shape {mask.shape}, but its ids have {ids.shape}"
        raise LocatedValueError.at(where, problem)
    if mask.dtype.kind == "i" and mask.size and mask.min() < 0:
        problem = f" holds {mask.min()}, expected 0 and 1; for a mask that is added to logits pass "
        raise LocatedValueError.at(where, f"{problem}mask == 0")
    return mask if mask.size else mask.astype(bool)


def in_main_memory(value: object, where: str) -> Array:
    """Return an array or a tensor on any device as a numpy array; a view if possible."""
    if type(value) is numpy.ndarray:
        return value
    kind = a_type(value)
    if hasattr(value, "mask") and not callable(value.mask):  # a column of a data frame
        fix = "pass its data, and ~mask as hypothesis_mask= or reference_mask="
        raise LocatedTypeError.at(where, f" is {kind}; {fix}")
    # In this order, because an attribute of PyTorch's sparse tensors raises a RuntimeError.
    if not hasattr(value, "detach") and hasattr(value, "__cuda_array_interface__"):
        fix = "pass a numpy array (with cupy: .get())"
        raise LocatedTypeError.at(where, f" is {kind} on a GPU; {fix}")
    try:
        if hasattr(value, "detach"):  # a PyTorch tensor; numpy moves others itself
            value = value.detach().cpu().numpy()
        made: Array = numpy.asarray(copy_lists(value))
    except (TypeError, ValueError, RuntimeError, NotImplementedError) as error:
        problem = f" is {kind} that cannot be read: {error}; pass an array of integers"
        raise LocatedTypeError.at(where, problem) from error
    return made

"""Checks of the weights of references in MBR decoding."""

from __future__ import annotations

import numpy

from .arrays import copy_lists, in_main_memory
from .warnings import warn_input

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    Floats = NDArray[numpy.float64]


def read_weights_by_source(weights: Any, lprobs: Any, sizes: list[int]) -> list[Floats | None]:
    """Return the checked weights of each source, whose numbers of references are `sizes`."""
    for name, values in (("reference_weights", weights), ("reference_lprobs", lprobs)):
        if values is not None and (not hasattr(values, "__len__") or len(values) != len(sizes)):
            have = f"{len(values)} entries" if hasattr(values, "__len__") else "no entries"
            raise ValueError(
                f"{name} has {have}, but there are {len(sizes)} sources of different sizes; pass a "
                "list with the weights of each source"
            )
    return [
        read_weights(
            None if weights is None else weights[b],
            None if lprobs is None else lprobs[b],
            (sizes[b],),
            f"[{b}]",
        )
        for b in range(len(sizes))
    ]


def read_weights(
    weights: object, lprobs: object, shape: tuple[int, ...], of_source: str = ""
) -> Floats | None:
    """Return checked weights of `shape` (R,) or (B, R), or None if neither argument is given.

    The weights of each source are scaled by a power of two so that no sum overflows. `of_source`
    is what messages add to the name of the argument.
    """
    if weights is None and lprobs is None:
        return None
    if weights is not None and lprobs is not None:
        raise ValueError(
            "reference_weights and reference_lprobs are alternatives; pass only one of them"
        )
    name = ("reference_lprobs" if weights is None else "reference_weights") + of_source
    numbers = _floats(lprobs if weights is None else weights, name)
    if numbers.shape != shape:
        sources = "" if len(shape) == 1 else f" for each of {shape[0]} sources"
        orders = "" if weights is None else "; weights of n-gram orders go to fastbleu.BLEU"
        raise ValueError(
            f"{name} has the shape {numbers.shape}, but there are {shape[-1]} references{sources}; "
            f"expected the shape {shape}{orders}"
        )
    if weights is None:
        wrong, expected = numpy.isnan(numbers) | (numbers == numpy.inf), "neither nan nor inf"
        nothing = numbers == -numpy.inf
    else:
        wrong, expected = ~((numbers >= 0) & (numbers < numpy.inf)), "finite and at least 0"
        nothing = numbers == 0
    if wrong.any():
        place = numpy.unravel_index(int(wrong.argmax()), shape)
        at = ", ".join(map(str, place))
        raise ValueError(f"{name}[{at}] is {numbers[place]}, but must be {expected}")
    if nothing.all(axis=-1).any():
        source = "" if len(shape) == 1 else f"[{int(nothing.all(axis=-1).argmax())}]"
        raise ValueError(
            f"{name}{source} is {'0' if lprobs is None else '-inf'} for all references; "
            "at least one must count"
        )
    largest = numbers.max(axis=-1, keepdims=True)
    if weights is None:
        if shape[-1] > 1 and (numbers >= 0).all() and (abs(numbers.sum(axis=-1) - 1) <= 1e-6).all():
            warn_input(
                "reference_lprobs lie in 0..1 and add up to 1, as probabilities do; if they are "
                "probabilities, pass reference_weights="
            )
        with numpy.errstate(over="ignore"):
            checked: Floats = numpy.exp(numbers - largest)
    else:
        checked = numpy.ldexp(numbers, -numpy.frexp(largest)[1])
    return checked


def _floats(value: Any, name: str) -> Floats:
    """Return numbers of any library as an array of float64."""
    if type(value) in (list, tuple):
        # numpy would read tensors number by number, and cannot read some of them at all.
        value = [_floats(part, name) if hasattr(part, "detach") else part for part in value]
        try:
            value = numpy.asarray(copy_lists(value))
        except ValueError as error:
            raise ValueError(f"{name} cannot be read as an array: {error}") from None
    elif hasattr(value, "detach"):
        value = value.detach().cpu().double()  # numpy does not have bfloat16
    numbers = in_main_memory(value, name)
    if numbers.dtype.kind not in "fiub":
        raise TypeError(f"{name} has the dtype {numbers.dtype}, expected numbers")
    return numpy.asarray(numbers, numpy.float64, order="C")

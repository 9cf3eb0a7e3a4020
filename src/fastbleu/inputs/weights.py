"""Weights of samples, however they are given."""

from __future__ import annotations

import numpy

from .arrays import copy_lists, in_main_memory
from .warnings import warn_input

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    Floats = NDArray[numpy.float64]


def read_weights(weights: Any, log_probabilities: Any, shape: tuple[int, ...]) -> Floats | None:
    """The weights of references, checked; None where they are all equal because none are given.

    Parameters
    ----------
    weights, log_probabilities : array_like of float, or None
        At most one of both.
    shape : tuple of int
        That they must have: (R,), or (B, R) for B sources.

    Returns
    -------
    ndarray of float64 of this shape, or None
        The weights, those of each source multiplied by a power of two so that no sum overflows.

    Raises
    ------
    TypeError, ValueError
        These are no numbers, not of this shape, negative, not finite, or all of a source are 0.

    Warns
    -----
    InputWarning
        The logarithms of probabilities look like the probabilities themselves.
    """
    if weights is None and log_probabilities is None:
        return None
    if weights is not None and log_probabilities is not None:
        raise ValueError("there are weights and log_probabilities, which mean the same; pass one")
    name, given = "weights", weights
    if weights is None:
        name, given = "log_probabilities", log_probabilities
    numbers = _floats(given, name)
    if numbers.shape != shape:
        sources = "" if len(shape) == 1 else f" for each of {shape[0]} sources"
        orders = "" if weights is None else "; weights of orders are those of fastbleu.BLEU"
        raise ValueError(
            f"{name} has the shape {numbers.shape}, but there are {shape[-1]} references{sources}; "
            f"expected the shape {shape}{orders}"
        )
    if weights is None:
        wrong, expected = numpy.isnan(numbers) | (numbers == numpy.inf), "no nan and no inf"
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
            f"{name}{source} is {'0' if log_probabilities is None else '-inf'} throughout, so that "
            "no reference counts"
        )
    largest = numbers.max(axis=-1, keepdims=True)
    if weights is None:
        if shape[-1] > 1 and (numbers >= 0).all() and (abs(numbers.sum(axis=-1) - 1) <= 1e-6).all():
            warn_input(
                "log_probabilities lie in 0..1 and add up to 1, as probabilities do: if that is "
                "what they are pass weights="
            )
        with numpy.errstate(over="ignore"):
            checked: Floats = numpy.exp(numbers - largest)
    else:
        checked = numpy.ldexp(numbers, -numpy.frexp(largest)[1])
    return checked


def _floats(value: Any, name: str) -> Floats:
    """Numbers of any library as an array of doubles."""
    if type(value) in (list, tuple):
        # Of tensors numpy would ask for each number by itself, and of some kinds in vain.
        value = [_floats(part, name) if hasattr(part, "detach") else part for part in value]
        try:
            value = numpy.asarray(copy_lists(value))
        except ValueError as error:
            raise ValueError(f"{name} cannot be read as an array: {error}") from None
    elif hasattr(value, "detach"):
        value = value.detach().cpu().double()  # numpy knows no bfloat16
    numbers = in_main_memory(value, name)
    if numbers.dtype.kind not in "fiub":
        raise TypeError(f"{name} has the dtype {numbers.dtype}, expected numbers")
    return numpy.asarray(numbers, numpy.float64, order="C")

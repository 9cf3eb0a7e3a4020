"""Checks of the arguments of matrices: sentences of one or several sources, masks, weights."""

from __future__ import annotations

from itertools import islice

from ..runtime.import_lock import lazy
from .arguments import a_type, is_array, list_or_tuple, number_of, shape_of
from .checks import check_segments
from .columns import is_column
from .errors import mask_of, warn_input
from .ids import copy_lists, in_main_memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    import numpy
    from numpy.typing import NDArray

    from .types import SentenceStream

    Floats = NDArray[numpy.float64]
else:
    numpy = lazy("numpy")

# Sentences read at a time: few enough that their tokens take little memory.
_BLOCK = 1 << 13


def listed_sentences(name: str, sentences: object) -> Any:
    """Return sentences as a list or tuple, or raise TypeError."""
    if type(sentences) in (list, tuple):
        return sentences
    if isinstance(sentences, str):
        raise TypeError(
            f"{name} is a str, expected a list of sentences; for a single one pass [{name}]"
        )
    if shape_of(sentences) == ():
        raise TypeError(f"{name} has no dimension, expected a list of sentences")
    check_segments(name, sentences, "sentence")
    return list_or_tuple(sentences)


def are_rows(sentences: Any) -> bool:
    """Whether sentences given without a tokenizer are arrays of token ids, not lists of tokens."""
    if type(sentences) in (list, tuple):
        return any(map(is_array, sentences[:1]))
    return is_array(sentences) or shape_of(sentences) == ()


def blocks_of(sentences: SentenceStream, masked: bool) -> Iterator[Any]:
    """Yield sentences in consecutive blocks; an iterator is read block by block."""
    listed: Any = sentences
    if not masked and type(listed) in (list, tuple):
        for first in range(0, len(listed), _BLOCK):
            yield listed[first : first + _BLOCK]
    elif is_column(sentences):
        yield sentences
    elif not masked and hasattr(sentences, "__iter__") and not hasattr(sentences, "__len__"):
        rest = iter(listed)
        while block := list(islice(rest, _BLOCK)):
            yield block
    else:
        yield sentences


def check_sizes(name: str, sources: Any, advice: str, ragged: bool = False) -> None:
    """Raise an error unless all sources are lists, and unless `ragged` of the same length."""
    size = None
    for number, source in enumerate(sources):
        where = f"{name}[{number}]"
        if isinstance(source, (str, bytes)) or not hasattr(source, "__len__"):
            raise TypeError(
                f"{where} is {a_type(source)}, expected the list of sentences of a "
                f"source, like {name}[0]"
            )
        size = len(source) if size is None else size
        if len(source) != size and not ragged:
            raise ValueError(
                f"{where} has {number_of(len(source), 'sentence')}, {name}[0] has {size}; all "
                "sources of a batch must have the same number, so score these in separate calls"
                f"{advice}"
            )


def masks_of(masks: tuple[Any, Any], sources: int) -> list[tuple[Any, Any]]:
    """Return (mask of hypotheses, mask of references) for each source of a batch."""
    for name, mask in zip(("hypotheses", "references"), masks, strict=True):
        _check_entries(mask_of(name), mask, number_of(sources, "source"), sources)
    return list(zip(*([None] * sources if mask is None else mask for mask in masks), strict=True))


def read_weights_by_source(weights: Any, lprobs: Any, sizes: list[int]) -> list[Floats | None]:
    """Return the checked weights of each source, whose numbers of references are `sizes`."""
    sources = number_of(len(sizes), "source")
    expected = f"{sources} of different sizes; pass a list with the weights of each"
    for name, values in (("reference_weights", weights), ("reference_lprobs", lprobs)):
        _check_entries(name, values, expected, len(sizes))
    return [
        read_weights(
            None if weights is None else weights[b],
            None if lprobs is None else lprobs[b],
            (sizes[b],),
            f"[{b}]",
        )
        for b in range(len(sizes))
    ]


def _check_entries(name: object, values: Any, expected: str, count: int) -> None:
    """Raise ValueError unless a list that is given has `count` entries."""
    if values is not None and (not hasattr(values, "__len__") or len(values) != count):
        have = "no entries"
        if hasattr(values, "__len__"):
            have = number_of(len(values), "entry", "entries")
        raise ValueError(f"{name} has {have} for {expected}")


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

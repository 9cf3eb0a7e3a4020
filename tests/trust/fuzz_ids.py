"""Any arrays of ids, masks and rules: the counts are those of the slow rules in id_batches.py.

An input says types, shapes, strides and rules; the ids are what bytes are left. Where an id cannot
be counted, the error has to be one that the documentation names, and has to have its reason.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import oracle
from id_batches import DTYPES, MASK_DTYPES, Batch

from fastbleu import BLEU
from trust.fuzz_input import Input, Wrong, equal

EDGES = (-(2**63), 2**63 - 1, -(2**31), 2**31, 2**32, -129, 128, 255, 256, 65_535)


@functools.lru_cache(500)
def metric(max_ngram_order: int, rules: tuple[tuple[str, Any], ...]) -> BLEU:
    return BLEU(tokenize=False, max_ngram_order=max_ngram_order, **dict(rules))


def array_of(given: Input, shape: tuple[int, ...], dtype: str) -> np.ndarray[Any, Any]:
    """An array of the shape whose items lie wherever the input wants them."""
    layout = given.byte()
    count = int(np.prod(shape, dtype=int))
    # Of few values, or of any: whole items of the input.
    if layout & 1:
        items = np.frombuffer(given.bytes(count).ljust(count, b"\0"), "i1").astype(dtype)
    else:
        size = count * np.dtype(dtype).itemsize
        items = np.frombuffer(given.bytes(size).ljust(size, b"\0"), dtype)
    array = items.reshape(shape)
    if layout & 2:
        array = np.asfortranarray(array)
    if layout & 4:
        array = array[..., ::-1]
    if layout & 8:  # every second item of something larger, each row away from the others
        room = np.full((*array.shape[:-1], 2 * array.shape[-1] + 3), 1, array.dtype)
        room[..., 1 : 2 * array.shape[-1] + 1 : 2] = array
        array = room[..., 1 : 2 * array.shape[-1] + 1 : 2]
    if layout & 16:  # at an odd address
        raw = np.zeros(array.nbytes + 1, "u1")
        moved = raw[1:].view(array.dtype).reshape(array.shape)
        moved[...] = array
        array = moved
    if layout & 32 and array.shape[0]:
        array = np.broadcast_to(array[:1], array.shape)
    if layout & 64:
        array.flags.writeable = False
    return array


def id_of(given: Input) -> int:
    number = given.byte()
    return EDGES[number % len(EDGES)] if number >= 240 else number - (256 if number > 127 else 0)


def rules_of(given: Input) -> tuple[tuple[str, Any], ...]:
    kinds, rules = given.byte(), []
    if kinds & 1:
        rules.append(("ignore_ids", tuple(id_of(given) for _ in range(1 + given.below(2)))))
    if kinds & 2:
        rules.append(("skip_ids", tuple(id_of(given) for _ in range(1 + given.below(2)))))
    if kinds & 4:
        rules.append(("stop_ids", id_of(given)))
    return tuple(rules)


def as_given(given: Input, array: np.ndarray[Any, Any], form: int) -> Any:
    """The same as an array, or as a list of arrays."""
    if form == 0 or not array.size:
        return array
    rows = list(array)
    return rows if array.ndim == 2 or form == 1 else [list(row) for row in rows]


def run(data: bytes) -> None:
    given = Input(data)
    size, refs = given.choice((1, 2, 3, 0, 5)), given.choice((1, 2, 3))
    shapes = (size, given.below(21)), (size, refs, given.below(21))
    dtypes = given.choice(DTYPES), given.choice(DTYPES)
    masked, form, rules = given.byte(), given.below(3), rules_of(given)
    max_ngram_order = 1 + given.below(5)
    masks: list[Any] = [None, None]
    for side, shape in enumerate(shapes):
        if masked & 1 << side:
            kind = given.choice(MASK_DTYPES)
            count = int(np.prod(shape))
            packed = np.frombuffer(given.bytes(1 + count // 8).ljust(1000, b"\xff"), "u1")
            flat = np.unpackbits(packed)[:count].reshape(shape)
            masks[side] = (flat * np.array(given.choice((1, 2, 256))).astype(kind)).astype(kind)
    arrays = [array_of(given, shape, dtype) for shape, dtype in zip(shapes, dtypes, strict=True)]
    sides = [as_given(given, array, form) for array in arrays]
    names = ("hypothesis_mask", "reference_mask")
    passed = {
        name: as_given(given, mask, form)
        for name, mask in zip(names, masks, strict=True)
        if mask is not None
    }
    about = (arrays, masks, rules, max_ngram_order, form)
    # uint64 has numbers that are no int64; where a stop or a mask cuts them away is not looked at.
    too_large = any(array.dtype.kind == "u" and (array > 2**63 - 1).any() for array in arrays)
    try:
        found = metric(max_ngram_order, rules).count(*sides, **passed)
    except ValueError as error:
        if too_large and "does not fit into int64" in str(error):
            return
        raise Wrong(f"{error}; {about}") from error
    if too_large and not rules and not masked:
        raise Wrong(f"an id beyond int64 was counted; {about}")
    lists = [array.tolist() for array in arrays]
    bits = [None if mask is None else mask.tolist() for mask in masks]
    segments = Batch(*lists, *bits, dict(rules)).segments()
    rows = [oracle.row(h, its, max_ngram_order) for h, its in zip(*segments, strict=True)]
    equal(np.asarray(found).tolist(), rows, *about)

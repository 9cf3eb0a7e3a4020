"""Tokens that collide in the tables of the kernel under a seed that is known.

The hashes of kernel/hashing/interner.h and number_table.h once more, over arrays: an attacker who
knew the seed of a process could do the same. What makes a table slow are keys that all belong into
a small part of its slots, and so are in one long row.
"""

import random

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]

KIND_INTEGER = np.uint64(0x70 << 56)
HALF = np.uint64(32)
LOW_HALF = np.uint64(2**32 - 1)
# The part of the slots that all keys are to belong into.
PART = 0.06


def multiply_fold(a: Words, b: Words) -> Words:
    """The high and the low word of the 128-bit product, by exclusive or."""
    a_low, a_high, b_low, b_high = a & LOW_HALF, a >> HALF, b & LOW_HALF, b >> HALF
    low, one, other = a_low * b_low, a_high * b_low, a_low * b_high
    carry = ((low >> HALF) + (one & LOW_HALF) + (other & LOW_HALF)) >> HALF
    high = a_high * b_high + (one >> HALF) + (other >> HALF) + carry
    folded: Words = high ^ (a * b)
    return folded


def compressed(hashes: Words, slots: int) -> NDArray[np.bool_]:
    """Which of the keys belong into the first slots of a table."""
    chosen: NDArray[np.bool_] = (hashes & np.uint64(slots - 1)) < np.uint64(int(slots * PART))
    return chosen


def slots_of(tokens: int) -> int:
    """The slots of an interner for `tokens` tokens."""
    return max(512, 1 << (2 * tokens - 1).bit_length())


def integers(count: int, seed: tuple[int, int], rng: np.random.Generator) -> list[int]:
    """Different int that collide, by `first_slot` of kernel/hashing/interner.h."""
    first, second = map(np.uint64, seed)
    found: list[int] = []
    while len(found) < count:
        numbers = rng.integers(0, 2**62, 1 << 20, np.uint64)
        high = np.broadcast_to(KIND_INTEGER ^ second, numbers.shape)
        hashes = multiply_fold(numbers ^ first, high)
        found += numbers[compressed(hashes, slots_of(count))].tolist()
    return found[:count]


def pair_walk(count: int, vocabulary: int, seed: tuple[int, int] | None, name: str) -> list[int]:
    """Token numbers of which each pair of neighbors is new, and collides if there is a seed.

    By `number_slot_of` of kernel/hashing/number_table.h, and the same of number_index.h. Every
    number stands there first in its order, so that it is its own id in a segment.
    """
    rng = random.Random(name)
    numbers = np.arange(vocabulary, dtype=np.uint64)
    pairs = (numbers[:, None] << HALF | numbers).ravel()
    usable = np.ones((vocabulary, vocabulary), bool)
    if seed is not None:
        first, second = map(np.uint64, seed)
        high = np.broadcast_to(second | np.uint64(1), pairs.shape)
        usable = compressed(multiply_fold(pairs ^ first, high), 2 * slots_of(count))
        usable = usable.reshape(vocabulary, vocabulary)
    following = [np.flatnonzero(row).tolist() for row in usable]
    for some in following:
        rng.shuffle(some)
    walk = list(range(vocabulary))
    while len(walk) < count:
        some = following[walk[-1]]
        # Where a number has no follower left the walk goes on from another.
        walk.append(some.pop() if some else rng.randrange(vocabulary))
    return walk

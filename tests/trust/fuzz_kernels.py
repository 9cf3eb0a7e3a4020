"""Any tokens, up to some hundred: every kernel and instruction set gives the slow counts.

An input says the order, the rule for the reference's length, what a byte stands for, and then the
sequences; large bytes repeat stretches of them, so that few bytes make long ones.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import oracle

from fastbleu._core import REFERENCE_LENGTHS, SegmentCounter, zero_rows
from fastbleu.counting._id_packer import IdPacker
from fastbleu.counting._token_packer import TokenPacker
from fastbleu.inputs.checks import TokenChecks
from fastbleu.inputs.ids import id_rows
from fastbleu.runtime import _process
from trust.fuzz_input import Input, equal

# What a byte below 192 stands for, modulo the size of an alphabet.
SIZES = (2, 7, 50, 192)
PREFIXES = ("", "a", "я", "a word of many letters: ", "\U0001f600")
END = 255  # of a sequence
LIMIT = 560
LEVELS = _process.SIMD_LEVELS[: _process.SIMD_LEVELS.index(_process.active_simd()) + 1]


def segment_of(given: Input) -> tuple[list[int], list[list[int]]]:
    size = given.choice(SIZES)
    found: list[list[int]] = [[]]
    for byte in given.rest():
        if byte == END and len(found) < 6:
            found.append([])
        elif byte < 192:
            found[-1].append(byte % size)
        else:  # a stretch of the hypothesis, which may be this one
            found[-1] += found[0][-(byte - 191) * 9 :]
    hypothesis, *references = [sequence[:LIMIT] for sequence in found]
    return hypothesis, references or [hypothesis[1:]]


def row_by(
    level: str, mask_tokens: int, rule: str, order: int, packer: object, *segment: object
) -> list[int]:
    """The row of a segment, on an instruction set, by masks of at most `mask_tokens`."""
    _process.use_simd(level)
    counter, row = SegmentCounter(order, rule), zero_rows(1, order)
    counter.mask_tokens = mask_tokens
    packer.fill(*segment, 0)  # type: ignore[attr-defined]
    counter.count(packer, row)  # type: ignore[arg-type]
    return list(row)


def reference_length(rule: str, length: int, lengths: Sequence[int]) -> int:
    if rule == "closest":
        return oracle.closest_length(length, lengths)
    return min(lengths, key=(lambda n: abs(n - length)) if rule == "first" else None)


def run(data: bytes) -> None:
    given = Input(data)
    order, rule = 1 + given.below(9), given.choice(REFERENCE_LENGTHS)
    prefix = given.choice(PREFIXES)
    base = given.choice((0, -50, 2**40, -(2**63)))
    hypothesis, references = segment_of(given)
    expected = oracle.row(hypothesis, references, order)
    expected[1] = reference_length(rule, len(hypothesis), [*map(len, references)])
    words = [f"{prefix}{n}" for n in range(192)]
    tokens = [[words[n] for n in sequence] for sequence in (hypothesis, *references)]
    ids = [np.array(sequence, "i8") + base for sequence in (hypothesis, *references)]
    try:
        for level in LEVELS:
            for mask_tokens in (0, 64, 512):
                about = level, mask_tokens, rule, order
                found = row_by(*about, TokenPacker(TokenChecks()), tokens[:1], [tokens[1:]])
                equal(found, expected, *about, hypothesis, references)
                found = row_by(*about, IdPacker(), *id_rows(ids[:1], [ids[1:]]))
                equal(found, expected, *about, base, hypothesis, references)
    finally:
        _process.use_simd()

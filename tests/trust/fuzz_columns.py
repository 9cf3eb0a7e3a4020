"""Any bytes as columns of Arrow: valid UTF-8 counts like the same str, other bytes raise the error.

The first bytes of an input describe the column; the rest are its lines, or its raw, damaged
buffers: then any result and any ValueError is right, as long as nothing is read out of bounds.
Valid UTF-8 is counted in arrays of numpy's StringDType, too.
"""

import gc
import re

import numpy as np
from arrow_producer import EXPORTED, WRONG, Array, Column, Stream, list_array, text_array
from levels import LEVELS, use_simd

from fastbleu import BLEU
from trust.fuzz_input import Input, Wrong, equal

StringDType = getattr(getattr(np, "dtypes", None), "StringDType", None)
METRICS = [
    BLEU(tokenize=tokenizer, lowercase=lowercase)
    for tokenizer in ("13a", "intl", "zh", "char", "none")
    for lowercase in (False, True)
]


def lines_of(given: Input) -> list[bytes]:
    """Lines, one behind the other, each with its size before it."""
    lines = []
    while len(lines) < 12:
        size = given.byte()
        if not size:
            break
        lines.append(given.bytes(size - 1))
    return lines


def run(data: bytes) -> None:
    given = Input(data)
    kind = given.byte()
    use_simd(given.choice(LEVELS))
    if kind % 4 == 3:
        run_damaged(given)
    else:
        run_lines(given, kind)
    if len(EXPORTED) > 100:
        gc.collect()
    if WRONG or len(EXPORTED) > 100:
        raise Wrong(f"{WRONG}, {len(EXPORTED)} not released")


def run_lines(given: Input, kind: int) -> None:
    metric, format = given.choice(METRICS), given.choice(("u", "U", "vu"))
    cut, skip, lines = given.below(5), given.below(4), lines_of(given)
    if not lines:
        return
    turned = [*lines[1:], lines[0]]
    arrays = [text_array(part, format, skip) for part in (lines[:cut], lines[cut:])]
    ours = Stream(arrays[0], arrays) if kind & 4 else Column(text_array(lines, format, skip))
    theirs: object = Column(text_array(turned, format))
    if kind & 8:
        pairs = [[line, line[:3]] for line in turned]
        flat = [line for pair in pairs for line in pair]
        theirs = Column(list_array(pairs, text_array(flat, format)))
    expected = expected_error(lines, turned, bool(kind & 8))
    if expected:
        try:
            metric.count(ours, theirs)
        except ValueError as error:
            equal(str(error)[: len(expected)], expected, lines)
            return
        raise Wrong(f"no error; expected {expected}")
    texts = [line.decode() for line in lines]
    others = [line.decode() for line in turned]
    its = [[line.decode(), line[:3].decode()] for line in turned] if kind & 8 else others
    if kind & 16 and StringDType is not None:
        ours = np.array(texts, StringDType())[:: -1 if kind & 32 else 1]
        texts = texts[:: -1 if kind & 32 else 1]
    equal(metric.count(ours, theirs), metric.count(texts, its), lines, metric.signature)


def expected_error(lines: list[bytes], turned: list[bytes], pairs: bool) -> str:
    """How the error for the first line that is not UTF-8 begins; "" if all are."""
    for number, (line, reference) in enumerate(zip(lines, turned, strict=True)):
        sides = {"the hypothesis": line, "references[0]": reference}
        if pairs:
            sides["references[1]"] = reference[:3]
        for name, content in sides.items():
            try:
                content.decode()
            except UnicodeDecodeError as error:
                return f"segment {number}: {name} is not UTF-8: byte {error.start} is"
    return ""


def run_damaged(given: Input) -> None:
    """Buffers as they come, as long as their lengths need; what offsets span is there."""
    format, length, offset = given.choice(("u", "U", "vu")), given.below(6), given.below(3)
    size, width = 300, {"u": 4, "U": 8, "vu": 16}[format]
    count = length + offset + (format != "vu")
    positions = given.bytes(count * width)
    numbers = bytearray(positions.ljust(count * width, b"\0"))
    step = 8 if format == "U" else 4
    # Small numbers and negative ones: what they span has to be there.
    for at in range(0, len(numbers), step):
        value = numbers[at] | (numbers[at + 1] & 1) << 8
        value = -value if numbers[at + 1] & 0x80 else min(value, size)
        numbers[at : at + step] = value.to_bytes(step, "little", signed=True)
    content = re.sub(rb"[^\x00-\x7f]", b"?", given.rest()).ljust(size, b".")[:size]
    buffers: list[bytes | None] = [None, bytes(numbers), content]
    if format == "vu":
        buffers.append(size.to_bytes(8, "little"))
    column = Column(Array(format, length, buffers, offset=offset))
    try:
        METRICS[0].count(column, column)
    except ValueError as error:
        if not re.search("cannot be read at row|is not UTF-8", str(error)):
            raise

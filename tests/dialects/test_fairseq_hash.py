"""fairseq's counts: the hash of libbleu, written as it is there."""

from array import array
from collections import Counter

import pytest
from generators import SEGMENTS, seeded

from fastbleu.dialects._fairseq import hashed_rows

IDS = (-999, 0, 1, 2, 4, 5, 127, 128, 200, 255, 256, 300, 33000, 70000, 2**31 - 1)


def libbleus_hash(ids):
    found = 14695981039346656037
    for number in ids:
        for byte in number.to_bytes(4, "little", signed=True):
            signed = byte - 256 if byte > 127 else byte
            found = (found ^ signed % 2**64) * 0x100000001B3 % 2**64
    return found


def row(hypothesis, reference):
    matches, totals = [], []
    for n in range(1, 5):
        ours, its = (
            Counter(libbleus_hash(ids[i : i + n]) for i in range(len(ids) - n + 1))
            for ids in (hypothesis, reference)
        )
        matches.append((ours & its).total())
        totals.append(ours.total())
    return [len(hypothesis), len(reference), *matches, *totals]


def rows_of(segments):
    ids = array("i", [number for pair in segments for side in pair for number in side])
    lengths = array("q", [len(side) for pair in segments for side in pair])
    return hashed_rows(ids, lengths).tolist()


def test_random_ids():
    rng = seeded("libbleu")
    for _ in range(max(SEGMENTS // 100, 100)):
        known = rng.sample(IDS, rng.randint(1, len(IDS)))
        segments = [
            [rng.choices(known, k=rng.choice((0, 1, 2, 3, 4, 5, 9, 40))) for _ in range(2)]
            for _ in range(rng.randint(0, 3))
        ]
        assert rows_of(segments) == [number for pair in segments for number in row(*pair)]


def test_a_collision():
    """Two bigrams without a token in common, which libbleu takes for one."""
    hypothesis, reference = [402, 294], [1900, 478]
    assert libbleus_hash(hypothesis) == libbleus_hash(reference)
    assert rows_of([(hypothesis, reference)]) == [2, 2, 0, 1, 0, 0, 2, 1, 0, 0]


def test_lengths_that_do_not_add_up():
    with pytest.raises(ValueError, match="there are 3 ids, but lengths add up to 2"):
        hashed_rows(array("i", [1, 2, 3]), array("q", [1, 1]))

"""Counting raw text: the rows are those of its tokens, whatever the strings, threads or layout."""

import gc
import sys

import pytest
from generators import raises
from metrics import count

from fastbleu.core.counting._text_packer import SegmentReader, TextPacker

pytestmark = pytest.mark.pythons


@pytest.mark.parametrize("size", [4000, 5000, (1 << 20) + 70, (1 << 21) + 1])
def test_long_lines_are_lowered(size):
    for letters in ("Ab", "Äb", "Жя", "ΑΣ", "😀A"):
        line = (letters * 16 + " ") * (size // 32)
        expected = count([line.lower()], [line[:900].lower()], tokenize="none")
        assert count([line], [line[:900]], tokenize="none", lowercase=True) == expected


def test_a_pair_of_surrogates_is_not_the_character_it_stands_for():
    pair = "\ud83d\ude00"
    assert count([pair], ["😀"], 1, tokenize="none").matches[0, 0] == 0
    assert count([pair], [pair + " 😀"], 1, tokenize="none").matches[0, 0] == 1


def test_checks_that_change_the_lists():
    hypotheses = ["a b"] * 600
    references = ["a b"] * 600

    class Clearing:
        def __iter__(self):
            hypotheses.clear()
            references.clear()
            gc.collect()
            return iter(["a b"])

    references[30] = Clearing()
    raises(ValueError, "600 segments became 31", count, hypotheses, references, tokenize="13a")


def test_long_references_end_a_chunk():
    """Otherwise one for each segment of a chunk would be in memory at once."""
    assert TextPacker(None, "13a").fill(["a"] * 100, ["x " * 50_000] * 100, 0, 0) < 10


def test_strings_are_released():
    line = "".join(["a word ", "and ", "another ’"])
    before = sys.getrefcount(line)
    packer = TextPacker(None, "13a")
    packer.fill([line] * 3, [[line, line]] * 3, 0, 0)
    SegmentReader("13a", False, 4).row(line, [line])
    assert sys.getrefcount(line) == before


def test_a_function_gets_both_sides_in_lower_case():
    expected = count([["a", "b", "c", "d"]], [[["a", "b"], ["b", "c", "d"]]])
    assert count(["A b C d"], [["A B", "b C D"]], tokenize=str.split, lowercase=True) == expected

"""Arrays of numpy's StringDType are read like columns, and give the rows of the same lists."""

import numpy
import pytest
from generators import raises, seeded
from random_texts import random_line

from fastbleu import BLEU

StringDType = pytest.importorskip("numpy.dtypes").StringDType

# Random lines may look tokenized.
pytestmark = pytest.mark.filterwarnings("ignore:.* hypotheses end in")


def random_lines(rng, count):
    """Lines of all lengths: numpy stores up to 15, up to 255 and more bytes in different ways."""
    lines = ["", "a", "é" * 7, "b" * 15, "b" * 16, "я" * 127, "c " * 128, "漢 " * 500]
    return (lines + [random_line(rng, 6).replace("\ud800", "") for _ in range(count)])[:count]


@pytest.mark.parametrize("dtype", [StringDType(), object])
def test_parts_of_arrays(dtype):
    """They are not contiguous in memory, and longer than what is read at a time."""
    lines = random_lines(seeded(f"parts of arrays of {dtype}"), 9000)
    array = numpy.array(lines, dtype)
    for part in (slice(3, 8900), slice(None, None, -1), slice(5, None, 7), slice(4, 4)):
        found = BLEU(threads=2).count(array[part], array[part])
        assert found == BLEU().count(lines[part], lines[part])
    records = numpy.zeros(9000, [("number", "i1"), ("text", object)])
    records["text"] = lines
    assert BLEU().count(records["text"], array) == BLEU().count(lines, lines)


def test_a_string_na_object_is_text():
    array = numpy.array(["the cat sat", "-"], StringDType(na_object="-"))
    lines = ["the cat sat", "-"]
    assert BLEU().count(array, lines) == BLEU().count(lines, lines)


@pytest.mark.parametrize(
    ("tokenizer", "threads"),
    [("13a", 1), ("13a", 2), ("zh", 2), (str.split, 2)],
    ids=["13a", "13a, threads", "zh", "function"],
)
def test_arrays_of_objects_and_of_pandas(tokenizer, threads):
    rng = seeded(f"arrays of objects {tokenizer} {threads}")
    hypotheses, references = random_lines(rng, 2500), random_lines(rng, 2500)[::-1]
    metric = BLEU(tokenize=tokenizer, threads=threads)
    expected = metric.count(hypotheses, references)
    ours, theirs = (numpy.array(side, object) for side in (hypotheses, references))
    several = [[line, "a"] for line in references]
    lists = numpy.empty(2500, object)
    lists[:] = several
    for left, right in ((ours, theirs), (ours, references), (tuple(hypotheses), theirs)):
        assert metric.count(left, right) == expected
    assert metric.score(ours, lists) == metric.score(hypotheses, several)
    pandas = pytest.importorskip("pandas")
    series = pandas.Series(ours, index=range(2500, 0, -1), dtype=object)
    assert metric.count(series, theirs) == expected


def test_an_array_of_objects_that_are_not_texts():
    texts = numpy.array(["the cat sat down"] * 2500, object)
    holes = texts.copy()
    holes[1500] = None
    raises(TypeError, "segment 1500: the hypothesis is missing", BLEU().score, holes, texts)
    raises(TypeError, "segment 1500: the reference is missing", BLEU().score, texts, holes)
    empty = numpy.empty(2500, object)
    raises(TypeError, "segment 0: the reference is missing", BLEU().score, texts, empty)
    with pytest.raises(ValueError, match="references has 2499 segments, hypotheses has 2500"):
        BLEU().score(texts, texts[1:])


class Subclass(numpy.ndarray):
    """A class with the name of numpy's own."""


Subclass.__module__, Subclass.__qualname__ = "numpy", "ndarray"


def test_arrays_that_only_look_like_those_read_in_place():
    texts = ["the cat", "a dog ran"]
    for array in (numpy.array(texts, object).view(Subclass), numpy.array(texts)):
        assert BLEU().count(array, array) == BLEU().count(texts, texts)
    for wrong in (numpy.array([texts], object), numpy.array("a", object)):
        raises((TypeError, ValueError), "hypothes[ei]s", BLEU().score, wrong, texts)
    metric, tokens = BLEU(tokenize=False), numpy.array([["a", "b"], ["c", "d"]], StringDType())
    lists = tokens.tolist()
    assert metric.count(tokens, tokens[:, None]) == metric.count(lists, [[row] for row in lists])
    raises(TypeError, "column of strings", metric.score, tokens[0], tokens[0])


@pytest.mark.parametrize("shape", [(1200,), (), (0, 2)], ids=str)
def test_an_array_that_changes_while_it_is_read(shape):
    """A reference's own code makes the array shorter: nothing is read beyond its end."""
    lines = ["the cat sat down"] * 2500

    class Reference:
        def __iter__(self):
            array.resize(shape, refcheck=False)
            return iter(["the cat"])

    array = numpy.array(lines, object)
    array[1100] = Reference()
    with pytest.raises((TypeError, ValueError), match=r"became 1200 while|arrays of objects"):
        BLEU().score(lines, array)

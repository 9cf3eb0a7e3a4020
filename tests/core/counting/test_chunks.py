"""Several threads that count text chunk by chunk give the rows and errors of one thread."""

import functools

import numpy as np
import pytest
from generators import Collider, raises, seeded
from metrics import count

from fastbleu._core import SegmentCounter, zero_rows
from fastbleu.core.counting._id_packer import IdPacker
from fastbleu.core.counting._text_packer import TextPacker
from fastbleu.core.counting.counter import Counter
from fastbleu.core.inputs._batch import Batch
from fastbleu.core.inputs._id_rows import IdRows
from fastbleu.core.inputs._utf8_rows import Utf8Lines
from fastbleu.core.tokenizers.tokenizer import get as get_tokenizer

pytestmark = [pytest.mark.pythons, pytest.mark.filterwarnings("ignore::fastbleu.InputWarning")]
THREADS = [2, 3, 8]


@functools.cache
def lines():
    """Lines of all widths, some of them rewritten or long, and other layouts."""
    rng, size = seeded("lines of several threads"), 1_500
    words = ["a", "cat,", "d" * 40, "der", "кот", "\U0001f600", "3.5", "&amp;", "-\n", "猫"]

    def line(most):
        return " ".join(rng.choices(words, k=rng.randint(0, most)))

    hypotheses = [line(70) for _ in range(size)]
    references = [[line(70) for _ in range(rng.randint(1, 3))] for _ in range(size)]
    for place in rng.sample(range(size), 30):
        hypotheses[place] = line(2_000) + " ."
        references[place] = rng.choice([line(600), (line(9),), [line(9)] * 20, [line(4_000)]])
    return hypotheses, references


@pytest.mark.parametrize("tokenize", ["13a", "intl", "zh", "char", "none", str.split])
def test_rows_sums_and_notes(tokenize):
    def by_threads(threads):
        counter = Counter(get_tokenizer(tokenize), threads=threads)
        counted = counter.count(Batch(*lines()), keep_rows=False)
        rows = count(*lines(), tokenize=tokenize, threads=threads)
        return rows, counted.stats, counted.signs.tokenized_periods, counted.nrefs

    one = by_threads(1)
    assert one[2] == sum(line.endswith(" .") for line in lines()[0])
    assert [by_threads(threads) for threads in THREADS] == [one] * 3


def test_chunks_are_counted_to_their_ends():
    """Only chunks of short segments reach the largest number of segments."""
    texts = ["a b c d"] * 20_000, ["a b x c d"] * 20_000
    expected = count(*texts, tokenize="13a").sum()
    for threads in THREADS:
        assert count(*texts, tokenize="13a", threads=threads).sum() == expected


@pytest.mark.parametrize("tokenize", ["13a", str.split], ids=["13a", "a function"])
@pytest.mark.parametrize(("place", "wrong"), [(0, 7), (1_499, []), (1_499, ["a", None])])
def test_the_first_wrong_line_is_named(place, wrong, tokenize):
    hypotheses, references = ([*its] for its in lines())
    references[place] = wrong
    with pytest.raises((TypeError, ValueError), match=f"segment {place}"):
        count(hypotheses, references, tokenize=tokenize, threads=2)


def test_lists_of_tokens_that_user_code_shortens():
    hypotheses, references = [["a", "b"]] * 20_000, [[["a", "c"]]] * 20_000

    class Shortening(Collider):
        def __hash__(self):
            del hypotheses[9_000:], references[9_000:]
            return 1

    hypotheses[8_500] = [Shortening(1)]
    raises(ValueError, "20000 segments became 9000", count, hypotheses, references, threads=2)


def utf8_rows(texts):
    data = iter(["\n".join([*texts, ""]).encode(), b""])
    return Utf8Lines(lambda: next(data)).take(len(texts))


def id_rows(texts):
    rows = IdRows()
    for text in texts:
        rows.add(np.array(list(map(ord, text))))
        rows.end_segment()
    return rows


WORDS = "The Cat sat on the mat in an OLD house near a wood . " * 20
INTERRUPTED = {
    "texts": (TextPacker, ("13a",), list),
    "a column": (TextPacker, ("13a",), utf8_rows),
    "a column in lower case": (TextPacker, ("13a", True), utf8_rows),
    "ids": (IdPacker, (), id_rows),
}


@pytest.mark.parametrize("kind", INTERRUPTED)
def test_a_chunk_that_was_interrupted_is_counted_as_if_it_was_not(kind):
    packer_type, options, rows_of = INTERRUPTED[kind]
    # Of a long line, the work is interrupted.
    lines = [WORDS[number : number + 500] + "." for number in range(150)]
    lines[30] = WORDS * 1200
    sides = rows_of(lines), rows_of([line[40:] for line in lines])
    if packer_type is TextPacker:
        options = (None, *options)

    def counted(interruptions):
        packer, counter = packer_type(*options), SegmentCounter(4)
        segments = packer.fill(*sides, 0, 0)
        for _ in range(interruptions):
            packer.cancelled = True
            with pytest.raises(KeyboardInterrupt):
                counter.count(packer, zero_rows(segments, 4))
            packer.cancelled = False
        rows = zero_rows(segments, 4)
        counter.count(packer, rows)
        return segments, rows, packer.signs.tokenized_periods, packer.nrefs

    expected = counted(0)
    assert expected[0] > 20
    for interruptions in (1, 2, 3):
        assert counted(interruptions) == expected

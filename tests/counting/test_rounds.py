"""Lists that several threads read together give the rows and errors of one thread."""

import functools

import numpy as np
import pytest
from generators import raises, seeded, segments

from fastbleu import BLEU, count
from fastbleu._core import SegmentCounter, zero_rows
from fastbleu.counting._counted import Worker
from fastbleu.counting._rounds import Rounds
from fastbleu.counting._text_packer import TextPacker
from fastbleu.counting._token_packer import TokenPacker
from fastbleu.counting.counter import Counter
from fastbleu.inputs.batch import Batch
from fastbleu.inputs.checks import TextChecks, TokenChecks
from fastbleu.runtime._process import SIMD_LEVELS, active_simd, use_simd
from fastbleu.tokenizers.loaded import get_tokenizer

pytestmark = [
    pytest.mark.filterwarnings("ignore::fastbleu.InputWarning"),
    pytest.mark.skipif(not Rounds.possible, reason="without a GIL each thread reads alone"),
]
THREADS = [2, 3, 8]


class Token:
    """What only Python's own hash() and == tell apart."""

    def __init__(self, number):
        self.number = number

    def __hash__(self):
        return self.number % 3

    def __eq__(self, other):
        return self.number == other.number


def corpus(size=20_000):
    """Two lists that a test may change, of segments that it must not change."""
    hypotheses, references = made_corpus(size)
    return [*hypotheses], [*references]


@functools.cache
def made_corpus(size):
    """Mostly short segments; long ones, many references and other tokens are scattered over it."""
    rng = seeded("read together")
    hypotheses, references = segments(rng, size, "words", lambda rng: rng.randint(0, 70))
    for place in rng.sample(range(size), 300):
        hypotheses[place] = rng.choices(["a", "b", "c", "d" * 40], k=rng.choice((64, 65, 600)))
        references[place] = [rng.choices("abce", k=rng.choice((0, 63, 300)))] * rng.choice((1, 20))
    tokens = [Token(number) for number in range(9)]
    for place in rng.sample(range(size), 300):
        hypotheses[place] = (*rng.choices(tokens, k=20), "plain")
        references[place] = tuple(rng.choices(tokens, k=20) for _ in range(3))
    return hypotheses, references


def test_rows_and_sums():
    data = corpus()

    def by_threads(threads):
        metric = BLEU(None, threads=threads)
        sums = metric.sums(*data).tolist()
        return count(*data, threads=threads), metric.score(*data), sums

    one = by_threads(1)
    for threads in THREADS:
        assert by_threads(threads) == one


@pytest.mark.parametrize("max_order", [1, 4, 70])
@pytest.mark.parametrize("keep_rows", [True, False])
def test_totals_that_are_raised(max_order, keep_rows):
    data = corpus(5_000)
    counted = [
        Counter(None, False, max_order, threads, least_total=1).count(
            Batch(*data), keep_rows=keep_rows
        )
        for threads in (1, 3)
    ]
    assert counted[0].stats == counted[1].stats
    assert counted[0].nrefs == counted[1].nrefs == -1


@pytest.mark.parametrize("place", [0, 8_191, 8_192, 19_999])
def test_the_first_error_is_raised(place):
    hypotheses, references = corpus()
    references[place] = [["a"], ["b", {}]]
    hypotheses[-1] = [{}]
    what = "the hypothesis" if place == len(hypotheses) - 1 else "references"
    raises(TypeError, f"segment {place}: {what}", count, hypotheses, references, threads=4)


def test_lists_that_user_code_shortens():
    hypotheses, references = corpus()

    class Shortening(Token):
        def __hash__(self):
            del hypotheses[9_000:], references[9_000:]
            return 1

    hypotheses[8_500] = [Shortening(1)]
    raises(ValueError, "20000 segments became 90", count, hypotheses, references, threads=2)


@functools.cache
def made_lines(size):
    """Lines of all widths; among them such as are rewritten or long, and other layouts."""
    rng = seeded("read lines together")
    words = ["a", "cat,", "d" * 40, "der", "кот", "\U0001f600", "3.5", "&amp;", "-\n", "猫"]

    def line(most):
        return " ".join(rng.choices(words, k=rng.randint(0, most)))

    hypotheses = [line(70) for _ in range(size)]
    references = [[line(70) for _ in range(rng.randint(1, 3))] for _ in range(size)]
    for place in rng.sample(range(size), 300):
        hypotheses[place] = line(2_000) + " ."
        references[place] = rng.choice([line(600), (line(9),), [line(9)] * 20, [line(4_000)]])
    return hypotheses, references


@pytest.mark.parametrize("tokenize", ["13a", "intl", "zh", "char", "none"])
def test_lines(tokenize):
    data = made_lines(5_000)

    def by_threads(threads):
        counter = Counter(get_tokenizer(tokenize), threads=threads)
        counted = counter.count(Batch(*data), keep_rows=False)
        assert counted.tokenized_periods > 0
        assert counted.nrefs == -1
        return (
            count(*data, tokenize=tokenize, threads=threads),
            BLEU(tokenize, threads=threads).score(*data),
            counted.stats,
            counted.tokenized_periods,
        )

    one = by_threads(1)
    for threads in THREADS:
        assert by_threads(threads) == one


@pytest.mark.parametrize("level", SIMD_LEVELS)
def test_lines_by_any_instruction_set(level):
    if SIMD_LEVELS.index(level) > SIMD_LEVELS.index(active_simd()):
        pytest.skip(f"this processor lacks {level}")
    data = made_lines(5_000)
    one = count(*data, tokenize="13a")
    use_simd(level)
    try:
        assert count(*data, tokenize="13a", threads=2) == one
        assert count(*corpus(3_000), threads=2) == count(*corpus(3_000))
    finally:
        use_simd()


def test_references_that_are_missing():
    hypotheses, references = made_lines(5_000)
    missing = [[None, *its, None] if type(its) is list else its for its in references]
    counters = [
        Counter(get_tokenizer("13a"), threads=threads, skip_none=True) for threads in (1, 2)
    ]
    counted = [counter.count(Batch(hypotheses, missing)) for counter in counters]
    assert counted[0].stats == counted[1].stats
    assert counted[0].stats == count(hypotheses, references, tokenize="13a")


@pytest.mark.parametrize("place", [0, 4_999])
@pytest.mark.parametrize("wrong", [7, [], ["a", None]])
def test_the_first_wrong_line_is_named(place, wrong):
    hypotheses, references = ([*its] for its in made_lines(5_000))
    references[place] = wrong
    with pytest.raises((TypeError, ValueError), match=f"segment {place}"):
        count(hypotheses, references, tokenize="13a", threads=2)


def test_mostly_long_lines_are_counted_in_turns():
    data = [" ".join(map(str, range(size))) for size in range(1_000, 2_100)], ["1 2 3 4"] * 1_100
    assert count(*data, tokenize="13a", threads=2) == count(*data, tokenize="13a")


def worker_of(data):
    packer = (
        TextPacker(TextChecks(), "13a") if type(data[0][0]) is str else TokenPacker(TokenChecks())
    )
    return Worker(packer, SegmentCounter(4))


@pytest.mark.parametrize("make", [corpus, made_lines])
def test_rounds_without_others(make):
    data = make(9_000)
    rows = zero_rows(9_000, 4)
    rounds = Rounds([worker_of(data), worker_of(data)], *data, rows, True, 0, 0)
    taken = []
    while read := rounds.lead():
        taken.append(read)
    rounds.end()
    rounds.follow(1)  # too late
    assert sum(taken) == 9_000
    tokenize = "13a" if make is made_lines else None
    assert np.array(rows).reshape(-1, 10).tolist() == (
        np.asarray(count(*data, tokenize=tokenize)).tolist()
    )


def test_rounds_of_short_segments_are_counted_to_their_ends():
    """Only those of short segments end at their greatest length."""
    data = [["a", "b", "c", "d"]] * 20_000, [[["a", "b", "x", "c", "d"]]] * 20_000
    for threads in THREADS:
        assert BLEU(None, threads=threads).sums(*data).tolist() == BLEU(None).sums(*data).tolist()

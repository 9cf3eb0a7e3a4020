"""Lists that several threads read together give the rows and errors of one thread."""

import functools

import pytest
from generators import Collider, raises, seeded, segments

from fastbleu import BLEU, count
from fastbleu.counting._rounds import Rounds
from fastbleu.counting.counter import Counter
from fastbleu.inputs.batch import Batch
from fastbleu.tokenizers.loaded import get_tokenizer

pytestmark = [
    pytest.mark.filterwarnings("ignore::fastbleu.InputWarning"),
    pytest.mark.skipif(not Rounds.possible, reason="without a GIL each thread reads alone"),
]
THREADS = [2, 3, 8]


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
    tokens = [Collider(number) for number in range(9)]
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


@pytest.mark.parametrize(("max_order", "keep_rows"), [(1, True), (4, False), (70, True)])
def test_totals_that_are_raised(max_order, keep_rows):
    batch = Batch(*corpus(5_000))
    one, three = (
        Counter(None, False, max_order, threads, least_total=1).count(batch, keep_rows=keep_rows)
        for threads in (1, 3)
    )
    assert one.stats == three.stats
    assert one.nrefs == three.nrefs == -1


@pytest.mark.parametrize("place", [0, 8_191, 8_192, 19_999])
def test_the_first_error_is_raised(place):
    hypotheses, references = corpus()
    references[place] = [["a"], ["b", {}]]
    hypotheses[-1] = [{}]
    what = "the hypothesis" if place == len(hypotheses) - 1 else "references"
    raises(TypeError, f"segment {place}: {what}", count, hypotheses, references, threads=4)


def test_lists_that_user_code_shortens():
    hypotheses, references = corpus()

    class Shortening(Collider):
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


def test_lines_by_any_instruction_set(simd):
    for data, tokenize in ((made_lines(5_000), "13a"), (corpus(3_000), None)):
        one = count(*data, tokenize=tokenize)
        assert count(*data, tokenize=tokenize, threads=2) == one


def test_references_that_are_missing():
    hypotheses, references = made_lines(5_000)
    missing = [[None, *its, None] if type(its) is list else its for its in references]
    counters = [
        Counter(get_tokenizer("13a"), threads=threads, skip_none=True) for threads in (1, 2)
    ]
    counted = [counter.count(Batch(hypotheses, missing)) for counter in counters]
    assert counted[0].stats == counted[1].stats
    assert counted[0].stats == count(hypotheses, references, tokenize="13a")


@pytest.mark.parametrize(("place", "wrong"), [(0, 7), (4_999, []), (4_999, ["a", None])])
def test_the_first_wrong_line_is_named(place, wrong):
    hypotheses, references = ([*its] for its in made_lines(5_000))
    references[place] = wrong
    with pytest.raises((TypeError, ValueError), match=f"segment {place}"):
        count(hypotheses, references, tokenize="13a", threads=2)


def test_mostly_long_lines_are_counted_in_turns():
    data = [" ".join(map(str, range(size))) for size in range(1_000, 2_100)], ["1 2 3 4"] * 1_100
    assert count(*data, tokenize="13a", threads=2) == count(*data, tokenize="13a")


def test_rounds_of_short_segments_are_counted_to_their_ends():
    """Only those of short segments end at their greatest length."""
    data = [["a", "b", "c", "d"]] * 20_000, [[["a", "b", "x", "c", "d"]]] * 20_000
    for threads in THREADS:
        assert BLEU(None, threads=threads).sums(*data).tolist() == BLEU(None).sums(*data).tolist()

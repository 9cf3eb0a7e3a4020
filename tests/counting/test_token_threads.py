"""Lists of tokens that several threads read together give the rows and errors of one thread."""

import functools

import numpy as np
import pytest
from generators import seeded, segments

from fastbleu import BLEU, count
from fastbleu._core import SegmentCounter, zero_rows
from fastbleu.counting._batch import TokenRounds, count_batch
from fastbleu.counting._tokens import TokenPacker
from fastbleu.counting.batch import CountOptions
from fastbleu.inputs.segments import TokenChecks

pytestmark = [
    pytest.mark.filterwarnings("ignore::fastbleu.InputWarning"),
    pytest.mark.skipif(not TokenRounds.possible, reason="without a GIL each thread reads alone"),
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


@pytest.mark.parametrize("threads", THREADS)
def test_rows_and_sums(threads):
    data = corpus()
    assert count(*data, threads=threads) == count(*data)
    one, several = BLEU(None), BLEU(None, threads=threads)
    assert several.score(*data) == one.score(*data)
    assert (np.asarray(several.sums(*data)) == np.asarray(one.sums(*data))).all()


@pytest.mark.parametrize("max_order", [1, 4, 70])
@pytest.mark.parametrize("keep_rows", [True, False])
def test_totals_that_are_raised(max_order, keep_rows):
    data = corpus(5_000)
    counted = [
        count_batch(
            *data,
            CountOptions(None, False, max_order, threads, raise_totals=True),
            keep_rows=keep_rows,
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
    with pytest.raises(TypeError, match=f"segment {place}: {what}"):
        count(hypotheses, references, threads=4)


def test_lists_that_user_code_shortens():
    hypotheses, references = corpus()

    class Shortening(Token):
        def __hash__(self):
            del hypotheses[9_000:], references[9_000:]
            return 1

    hypotheses[8_500] = [Shortening(1)]
    with pytest.raises(ValueError, match="20000 segments became 9000"):
        count(hypotheses, references, threads=2)


def test_rounds_without_others():
    data = corpus(9_000)
    rows = zero_rows(9_000, 4)
    rounds = TokenRounds(*data, rows, 4, True, False, 0)
    worker = TokenPacker(TokenChecks()), SegmentCounter(4)
    taken = []
    while read := rounds.lead(*worker):
        taken.append(read)
    rounds.end()
    rounds.follow(TokenPacker(TokenChecks()), SegmentCounter(4))  # too late
    assert sum(taken) == 9_000
    assert np.array(rows).reshape(-1, 10).tolist() == np.asarray(count(*data)).tolist()

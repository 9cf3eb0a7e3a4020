"""A metric's state: exact int64 counts, whatever their size, and enough for the score."""

import numpy as np
import oracle
import pytest
from generators import raises, seeded
from sacrebleu.metrics import BLEU as PEER

from fastbleu import BLEU

MOST = 2**63 - 1


@pytest.mark.parametrize("column", range(10))
def test_a_sum_beyond_int64_is_refused_and_changes_nothing(column):
    state = [0] * 10
    state[column] = state[6 + (column - 2) % 4] = MOST - 3  # matches lie below their totals
    if column in (0, 1):
        state[6:] = [0] * 4
        state[column] = MOST - 3
    hypotheses, references = ["a b c d e f g"] * 3, ["a b c d e f g h"] * 3
    metric = BLEU.from_state(state)
    other = BLEU()
    other.update(hypotheses, references)
    for add, arguments in (
        (metric.update, (hypotheses, references)), (metric.merge, (other,)),
        (metric.merge, (metric,)),
    ):  # fmt: skip
        raises(OverflowError, "int64", add, *arguments)
        assert metric.state.tolist() == state


def test_the_last_number_of_int64_is_reached():
    metric = BLEU.from_state([MOST - 1, 0, 0, 0], max_order=1)
    metric.update(["a"], [""])
    assert metric.state.tolist() == [MOST, 0, 0, 1]


def big_counts(rng, low, high):
    """A row of numbers that doubles cannot hold, as sacreBLEU would sum it up."""
    hyp_len = rng.randint(low, high)
    totals = [hyp_len - rng.randint(0, 9) - order for order in range(4)]
    matches = [rng.randint(1, total) for total in totals]
    return [hyp_len, rng.randint(low, high), *matches, *totals]


@pytest.mark.parametrize("low", [2**53 - 20, 2**53 + 1, 2**60])
@pytest.mark.parametrize("smoothing", ["exp", "floor", "add-k", "none"])
def test_scores_of_counts_that_no_double_holds_are_sacrebleus(smoothing, low):
    rng = seeded("beyond 2**53", smoothing, low)
    for number in range(200):
        state = big_counts(rng, low, 2 * low)
        if number % 5 == 0:
            state[5] = 0
        score = BLEU.from_state(state, smoothing=smoothing).compute()
        expected = PEER.compute_bleu(state[2:6], state[6:], *state[:2], smoothing)
        assert score.value == expected.score, state
        assert score.bp == expected.bp, state
        assert (score.hyp_len, score.ref_len, score.matches, score.totals) == (
            state[0], state[1], tuple(state[2:6]), tuple(state[6:])
        )  # fmt: skip
        assert score.precisions == tuple(map(int.__truediv__, state[2:6], state[6:])), state


@pytest.mark.parametrize(("smoothing", "method"), [("none", 0), ("add-k", 2), ("method4", 4)])
def test_scores_of_counts_that_no_double_holds_are_nltks(smoothing, method):
    rng = seeded("nltk beyond 2**53", smoothing)
    for _ in range(200):
        state = big_counts(rng, 2**53, 2**61)
        score = BLEU.from_state(state, smoothing=smoothing, dialect="nltk").compute()
        assert score.value == oracle.nltk_score([state], (0.25,) * 4, method), state


def test_counts_beyond_2_to_53_are_summed_exactly():
    odd = [2**53 + 1, 2**53 + 3, 2**53 - 1, 1, 1, 1, 2**53 + 1, 1, 1, 1]
    metric = BLEU.from_state(odd)
    metric.update(["a"], ["a"])
    one = [1, 1, 1, 0, 0, 0, 1, 0, 0, 0]
    assert metric.state.tolist() == list(map(int.__add__, odd, one))
    metric.merge(BLEU.from_state(odd))
    assert metric.state[0] == 2 * (2**53 + 1) + 1
    assert metric.compute().hyp_len == 2**54 + 3


# --- states


def test_a_state_is_a_copy():
    metric = BLEU()
    metric.update(["The cat sat on the mat."], ["The cat sat on a mat."])
    score = metric.compute()
    state = metric.state
    state[:] = 99
    assert metric.state[0] == 7
    given = metric.state
    again = BLEU.from_state(given)
    given[:] = 0
    assert again.compute().value == score.value


KINDS_OF_STATES = {
    "list": list,
    "tuple": tuple,
    "int64": np.array,
    "uint8": lambda counts: np.array(counts, np.uint8),
    "big-endian": lambda counts: np.array(counts, ">i4"),
    "every second": lambda counts: np.repeat(counts, 2)[::2],
}


@pytest.mark.parametrize("make", KINDS_OF_STATES.values(), ids=KINDS_OF_STATES)
def test_states_of_any_integers(make):
    counts = [5, 6, 4, 3, 2, 1, 5, 4, 3, 2]
    assert BLEU.from_state(make(counts)).state.tolist() == counts


@pytest.mark.parametrize(
    ("state", "parameters", "error", "words"),
    [
        ([1, 1, 1, 1], {}, ValueError, r"\(4,\).*10"),
        (np.ones(10, int), {"max_order": 2}, ValueError, r"\(10,\).*6"),
        (np.ones((1, 10), int), {}, ValueError, r"\(1, 10\)"),
        (np.int64(3), {}, ValueError, r"\(\)"),
        ([], {}, ValueError, r"\(0,\)"),
        (np.ones(10), {}, TypeError, "float64"),
        ([1.0] * 10, {}, TypeError, "float"),
        (["1"] * 10, {}, TypeError, "integers"),
        (None, {}, ValueError, r"the state has the shape \(\)"),
        ([5, 5, 4, 3, 2, -1, 5, 4, 3, 2], {}, ValueError, "-1"),
        ([5, 5, 6, 3, 2, 1, 5, 4, 3, 2], {}, ValueError, "6.*5"),
        ([5, 5, 4, 3, 2, 3, 5, 4, 3, 2], {}, ValueError, "3.*2"),
        ([2**63, *[0] * 9], {}, OverflowError, "a number that does not fit into int64"),
        (np.array([2**63, *[0] * 9], "u8"), {}, OverflowError, f"{2**63}, which does not fit"),
        ([2**70, *[0] * 9], {}, OverflowError, "a number that does not fit into int64"),
        ([1] * 10, {"smoothing": "exq"}, ValueError, "'exq' is unknown"),
    ],
)
def test_what_is_no_state_is_refused(state, parameters, error, words):
    raises(error, words, BLEU.from_state, state, **parameters)

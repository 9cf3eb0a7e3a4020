"""Streaming: however segments are added to a metric, it gives the Score of a single call.

Segments are drawn as words and rendered as text, as lists of tokens or as arrays of ids. Signal
handlers and finalizers may use a metric while it is used.
"""

import copy
import gc
import pickle
import signal

import numpy as np
import pytest
from generators import IGNORED_OF_RANDOM, raises, rounds, seeded, words
from metrics import from_state

from fastbleu import BLEU

pytestmark = [pytest.mark.pythons, *map(pytest.mark.filterwarnings, IGNORED_OF_RANDOM)]

VOCABULARY = ["a", "b", "The", "cat.", "-100", "'s"]
ID = {word: number for number, word in enumerate(VOCABULARY, 3)}
PAD, STOP, SKIP = -100, 1, 2


def random_corpus(rng):
    """Up to nine segments, each a hypothesis and up to three references; lists of words."""

    def sentence():
        return rng.choices(VOCABULARY, k=rng.randint(0, 8))

    return [
        (sentence(), [sentence() for _ in range(rng.randint(1, 3))])
        for _ in range(rng.randint(1, 9))
    ]


def as_text(corpus):
    """Lines; one reference may stand without its list."""
    references = [[" ".join(r) for r in its] for _, its in corpus]
    references = [its[0] if len(its) == 1 and its[0][:1] == "a" else its for its in references]
    return [" ".join(hypothesis) for hypothesis, _ in corpus], references


def as_tokens(corpus):
    return [hypothesis for hypothesis, _ in corpus], [references for _, references in corpus]


def as_ids(corpus):
    """Padded arrays: a skipped id in front, some rows stopped and some only padded."""
    most = max((len(references) for _, references in corpus), default=1)
    hypotheses = np.full((len(corpus), 12), PAD, np.int32)
    references = np.full((len(corpus), most, 12), PAD, np.int16)
    for i, (hypothesis, its) in enumerate(corpus):
        for row, tokens in [(hypotheses[i], hypothesis), *zip(references[i], its, strict=False)]:
            row[: len(tokens) + 2] = [SKIP, *(ID[token] for token in tokens), STOP]
            row[len(tokens) + 2 :] = ID["a"] if len(tokens) % 2 else PAD
    return hypotheses, references


IDS = {"tokenize": False, "ignore_ids": (PAD, 99), "stop_ids": STOP, "skip_ids": (SKIP,)}
METRICS = {
    "text": (as_text, {}),
    "lower text": (
        as_text,
        {"tokenize": "intl", "lowercase": True, "smooth_method": "floor", "effective_order": True},
    ),
    "text by a function": (
        as_text,
        {"tokenize": words, "max_ngram_order": 2, "smooth_method": "none"},
    ),
    "weighted text": (
        as_text,
        {
            "max_ngram_order": 3,
            "weights": (0.5, 0.2, 0.3),
            "smooth_method": "add-k",
            "smooth_value": 2,
        },
    ),
    "text by nltk": (as_text, {"tokenize": "none", "dialect": "nltk", "smooth_method": "exp"}),
    "tokens": (as_tokens, {"tokenize": False, "reference_length": "shortest", "threads": 2}),
    "tokens by nltk": (
        as_tokens,
        {"tokenize": False, "dialect": "nltk", "smooth_method": "method4"},
    ),
    "ids": (as_ids, {**IDS, "reference_length": "first"}),
    "ids by nltk": (as_ids, {**IDS, "dialect": "nltk", "smooth_method": "floor"}),
}


def restored(rng, metric):
    """The metric itself, or what a program finds after it was stored in one way or another."""

    def pickled(metric):
        return pickle.loads(pickle.dumps(metric, rng.randint(2, 5)))

    return rng.choice([lambda metric: metric, pickled, copy.deepcopy, copy.copy])(metric)


@pytest.mark.parametrize("name", METRICS)
def test_any_batches_merged_by_any_tree_give_what_one_call_gives(name):
    for number in range(rounds(30)):
        check_batches(seeded("batches", name, number), *METRICS[name])


def check_batches(rng, render, parameters):
    corpus = random_corpus(rng)
    # Metrics, and the segments that are in them.
    parts = [(BLEU(**parameters, keep_stats=True), []) for _ in range(rng.randint(1, 4))]
    for metric, _ in parts:
        metric.update(*render(corpus))
        assert metric.reset() is None
        assert metric == BLEU(**parameters, keep_stats=True)
        raises(ValueError, "nothing was added since the start", metric.compute)
        metric.update(*render([]))  # no segments are still nothing
        raises(ValueError, "nothing was added since the start", metric.compute)
    left = rng.sample(corpus, len(corpus))
    while left:
        size, place = rng.randint(1, len(left)), rng.randrange(len(parts))
        metric, segments = parts[place]
        metric.update(*render(left[:size]))
        metric.update(*render([]))
        parts[place] = restored(rng, metric), segments + left[:size]
        left = left[size:]
    while len(parts) > 1:
        (into, first), (other, second) = (parts.pop(rng.randrange(len(parts))) for _ in range(2))
        before = other.state
        into.merge(other)
        assert (other.state == before).all()
        parts.append((restored(rng, into), first + second))
    [(metric, segments)] = parts
    sides = render(segments)
    expected, rows = BLEU(**parameters).score(*sides), BLEU(**parameters).count(*sides)
    for _ in range(2):
        assert metric.score(*sides) == metric.compute() == expected, "only update adds"
        assert metric.stats == rows
    scores = metric.sentence_scores(metric.stats)
    assert (scores.dtype, scores.shape) == (np.float64, (len(corpus),))
    assert scores.tolist() == metric.sentence_scores(*sides).tolist()
    check_state(metric, expected, np.asarray(rows).copy(), parameters)
    metric.merge(metric)
    assert metric.compute() == BLEU(**parameters).score(*render(segments * 2))
    assert len(metric.stats) == 2 * len(corpus)


def check_state(metric, score, rows, parameters):
    """It is the sum of the rows as the dialect adapts them, and enough for the score."""
    if parameters.get("dialect") == "nltk":
        totals = rows[:, 2 + metric.max_ngram_order :]
        totals[:] = np.maximum(totals, 1)
    state = metric.state
    assert (state.dtype, state.shape) == (np.int64, (2 + 2 * metric.max_ngram_order,))
    assert state.tolist() == rows.sum(0).tolist()
    again = from_state(state.tolist(), **parameters)
    assert (again.state == state).all()
    fields = [field for field in score.signature.split("|") if not field.startswith("nrefs:")]
    assert again.compute() == score.__replace__(signature="|".join(fields))
    again.merge(again)
    assert (again.state == 2 * state).all()


def test_of_a_state_the_number_of_references_is_not_known():
    metric = BLEU()
    metric.update(["a b c d"], ["a b c d"])
    again = from_state(metric.state)
    again.update(["a b c d"], ["a b c d"])
    assert "nrefs" not in again.compute().signature
    metric.merge(again)
    assert "nrefs" not in metric.compute().signature
    metric.reset()
    metric.update(["a b c d"], ["a b c d"])
    assert metric.compute().signature.startswith("nrefs:1|")


TEXT = ["the cat sat on the mat"], ["the cat sat on a mat"]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs timers")
def test_a_signal_handler_may_update_and_read():
    metric, handled = BLEU(), []

    def handle(*_):
        metric.update(*TEXT)
        handled.append(metric.state[0])
        # Not by an interval: a handler within a handler would note its sum before the outer one's.
        if len(handled) < 100:
            signal.setitimer(signal.ITIMER_REAL, 0.0005)

    before = signal.signal(signal.SIGALRM, handle)
    signal.setitimer(signal.ITIMER_REAL, 0.0005)
    updates = 0
    try:
        while len(handled) < 100:
            metric.update(*TEXT)
            metric.compute()
            updates += 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert metric.state[0] == 6 * (updates + len(handled))
    assert handled == sorted(handled)


class Run:
    """What logs its last result when it is collected, as experiment trackers do."""

    def __init__(self, metric, closed):
        self.metric, self.closed, self.itself = metric, closed, self

    def __del__(self):
        self.metric.update(*TEXT)
        self.closed.append(self.metric.compute().hyp_len)


def test_a_finalizer_may_update_and_read():
    metric, closed = BLEU(keep_stats=True), []
    for number in range(2000):
        Run(metric, closed)
        metric.update(*TEXT)
        before = len(closed)
        updates = len(metric.stats) - (number + 1)
        assert before <= updates <= len(closed)  # the collector may run at any time
    gc.collect()
    assert len(closed) == 2000
    assert metric.state[0] == 6 * 4000

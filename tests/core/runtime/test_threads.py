"""Threads are kept between calls, stop together, and may change what others use.

That they share what they call is tested by tests/trust/test_threads.py, for every entry point.

What is called a race went wrong without the GIL: the trust gate runs this file on such a CPython,
too, with neither nltk nor conftest.py (tests/trust/test_free_threading.py).
"""

import threading
import time
from functools import partial

import numpy as np
import pytest
from hostile import ENTRIES, clean
from metrics import count
from processes import HANGS, python
from threads import again_and_again, at_once

import fastbleu.sacrebleu
from fastbleu import BLEU
from fastbleu.core.runtime.caching import cached_property
from fastbleu.core.runtime.threads import pop_until_empty, run_on_threads

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
THREADS = 8
TEXTS = [" ".join(f"w{n * k % 97}" for k in range(12)) for n in range(2000)]
OTHERS = TEXTS[1:] + TEXTS[:1]


def test_later_calls_use_the_same_threads():
    metric, expected = BLEU(threads=3), BLEU().count(TEXTS, OTHERS)
    before = threading.active_count()
    for _ in range(20):
        assert metric.count(TEXTS, OTHERS) == expected
    # Two, or some more where one of them is not free again when the next call begins.
    assert threading.active_count() <= before + 10


class Worker:
    def __init__(self, name):
        self.name, self.cancelled = name, False


@pytest.mark.parametrize("number", [2, 3])
@pytest.mark.parametrize("failing", ["first", "second"])
@pytest.mark.parametrize("error", [ValueError("it failed"), MemoryError()])
def test_an_error_cancels_all_workers_and_is_raised(failing, error, number):
    workers = [Worker("first"), Worker("second"), Worker("third")][:number]
    begun, stop = threading.Barrier(number, timeout=60), time.monotonic() + 30

    def work(worker):
        begun.wait()
        if worker.name == failing:
            raise error
        while not worker.cancelled and time.monotonic() < stop:
            time.sleep(0.001)

    with pytest.raises(type(error)) as caught:
        run_on_threads(work, workers)
    assert caught.value is error
    assert all(worker.cancelled for worker in workers)
    assert time.monotonic() < stop


def test_an_error_while_others_are_cancelled_ends_the_call():
    # As where there is no memory to cancel them.
    problems = [MemoryError()]

    class NotCancelled:
        def __setattr__(self, name, value):
            if problems:
                raise problems.pop()

    workers = [NotCancelled(), NotCancelled()]

    def work(worker):
        if worker is workers[1]:
            raise ValueError("it failed")

    def run(_):
        with pytest.raises(ValueError, match="it failed"):
            run_on_threads(work, workers)

    at_once(run, 1)  # which fails if it hangs


AT_EXIT = """
import atexit, sys, threading, time
def show_threads():
    print([thread.name for thread in threading.enumerate() if thread.name == "fastbleu"])
atexit.register(show_threads)  # called after what is registered later
from fastbleu import BLEU
texts = [f"a b c d {n} e f" for n in range(5000)]
BLEU(threads=3).score(texts, texts)
time.sleep(0.2)
show_threads()
sys.setswitchinterval(9)  # threads that are told to end do not come to it by themselves
"""


def test_threads_have_ended_at_exit():
    assert python("-W", "ignore", "-c", AT_EXIT) == "['fastbleu', 'fastbleu']\n[]\n"


def test_other_threads_go_on_while_a_call_counts():
    ids = np.random.default_rng(0).integers(0, 30_000, (3000, 1000))
    metric, ticks, done = BLEU(tokenize=False), 0, threading.Event()

    def score():
        metric.score(ids, ids[:, None])
        done.set()

    worker = threading.Thread(target=score)
    worker.start()
    while not done.is_set():
        ticks += 1
        time.sleep(0.001)
    worker.join()
    assert ticks > 5, "other threads stood still"


# One metric that several threads change.


@pytest.fixture
def impatient():
    """Threads that let others go first at every call and return."""
    threading.setprofile(lambda *event: time.sleep(0))
    yield
    threading.setprofile(None)


def used(**options):
    metric = BLEU(tokenize=False, max_ngram_order=1, **options)
    metric.update([["a"]], [[["a"]]])
    return metric


@pytest.mark.usefixtures("impatient")
def test_threads_that_update_one_metric_lose_nothing():
    metric, part = BLEU(tokenize=False, max_ngram_order=1, keep_stats=True), used(keep_stats=True)

    def work(_):
        for _ in range(40):
            metric.update([["a"]], [[["a"]]])
            metric.merge(part)
            assert metric.state[0] > 0

    at_once(work, 4)
    assert metric.state.tolist() == [320] * 4
    assert np.asarray(metric.stats).sum(0).tolist() == [320] * 4


@pytest.mark.usefixtures("impatient")
def test_metrics_that_merge_each_other_do_not_wait_for_each_other():
    for _ in range(20):
        one, two = used(), used()
        merges = partial(one.merge, two), partial(two.merge, one)
        at_once(lambda number, merges=merges: merges[number](), 2)
        assert sorted([int(one.state[0]), int(two.state[0])]) in ([2, 2], [2, 3])


# Input that another thread changes.


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("form", ["array", "slice", "ragged"])
def test_arrays_that_another_thread_fills(form, threads):
    """Counting may see any of the numbers, but never more of them than there is room for."""
    hypotheses = np.full((1500, 40), -100)
    references = np.full((1500, 2, 40), -100)
    views = {
        "array": (hypotheses, references),
        "slice": (hypotheses[:, ::-1], references[:, :, ::-1]),
        "ragged": (list(hypotheses), list(references)),
    }[form]

    def change():
        for value in (-100, 1, 2, 7):
            hypotheses[:], references[:] = value, value
        hypotheses[:] = np.arange(40)
        references[:] = np.arange(40)[::-1]

    metric = BLEU(tokenize=False, threads=threads, ignore_ids=(-100,), stop_ids=1, skip_ids=(2,))
    with again_and_again(change):
        for _ in range(40):
            rows = np.asarray(metric.count(*views))
            assert (rows >= 0).all()
            assert (rows <= 40).all()
            assert (rows[:, 2:6] <= rows[:, 6:]).all()


def test_lists_that_another_thread_changes():
    hypothesis, references = ["a", "b"] * 40, [["b", "a"] * 40, ["c"] * 10]

    def change():
        hypothesis.append("c")
        references[0].clear()
        references.append(["x" * 20])
        del hypothesis[50:], references[3:]
        references[0].extend("ab" * 30)

    with again_and_again(change):
        for _ in range(100):
            for entry in ENTRIES:
                clean(entry, hypothesis, references)


def test_race_lists_whose_items_another_thread_frees():
    hypothesis, reference = ([f"token number {n}" for n in range(2000)] for _ in range(2))
    hypotheses, references = [hypothesis] * 4, [[reference]] * 4
    expected = count(hypotheses, references).sum()

    def change():
        for some in (hypothesis, reference):
            some[:] = ["".join([*token]) for token in some]

    def work(_):
        for _ in range(30):
            assert count(hypotheses, references).sum() == expected
            fastbleu.sentence_bleu(references[0], hypothesis)

    with again_and_again(change):
        at_once(work, 2)


def test_race_lists_that_became_empty_after_a_look_at_whether_they_are():
    class Emptied(list):  # stands for a list that another thread empties
        def __bool__(self):
            return True

        def __len__(self):
            return 1

    with pytest.raises(IndexError, match="references is empty: there is nothing to score"):
        fastbleu.sacrebleu.corpus_bleu(["a"], Emptied())


def test_race_an_iterator_that_gave_one_item_to_several_threads():
    left, taken = [*range(20_000)], [[] for _ in range(THREADS)]
    at_once(lambda number: taken[number].extend(pop_until_empty(left)))
    assert sorted(item for items in taken for item in items) == [*range(20_000)]


FIRST_USE = """
import sys
from threads import at_once
sys.setswitchinterval(1e-6)
import fastbleu
found = []
def work(_):
    tokenize = fastbleu.tokenizers.tokenize
    found.append([tokenize("a,b 1.5 \u4e2d", name) for name in ("intl", "zh", "13a")])
at_once(work)
assert len(found) == 8 and all(one == found[0] for one in found), found
"""


def test_race_tables_of_a_tokenizer_that_were_read_while_they_were_built():
    python("-c", FIRST_USE)


def test_a_property_that_a_thread_computes_is_not_locked():
    """A child that is forked meanwhile would wait for the lock forever."""
    started, may_end = threading.Event(), threading.Event()

    class Object:
        @cached_property
        def value(self):
            if not started.is_set():
                started.set()
                may_end.wait(HANGS)
            return object()

    kept, values = Object(), []
    thread = threading.Thread(target=lambda: values.append(kept.value))
    thread.start()
    started.wait(HANGS)
    values.append(kept.value)
    assert len(values) == 1, "the other thread still computes"
    may_end.set()
    thread.join()
    assert values[0] is values[1] is kept.value

"""Threads are kept between calls, and stop together."""

import os
import threading
import time

import numpy as np
import pytest
from commands import python
from first_call_fork import CALLS
from generators import raises, seeded, segments
from random_texts import batch, random_corpus
from threads import at_once

import fastbleu.sacrebleu
from fastbleu import BLEU, count, tokenize
from fastbleu.matrix import PairIndex, ReferenceIndex
from fastbleu.runtime import threads
from fastbleu.runtime.threads import run_on_threads

TEXTS = [" ".join(f"w{n * k % 97}" for k in range(12)) for n in range(4000)]
OTHERS = TEXTS[1:] + TEXTS[:1]

IN_A_CHILD = """
import os, sys
from fastbleu import BLEU
texts = [f"a b c d {n} e f" for n in range(5000)]
metric = BLEU(threads=2)
score = metric.score(texts, texts[::-1]).value
child = os.fork()
if child == 0:
    os._exit(0 if metric.score(texts, texts[::-1]).value == score else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.skipif(
    "FASTBLEU_SANITIZED" in os.environ,
    reason="a forked child inherits the locks of AddressSanitizer's allocator",
)
@pytest.mark.parametrize("delay", [0.001, 0.01])
@pytest.mark.parametrize("name", sorted(CALLS))
def test_a_child_that_is_forked_while_another_thread_imports_does_not_hang(name, delay):
    python("-m", "first_call_fork", name, delay)


class Worker:
    def __init__(self, name: str) -> None:
        self.name = name
        self.cancelled = False


def test_later_calls_use_the_same_threads():
    metric, expected = BLEU(threads=3), np.asarray(BLEU().statistics(TEXTS, OTHERS))
    before = threading.active_count()
    for _ in range(20):
        np.testing.assert_array_equal(np.asarray(metric.statistics(TEXTS, OTHERS)), expected)
    # Two, or some more where one of them is not free again when the next call begins.
    assert threading.active_count() <= before + 10


@pytest.mark.parametrize("failing", ["first", "second"])
def test_an_error_cancels_all_workers_and_is_raised(failing):
    workers = [Worker("first"), Worker("second"), Worker("third")]
    begun = threading.Barrier(3, timeout=60)

    def work(worker: Worker) -> None:
        begun.wait()
        if worker.name == failing:
            raise ValueError(f"the {failing} worker failed")
        while not worker.cancelled:
            time.sleep(0.001)

    raises(ValueError, f"the {failing} worker failed", run_on_threads, work, workers)
    assert all(worker.cancelled for worker in workers)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_makes_threads_of_its_own():
    assert python("-W", "ignore", "-c", IN_A_CHILD) == "0\n"


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


CORPUS = random_corpus(seeded("shared"), 1200)
LINES = batch("threads", 400)
TOKENS = {kind: segments(seeded("callers", kind), 400, kind) for kind in ("words", "colliders")}
METRIC, KEPT = BLEU(threads=2), fastbleu.sacrebleu.BLEU(references=[OTHERS[:99]])
PAIRS = [(text, [other]) for text, other in zip(TEXTS[:99], OTHERS, strict=False)]
INDICES = [ReferenceIndex(TEXTS[:500], threads=threads) for threads in (1, 2)]
PAIR_INDEX = PairIndex(TEXTS[:300], threads=2)
IDS = np.random.default_rng(5).integers(50, size=(40, 300))
SHARED = {
    "a metric": lambda: METRIC.score(*CORPUS),
    "sacreBLEU's functions": lambda: [
        fastbleu.sacrebleu.sentence_bleu(*one).score for one in PAIRS
    ],
    "sacreBLEU's metric": lambda: str(KEPT.corpus_score(TEXTS[:99], None)),
    "an index": lambda: INDICES[0].statistics(TEXTS),
    "an index with threads": lambda: INDICES[1].score(TEXTS),
    "pairs with threads": lambda: PAIR_INDEX.nearest(TEXTS[:50], 3)[1].tolist(),
    "prefixes": lambda: BLEU(None).prefix_scores(IDS, IDS[::-1]).tolist(),
    "text": lambda: count(*CORPUS, tokenize="13a"),
    "tokens": lambda: count(*TOKENS["words"]),
    "tokens in threads": lambda: count(*TOKENS["colliders"], threads=2),
    **{
        f"tokenize, {name}": lambda name=name: [tokenize(text, name) for text in LINES]
        for name in ("none", "13a", "zh", "intl", "char")
    },
}


@pytest.mark.filterwarnings("ignore:.*hypotheses have fewer than")
@pytest.mark.parametrize("what", SHARED)
def test_threads_share_what_they_call(what):
    call = SHARED[what]
    expected = call()

    def work(_):
        for _ in range(5):
            assert call() == expected

    at_once(work, 6)


def test_an_error_that_only_the_thread_meets_ends_its_task():
    # As where there is no memory to call the function that would keep the error.
    error = MemoryError()

    def fail(worker):
        raise error

    task, errors = threads._Task(fail, None), []
    threads._kept_thread().begin(task)
    threads._wait_for([task], errors)
    assert errors == [error]

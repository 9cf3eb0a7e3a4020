"""Nothing is kept or copied that is not needed, and no freed memory is read.

That calls keep no memory is tested by tests/trust/test_memory.py, for every entry point and error;
the k-th allocation fails in tests/trust/test_allocation.py.
"""

import os
import tracemalloc

import numpy as np
import pytest
from commands import python
from hostile import resident_kilobytes

import fastbleu
from fastbleu import BLEU

FINALIZERS = """
import gc, sys
import fastbleu

words = [f"word{n}" for n in range(1000)]
change, calls = sys.argv[1:3]

class Finalized:  # dies in each collection and is born again; one of its deaths changes the lists
    deaths, last_death = 0, 0

    def __del__(self):
        Finalized.deaths += 1
        if Finalized.deaths == Finalized.last_death:
            exec(change)
        if Finalized.deaths < Finalized.last_death:
            made = Finalized()
            made.itself = made

for Finalized.last_death in range(1, 16):
    for call in calls.split(";"):
        hypothesis, references = words * 300, [words * 290 for _ in range(3)]
        Finalized.deaths = 0
        made = Finalized()
        made.itself = made
        del made
        gc.set_threshold(1, 1, 1)
        try:
            eval(call)
        except (TypeError, ValueError, IndexError):
            pass
        gc.set_threshold(700, 10, 10)
        Finalized.deaths = 100
        gc.collect()
print("alive")
"""
CALLS = (
    "metric = fastbleu.BLEU(tokenize=False); metric.count([hypothesis], [references]);"
    "fastbleu.sentence_bleu(references, hypothesis)"
)


@pytest.mark.long
@pytest.mark.parametrize(
    "change",
    [
        *("references[-1].clear()", "references.extend([words] * 50)", "references[:] = [7]"),
        *("hypothesis.extend(words * 200)", "hypothesis.clear()"),
    ],
)
def test_garbage_collection_that_changes_a_long_segment(change):
    # glibc then overwrites and unmaps what is freed, so that reading it never goes well by chance.
    strict = {"PYTHONMALLOC": "malloc", "MALLOC_PERTURB_": "170", "MALLOC_MMAP_THRESHOLD_": "65536"}
    assert python("-c", FINALIZERS, change, CALLS, **strict) == "alive\n"


def peak_of(function, *arguments):
    """The most bytes that Python had at once during a call."""
    tracemalloc.start()
    try:
        function(*arguments)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


class MadeWhileRead:
    """A corpus of a known length whose segments exist only while they are looked at."""

    def __init__(self, segments, make):
        self.segments, self.make = segments, make

    def __len__(self):
        return self.segments

    def __iter__(self):
        return (self.make(number) for number in range(self.segments))


@pytest.mark.long
def test_a_corpus_that_is_made_while_it_is_read_is_not_kept():
    tokens = [f"token {number}" for number in range(400)]
    hypotheses = MadeWhileRead(40_000, lambda n: tokens[n % 300 : n % 300 + 25])
    references = MadeWhileRead(40_000, lambda n: [tokens[n % 300 : n % 300 + 25]])
    assert peak_of(fastbleu.corpus_bleu, references, hypotheses) < 8_000_000


@pytest.mark.parametrize("dtype", ["i8", "i4", "i2"])
def test_contiguous_arrays_are_not_copied(dtype):
    ids = (np.arange(4_000_000).reshape(4000, 1000) % 30_000).astype(dtype)
    metric = BLEU(tokenize=False, ignore_ids=(-100,), stop_ids=1, skip_ids=(2,))
    metric.score(ids[:2], ids[:2])
    assert peak_of(metric.score, ids, ids) < ids.nbytes / 8


@pytest.mark.filterwarnings("ignore::fastbleu.InputWarning")
@pytest.mark.skipif(
    not os.path.exists("/proc/self/statm") or "FASTBLEU_SANITIZED" in os.environ,
    reason="the size of the process is not known, or not the library's",
)
def test_memory_for_one_long_row_is_not_kept():
    ids = np.full((1, 8_000_000), -100, "i1")
    metric = BLEU(tokenize=False, ignore_ids=(-100,), stop_ids=1, skip_ids=(2,))
    before = resident_kilobytes()
    metric.update(ids, ids)
    grown = resident_kilobytes() - before
    assert metric.state[0] == 0
    assert grown < 32_000, f"{grown} kB are kept for the next row"


ADDITIONS = """
import _testcapi
from fastbleu.integrations import evaluate
metric = evaluate.load("bleu")
texts = ["the cat", "a dog", "it sat"]
for k in range(1, 120):
    before = len(metric)
    try:
        _testcapi.set_nomemory(k, k + 1)
        try:
            metric.add_batch(predictions=texts, references=texts)
        finally:
            _testcapi.remove_mem_hooks()
    except (MemoryError, SystemError):  # the last one is CPython's own
        assert len(metric) == before, k
    assert metric.compute(predictions=texts, references=texts)["bleu"] == 0.0, k
print("done")
"""


def test_no_memory_for_an_addition_adds_neither_prediction_nor_reference():
    # evaluate's metrics have kept the predictions of a batch without its references.
    pytest.importorskip("_testcapi")
    assert python("-X", "faulthandler", "-c", ADDITIONS, noisy=True) == "done\n"

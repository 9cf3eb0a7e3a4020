"""Nothing is kept or copied that is not needed, and no freed memory is read.

That calls keep no memory is tested by tests/trust/test_memory.py, for every entry point and error;
the k-th allocation fails in tests/trust/test_allocation.py.
"""

import os
import tracemalloc

import numpy as np
import pytest
from hostile import resident_kilobytes
from processes import python

import fastbleu
from fastbleu import BLEU


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

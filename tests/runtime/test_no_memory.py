"""If an allocation fails, everything that was begun is undone.

The k-th allocation fails at every entry point, and every error, in tests/trust/test_allocation.py.
"""

import pytest
from commands import python

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

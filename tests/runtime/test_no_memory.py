"""Where there is no memory for one more thing: MemoryError, and the next call is right.

The k-th allocation fails at every entry point in tests/trust/allocation.py.
"""

import pytest
from commands import python

CHILD = """
import _testcapi, fastbleu
from fastbleu import BLEU, matrix
call = lambda: {call}
try:
    call()
except {kind} as error:
    message = str(error)
for k in range(1, 120):
    try:
        _testcapi.set_nomemory(k, k + 1)
        try:
            call()
        finally:
            _testcapi.remove_mem_hooks()
    except (MemoryError, {kind}, SystemError, RuntimeError):  # the last two are CPython's own
        pass
    try:
        call()
    except {kind} as error:
        assert str(error) == message
print("done")
"""


def assert_is_done(code):
    said = python("-X", "faulthandler", "-c", code, noisy=True)
    assert said == "done\n"


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        ("BLEU(tokenize=None, stop_id=2).score([[2**63]], [[[1]]])", "ValueError"),
        ("fastbleu.count([['a', ['b']]], [[['a']]])", "TypeError"),
        ("matrix.ReferenceIndex([['a', {}]], tokenize=None)", "TypeError"),
    ],
)
def test_no_memory_for_the_traceback_of_an_error_that_is_caught(call, kind):
    # An `except` of Cython's has crashed there.
    pytest.importorskip("_testcapi")
    assert_is_done(CHILD.format(call=call, kind=kind))


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
    assert_is_done(ADDITIONS)

"""A forked child counts like its parent, and does not hang."""

import os

import pytest
from commands import python
from first_call_fork import CALLS

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork"),
    pytest.mark.skipif(
        "FASTBLEU_SANITIZED" in os.environ,
        reason="a forked child inherits the locks of AddressSanitizer's allocator",
    ),
]


SLOW = {"identify": pytest.mark.long}


@pytest.mark.parametrize("name", [pytest.param(name, marks=SLOW.get(name, ())) for name in CALLS])
def test_a_child_that_is_forked_while_another_thread_imports_does_not_hang(name):
    python("-m", "first_call_fork", name, 0.003)


IN_A_CHILD = """
from first_call_fork import forked
from fastbleu import BLEU
texts = [f"a b c d {n} e f" for n in range(5000)]
metric = BLEU(threads=2)
score = metric.score(texts, texts[::-1]).value
print(forked(lambda: metric.score(texts, texts[::-1]).value == score))
"""


def test_a_forked_child_makes_threads_of_its_own():
    assert python("-W", "ignore", "-c", IN_A_CHILD) == "0\n"

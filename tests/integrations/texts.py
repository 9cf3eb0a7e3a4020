"""Texts, and what else the tests of the metrics for TorchMetrics and TorchEval share."""

import pytest
from commands import python

# Of random texts any may look like words in the place of texts, or turned round.
random_texts = pytest.mark.filterwarnings("ignore::fastbleu.InputWarning")

SPACES = [" ", " ", " ", " ", "  ", "\t", "\n", "\xa0", "\u2028", "\x1f"]

PREDS = ["the cat is on the mat", "a b c d e f", "", "the the the the the"]
TARGET = [
    ["there is a cat on the mat", "a cat is on the mat"],
    ["a b c d e", "a b c d e f g"],
    ["something"],
    ["the cat", "the the the dog the", ""],
]
# The parts of them that two processes have.
SHARES = {
    "unequal": [slice(0, 3), slice(3, 4)],
    "one is empty": [slice(0, 4), slice(0, 0)],
    "the first is empty": [slice(0, 0), slice(0, 4)],
    "all are empty": [slice(0, 0), slice(0, 0)],
}


def batches(rng, preds, target):
    """A corpus in parts of random sizes, some of them empty."""
    while preds:
        size = rng.randint(0, len(preds))
        yield preds[:size], target[:size]
        preds, target = preds[size:], target[size:]


IMPORTS = """
import sys, warnings
import {host}
before = set(sys.modules)
warnings.simplefilter("error")
from fastbleu.integrations.{adaptor} import *
loaded = sorted(set(sys.modules) - before)
# The last one is built into CPython before 3.12, which has no other way to tell interpreters apart.
own = ("fastbleu", "_cython", "cython_", "_xxsubinterpreters")
print([name for name in loaded if not name.startswith(own)])
print(({score}).dtype)
"""


def check_import(host, adaptor, score):
    """In a new process an adaptor loads nothing but its host, and warns of nothing."""
    program = IMPORTS.format(host=host, adaptor=adaptor, score=score)
    assert python("-W", "ignore", "-c", program) == "[]\ntorch.float64\n"

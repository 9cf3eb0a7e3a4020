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


WORDS = ["a", "b", "c", "A", "the", "cat"]
WRONG_TEXTS = [
    (["a"], [["a"], ["b"]]),
    (["a", "b"], [["a"], []]),
    (["a", None], [["a"], ["b"]]),
    (["a", "b"], [["a"], [7]]),
    (["a"], "a"),
    (["a"], None),
    (None, [["a"]]),
]
# Hypotheses and references of ids, and what they are as text.
IDS = (
    [[5, 6, 7, 8, 9, 2, 3, -100], [5, 7, 7, 1, 2, 0, 0, -100]],
    [[5, 6, 7, 8, 1, 2, -100, -100], [5, 7, 7, 3, 2, 0, 0, -100]],
)
ID_RULES = {"tokenize": None, "ignore_ids": [-100, 3], "stop_id": 2, "skip_ids": (1,)}
TEXT_OF_IDS = ["5 6 7 8 9", "5 7 7"], [["5 6 7 8"], ["5 7 7"]]


def random_text(rng, alphabet, spaces, longest):
    """A text of up to `longest` pieces of `alphabet`, half the time of few different ones."""
    if rng.random() < 0.5:
        alphabet = rng.sample(alphabet, 3)
    return "".join(
        piece + rng.choice(spaces) for piece in rng.choices(alphabet, k=rng.randint(0, longest))
    )


def corpus(rng, alphabet=WORDS, spaces=SPACES, longest=9):
    """Up to 5 texts, each with 1 to 4 references; some references are the text cut or extended."""
    preds, target = [], []
    for _ in range(rng.randint(1, 5)):
        pred = random_text(rng, alphabet, spaces, longest)
        references = [random_text(rng, alphabet, spaces, longest) for _ in range(rng.randint(0, 2))]
        cut = rng.randint(0, 3)
        words = pred.split(" ")
        others = [pred, " ".join(words[cut:]), pred + " ".join(words[:cut]), pred[cut:]]
        references += rng.sample(others, rng.randint(1, 2))
        rng.shuffle(references)
        preds.append(pred)
        target.append(references)
    return preds, target


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

"""Random texts and ids in batches, for the tests of the metrics of hosts."""

import numpy
import pytest

import fastbleu

# Of random texts any may look like words in the place of texts, or turned round.
random_texts = pytest.mark.filterwarnings("ignore::fastbleu.InputWarning")

SPACES = [" ", " ", " ", " ", "  ", "\t", "\n", "\xa0", "\u2028", "\x1f"]
WORDS = ["a", "b", "c", "A", "the", "cat"]
OF_IDS = {"tokenize": None, "ignore_ids": (0,), "stop_id": 1}


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


def id_batches(seed, batches=5):
    """Arrays of padded ids, (hypotheses, references), of different shapes."""
    rng = numpy.random.default_rng(seed)
    for _ in range(batches):
        rows, *lengths = rng.integers(6, 15, 3)
        yield tuple(rng.integers(0, 9, (rows, length)) for length in lengths)


def score_of(batches):
    """The score of BLEU of batches of ids."""
    metric = fastbleu.BLEU(**OF_IDS)
    for batch in batches:
        metric.update(*batch)
    return metric.compute().value

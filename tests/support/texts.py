"""Random texts and ids in batches, for the tests of the metrics of hosts."""

import numpy
import pytest
import sacrebleu_cases
from hosts import host
from random_texts import comparable
from random_texts import random_texts as texts_of_one_kind

import fastbleu

# Random texts may look like words in place of texts, or like transposed references.
random_texts = pytest.mark.filterwarnings("ignore::fastbleu.InputWarning")
# Keras itself reads a torch tensor with numpy.
with_keras = pytest.mark.filterwarnings(
    "ignore:__array__ implementation doesn't accept a copy keyword:DeprecationWarning"
)

OF_IDS = {"tokenize": False, "ignore_ids": (0,), "stop_ids": 1}


def corpus(rng, tokenize=False):
    """Up to 8 texts and a list of references for each; many are odd, empty or long."""
    if rng.random() < 0.5:
        texts, streams = sacrebleu_cases.corpus(rng, missing=False)
    else:
        size, most = rng.choice((1, 2, 3)), rng.choice((1, 2, 3))
        texts = comparable(texts_of_one_kind(rng, size * (most + 1)), tokenize)
        texts, *streams = (texts[k :: most + 1] for k in range(most + 1))
    return texts, [list(its[: rng.randint(1, len(its))]) for its in zip(*streams, strict=True)]


def one_or_several(references):
    """Replace each list of one text by the text."""
    return [its[0] if len(its) == 1 else its for its in references]


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


def word_tokenizer(words, unknown, **special):
    """A tokenizer of transformers that splits at spaces."""
    tokenizers, transformers = host("tokenizers"), host("transformers")
    numbers = {word: number for number, word in enumerate(words)}
    backend = tokenizers.Tokenizer(tokenizers.models.WordLevel(numbers, unk_token=unknown))
    backend.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    return transformers.PreTrainedTokenizerFast(tokenizer_object=backend, **special)


def score_of(batches):
    """BLEU's score of batches of ids."""
    metric = fastbleu.BLEU(**OF_IDS)
    for batch in batches:
        metric.update(*batch)
    return metric.compute().value

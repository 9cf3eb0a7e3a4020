"""Batches, and the native metric of them, which those for Ignite and Keras are compared with."""

import numpy
from generators import raises

import fastbleu

PAD, EOS = 0, 1
OF_IDS = {"tokenize": None, "ignore_ids": (PAD,), "stop_id": EOS}
TEXT = (["The cat sat on the mat.", "It rains."], ["The cat sat on a mat.", "It is raining."])


def id_batches(seed, batches=5):
    """Arrays of padded ids, (hypotheses, references), of different shapes."""
    rng = numpy.random.default_rng(seed)
    for _ in range(batches):
        rows, *lengths = rng.integers(6, 15, 3)
        yield tuple(rng.integers(0, 9, (rows, length)) for length in lengths)


def native(batches, **parameters):
    """The metric that has seen the batches."""
    metric = fastbleu.BLEU(**parameters)
    for batch in batches:
        metric.update(*batch)
    return metric


def check_parameters(kind):
    """A class refuses wrong parameters when a metric is made."""
    raises(ValueError, "keep_segments=True cannot be had here", kind, keep_segments=True)
    raises(TypeError, "no parameter 'ngram'; did you mean 'max_order'", kind, ngram=4)
    raises(ValueError, "smoothing 'no_smooth' is unknown", kind, smoothing="no_smooth")

"""BLEU as a metric of Keras: of the model's choices during `fit`, and of its translations.

    KERAS_BACKEND=torch python examples/keras_fit.py

`fit` shows the model the true beginning of each sentence (teacher forcing), so that this BLEU only
tells whether training makes progress. The last line is BLEU of the model's own translations.
The language is made up: the translation of a word is the word read backwards.
"""

import argparse
import random

import keras
import numpy
from keras import layers

import fastbleu
from fastbleu.integrations.keras import BLEU

PAD, BOS, EOS = 0, 1, 2
WORDS = [first + second for first in ("ba", "de", "fi", "go") for second in ("lam", "net", "sir")]


def make_sentence(rng):
    """A sentence and its translation, as lists of words."""
    words = rng.sample(WORDS, rng.randint(4, 7))
    return words, [word[::-1] for word in words]


def make_arrays(pairs):
    """Source ids, target ids, and the numbers of words: arrays of shape (sentences, length)."""
    arrays, sizes = [], []
    for side in zip(*pairs, strict=True):
        words = sorted({word for sentence in side for word in sentence})
        numbers = {word: number for number, word in enumerate(words, EOS + 1)}
        ids = numpy.full((len(side), 1 + max(map(len, side))), PAD)
        for row, sentence in zip(ids, side, strict=True):
            row[: len(sentence) + 1] = [*(numbers[word] for word in sentence), EOS]
        arrays.append(ids)
        sizes.append(EOS + 1 + len(words))
    return *arrays, *sizes


def begun(target):
    """The decoder's input: each target, moved by one behind BOS."""
    return numpy.concatenate([numpy.full((len(target), 1), BOS), target[:, :-1]], axis=1)


class Words(layers.Layer):
    """Vectors of words at their places."""

    def __init__(self, words, length, width):
        super().__init__()
        self.words, self.places = layers.Embedding(words, width), layers.Embedding(length, width)

    def call(self, ids):
        return self.words(ids) + self.places(keras.ops.arange(keras.ops.shape(ids)[1]))


def make_model(source_words, target_words, source_length, target_length, width):
    source = layers.Input((source_length,), dtype="int32")
    beginning = layers.Input((target_length,), dtype="int32")
    states = Words(source_words, source_length, width)(source)
    hidden = Words(target_words, target_length, width)(beginning)
    context = layers.MultiHeadAttention(4, width // 4)(hidden, states)
    mixed = layers.Dense(2 * width, activation="relu")(layers.Concatenate()([hidden, context]))
    return keras.Model([source, beginning], layers.Dense(target_words)(mixed))


def translate(model, source, length):
    """The most probable ids, one after the other."""
    ids = numpy.full((len(source), length + 1), PAD)
    ids[:, 0] = BOS
    for place in range(length):
        logits = model.predict_on_batch([source, ids[:, :length]])
        ids[:, place + 1] = logits[:, place].argmax(-1)
    return ids[:, 1:]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--training", type=int, default=1500, help="sentences to train on")
    parser.add_argument("--validation", type=int, default=200, help="sentences to score")
    arguments = parser.parse_args()

    keras.utils.set_random_seed(1)
    rng = random.Random(1)
    pairs = [make_sentence(rng) for _ in range(arguments.training + arguments.validation)]
    source, target, *words = make_arrays(pairs)
    split = arguments.training
    model = make_model(*words, source.shape[1], target.shape[1], 64)
    metric = fastbleu.BLEU(tokenize=False, ignore_ids=(PAD,), stop_ids=EOS)
    model.compile(
        optimizer=keras.optimizers.Adam(5e-3, clipnorm=1.0),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True, ignore_class=PAD),
        metrics=[BLEU(from_logits=True, metric=metric)],
        run_eagerly=True,  # counting n-grams is no tensor operation
    )
    model.fit(
        [source[:split], begun(target[:split])],
        target[:split],
        validation_data=([source[split:], begun(target[split:])], target[split:]),
        batch_size=25,
        epochs=arguments.epochs,
        verbose=2,
    )
    bleu = BLEU(metric=metric)
    bleu.update_state(target[split:], translate(model, source[split:], target.shape[1]))
    print(f"BLEU of translations: {float(bleu.result()):.2f}")


if __name__ == "__main__":
    main()

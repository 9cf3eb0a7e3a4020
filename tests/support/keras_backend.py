"""What test_keras.py runs for each backend: sums, scores and a model, as a program."""

import keras
import numpy
from metrics import from_state
from texts import OF_IDS

import fastbleu
from fastbleu.integrations.keras import BLEU


class Echo(keras.Model):
    """A model that returns its input."""

    def call(self, ids):
        return ids


def no_loss(y_true, y_pred):
    return keras.ops.zeros_like(y_pred[:, 0], dtype="float32")


def check(backend):
    # Counts that neither int32 nor float64 could hold.
    hypotheses, references = numpy.random.default_rng(7).integers(0, 5, (2, 9, 8))
    big = 1 << 53
    many = [big + 9, big + 3, *range(1 << 40, (1 << 40) + 4), *range(big + 7, big, -2)]
    expected = from_state(many, **OF_IDS)
    metric = BLEU(metric=fastbleu.BLEU(**OF_IDS))
    [counts] = metric.variables
    assert counts.dtype == ("int64" if backend in ("torch", "tensorflow") else "int32")
    counts.assign(expected.state.view(counts.dtype))
    expected.update(hypotheses, references)
    metric.update_state(*map(keras.ops.convert_to_tensor, (references, hypotheses)))
    state = numpy.ascontiguousarray(keras.ops.convert_to_numpy(counts.value)).view("int64")
    assert state.tolist() == expected.state.tolist()
    assert metric.score().value == expected.compute().value
    assert keras.backend.standardize_dtype(metric.result().dtype) == metric.dtype
    assert abs(float(metric.result()) - expected.compute().value) < 1e-4

    state = metric.stateless_update_state(metric.stateless_reset_state(), references, hypotheses)
    once = fastbleu.BLEU(**OF_IDS).score(hypotheses, references).value
    assert abs(float(metric.stateless_result(state)) - once) < 1e-4
    assert metric.score().value == expected.compute().value

    # In a model; the last batch is shorter.
    model, metric = Echo(), BLEU(metric=fastbleu.BLEU(**OF_IDS))
    model.compile(loss=no_loss, metrics=[metric], run_eagerly=True)
    logs = model.evaluate(hypotheses, references, batch_size=4, verbose=0, return_dict=True)
    assert abs(logs["bleu"] - once) < 1e-4, (logs, once)
    assert abs(metric.score().value - once) < 1e-12

    # torch needs no run_eagerly.
    model.compile(loss=no_loss, metrics=[BLEU(metric=fastbleu.BLEU(**OF_IDS))], run_eagerly=False)
    if backend == "torch":
        logs = model.evaluate(hypotheses, references, verbose=0, return_dict=True)
        assert logs["bleu"] == once
    elif backend != "numpy":
        refused = ""
        try:
            model.evaluate(hypotheses, references, verbose=0)
        except RuntimeError as error:
            refused = str(error)
        assert "run_eagerly=True" in refused, refused


if __name__ == "__main__":
    check(keras.backend.backend())
    print("right on", keras.backend.backend())

"""BLEU in Keras 3: in models, by itself, serialized, and on the backends that are installed."""

import importlib.util
import json
import os
import pickle
from pathlib import Path

import numpy
import pytest
import texts
from generators import SEED, raises, words
from hosts import host
from processes import TRAINS, python
from texts import OF_IDS, id_batches, score_of, with_keras

os.environ.setdefault("KERAS_BACKEND", "torch")
torch = host("torch")
keras = host("keras")

import fastbleu  # noqa: E402
from fastbleu.integrations.keras import BLEU  # noqa: E402

pytestmark = with_keras
HYPOTHESES, REFERENCES = next(id_batches(SEED))
IDS = fastbleu.BLEU(**OF_IDS)
TEXT = (["The cat sat on the mat.", "It rains."], ["The cat sat on a mat.", "It is raining."])


def test_arrays_of_text():
    hypotheses, references = TEXT
    for array in (
        numpy.array,
        lambda texts: numpy.array(texts, object),
        lambda texts: numpy.char.encode(texts, "utf-8"),
    ):
        for listed in (references, [[one, "It rained."] for one in references]):
            metric = BLEU()
            metric.update_state(array(listed), array(hypotheses))
            assert metric.score().value == fastbleu.BLEU().score(hypotheses, listed).value


def test_from_logits():
    logits = numpy.random.default_rng(SEED).normal(size=(*REFERENCES.shape, 6)).astype("float32")
    metric = BLEU(from_logits=True, metric=IDS)
    metric.update_state(REFERENCES, torch.from_numpy(logits).requires_grad_())
    assert metric.score().value == score_of([(logits.argmax(-1), REFERENCES)])
    shape = r"\(batch, length, vocabulary\), got \("
    raises(ValueError, shape, metric.update_state, REFERENCES, REFERENCES)
    raises(TypeError, r"from_logits=True$", BLEU(metric=IDS).update_state, REFERENCES, logits)
    fix = r"from_logits=True and.*tokenize=False$"
    raises(TypeError, fix, BLEU().update_state, REFERENCES, logits)
    raises(TypeError, "tokenize=False", BLEU(from_logits=True).update_state, REFERENCES, logits)


def test_weights_choose_segments():
    chosen = numpy.arange(len(HYPOTHESES)) % 3 != 0
    expected = score_of([(HYPOTHESES[chosen], REFERENCES[chosen])])
    for weights in (chosen, chosen.astype("float32"), torch.from_numpy(chosen)[:, None]):
        metric = BLEU(metric=IDS)
        metric.update_state(REFERENCES, HYPOTHESES, sample_weight=weights)
        metric.update_state(REFERENCES, HYPOTHESES, sample_weight=numpy.zeros(len(HYPOTHESES)))
        assert metric.score().value == expected > 0


def test_weights_choose_ids():
    rng = numpy.random.default_rng(SEED)
    hypotheses, references = rng.integers(0, 5, (2, 6, 9))
    mask = rng.integers(0, 2, (6, 9))
    metric = BLEU(metric=fastbleu.BLEU(tokenize=False))
    metric.update_state(references, hypotheses, sample_weight=mask.astype("float32"))
    expected = fastbleu.BLEU(tokenize=False)
    expected.update(hypotheses, references, hypothesis_mask=mask, reference_mask=mask)
    assert metric.score().value == expected.compute().value
    for wrong, shape, message in (
        (mask, hypotheses[:, 1:], r"y_pred has \(6, 8\)"),
        ([0.5] * 6, hypotheses, r"has 0\.5"),
        ([1, 0], hypotheses, r"shape \(2,\)"),
    ):
        raises(ValueError, message, metric.update_state, references, shape, sample_weight=wrong)


def test_wrong_arguments_are_refused():
    raises(TypeError, "name is a BLEU, expected a str; pass a metric as metric=", BLEU, IDS)
    for y_true, y_pred, side in (
        ("a b", ["a b"], "references is a str"),
        (numpy.array("a b"), ["a b"], "references is a str"),
        (["a b"], "a b", "hypotheses is a str"),
        (None, ["a b"], "references is a NoneType"),
    ):
        raises(TypeError, f"{side}, expected a list", BLEU().update_state, y_true, y_pred)


def test_in_code_that_torch_compiles():
    metric = BLEU(metric=IDS)

    @torch.compile(backend="eager")
    def step(y_true, y_pred):
        metric.update_state(y_true, y_pred + 0)
        return metric.result()

    result = step(torch.from_numpy(REFERENCES), torch.from_numpy(HYPOTHESES))
    assert float(result) == score_of([(HYPOTHESES, REFERENCES)])


def test_serialized_and_pickled():
    """Without the state, like all metrics of Keras."""
    for parameters in (
        OF_IDS,
        {"weights": (weight for weight in (0.7, 0.3)), "max_ngram_order": 2, "lowercase": True},
        {"tokenize": words, "smooth_method": "floor", "smooth_value": 0.2},
        {"tokenize": False, "ignore_ids": numpy.array([-100, 0]), "stop_ids": numpy.int64(1)},
        {"dialect": "fairseq", "hashed": False, "tokenize": "none"},
    ):
        native = fastbleu.BLEU(**parameters)
        metric = BLEU("validation_bleu", "float32", from_logits=True, metric=native)
        metric.from_logits = metric.from_logits and parameters is OF_IDS
        description = json.loads(json.dumps(keras.saving.serialize_keras_object(metric)))
        if "tokenize" not in parameters:
            metric.update_state(*TEXT[::-1])
        with keras.saving.custom_object_scope({"words": words}):
            copies = [keras.saving.deserialize_keras_object(description)]
            copies.append(pickle.loads(pickle.dumps(metric)))
        for copied in copies:
            assert type(copied) is BLEU
            assert copied.get_config() == metric.get_config()
            assert (copied.name, copied.dtype) == ("validation_bleu", "float32")
            assert copied._bleu == native
            if "tokenize" not in parameters:
                copied.update_state(*TEXT[::-1])
                assert copied.score() == metric.score()


LONG = pytest.param("numpy", marks=pytest.mark.long)


@pytest.mark.parametrize("backend", ["torch", LONG, "jax", "tensorflow"])
def test_on_each_backend(backend):
    """Counts are exact whatever integers a backend has; if it compiles, there is a clear error."""
    needed = "jax" if backend == "numpy" else backend  # Keras' numpy imports jax
    if importlib.util.find_spec(needed) is None:
        pytest.skip(f"{needed} is not installed")
    script = Path(texts.__file__).with_name("keras_backend.py")
    environment = {"KERAS_BACKEND": backend, "TF_CPP_MIN_LOG_LEVEL": "3"}
    said = python(script, noisy=True, seconds=TRAINS, **environment)
    assert said.split() == ["right", "on", backend]

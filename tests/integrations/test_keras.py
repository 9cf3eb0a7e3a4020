"""BLEU in Keras 3: in models, by itself, serialized, and on the backends that are installed."""

import importlib.util
import os
import pickle
from pathlib import Path

import numpy
import pytest
from batches import OF_IDS, TEXT, check_parameters, id_batches, native
from commands import TRAINS, python
from generators import SEED, raises, words
from hosts import host

os.environ.setdefault("KERAS_BACKEND", "torch")
torch = host("torch")
keras = host("keras")

from keras_backend import Echo, no_loss  # noqa: E402

import fastbleu  # noqa: E402
from fastbleu.integrations.keras import BLEU  # noqa: E402

# Keras' own reading of a torch tensor by numpy.
pytestmark = pytest.mark.filterwarnings(
    "ignore:__array__ implementation doesn't accept a copy keyword:DeprecationWarning"
)


@pytest.mark.parametrize("convert", [numpy.asarray, torch.as_tensor, keras.ops.convert_to_tensor])
def test_the_numbers_are_those_of_the_native_metric(convert):
    batches = list(id_batches(SEED))
    metric = BLEU(**OF_IDS)
    for hypotheses, references in batches:
        metric.update_state(convert(references), convert(hypotheses))
    expected = native(batches, **OF_IDS)
    assert metric.score().value == expected.compute().value
    assert keras.ops.is_tensor(metric.result())
    assert float(metric.result()) == expected.compute().value
    [variable] = metric.variables
    assert variable.dtype == "int64"
    assert variable.numpy().tolist() == expected.state.tolist()


@pytest.mark.parametrize("array", [list, numpy.array, lambda texts: numpy.array(texts, object)])
def test_text(array):
    metric = BLEU()
    hypotheses, references = TEXT
    metric.update_state(array(references), array(hypotheses))
    assert metric.score().value == fastbleu.BLEU().score(*TEXT).value
    metric.reset_state()
    metric.update_state(array([[one, "It rained."] for one in references]), array(hypotheses))
    expected = fastbleu.BLEU().score(hypotheses, [[one, "It rained."] for one in references])
    assert metric.score().value == expected.value


def test_text_in_bytes():
    metric = BLEU()
    metric.update_state(*(numpy.array([text.encode() for text in side]) for side in TEXT[::-1]))
    assert metric.score().value == fastbleu.BLEU().score(*TEXT).value


def test_from_logits():
    rng = numpy.random.default_rng(SEED)
    logits = rng.normal(size=(4, 8, 6)).astype("float32")
    references = rng.integers(0, 6, (4, 8))
    metric = BLEU(**OF_IDS, from_logits=True)
    metric.update_state(references, torch.from_numpy(logits).requires_grad_())
    expected = native([(logits.argmax(-1), references)], **OF_IDS)
    assert metric.score().value == expected.compute().value
    with pytest.raises(ValueError, match=r"\(batch, length, vocabulary\), got \(4, 8\)"):
        metric.update_state(references, references)
    raises(TypeError, r"from_logits=True$", BLEU(**OF_IDS).update_state, references, logits)
    with pytest.raises(TypeError, match=r"from_logits=True and.*tokenize=None$"):
        BLEU().update_state(references, logits)
    raises(TypeError, "pass tokenize=None", BLEU(from_logits=True).update_state, references, logits)


def test_nothing_to_compute():
    metric = BLEU(**OF_IDS)
    assert float(metric.result()) == 0  # as Keras' own metrics have it
    with pytest.raises(ValueError):
        metric.score()
    metric.update_state([[5, 6, 7, 8]], [[5, 6, 7, 8]])
    assert float(metric.result()) > 99
    metric.reset_state()
    assert float(metric.result()) == 0


def test_a_batch_that_fails_adds_nothing():
    metric = BLEU(**OF_IDS)
    hypotheses, references = next(id_batches(SEED))
    metric.update_state(references, hypotheses)
    before = metric.score()
    with pytest.raises(ValueError):
        metric.update_state(references[1:], hypotheses)
    assert metric.score() == before
    counts = numpy.full(10, 2**63 - 1)
    metric._counts.assign(counts)
    raises(OverflowError, "int64", metric.update_state, references, hypotheses)
    assert (metric._state() == counts).all()


def test_weights_of_segments():
    hypotheses, references = next(id_batches(SEED))
    chosen = numpy.arange(len(hypotheses)) % 3 != 0
    expected = native([(hypotheses[chosen], references[chosen])], **OF_IDS).compute().value
    for weights in (chosen, chosen.astype("float32"), torch.from_numpy(chosen)[:, None]):
        metric = BLEU(**OF_IDS)
        metric.update_state(references, hypotheses, sample_weight=weights)
        metric.update_state(references, hypotheses, sample_weight=numpy.zeros(len(hypotheses)))
        assert metric.score().value == expected > 0


def test_weights_of_ids():
    rng = numpy.random.default_rng(SEED)
    hypotheses, references = rng.integers(0, 5, (2, 6, 9))
    mask = rng.integers(0, 2, (6, 9))
    metric = BLEU(tokenize=None)
    metric.update_state(references, hypotheses, sample_weight=mask.astype("float32"))
    expected = fastbleu.BLEU(tokenize=None)
    expected.update(hypotheses, references, hypothesis_mask=mask, reference_mask=mask)
    assert metric.score().value == expected.compute().value
    with pytest.raises(ValueError, match=r"y_pred has \(6, 8\)"):
        metric.update_state(references, hypotheses[:, 1:], sample_weight=mask)


def test_other_weights_are_refused():
    hypotheses, references = next(id_batches(SEED))
    metric = BLEU(**OF_IDS)
    with pytest.raises(ValueError, match=r"holds 0\.5"):
        metric.update_state(references, hypotheses, sample_weight=[0.5] * len(hypotheses))
    with pytest.raises(ValueError, match=r"shape \(2,\)"):
        metric.update_state(references, hypotheses, sample_weight=[1, 0])
    assert float(metric.result()) == 0


@pytest.mark.parametrize("run_eagerly", [True, False])
def test_in_evaluate(run_eagerly):
    """torch needs no run_eagerly; the others do."""
    rng = numpy.random.default_rng(SEED)
    hypotheses, references = rng.integers(0, 9, (2, 37, 9))
    model = Echo()
    model.compile(loss=no_loss, metrics=[BLEU(**OF_IDS)], run_eagerly=run_eagerly)
    expected = native([(hypotheses, references)], **OF_IDS).compute().value
    for _ in range(2):
        logs = model.evaluate(hypotheses, references, batch_size=8, verbose=0, return_dict=True)
        assert logs["bleu"] == expected


def test_in_code_that_torch_compiles():
    hypotheses, references = next(id_batches(SEED))
    metric = BLEU(**OF_IDS)

    @torch.compile(backend="eager")
    def step(y_true, y_pred):
        metric.update_state(y_true, y_pred + 0)
        return metric.result()

    result = step(torch.from_numpy(references), torch.from_numpy(hypotheses))
    assert float(result) == native([(hypotheses, references)], **OF_IDS).compute().value


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"name": "validation_bleu", "dtype": "float32", "from_logits": True, **OF_IDS},
        {"weights": (weight for weight in (0.7, 0.3)), "max_order": 2, "lowercase": True},
        {"tokenize": words, "smoothing": "floor", "smoothing_value": 0.2},
        {"tokenize": None, "ignore_ids": numpy.array([-100, 0]), "stop_id": numpy.int64(1)},
    ],
    ids=["defaults", "of ids", "weights", "function", "numpy"],
)
def test_serialized(parameters):
    metric = BLEU(**parameters)
    description = keras.saving.serialize_keras_object(metric)
    with keras.saving.custom_object_scope({"words": words}):
        again = keras.saving.deserialize_keras_object(description)
    assert type(again) is BLEU
    assert (again.name, again.dtype, again.from_logits) == (
        metric.name,
        metric.dtype,
        metric.from_logits,
    )
    assert again.get_config() == metric.get_config()
    assert again._metric() == metric._metric()


def test_saved_with_a_model(tmp_path):
    keras.utils.set_random_seed(SEED % 2**32)  # of other weights a warning might say they pad
    model = keras.Sequential([keras.Input((6,), dtype="int64"), keras.layers.Embedding(8, 8)])
    metric = BLEU(tokenize=None, from_logits=True)
    model.compile(loss="sparse_categorical_crossentropy", metrics=[metric], run_eagerly=True)
    ids = numpy.random.default_rng(SEED).integers(2, 8, (5, 6))
    expected = model.evaluate(ids, ids, verbose=0, return_dict=True)
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    assert loaded.evaluate(ids, ids, verbose=0, return_dict=True) == expected


def test_pickled_without_its_state():
    """As all metrics of Keras, whose pickles are their configurations and variables."""
    metric = BLEU(**OF_IDS)
    assert pickle.loads(pickle.dumps(metric)).get_config() == metric.get_config()


def test_parameters_are_checked_at_once():
    check_parameters(BLEU)


@pytest.mark.parametrize("backend", ["torch", "numpy", "jax", "tensorflow"])
def test_on_each_backend(backend):
    """Exact counts whatever integers a backend has, and a plain error where it compiles."""
    needed = "jax" if backend == "numpy" else backend  # Keras' numpy imports jax
    if importlib.util.find_spec(needed) is None:
        pytest.skip(f"{needed} is not installed")
    script = Path(__file__).with_name("keras_backend.py")
    environment = {"KERAS_BACKEND": backend, "TF_CPP_MIN_LOG_LEVEL": "3"}
    said = python(script, noisy=True, seconds=TRAINS, **environment)
    assert said.split() == ["right", "on", backend]

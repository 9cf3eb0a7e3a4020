"""The examples in the docstrings of the integrations are true."""

import doctest
import importlib

import pytest
from hosts import host


# Keras' own reading of a torch tensor by numpy.
@pytest.mark.filterwarnings(
    "ignore:__array__ implementation doesn't accept a copy keyword:DeprecationWarning"
)
@pytest.mark.parametrize(
    ("name", "needs"),
    [
        ("evaluate", "evaluate"),
        ("ignite", "ignite"),
        ("keras", "keras"),
        ("torcheval", "torcheval.metrics"),
        ("torchmetrics", "torchmetrics"),
        ("transformers", "transformers"),
    ],
)
def test_examples(name, needs, monkeypatch):
    monkeypatch.setenv("KERAS_BACKEND", "torch")
    host("torch")
    host(needs)
    module = importlib.import_module(f"fastbleu.integrations.{name}")
    found = doctest.testmod(module)
    assert found.attempted
    assert not found.failed

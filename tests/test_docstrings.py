"""Every module can be imported, and the examples in docstrings are true."""

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest
from hosts import host

import fastbleu

# Keras itself reads a torch tensor with numpy.
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
PACKAGE = Path(fastbleu.__file__).parent
MODULES = [
    ".".join(["fastbleu", *path.relative_to(PACKAGE).with_suffix("").parts])
    for path in sorted(PACKAGE.rglob("*.py*"))
    if path.suffix in (".py", ".pyx") and ">>> " in path.read_text("utf-8")
]
# What the examples of a module need.
LIBRARIES = {
    "fastbleu.tables.functions": ["narwhals", "pyarrow"],
    "fastbleu.integrations.mbrs": ["mbrs.metrics"],
    "fastbleu.integrations.torcheval": ["torcheval.metrics"],
    **{
        f"fastbleu.integrations.{name}": [name]
        for name in ("evaluate", "ignite", "keras", "torchmetrics", "transformers")
    },
}


@pytest.mark.parametrize("name", MODULES)
def test_examples(name, monkeypatch):
    monkeypatch.setenv("KERAS_BACKEND", "torch")
    for library in LIBRARIES.get(name, ()):
        host(library)
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_examples_of_public_classes():
    """Their `__module__` is fastbleu, so that their own modules' examples leave them out."""
    public = {name: getattr(fastbleu, name) for name in dir(fastbleu)} | {"fastbleu": fastbleu}
    runner, attempted = doctest.DocTestRunner(verbose=False), 0
    for name, value in public.items():
        if getattr(value, "__module__", None) == "fastbleu":
            for examples in doctest.DocTestFinder().find(value, name, module=False, globs=public):
                found = runner.run(examples)
                assert found.failed == 0
                attempted += found.attempted
    assert attempted > 20


def test_every_module_can_be_imported():
    for found in pkgutil.walk_packages(fastbleu.__path__, "fastbleu."):
        parts = found.name.split(".")
        if not {"integrations", "patching", "__main__"} & {*parts}:
            importlib.import_module(found.name)

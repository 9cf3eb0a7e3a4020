"""The examples in docstrings are true; those of the integrations: test_examples.py."""

import doctest
import importlib
import pkgutil

import pytest
from hosts import host

import fastbleu

MODULES = [
    found.name
    for found in pkgutil.walk_packages(fastbleu.__path__, "fastbleu.")
    if ".integrations" not in found.name and not found.name.endswith("__main__")
]
# What the examples of a module need.
LIBRARIES = {"fastbleu.tables.functions": ["narwhals", "pyarrow"]}


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    for library in LIBRARIES.get(name, ()):
        host(library)
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_that_they_are_found():
    finder = doctest.DocTestFinder()
    examples = [
        example for name in MODULES for example in finder.find(importlib.import_module(name))
    ]
    assert sum(bool(example.examples) for example in examples) > 15

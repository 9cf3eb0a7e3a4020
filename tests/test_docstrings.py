"""Every module can be imported, and the examples in docstrings are true.

Of the integrations: test_examples.py.
"""

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest
from hosts import host

import fastbleu

PACKAGE = Path(fastbleu.__file__).parent
MODULES = [
    ".".join(["fastbleu", *path.relative_to(PACKAGE).with_suffix("").parts])
    for path in sorted(PACKAGE.rglob("*.py*"))
    if path.suffix in (".py", ".pyx")
    and path.parent.name != "integrations"
    and ">>> " in path.read_text("utf-8")
]
# What the examples of a module need.
LIBRARIES = {"fastbleu.tables.functions": ["narwhals", "pyarrow"]}


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    for library in LIBRARIES.get(name, ()):
        host(library)
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_every_module_can_be_imported():
    for found in pkgutil.walk_packages(fastbleu.__path__, "fastbleu."):
        if ".integrations" not in found.name and not found.name.endswith("__main__"):
            importlib.import_module(found.name)

"""EVERY public entry point as data, and the public names of which none may be missing.

    from trust.entries import ENTRIES

`tests/test_trust_entries.py` compares the two, and calls each entry. What an `Entry` is stands in
entry.py; the entries themselves, by the modules that they belong to, in entries_*.py.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from trust import (
    entries_command,
    entries_counts,
    entries_integrations,
    entries_libraries,
    entries_matrix,
    entries_metric,
)
from trust.entry import Entry
from trust.entry import plain as plain

import fastbleu

ENTRIES: list[Entry] = [
    *entries_counts.ENTRIES,
    *entries_metric.ENTRIES,
    *entries_matrix.ENTRIES,
    *entries_libraries.ENTRIES,
    *entries_command.ENTRIES,
    *entries_integrations.ENTRIES,
]

# Where users find names: nearest first, as a name is called by the first place that has it. Other
# integrations need their hosts: the tests of these have them.
MODULES = [
    "fastbleu",
    "fastbleu.nltk",
    "fastbleu.sacrebleu",
    "fastbleu.sacrebleu.metrics",
    "fastbleu.significance",
    "fastbleu.matrix",
    "fastbleu.tokenizers",
    "fastbleu.dialects",
    "fastbleu.cli",
    "fastbleu.integrations.evaluate",
    "fastbleu.integrations.transformers",
]
PACKAGE = str(Path(fastbleu.__file__).parent)


def public_names() -> Iterator[str]:
    """Every public function and class, and of a class its methods and properties.

    Methods that Python calls by itself are those that the package writes: not what a dataclass is
    given, nor what is inherited from elsewhere.
    """
    seen: list[object] = []
    for module in map(importlib.import_module, MODULES):
        for name in _names_of(module):
            value = getattr(module, name)
            if not callable(value) or any(value is other for other in seen):
                continue
            seen.append(value)
            yield f"{module.__name__}.{name}"
            if inspect.isclass(value):
                yield from (f"{module.__name__}.{name}.{member}" for member in _members_of(value))


def _names_of(module: ModuleType) -> list[str]:
    """A module's public names: those it lists, or those it defines."""
    if hasattr(module, "__all__"):
        return list(module.__all__)
    # Packages define nothing themselves.
    homes = (module.__name__,)
    if not any(getattr(value, "__module__", None) in homes for value in vars(module).values()):
        homes = ("fastbleu.",)
    return [
        name
        for name, value in sorted(vars(module).items())
        if not name.startswith("_") and str(getattr(value, "__module__", None)).startswith(homes)
    ]


def _members_of(kind: type) -> Iterator[str]:
    for name in dir(kind):
        value = inspect.getattr_static(kind, name)
        special = name.startswith("__") and name not in ("__init__", "__new__")
        if name.startswith("_") and not special:
            continue
        function = getattr(value, "fget", None) or getattr(value, "func", None)
        function = function or getattr(value, "__func__", value)
        code = getattr(function, "__code__", None)
        if code is not None and code.co_filename.startswith(PACKAGE):
            yield name

"""A plugin for pytest where only the core and the drop-ins are installed.

A test that asks for another part is skipped. A file of the core that asks for one fails, as it
would for a user.
"""

import re
import sys
from importlib.machinery import PathFinder
from pathlib import Path

import pytest

import fastbleu
from fastbleu.core.scoring.names import DIALECTS
from fastbleu.core.tokenizers.tokenizer import TOKENIZERS

PACKAGE = fastbleu.__path__[0]
CORE = str(Path(PACKAGE, "core"))
# By these a user reaches other parts.
FACES = ("fastbleu/__init__.py", "fastbleu/dialects.py", "runtime/import_lock.py")
ASKED = re.compile(
    r"(?:dialect|tokenizer) '(.+?)' is unknown|No module named '(fastbleu\.\w+)'"  # in a child
)


class MissingParts:
    """Skips the test that imports a part of the package that is missing."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        package, _, part = name.partition(".")
        if package != "fastbleu" or "." in part or PathFinder.find_spec(name, [PACKAGE]):
            return
        frame = sys._getframe(1)
        while "importlib" in frame.f_code.co_filename or frame.f_code.co_filename.endswith(FACES):
            frame = frame.f_back
        if not frame.f_code.co_filename.startswith(CORE):
            pytest.skip(f"needs {name}", allow_module_level=True)


sys.meta_path.append(MissingParts)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """Skips a test of a dialect or a tokenizer that another part has."""
    try:
        return (yield)
    except (ValueError, AssertionError) as error:
        asked = ASKED.search(str(error))
        if not asked or asked[1] in (*DIALECTS, *TOKENIZERS):
            raise
        pytest.skip(f"needs {asked[1] or asked[2]}")

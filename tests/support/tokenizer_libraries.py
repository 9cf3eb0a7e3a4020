"""The libraries of tokenizers that tests need."""

import importlib.util
import os

import pytest


def need(*modules):
    """Skip where a library is not installed; FASTBLEU_REQUIRE_LIBRARIES=1 makes that a failure."""
    missing = [module for module in modules if importlib.util.find_spec(module) is None]
    if missing and os.environ.get("FASTBLEU_REQUIRE_LIBRARIES", "0") in ("", "0"):
        pytest.skip(f"not installed: {', '.join(missing)}")

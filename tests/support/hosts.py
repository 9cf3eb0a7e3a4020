"""The host libraries of the integrations: what is not installed is skipped, except in CI."""

import importlib
import os
import warnings

import pytest

REQUIRED = os.environ.get("FASTBLEU_REQUIRE_HOSTS", "0") not in ("", "0")


def host(name):
    """The module `name`; without it a file's tests are skipped, or fail where all are required."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # hosts warn of each other as they are imported
        if REQUIRED:
            return importlib.import_module(name)
        return pytest.importorskip(name, exc_type=ImportError)

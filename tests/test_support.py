"""The Pythons that wheels are built for are those that SUPPORT.md and the workflow name."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def test_the_pythons_that_are_named():
    tomllib = pytest.importorskip("tomllib", reason="from Python 3.11 on")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    classifiers = project["project"]["classifiers"]
    supported = [name.split()[-1] for name in classifiers if ":: Python :: 3." in name]
    wheels = project["tool"]["cibuildwheel"]["build"]
    built = [re.sub(r"cp3(\d+)(t?)-\*", r"3.\1\2", name) for name in wheels]
    assert [name for name in built if not name.endswith("t")] == supported
    assert ", ".join(supported) in (ROOT / "SUPPORT.md").read_text("utf-8")
    workflow = (ROOT / ".github/workflows/tests.yml").read_text("utf-8")
    assert f"python: {built}".replace("'", '"') in workflow

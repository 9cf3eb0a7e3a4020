"""SUPPORT.md's table of platforms is what pyproject.toml, the wheels and the workflow say."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def test_versions_of_cpython():
    tomllib = pytest.importorskip("tomllib", reason="from Python 3.11 on")
    table = (ROOT / "SUPPORT.md").read_text("utf-8")
    [linux] = re.findall(r"^\| Linux, x86_64, glibc \| ([^|]*) \|", table, re.MULTILINE)
    [free_threaded] = re.findall(r"glibc, free-threaded \| ([^|]*) \|", table)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    classifiers = project["project"]["classifiers"]
    named = [name.rpartition(" ")[2] for name in classifiers if ":: Python :: 3." in name]
    assert ", ".join(named) == linux
    assert project["project"]["requires-python"] == f">={named[0]}"
    identifiers = project["tool"]["cibuildwheel"]["build"]
    built = [re.sub(r"cp3(\d+)(t?)-\*", r"3.\1\2", name) for name in identifiers]
    assert built == [*named, free_threaded]
    workflow = (ROOT / ".github/workflows/tests.yml").read_text("utf-8")
    [tested] = re.findall(r"python: \[(.*)\]", workflow)
    assert tested.replace('"', "").split(", ") == built

"""SUPPORT.md's table of platforms is what README, pyproject.toml, the workflows and CI say."""

import re
import sys
from pathlib import Path

import pytest

if sys.version_info < (3, 11):
    pytest.skip("tomllib is newer", allow_module_level=True)
import tomllib

ROOT = Path(__file__).resolve().parent.parent


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in read("SUPPORT.md").partition("\n\n| | what")[0].splitlines()
    if line.startswith("|")
][2:]
VERSIONS = {row[0]: row[1].split(", ") for row in ROWS}
LINUX = VERSIONS["Linux, x86_64, glibc"]
FREE_THREADED = VERSIONS["Linux, x86_64, glibc, free-threaded"]
PROJECT = tomllib.loads(read("pyproject.toml"))


def test_classifiers():
    classifiers = PROJECT["project"]["classifiers"]
    named = [name.rpartition(" ")[2] for name in classifiers if ":: Python :: 3." in name]
    assert named == LINUX
    assert PROJECT["project"]["requires-python"] == f">={LINUX[0]}"
    systems = {"MacOS": "macOS", "Microsoft :: Windows": "Windows", "POSIX": "Linux"}
    for system, row in systems.items():
        assert f"Operating System :: {system}" in classifiers
        assert any(platform.startswith(row) for platform in VERSIONS)


def test_wheels():
    identifiers = PROJECT["tool"]["cibuildwheel"]["build"]
    built = [re.sub(r"cp3(\d+)(t?)-\*", r"3.\1\2", name) for name in identifiers]
    assert built == LINUX + FREE_THREADED


def test_workflow_of_tests():
    workflow = read(".github/workflows/tests.yml")
    (listed,) = re.findall(r"python: \[(.*)\]", workflow)
    assert listed.replace('"', "").split(", ") == LINUX + FREE_THREADED
    assert ".ci/run" in workflow
    for system in ("macos-", "windows-", "ubuntu-24.04-arm"):
        assert system in workflow


def test_commands():
    make, ci = read("Makefile"), read(".ci/run")
    for row in ROWS:
        for target in re.findall(r"`make ([a-z-]+)", row[3]):
            assert f"\n{target}:" in make
            assert f"{target}" in ci
    assert f'PYTHONS="{LINUX[0]} {LINUX[-1]}"' in ci
    assert re.search(r"^ARCH \?= arm64 s390x$", make, re.MULTILINE)


def test_readme():
    install = read("README.md").partition("## Install")[2].partition("\n## ")[0]
    assert f"Python {LINUX[0]} or later" in install
    for platform in ("x86-64", "aarch64", "s390x", "i386", "musl", "Windows under wine"):
        assert platform in install
        name = platform.replace("-", "_").split()[0]
        assert any(name in row for row in VERSIONS), platform

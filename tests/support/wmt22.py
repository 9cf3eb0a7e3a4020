"""The outputs of WMT22's systems and their references, where they are there.

They lie under FASTBLEU_DATA (default: ../shared/data beside the project), in the folder wmt22:
systems/PAIR.SYSTEM.txt and references/PAIR.NAME.txt, a segment per line. WMT publishes them at
SOURCE. Without them the tests on real data skip, unless FASTBLEU_REQUIRE_DATA=1 makes that a
failure.
"""

import os
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
WMT22 = Path(os.environ.get("FASTBLEU_DATA") or PROJECT.parent / "shared" / "data") / "wmt22"
SOURCE = "https://github.com/wmt-conference/wmt22-news-systems"
SYSTEMS = sorted(path.stem for path in (WMT22 / "systems").glob("*.txt"))
# For parametrize: the first system of each pair; the others are long tests.
FIRST = {system.partition(".")[0]: system for system in reversed(SYSTEMS)}.values()
SAMPLE = [
    pytest.param(system, marks=[] if system in FIRST else pytest.mark.long) for system in SYSTEMS
]


def lines_of_systems(pair):
    """The outputs of a pair's systems by name; skips or fails where there are none."""
    names = [name for name in SYSTEMS if name.startswith(f"{pair}.")]
    return {name: read_lines(system_file(name)) for name in names} or missing()


def lines_of_references(pair):
    """All references of a pair, as sacreBLEU has them."""
    return [read_lines(path) for path in reference_files(pair).values()]


def missing():
    """Skip or fail a test that needs files which are not there."""
    message = f"no files under {WMT22.parent}: take WMT22's from {SOURCE}, or set FASTBLEU_DATA"
    if os.environ.get("FASTBLEU_REQUIRE_DATA") == "1":
        pytest.fail(message)
    pytest.skip(message)


def system_file(system):
    """The path of "<pair>.<name>"."""
    return WMT22 / "systems" / f"{system}.txt"


def reference_files(pair):
    """The paths of a pair's references by name."""
    paths = sorted((WMT22 / "references").glob(f"{pair}.*.txt"))
    return {path.stem.removeprefix(f"{pair}."): path for path in paths}


def read_lines(path):
    with open(path, encoding="utf-8", newline="\n") as lines:
        return [line.rstrip("\n") for line in lines]


def one_reference(system):
    """The lines of "<pair>.<name>" and of the pair's first reference."""
    if system not in SYSTEMS:
        missing()
    pair = system.partition(".")[0]
    reference, *_ = reference_files(pair).values()
    return read_lines(system_file(system)), read_lines(reference)

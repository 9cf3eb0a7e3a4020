"""The outputs of WMT22's systems and their references, where they are there.

They lie under FASTBLEU_DATA (default: ../shared/data beside the project), in the folder wmt22:
systems/PAIR.SYSTEM.txt and references/PAIR.NAME.txt, a segment per line. WMT publishes them at
SOURCE. Without them the tests that are marked `wmt22` are skipped, unless FASTBLEU_REQUIRE_DATA=1
makes that a failure.
"""

import os
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
WMT22 = Path(os.environ.get("FASTBLEU_DATA") or PROJECT.parent / "shared" / "data") / "wmt22"
SOURCE = "https://github.com/wmt-conference/wmt22-news-systems"
ARE_THERE = WMT22.exists()
# Without them one name, for the parameters of tests that are then skipped.
SYSTEMS = sorted(path.stem for path in (WMT22 / "systems").glob("*.txt")) or ["en-de.Online-B"]
MISSING = "needs WMT22's texts: see CONTRIBUTING.md"
# The first system of each pair.
FIRST = {system.partition(".")[0]: system for system in reversed(SYSTEMS)}.values()


def lines_of_systems(pair):
    """The outputs of a pair's systems by name; skips or fails where there are none."""
    names = [name for name in SYSTEMS if name.startswith(f"{pair}.")]
    return {name: read_lines(system_file(name)) for name in names} or missing()


def lines_of_references(pair):
    """All references of a pair, as sacreBLEU has them."""
    return [read_lines(path) for path in reference_files(pair).values()]


def missing():
    """Skip or fail a test that needs files which are not there."""
    if os.environ.get("FASTBLEU_REQUIRE_DATA") == "1":
        pytest.fail(f"no files under {WMT22}: take them from {SOURCE}, or set FASTBLEU_DATA")
    pytest.skip(MISSING)


def system_file(system):
    """The path of "<pair>.<name>"; skips or fails where there are none."""
    if not ARE_THERE:
        missing()
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
    hypotheses = read_lines(system_file(system))
    reference, *_ = reference_files(system.partition(".")[0]).values()
    return hypotheses, read_lines(reference)

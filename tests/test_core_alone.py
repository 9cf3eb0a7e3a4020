"""The core stands alone: its tests pass on a copy of the package without the other parts."""

import os
import re
import shutil
from pathlib import Path

import pytest
from processes import python

import fastbleu

PACKAGE = Path(fastbleu.__file__).parent
TESTS = Path(__file__).parent
KEPT = {"core", "chrf", "nltk", "sacrebleu", "__init__.py", "py.typed"}
KEPT |= {"dialects.py", "tokenizers.py"}
# What takes longest: tests of compiled code, which is the same in the copy, of processes, and of
# much text or arithmetic.
SLOW = [
    *("chunks", "fuzz_findings", "hostile", "ids", "kernels", "memory", "nltk_bulk"),
    *("nltk_smoothing", "positions", "prefixes", "processes", "string_arrays", "text", "threads"),
    *("tokenizers_parity", "unicode_ranges", "update", "utf8", "utf8_lines"),
]


def other_parts(folder, names):
    if Path(folder) != PACKAGE:
        return [name for name in names if name == "__pycache__"]
    return [name for name in names if name not in KEPT and not name.startswith("_core.")]


@pytest.mark.parametrize(
    ("left_out", "passed"), [(SLOW, 400), pytest.param([], 1000, marks=pytest.mark.long)]
)
def test_the_tests_of_the_core_pass_without_other_parts(left_out, passed, tmp_path):
    shutil.copytree(PACKAGE, tmp_path / "fastbleu", ignore=other_parts)
    options = [f"--ignore-glob=*/test_{name}.py" for name in left_out]
    options += ["-q", "--tb=short", "-p", "no:cacheprovider", "-p", "without_parts"]
    folders = [TESTS / name for name in ("core", "nltk", "sacrebleu", "chrf")]
    printed = python(
        *("-m", "pytest", *options, *folders),
        seconds=900,
        PYTHONPATH=os.pathsep.join([str(tmp_path), str(TESTS / "support")]),
        FASTBLEU_TEST_ONLY="fastbleu",
        FASTBLEU_TEST_SEGMENTS="10",
    )
    assert int(re.search(r"(\d+) passed", printed)[1]) > passed, printed

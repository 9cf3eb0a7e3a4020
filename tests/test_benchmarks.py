"""Each benchmark runs, and its results on few segments equal those that it is compared with.

A case is left out if a library that it needs is not installed.
"""

import pytest
from processes import ROOT, python_ends

FILES = sorted((ROOT / "bench").glob("*.py"))
KINDS = [path.stem for path in FILES if "\nCASES = (" in path.read_text("utf-8")] + ["hosts"]


@pytest.mark.parametrize("kind", KINDS)
def test_results_are_equal(kind):
    status, out, err = python_ends(ROOT / "bench" / "run.py", "--check", "--only", kind)
    assert status == 0, out + err
    if "equal\n" not in out:
        pytest.skip(out)


def test_micro_benchmarks():
    file, switches = ROOT / "bench" / "test_micro.py", ("-p", "benchmark", "--benchmark-disable")
    status, out, err = python_ends("-m", "pytest", "-q", *switches, file)
    assert status == 0, out + err

"""Each benchmark runs, and its results on few segments equal those that it is compared with.

A case is left out if a library that it needs is not installed.
"""

import functools

import pytest
from processes import ROOT, python_ends

FILES = sorted((ROOT / "bench").glob("*.py"))
KINDS = [path.stem for path in FILES if "\nCASES = (" in path.read_text("utf-8")] + ["hosts"]
APART = {"engines", "hosts"}  # for the libraries that they load


@functools.cache
def checked(*kinds):
    """What is printed of these kinds, in one process, which makes its texts once."""
    status, out, err = python_ends(ROOT / "bench" / "run.py", "--check", "--only", *kinds)
    assert status == 0, out + err
    return out.splitlines(keepends=True)


@pytest.mark.parametrize("kind", KINDS)
def test_results_are_equal(kind):
    lines = checked(kind) if kind in APART else checked(*sorted({*KINDS} - APART))
    its = "".join(line for line in lines if kind in APART or line.startswith(f"{kind}-"))
    if "equal\n" not in its:
        pytest.skip(its)


def test_micro_benchmarks():
    file, switches = ROOT / "bench" / "test_micro.py", ("-p", "benchmark", "--benchmark-disable")
    status, out, err = python_ends("-m", "pytest", "-q", *switches, file)
    assert status == 0, out + err

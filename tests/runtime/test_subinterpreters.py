"""Sub-interpreters are refused with an ImportError; where they were not, they waited for ever."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "trust" / "subinterpreters.py"


@pytest.mark.parametrize("order", ["main first", "main last"])
def test_sub_interpreters_are_refused_and_the_main_one_goes_on(order):
    """A sub-interpreter that imported the package first stood still in its first count."""
    command = [sys.executable, SCRIPT, order]
    seen = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert seen.returncode == 0, seen.stdout + seen.stderr
    if seen.stdout == "not here\n":
        pytest.skip("this Python has no sub-interpreters")
    *refused, main = seen.stdout.splitlines()
    assert len(refused) == 2
    assert all("fastbleu works in the main interpreter only" in line for line in refused)
    assert main == f"the main interpreter, {order}: works"

"""Sub-interpreters are refused with an ImportError; they used to deadlock."""

from pathlib import Path

import pytest
from commands import python

pytestmark = pytest.mark.pythons

SCRIPT = Path(__file__).parents[1] / "trust" / "subinterpreters.py"


@pytest.mark.parametrize("order", ["main first", "main last"])
def test_sub_interpreters_are_refused_and_the_main_one_goes_on(order):
    """A sub-interpreter that imported the package first stood still in its first count."""
    *refused, main = python(SCRIPT, order).splitlines()
    if main == "not here":
        pytest.skip("this Python has no sub-interpreters")
    assert len(refused) == 2
    assert all("fastbleu works in the main interpreter only" in line for line in refused)
    assert main == f"the main interpreter, {order}: works"

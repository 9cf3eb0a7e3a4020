"""Ctrl-C ends a long call, whatever it is at, and changes nothing.

The library's aim is 0.2 seconds. The assertion allows two, so that a busy machine does
not fail it; `pytest -rP` shows the measured times. The trust gate holds calls to 0.2 seconds.
"""

import os

import pytest
from trust.long_calls import CALLS_OF_EVERY_RUN
from trust.watch import Child

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows sends no SIGINT to one process")


@pytest.mark.parametrize("name", CALLS_OF_EVERY_RUN)
def test_keyboard_interrupt(name, tmp_path):
    with Child(name, tmp_path) as child:
        assert child.line(120) == "ready"
        for delay in (0.05, 0.6):
            latency, problem = child.interrupted(delay)
            print(f"{name}: interrupted after {latency} s")
            assert latency is not None, "the call was too short to be interrupted"
            assert latency < 2
            assert not problem

"""Python processes that tests start."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
POSIX = os.name == "posix"
# Seconds after which a process hangs; those that train models may take TRAINS.
HANGS, TRAINS = 60, 300


def python(*words: Any, noisy: bool = False, seconds: float = HANGS, **environment: str) -> str:
    """What a Python process prints that ends well; it can import the helpers of the tests.

    Only one that is `noisy` may write to standard error.
    """
    status, out, err = python_ends(*words, seconds=seconds, **environment)
    assert status == 0, out + err
    assert noisy or not err, err
    return out


def python_ends(*words: Any, seconds: float = HANGS, **environment: str) -> tuple[int, str, str]:
    """Exit status, standard output and standard error of a Python process."""
    paths = os.pathsep.join([str(ROOT / "tests" / "support"), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, *map(str, words)],
        env={**os.environ, "PYTHONPATH": paths, **environment},
        capture_output=True,
        text=True,
        timeout=seconds,
    )
    return done.returncode, done.stdout, done.stderr

"""Commands and Python processes that the trust gate starts, and the builds that they import.

Children import the helpers of the tests as `trust.NAME` and by their own names: `tests` is on their
path, and its folder `support` (see `environment`). Everything a part leaves behind is in WORK.
"""

import fcntl
import hashlib
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from processes import ROOT, WORK, Finished, finish

TESTS = Path(__file__).resolve().parent.parent
SUPPORT = TESTS / "support"
SEED = os.environ.setdefault("FASTBLEU_TEST_SEED", "20021")


def environment(build: str | Path | None = None, **changes: str | None) -> dict[str, str]:
    """The environment of a child; None as a value removes a variable.

    `build` is a directory with another build of fastbleu (see `build_into`); without one a child
    has the package of this very Python.
    """
    paths = [str(build or ""), str(TESTS), str(SUPPORT), os.environ.get("PYTHONPATH", "")]
    found = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths)), **changes}
    return {name: value for name, value in found.items() if value is not None}


def python(module: str, *arguments: object, **options: Any) -> Finished:
    """Run a module of this directory, or `-c` and code, in a Python process; see `finish`."""
    start = ["-c"] if module == "-c" else ["-X", "faulthandler", "-m", f"trust.{module}"]
    return finish([sys.executable, *start, *arguments], **{"env": environment(), **options})


@contextmanager
def alone(name: str) -> Iterator[None]:
    """Wait until no other worker of pytest-xdist is in a block of this name."""
    WORK.mkdir(parents=True, exist_ok=True)
    with open(WORK / f"{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def built(directory: Path, how: str, build: Callable[[], None]) -> None:
    """Call `build` unless it has made the directory from these sources in this way before."""
    state = hashlib.sha256(f"{how} {sys.version}".encode())
    for path in [ROOT / "setup.py", *sorted((ROOT / "src").rglob("*"))]:
        if path.suffix in (".py", ".pyx", ".pxd", ".h"):
            state.update(path.read_bytes())
    with alone(directory.name):
        stamp = directory / "state"
        if not stamp.exists() or stamp.read_text() != state.hexdigest():
            shutil.rmtree(directory, ignore_errors=True)
            build()
            stamp.write_text(state.hexdigest())


def install(directory: Path, *arguments: str, python: object = sys.executable, **env: Any) -> None:
    """Install packages into a directory of their own by pip."""
    pip = [python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    done = finish([*pip, "--target", directory, *arguments], 1800, **env)
    assert done.status == 0, f"installing {' '.join(arguments)} {done.why()}"


def without_switches(**changes: str | None) -> dict[str, str]:
    """The environment of a build: of the switches of setup.py only those that are given."""
    switches = dict.fromkeys(name for name in os.environ if name.startswith("FASTBLEU_"))
    return environment(**{**switches, "PYTHONPATH": None, **changes})


def build_into(directory: Path, python: object = sys.executable, **switches: str) -> None:
    """Build the package with switches of setup.py into a directory, unless it is there."""
    env = without_switches(**switches)
    make = lambda: install(directory, "--no-deps", ".", python=python, env=env)  # noqa: E731
    built(directory, f"{python} {switches}", make)


def tool(*names: str) -> str:
    """The path of the first of these programs that is installed, or ""."""
    return next(filter(None, map(shutil.which, names)), "")


def clang() -> str:
    return tool("clang", "clang-19", "clang-16", "clang-15", "clang-14")

"""Commands and Python processes that the trust gate starts, and the builds that they import.

Children import the helpers of the tests as `trust.NAME` and by their own names: `tests` is on their
path (see `environment`). Whatever a part leaves behind is in WORK.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
ROOT = TESTS.parent
WORK = ROOT / "build" / "trust"
SEED = os.environ.setdefault("FASTBLEU_TEST_SEED", "20021")


@dataclass(frozen=True)
class Finished:
    """A command that has ended; a `status` below 0 is a signal's. `errors` is standard error."""

    status: int
    output: str
    errors: str
    seconds: float
    timed_out: bool = False

    def why(self, lines: int = 40) -> str:
        """How it ended, with the last lines that it said."""
        said = (self.output + self.errors).strip().splitlines()
        reason = "took too long" if self.timed_out else f"ended with status {self.status}"
        return "\n    ".join([f"{reason} after {self.seconds:.1f} s", *said[-lines:]])


def environment(build: str | Path | None = None, **changes: str | None) -> dict[str, str]:
    """The environment of a child; None as a value removes a variable.

    `build` is a directory with another build of fastbleu (see `build_into`); without one a child
    has the package of this very Python.
    """
    paths = [str(build)] if build else []
    found = {**os.environ, "PYTHONPATH": os.pathsep.join([*paths, str(TESTS)]), **changes}
    return {name: value for name, value in found.items() if value is not None}


def end(process: subprocess.Popen[bytes]) -> None:
    """Kill a process that was started as the head of a session, and all that it has started."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def finish(
    command: Sequence[object],
    timeout: float = 600,
    *,
    env: Mapping[str, str] | None = None,
    stdin: bytes | None = None,
    log: str = "",
) -> Finished:
    """Run a command in the root of the project to its end, or until `timeout`.

    It is the head of a session of its own, so that neither Ctrl-C nor a timeout leaves any of its
    children behind. With `log` all that it says is written to WORK/log too.
    """
    start = time.perf_counter()
    process = subprocess.Popen(
        [str(word) for word in command],
        cwd=ROOT,
        env=dict(environment() if env is None else env),
        stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    timed_out = False
    try:
        out, err = process.communicate(stdin, timeout)
    except subprocess.TimeoutExpired:
        end(process)
        out, err = process.communicate()
        timed_out = True
    finally:
        end(process)
    if log:
        WORK.mkdir(parents=True, exist_ok=True)
        (WORK / log).write_bytes(out + err)
    texts = (out.decode(errors="replace"), err.decode(errors="replace"))
    return Finished(process.returncode, *texts, time.perf_counter() - start, timed_out)


def python(module: str, *arguments: object, **options: object) -> Finished:
    """Run a module of this directory, or `-c` and code, in a Python process; see `finish`."""
    start = ["-c"] if module == "-c" else ["-X", "faulthandler", "-m", f"trust.{module}"]
    return finish([sys.executable, *start, *arguments], **options)  # type: ignore[arg-type]


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


def install(
    directory: Path,
    *arguments: str,
    python: object = sys.executable,
    env: Mapping[str, str] | None = None,
) -> None:
    """Install packages into a directory of their own by pip."""
    pip = [python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    done = finish([*pip, "--target", directory, *arguments], 1800, env=env)
    assert done.status == 0, f"installing {' '.join(arguments)} {done.why()}"


def without_switches(**changes: str | None) -> dict[str, str]:
    """The environment of a build: of the switches of setup.py only those that are given."""
    switches = dict.fromkeys(name for name in os.environ if name.startswith("FASTBLEU_"))
    return environment(**{**switches, "PYTHONPATH": None, **changes})


def build_into(directory: Path, python: object = sys.executable, **switches: str) -> None:
    """Build the package with switches of setup.py into a directory, unless it is there."""
    built(
        directory,
        f"{python} {switches}",
        lambda: install(
            directory, "--no-deps", ".", python=python, env=without_switches(**switches)
        ),
    )


def tool(*names: str) -> str:
    """The path of the first of these programs that is installed, or ""."""
    return next(filter(None, map(shutil.which, names)), "")


def clang() -> str:
    return tool("clang", "clang-19", "clang-16", "clang-15", "clang-14")

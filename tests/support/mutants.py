"""The tests must notice faults: ``python tests/support/mutants.py [NAME ...]``.

Each patch of tests/faults is applied to a copy of the package, and one of the tests that it names
must fail; first all of them must pass without a fault. The head of a patch:

    modules: those to compile, for faults in compiled code
    tests: what pytest is to run; `levels` is tests/levels.sh, which emulates NEON
    needs: libraries of the tests, all of which this Python has or that of .venv-integrations

A NAME is the beginning of a patch's name; those of memory-* are planted by tests/trust/canaries.py.
random_faults.py plants other faults in Python, to find what no test notices.
It needs patch, a C compiler, Cython, the package built in place, and for NEON what levels.sh needs.
"""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import time
from contextlib import suppress
from pathlib import Path

from processes import ROOT, finish

WORK = ROOT / "build" / "mutants"
HOSTS = ROOT / os.environ.get("INTEGRATIONS", ".venv-integrations") / "bin" / "python"
FIND = (
    "import sys; from importlib.util import find_spec as f; sys.exit(not all(map(f, sys.argv[1:])))"
)
LEVELS = ["bash", "tests/levels.sh", "neon", "neon-portable"]
HANGS = 300  # seconds for the tests of a fault, three processes with torch on a busy machine
# A failing test of pytest, why tests are skipped, and what levels.sh says.
FAILED = re.compile(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", re.MULTILINE)
SKIPPED = re.compile(r"^SKIPPED \[\d+\] (.+)$", re.MULTILINE)
DIFFERS = re.compile(r"^(.*(?:differs on neon|not the plain).*)$", re.MULTILINE)


class Fault:
    """A patch of tests/faults and what its head says."""

    def __init__(self, path: Path) -> None:
        self.path, self.name = path, path.stem
        head = path.read_text().partition("--- ")[0]
        fields = dict(line.split(": ", 1) for line in head.splitlines())
        self.modules = fields.get("modules", "").split()
        self.tests = fields["tests"].split()
        self.needs = fields.get("needs", "").split()
        self.python = python_with(self.needs)


def python_with(libraries: list[str]) -> str | None:
    """A Python that has these libraries, if there is one."""
    for python in [sys.executable, str(HOSTS)]:
        with suppress(FileNotFoundError):
            if subprocess.run([python, "-c", FIND, *libraries]).returncode == 0:
                return python
    return None


def run_tests(name: str, tests: list[str], python: str, seconds: float) -> tuple[int | None, str]:
    """Status, None after so many seconds, and output of tests of the package in WORK / name."""
    command = [python, "-m", "pytest", "-x", "-q", "-rfEs", "-p", "no:cacheprovider", *tests]
    environment = {
        **os.environ,
        "PYTHONPATH": str(WORK / name),
        "FASTBLEU_HEADERS": str(WORK / name / "fastbleu" / "core"),
        "FASTBLEU_TEST_SEGMENTS": os.environ.get("FASTBLEU_TEST_SEGMENTS", "5000"),
    }
    done = finish(LEVELS if tests == ["levels"] else command, seconds, env=environment)
    return None if done.hung else done.status, done.output + done.errors


def plant(fault: Fault) -> None:
    """Apply a patch to a copy of the package, and compile its modules."""
    package = WORK / fault.name / "fastbleu"
    shutil.copytree(WORK / "unmutated", WORK / fault.name)
    with fault.path.open() as patch:
        subprocess.run(["patch", "-s", "-p1", "-d", package], stdin=patch, check=True)
    for module in fault.modules:
        pyx, c = package / f"{module}.pyx", package / f"{module}.c"
        # A copy: beside the original are copies of the headers, which would be included first.
        translated = ROOT / "build" / "cython" / "src" / "fastbleu" / f"{module}.c"
        is_patched = pyx.read_text() != (ROOT / f"src/fastbleu/{module}.pyx").read_text()
        if is_patched or not translated.exists():
            options = "language_level=3,cdivision=True,binding=False"
            subprocess.run([sys.executable, "-m", "cython", "-X", options, pyx], check=True)
        else:
            shutil.copy(translated, c)
        compiler = os.environ.get("CC", "cc")
        includes = [f"-I{sysconfig.get_path('include')}", f"-I{package / 'core'}"]
        library = package / (module + sysconfig.get_config_var("EXT_SUFFIX"))
        options = ["-shared", "-fPIC", "-O1", "-w", *includes, "-o", str(library), str(c)]
        subprocess.run([compiler, *options], check=True)


def verdict(fault: Fault) -> tuple[bool, str]:
    """Whether a planted fault is caught, and by which test."""
    if fault.python is None:
        needs = ", ".join(fault.needs)
        return True, f"skipped without {needs}, which test-hosts PARTS=integrations installs"
    plant(fault)
    status, output = run_tests(fault.name, fault.tests, fault.python, HANGS)
    shutil.rmtree(WORK / fault.name)
    found = FAILED.search(output) or DIFFERS.search(output)
    if status is None:
        return False, f"THE TESTS HANG, more than {HANGS} s"
    if status < 0:
        return True, f"caught, it crashes with signal {-status}"
    if status == 1 and found:
        return True, f"caught by {found[1]}"
    if status in (0, 5) and (reasons := SKIPPED.findall(output)):
        return False, f"NOT TESTED, because tests are skipped: {'; '.join(reasons)}"
    return False, "SURVIVED" if status == 0 else f"NO VERDICT, status {status}:\n{output}"


def check_without_faults(faults: list[Fault]) -> None:
    """All tests must pass on a copy without a fault."""
    shutil.rmtree(WORK, ignore_errors=True)
    shutil.copytree(ROOT / "src" / "fastbleu", WORK / "unmutated" / "fastbleu")
    groups: dict[tuple[str, bool], dict[str, None]] = {}
    for fault in faults:
        if fault.python is not None:
            group = groups.setdefault((fault.python, fault.tests == ["levels"]), {})
            group.update(dict.fromkeys(fault.tests))
    for (python, _), tests in groups.items():
        status, output = run_tests("unmutated", [*tests], python, 900)
        if status not in (0, 5):  # 5: whole files are skipped
            sys.exit(f"{output}\nthe tests fail without a fault, status {status}")


def main() -> None:
    start, missed = time.monotonic(), []
    names = [path.stem for path in sorted((ROOT / "tests" / "faults").glob("*.patch"))]
    chosen = [n for n in names if n.startswith(tuple(sys.argv[1:]) or "") and n[:7] != "memory-"]
    faults = [Fault(ROOT / "tests" / "faults" / f"{name}.patch") for name in chosen]
    check_without_faults(faults)
    for fault in faults:
        is_caught, text = verdict(fault)
        print(f"{fault.name}: {text}", flush=True)
        if not is_caught:
            missed.append(fault.name)
    if missed:
        sys.exit(f"not caught: {', '.join(missed)}")
    skipped = sum(fault.python is None for fault in faults)
    seconds = time.monotonic() - start
    print(f"mutants: {len(faults)}, {skipped} skipped, the others caught, in {seconds:.0f} s")


if __name__ == "__main__":
    main()

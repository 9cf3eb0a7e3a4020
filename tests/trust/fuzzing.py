"""Part 4: coverage-guided fuzzing by atheris, in a build with AddressSanitizer.

Each target (fuzz_*.py) compares what the package does with the slow way, inside of the fuzzer.
The corpora in tests/trust/corpus are what earlier runs have found to reach something new. By hand:

    python tests/trust/fuzzing.py TARGET [FILE] [libFuzzer's options, as -runs=10000000]
    python tests/trust/fuzzing.py TARGET --keep    # few inputs that reach all, as corpus

A run by hand keeps what it finds in build/trust/corpus, where the next one starts.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from trust.part import (
    ROOT,
    SEED,
    TESTS,
    WORK,
    Outcome,
    Part,
    clang,
    end,
    environment,
    finish,
    install,
    say,
    skip,
)

ATHERIS = "atheris==3.0.0" if sys.version_info < (3, 12) else "atheris==3.1.0"
FLAGS = "-fsanitize=address,fuzzer-no-link -gline-tables-only -fno-omit-frame-pointer"
CORPUS, FOUND = TESTS / "trust" / "corpus", WORK / "corpus"
BUILD, ATHERIS_AT, TOOLS = WORK / "fuzz-build", WORK / "atheris", WORK / "fuzz-tools"
SHORT, LONG = 200_000, 1_000_000
MEMORY = "/dev/shm"
# Of one target: bytes, and files. With more and longer inputs the short form takes too long.
LARGEST_CORPUS, MOST_FILES = 36_000, 150


@dataclass(frozen=True)
class Target:
    """What is fuzzed; a name is that of a module fuzz_*.py, and perhaps "-" and a variant of it.

    With `redzones` what Python allocates is guarded too, because compiled code reads in it, and all
    is ten times slower; so most runs of such a target have none. `few`: a tenth of the runs.
    """

    name: str
    what: str
    longest: int
    redzones: bool = False
    few: bool = False
    python: tuple[str, ...] = ()

    @property
    def module(self) -> str:
        return self.name.partition("-")[0]


TARGETS = [
    Target("tokenizers", "tokenisers against the slow ones", 300),
    Target("tokenizers-redzones", "the same, the strings guarded, too", 300, True, few=True),
    Target("ids", "arrays of ids against the slow rules", 400),
    Target(
        "files",
        "files of every format against the slow readers",
        600,
        python=tuple(f"fastbleu.cli.{name}" for name in ("files", "readers", "markup", "formats")),
    ),
    Target(
        "index",
        "saved indices, damaged",
        2500,
        python=("fastbleu.matrix.index_file", "fastbleu.matrix.index_contents"),
    ),
    Target("pairs", "many against many, against the slow counts", 200, few=True),
]


def missing() -> str:
    """Why there can be no fuzzing here, or ""."""
    if sys.platform != "linux" or platform.machine() != "x86_64":
        return "atheris is there for Linux on x86-64 only"
    if not (3, 11) <= sys.version_info[:2] <= (3, 13):
        return "atheris is there for CPython 3.11 to 3.13 only"
    return "" if clang() else "needs clang (Debian: clang-14 libclang-rt-14-dev)"


def prepare() -> str:
    """Install atheris and build the package for it, if need be; "" or why that failed."""
    WORK.mkdir(parents=True, exist_ok=True)
    present = (ATHERIS_AT / "asan_with_fuzzer.so").exists()
    options = ["--no-deps", "--only-binary", ":all:"]
    if not present and (failure := install(ATHERIS_AT, *options, ATHERIS)):
        return failure
    state = hashlib.sha256(f"{FLAGS} {sys.version} {clang()}".encode())
    for path in [ROOT / "setup.py", *sorted((ROOT / "src").rglob("*"))]:
        if path.suffix in (".py", ".pyx", ".pxd", ".h"):
            state.update(path.read_bytes())
    stamp = BUILD / "state"
    if stamp.exists() and stamp.read_text() == state.hexdigest():
        return ""
    say("fuzzing: building with clang ...")
    objects = WORK / "fuzz-objects"
    for directory in (BUILD, objects):
        shutil.rmtree(directory, ignore_errors=True)
    # The package's own switch would bring UBSan, which reports Cython's null pointer plus 0 by
    # clang; and not by pip, which would share its objects with the ordinary build.
    switches = dict.fromkeys(name for name in os.environ if name.startswith("FASTBLEU_"))
    import tomllib  # from Python 3.11 on, as atheris is

    requires = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"]
    if failure := install(TOOLS, "--upgrade", *requires):
        return failure
    changes = {**switches, "CC": clang(), "CFLAGS": FLAGS, "PYTHONPATH": str(TOOLS)}
    env = environment(changes=changes)
    build = ["setup.py", "-q", "build", "--build-base", objects, "--build-lib", BUILD]
    done = finish([sys.executable, *build], 1800, env=env, log="fuzz-build.log")
    if done.status:
        return f"the build {done.why()}"
    stamp.write_text(state.hexdigest())
    return ""


def surroundings(target: Target, place: str) -> dict[str, str]:
    """The environment of the fuzzer: the libraries' and sanitizer's, and no other build's."""
    seed = int(os.environ.get(SEED, "20021"))
    asan = "detect_leaks=0:allocator_may_return_null=1:malloc_context_size=2:quarantine_size_mb=32"
    return environment(
        changes={
            "PYTHONPATH": os.pathsep.join(map(str, (BUILD, ATHERIS_AT, TESTS))),
            "PYTHONMALLOC": "malloc" if target.redzones else None,
            "PYTHONHASHSEED": str(seed % 2**32),
            "PYTHONDONTWRITEBYTECODE": "1",
            "LD_PRELOAD": str(ATHERIS_AT / "asan_with_fuzzer.so"),
            "ASAN_OPTIONS": asan,
            "FASTBLEU_FUZZ_INSTRUMENTED": " ".join(target.python),
            "FASTBLEU_FUZZ_PLACE": place,
        }
    )


def command(target: Target, options: list[str]) -> list[str]:
    dictionary = CORPUS / f"{target.module}.dict"
    fixed = [
        f"-max_len={target.longest}",
        f"-artifact_prefix={WORK}/fuzz-{target.name}-",
        f"-seed={int(os.environ.get(SEED, '20021')) % 2**32 or 1}",
        "-print_final_stats=1",
        "-timeout=60",
        "-rss_limit_mb=4096",
        *([f"-dict={dictionary}"] if dictionary.exists() else []),
    ]
    return [sys.executable, "-m", "trust.fuzz_driver", target.module, *fixed, *options]


class Running:
    """A fuzzer at work; it says all it has to say into a file."""

    def __init__(self, target: Target, runs: int, place: str) -> None:
        self.target, self.runs, self.start = target, runs, time.perf_counter()
        self.log = WORK / f"fuzz-{target.name}.log"
        found = Path(place) / f"corpus-{target.name}"
        found.mkdir()
        options = [f"-runs={runs}", str(found), str(CORPUS / target.module)]
        own = Path(place) / target.name
        own.mkdir()
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                command(target, options),
                env=surroundings(target, str(own)),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def outcome(self) -> Outcome:
        """What came of it, when it has ended."""
        outcome = Outcome(self.target.what, seconds=time.perf_counter() - self.start)
        said = self.log.read_text(errors="replace")
        units = re.findall(r"stat::number_of_executed_units:\s*(\d+)", said)
        outcome.cases = int(units[-1]) if units else 0
        if self.process.returncode or outcome.cases < self.runs:
            lines = [line for line in said.splitlines() if not line.startswith(("#", "INFO"))]
            tail = "\n    ".join(line[:2000] for line in lines[-40:])
            again = "python tests/trust/fuzzing.py"
            outcome.failures.append(
                f"status {self.process.returncode} after {outcome.cases} of {self.runs} runs; "
                f"again: {again} {self.target.name} {WORK}/fuzz-{self.target.name}-...\n    {tail}"
            )
        return outcome


def run(long: bool) -> Iterator[Outcome]:
    start = time.perf_counter()
    if reason := missing():
        yield skip("all targets", reason)
        return
    failure = prepare()
    yield Outcome("the build", 1, time.perf_counter() - start, [failure] if failure else [])
    if failure:
        return
    runs = int(os.environ.get("FASTBLEU_FUZZ_RUNS", LONG if long else SHORT))
    share = {target.name: runs // 10 if target.few else runs for target in TARGETS}
    workers = int(os.environ.get("WORKERS", os.cpu_count() or 1))
    # The longest first, so that the processors are busy to the end.
    waiting = sorted(TARGETS, key=lambda target: target.name != "files" and target.name != "index")
    running: list[Running] = []
    with tempfile.TemporaryDirectory(dir=MEMORY if os.path.isdir(MEMORY) else None) as place:
        try:
            while waiting or running:
                while waiting and len(running) < workers:
                    target = waiting.pop(0)
                    running.append(Running(target, share[target.name], place))
                time.sleep(0.05)
                for one in [one for one in running if one.process.poll() is not None]:
                    running.remove(one)
                    yield one.outcome()
        finally:
            for one in running:
                end(one.process)


def keep(target: Target) -> None:
    """Make the kept corpus anew: few known inputs that together reach all, the smallest first."""
    with tempfile.TemporaryDirectory(dir=MEMORY if os.path.isdir(MEMORY) else None) as place:
        merged = Path(place) / "merged"
        merged.mkdir()
        known = [
            str(path) for path in (CORPUS / target.module, FOUND / target.module) if path.exists()
        ]
        options = ["-set_cover_merge=1", str(merged), *known]
        subprocess.run(command(target, options), env=surroundings(target, place), check=True)
        sizes = sorted((path.stat().st_size, path.name, path) for path in merged.iterdir())
        if not sizes:
            raise SystemExit("nothing was merged, see above; the corpus stays what it was")
        shutil.rmtree(CORPUS / target.module, ignore_errors=True)
        (CORPUS / target.module).mkdir(parents=True)
        total = 0
        for size, name, path in sizes[:MOST_FILES]:
            if (total := total + size) > LARGEST_CORPUS:
                break
            shutil.copyfile(path, CORPUS / target.module / name[:12])
    say(f"{len(os.listdir(CORPUS / target.module))} of {len(sizes)} inputs are kept")


def main() -> int:
    names = {target.name: target for target in TARGETS}
    if len(sys.argv) < 2 or sys.argv[1] not in names:
        print(f"{__doc__}\nTARGET is one of {', '.join(names)}", file=sys.stderr)
        return 2
    target, options = names[sys.argv[1]], sys.argv[2:]
    if failure := missing() or prepare():
        print(failure, file=sys.stderr)
        return 1
    if "--keep" in options:
        keep(target)
        return 0
    if all(option.startswith("-") for option in options):
        (FOUND / target.module).mkdir(parents=True, exist_ok=True)
        options += [str(FOUND / target.module), str(CORPUS / target.module)]
    with tempfile.TemporaryDirectory(dir=MEMORY if os.path.isdir(MEMORY) else None) as place:
        done = subprocess.run(
            command(target, options), env=surroundings(target, place), check=False
        )
    return done.returncode


PART = Part("fuzzing", "coverage-guided fuzzing with AddressSanitizer", run)

if __name__ == "__main__":
    sys.exit(main())

"""Coverage-guided fuzzing by atheris, in a build with AddressSanitizer.

Each target (fuzz_*.py) compares what the package does with the slow way, inside of the fuzzer.
The corpora in tests/trust/corpus are what earlier runs have found to reach something new. By hand,
with tests and tests/support as PYTHONPATH:

    python -m trust.fuzzing TARGET [FILE or DIRECTORY ...] [libFuzzer's options, as -runs=10000000]

-set_cover_merge=1 NEW build/trust/corpus/TARGET tests/trust/corpus/TARGET copies few inputs that
reach all into NEW: a corpus is to have at most 36 kB and 150 files, for the short form. Without a
file a run by hand keeps what it finds in build/trust/corpus, where the next one starts.
"""

import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass

from trust.children import (
    ROOT,
    SEED,
    SUPPORT,
    TESTS,
    WORK,
    alone,
    built,
    clang,
    environment,
    finish,
    install,
    without_switches,
)

ATHERIS = "atheris==3.0.0" if sys.version_info < (3, 12) else "atheris==3.1.0"
FLAGS = "-fsanitize=address,fuzzer-no-link -gline-tables-only -fno-omit-frame-pointer"
CORPUS, FOUND = TESTS / "trust" / "corpus", WORK / "corpus"
BUILD, ATHERIS_AT, TOOLS = WORK / "fuzz-build", WORK / "atheris", WORK / "fuzz-tools"
MEMORY = "/dev/shm" if os.path.isdir("/dev/shm") else None


@dataclass(frozen=True)
class Target:
    """What is fuzzed; a name is that of a module fuzz_*.py, and perhaps "-" and a variant of it.

    With `redzones` what Python allocates is guarded too, because compiled code reads in it, and all
    is ten times slower; so most runs of such a target have none. `share` of the runs is what a slow
    target gets. Modules of `python` guide the fuzzer, too.
    """

    name: str
    longest: int
    redzones: bool = False
    share: float = 1.0
    python: str = ""

    @property
    def module(self) -> str:
        return self.name.partition("-")[0]


# The longest first, so that the processors are busy to the end.
CLI = " ".join(f"fastbleu.cli.{name}" for name in ("readers", "alignment", "markup", "formats"))
TARGETS = [
    Target("files", 600, share=0.2, python=CLI),
    Target("columns", 600),
    Target("ids", 400),
    Target("tokenizers", 300),
    Target("tokenizers-redzones", 300, redzones=True, share=0.1),
]


def missing() -> str:
    """Why there can be no fuzzing here, or ""."""
    if sys.platform != "linux" or platform.machine() != "x86_64":
        return "atheris is there for Linux on x86-64 only"
    if not (3, 11) <= sys.version_info[:2] <= (3, 13):
        return "atheris is there for CPython 3.11 to 3.13 only"
    return "" if clang() else "needs clang (Debian: clang-14 libclang-rt-14-dev)"


def prepare() -> None:
    """Install atheris and build the package for it, if need be."""
    with alone("atheris"):
        if not (ATHERIS_AT / "asan_with_fuzzer.so").exists():
            install(ATHERIS_AT, "--no-deps", "--only-binary", ":all:", ATHERIS)
    built(BUILD, f"{FLAGS} {clang()}", build)


def build() -> None:
    # The package's own switch would bring UBSan, which reports Cython's null pointer plus 0 by
    # clang; and not by pip, which would share its objects with the ordinary build.
    objects = WORK / "fuzz-objects"
    shutil.rmtree(objects, ignore_errors=True)
    requires = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"]
    install(TOOLS, "--upgrade", *requires)
    env = without_switches(CC=clang(), CFLAGS=FLAGS, PYTHONPATH=str(TOOLS))
    command = ["setup.py", "-q", "build", "--build-base", objects, "--build-lib", BUILD]
    done = finish([sys.executable, *command], 1800, env=env, log="fuzz-build.log")
    assert done.status == 0, f"the build {done.why()}"


def surroundings(target: Target, place: str) -> dict[str, str]:
    """The environment of the fuzzer: the libraries' and sanitizer's, and no other build's."""
    return environment(
        PYTHONPATH=os.pathsep.join(map(str, (BUILD, ATHERIS_AT, TESTS, SUPPORT))),
        PYTHONMALLOC="malloc" if target.redzones else None,
        PYTHONHASHSEED=str(int(SEED) % 2**32),
        PYTHONDONTWRITEBYTECODE="1",
        LD_PRELOAD=str(ATHERIS_AT / "asan_with_fuzzer.so"),
        ASAN_OPTIONS="detect_leaks=0:allocator_may_return_null=1:malloc_context_size=2:"
        "quarantine_size_mb=32",
        FASTBLEU_FUZZ_INSTRUMENTED=target.python,
        FASTBLEU_FUZZ_PLACE=place,
    )


def command(target: Target, options: list[str]) -> list[str]:
    dictionary = CORPUS / f"{target.module}.dict"
    fixed = [
        f"-max_len={target.longest}",
        f"-artifact_prefix={WORK}/fuzz-{target.name}-",
        f"-seed={int(SEED) % 2**32 or 1}",
        "-print_final_stats=1",
        "-timeout=60",
        "-rss_limit_mb=4096",
        *([f"-dict={dictionary}"] if dictionary.exists() else []),
    ]
    return [sys.executable, "-m", "trust.fuzz_driver", target.module, *fixed, *options]


def fuzz(target: Target, runs: int) -> str:
    """So many runs from the kept corpus on: what went wrong, or ""."""
    with tempfile.TemporaryDirectory(dir=MEMORY) as place:
        found = os.path.join(place, "found")
        os.mkdir(found)
        options = [f"-runs={runs}", found, str(CORPUS / target.module)]
        env, log = surroundings(target, place), f"fuzz-{target.name}.log"
        done = finish(command(target, options), 24 * 3600, env=env, log=log)
    said = done.output + done.errors
    made = int((re.findall(r"stat::number_of_executed_units:\s*(\d+)", said) or [0])[-1])
    if done.status == 0 and made >= runs:
        return ""
    lines = [line[:2000] for line in said.splitlines() if not line.startswith(("#", "INFO"))]
    again = f"python -m trust.fuzzing {target.name} {WORK}/fuzz-{target.name}-..."
    why = f"status {done.status} after {made} of {runs} runs; again: {again}"
    return "\n    ".join([why, *lines[-40:]])


def main() -> int:
    names = {target.name: target for target in TARGETS}
    if len(sys.argv) < 2 or sys.argv[1] not in names:
        raise SystemExit(f"{__doc__}\nTARGET is one of {', '.join(names)}")
    target, options = names[sys.argv[1]], sys.argv[2:]
    if reason := missing():
        raise SystemExit(reason)
    prepare()
    if all(option.startswith("-") for option in options):
        (FOUND / target.module).mkdir(parents=True, exist_ok=True)
        options += [str(FOUND / target.module), str(CORPUS / target.module)]
    with tempfile.TemporaryDirectory(dir=MEMORY) as place:
        env = surroundings(target, place)
        return subprocess.run(command(target, options), env=env, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())

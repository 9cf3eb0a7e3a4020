"""AddressSanitizer, LeakSanitizer and UndefinedBehaviorSanitizer: the build, and what runs on it.

Leaks are looked for in every process (at_exit/sitecustomize.py). Stacks of allocations are unwound
in one of two ways: by frame pointers, which this build has and CPython has not, so that a stack
ends where the interpreter begins; or by tables (fast_unwind_on_malloc=0), which makes everything 4
times slower for the first frames of a stack and 19 times for all. What is found is the same. So the
short form unwinds whole stacks for the entry points only; the long form the first frames for all
tests, and whole stacks for those tests that the short form runs.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from trust.part import TESTS, WORK, Outcome, build_into, end, environment, finish, measured, tool

HERE = Path(__file__).resolve().parent
BUILD = WORK / "sanitized"
REPORT = re.compile(r"runtime error:|ERROR: \w+Sanitizer|SUMMARY: \w+Sanitizer")
# What the short form leaves out: tests of nltk and sacreBLEU themselves, of the command line (the
# other parts run it a great deal), of time and of memory's size, of what is Python upon compiled
# code that other tests run, and of random tokens and texts where the fuzzers try the same, under
# AddressSanitizer, too; and single tests that are mostly such Python.
LEFT_OUT = [
    *("sacrebleu_parity", "sacrebleu_errors", "sacrebleu_patch", "sacrebleu_real_data"),
    *("real_data", "nltk_arguments", "tokenizer_libraries", "files", "formats", "interrupt"),
    *("cli", "cli_robustness", "cli_testsets", "unicode_ranges", "memory", "trust_entries"),
    *("streaming", "streaming_limits", "streaming_reentrancy", "streaming_state", "signal_gaps"),
    *("tokenizers_parity", "nltk_bulk", "nltk_smoothing", "significance", "architecture"),
]
SINGLE_ONES = [
    "mbr::test_aggregated_references",
    "mbr::test_the_example",
    "metric::test_scores_are_sacrebleus",
    "pairwise::test_wmt22_candidates",
    "sentences::test_random_texts[False-char]",
    *(f"sentences::test_random_texts[True-{name}]" for name in ("none", "intl", "char")),
]
SEGMENTS, ALL_SEGMENTS = 2_000, 200_000
FIRST_FRAMES, ALL_FRAMES = 3, 30  # 30 is what the run-time keeps unless told otherwise


def missing() -> str:
    """Why nothing can be built with sanitizers here; "" where it can."""
    if not tool("gcc"):
        return "there is no gcc"
    absent = [library for library in libraries() if not os.path.isabs(library)]
    return f"gcc has no {', '.join(absent)}" if absent else ""


def libraries() -> list[str]:
    """What has to be loaded before Python, which is not built with sanitizers."""
    names = ("libasan.so", "libubsan.so", "libstdc++.so")
    return [finish(["gcc", f"-print-file-name={name}"]).output.strip() for name in names]


def sanitized(
    build: Path = BUILD, frames: int | None = None, **changes: str | None
) -> dict[str, str]:
    """The environment of a Python process with the sanitizers' run-time and a build for it.

    `frames` of each stack are unwound by tables; without it, by frame pointers.
    """
    asan = {
        "detect_leaks": 1,
        "leak_check_at_exit": 0,
        "fast_unwind_on_malloc": int(frames is None),
        "malloc_context_size": frames or ALL_FRAMES,
        "allocator_may_return_null": 1,
    }
    found = environment(
        build,
        {
            "PYTHONMALLOC": "malloc",
            "FASTBLEU_SANITIZED": "1",
            "LD_PRELOAD": " ".join(libraries()),
            "ASAN_OPTIONS": ":".join(f"{name}={value}" for name, value in asan.items()),
            "LSAN_OPTIONS": f"suppressions={HERE / 'leaks.supp'}:print_suppressions=0",
            "UBSAN_OPTIONS": "print_stacktrace=1",
            **changes,
        },
    )
    found["PYTHONPATH"] += os.pathsep + str(HERE / "at_exit")
    return found


def build() -> Iterator[Outcome]:
    """The build, and a look at whether it is what is imported and whether leaks are looked for."""
    with measured("build with AddressSanitizer and UBSan") as outcome:
        outcome.check(*_built())
    yield outcome


def _built() -> tuple[bool, str]:
    problem = build_into(BUILD, FASTBLEU_SANITIZE="1")
    if problem:
        return False, problem
    seen = finish(
        [sys.executable, "-c", "import fastbleu._core as m, sitecustomize as s; print(m, s.check)"],
        env=sanitized(),
    )
    return seen.status == 0 and str(BUILD) in seen.output, seen.why()


def suite(long: bool) -> Iterator[Outcome]:
    """The tests, shared by as many processes as there are processors."""
    what = "tests under AddressSanitizer, LeakSanitizer and UBSan"
    if long:
        with measured(f"all {what}") as outcome:
            _run_suite(outcome, everything=True, frames=FIRST_FRAMES)
        yield outcome
    with measured(what + (", whole stacks" if long else "")) as outcome:
        _run_suite(outcome, frames=ALL_FRAMES if long else None)
    yield outcome


def _run_suite(outcome: Outcome, everything: bool = False, frames: int | None = None) -> None:
    share = WORK / "share"
    shutil.rmtree(share, ignore_errors=True)
    share.mkdir(parents=True)
    changes = {"FASTBLEU_TRUST_SHARE": str(share)}
    changes["FASTBLEU_TEST_SEGMENTS"] = str(ALL_SEGMENTS if everything else SEGMENTS)
    left_out: list[str] = []
    if not everything:
        changes["FASTBLEU_TEST_ONLY"] = "fastbleu"
        left_out, absent = _left_out()
        outcome.failures += [f"there is no {name} to leave out" for name in absent]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:benchmark"]
    command += ["-p", "no:xdist", "-p", "trust.shared_tests", *left_out, str(TESTS)]
    env = sanitized(frames=frames, **changes)
    logs = [WORK / f"sanitized.{number}.log" for number in range(os.cpu_count() or 1)]
    processes = []
    try:
        for log in logs:
            with log.open("wb") as file:
                processes.append(
                    subprocess.Popen(
                        command,
                        cwd=TESTS.parent,
                        env=env,
                        stdin=subprocess.DEVNULL,
                        stdout=file,
                        stderr=subprocess.STDOUT,
                        start_new_session=True,
                    )
                )
        while any(process.poll() is None for process in processes):
            time.sleep(0.2)
    finally:
        for process in processes:
            end(process)
    outcome.cases = len(list(share.iterdir()))
    for process, log in zip(processes, logs, strict=True):
        said = log.read_text(errors="replace")
        if process.returncode or REPORT.search(said):
            outcome.failures.append(
                f"status {process.returncode}, all of it in {log}\n{_worst(said)}"
            )


def _left_out() -> tuple[list[str], list[str]]:
    """Options of pytest that leave tests out, and what these do not find."""
    options, absent = [f"--ignore={TESTS / 'integrations'}"], []
    for name in LEFT_OUT + SINGLE_ONES:
        file, _, test = name.partition("::")
        path = TESTS / f"test_{file}.py"
        function = f"def {test.partition('[')[0]}(" if test else ""
        if not path.exists() or function not in path.read_text(encoding="utf-8"):
            absent.append(name)
        # Names are those that pytest gives to tests, which begin in the root of the project.
        options.append(f"--deselect=tests/{path.name}::{test}" if test else f"--ignore={path}")
    return options, absent


def _worst(said: str) -> str:
    """The reports of sanitizers, or what pytest says at the end."""
    lines = said.splitlines()
    first = next((i for i, line in enumerate(lines) if REPORT.search(line)), None)
    return "\n".join(lines[-60:] if first is None else lines[first : first + 60])


CALLS = """
import sys, warnings
from trust.entries import ENTRIES
warnings.simplefilter("ignore")
made = 0
for entry in ENTRIES:
    state = entry.setup()
    for _ in range(int(sys.argv[1])):
        for call in (entry.call, *entry.errors):
            made += 1
            try:
                call(state)
            except Exception:
                pass
print(made)
"""


def entry_points(long: bool) -> Iterator[Outcome]:
    """Every entry point and error a few times, with whole stacks of every allocation."""
    with measured("every entry point and error under the sanitizers, whole stacks") as outcome:
        done = finish(
            [sys.executable, "-c", CALLS, 20 if long else 2],
            7200,
            env=sanitized(frames=ALL_FRAMES),
            log="entries.log",
        )
        outcome.cases = int(done.output or 0)
        if done.status or REPORT.search(done.errors):
            outcome.failures.append(f"{done.why(5)}\n{_worst(done.output + done.errors)}")
    yield outcome

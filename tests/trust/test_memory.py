"""Memory: sanitizers, memcheck, planted faults, and calls that must not make the process grow."""

from __future__ import annotations

import re
import shutil

import pytest

from trust import growth, memcheck
from trust.canaries import CANARIES, SANITIZERS, noticed, plant
from trust.children import TESTS, python, tool
from trust.sanitizers import ALL_FRAMES, REPORT, make, missing, sanitized, worst

# What the short form leaves out: tests of nltk and sacreBLEU themselves, of the command line (the
# other parts run it a great deal), of time and of memory's size, of what is Python upon compiled
# code that other tests run, and of random tokens and texts where the fuzzers try the same, under
# AddressSanitizer, too; and single tests that are mostly such Python or whole corpora.
LEFT_OUT = [
    *("sacrebleu_parity", "sacrebleu_errors", "sacrebleu_patch", "sacrebleu_real_data"),
    *("nltk_arguments", "tokenizer_libraries", "files", "formats", "signals"),
    *("cli", "cli_robustness", "cli_testsets", "cli_utf8", "cli_segments"),
    *("cli_dialects", "unicode_ranges", "memory"),
    *("entry_points", "rewards", "report", "type_checkers"),
    *("update", "state"),
    *("identification", "explanation", "diagnosis_real_data"),
    *("tokenizers_parity", "nltk_bulk", "nltk_smoothing", "significance", "compare"),
    "architecture",
]
SINGLE_ONES = [
    *(f"recorded::test_{kind}[wmt22" for kind in ("corpora", "sentences", "printed_lines")),
    "layout::test_no_false_warning_on_real_data",
    "aggregate::test_aggregated_references",
    "mbr::test_the_example",
    "metric::test_scores_are_sacrebleus",
    "reader::test_random_texts[False-char]",
    *(f"reader::test_random_texts[True-{name}]" for name in ("none", "intl", "char")),
]
FILES = {
    path.stem.removeprefix("test_"): path
    for path in sorted(TESTS.rglob("test_*.py"))
    if path.parent.name not in ("integrations", "trust", "browser")
}
ROOMS = sorted({path.parent.relative_to(TESTS).as_posix() for path in FILES.values()})
FIRST_FRAMES = 3
# Its tracer, not the process: seen once in some dozens of runs, where threads were ending. It has
# then looked for nothing.
TRACER_CRASHED = "LeakSanitizer has encountered a fatal error"
# Without the dictionaries of other libraries' tokenizers: they take a minute to load in valgrind.
EVERYTHING = """
import sys
sys.modules.update(dict.fromkeys(["jieba", "punkt", "sacremoses", "whisper_normalizer"]))
from trust.calls import call_all
call_all({})
"""


@pytest.fixture(scope="session")
def sanitized_build() -> None:
    if reason := missing():
        pytest.skip(reason)
    make()


@pytest.mark.parametrize("share", [0, 1])
def test_growth_over_100_000_calls(cases, long, share):
    growth.check(cases, share, 2, long=long)


@pytest.mark.skipif(not tool("valgrind"), reason="there is no valgrind")
def test_memcheck_of_every_entry_point(cases, long):
    done, errors = memcheck.check(EVERYTHING.format(20 if long else 1))
    cases.count = int(done.output or 0)
    cases.check(done.status == 0, done.why())
    cases.failures += errors


def test_every_entry_point_under_the_sanitizers(cases, long, sanitized_build):
    code = EVERYTHING.format(20 if long else 2)
    done = python("-c", code, env=sanitized(frames=ALL_FRAMES), timeout=7200, log="entries.log")
    cases.count = int(done.output or 0)
    if done.status or REPORT.search(done.errors):
        cases.failures.append(f"{done.why(5)}\n{worst(done.output + done.errors)}")


@pytest.mark.parametrize("room", ROOMS)
def test_tests_under_the_sanitizers(cases, long, room, sanitized_build):
    run_tests(cases, room, frames=ALL_FRAMES if long else None)


@pytest.mark.long_only
@pytest.mark.parametrize("room", ROOMS)
def test_all_tests_under_the_sanitizers(cases, room, sanitized_build):
    run_tests(cases, room, everything=True, frames=FIRST_FRAMES)


def run_tests(cases, room, everything=False, frames=None):
    # Not pytest-xdist, whose workers keep threads that wait until the very end: what these refer to
    # lies in memory where LeakSanitizer does not look, so that it would be reported.
    options = ["-q", *(f"-pno:{plugin}" for plugin in ("cacheprovider", "benchmark", "xdist"))]
    changes = {"FASTBLEU_TEST_SEGMENTS": "200000" if everything else "2000"}
    left_out = set()
    if not everything:
        changes["FASTBLEU_TEST_ONLY"] = "fastbleu"
        left_out = {FILES[name] for name in LEFT_OUT}
        # Names, or beginnings of them, that pytest gives to tests, from the root of the project.
        for file, _, test in (name.partition("::") for name in SINGLE_ONES):
            assert f"def {test.partition('[')[0]}(" in FILES[file].read_text(encoding="utf-8")
            path = FILES[file].relative_to(TESTS.parent)
            options.append(f"--deselect={path}::{test}")
    here = [path for path in FILES.values() if path.parent == TESTS / room]
    files = [path for path in here if path not in left_out]
    if not files:
        return
    arguments = ["-c", "import pytest, sys; sys.exit(pytest.main())", *options, *files]
    env = sanitized(frames=frames, **changes)
    for _ in range(3):
        done = python(*arguments, env=env, timeout=6 * 3600, log=f"sanitized-{room}.log")
        if TRACER_CRASHED not in done.output + done.errors:  # of a child of a test, too
            break
    cases.count = sum(map(int, re.findall(r"(\d+) (?:passed|skipped)", done.output[-999:])))
    # 5: all are skipped, for want of a library.
    if done.status not in (0, 5) or REPORT.search(done.output + done.errors):
        cases.failures.append(f"status {done.status}\n{worst(done.output + done.errors)}")


@pytest.mark.parametrize("canary", CANARIES, ids=lambda canary: canary.name)
def test_the_sanitizers_find_a_planted_fault(cases, canary, sanitized_build):
    if plant(canary, cases, SANITIZERS):
        found = python("-c", canary.code, env=sanitized(canary.build))
        cases.check(noticed(canary, found), f"it was missed: {found.why()}")
        sound = python("-c", canary.code, env=sanitized())
        cases.check(not noticed(canary, sound), f"without it too: {sound.why()}")
    shutil.rmtree(canary.build, ignore_errors=True)


@pytest.mark.long_only
@pytest.mark.skipif(not tool("valgrind"), reason="there is no valgrind")
@pytest.mark.parametrize("canary", CANARIES[:2], ids=lambda canary: canary.name)
def test_memcheck_and_growth_find_a_planted_fault(cases, canary):
    if plant(canary, cases, []):
        _, errors = memcheck.check(canary.code, build=canary.build)
        cases.check(errors, f"memcheck missed the planted {canary.name}")
        if canary.name == "leak":
            grown = type(cases)()
            growth.check(grown, 0, 1, long=False, build=canary.build, name="stats")
            cases.check("bytes for each" in str(grown.failures), f"no growth: {grown.failures}")
    shutil.rmtree(canary.build, ignore_errors=True)

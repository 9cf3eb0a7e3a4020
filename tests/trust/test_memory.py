"""Memory: sanitizers, memcheck, planted faults, and calls that must not make the process grow."""

import json

import pytest

from trust import growth, memcheck
from trust.canaries import CANARIES, SANITIZERS, plant
from trust.children import TESTS, environment, python, tool
from trust.sanitizers import ALL_FRAMES, REPORT, make, missing, sanitized, worst

# What the short form leaves out: tests of nltk and sacreBLEU themselves, of the command line (the
# other parts run it a great deal), of time and of memory's size, of what is Python upon compiled
# code that other tests run, and of random tokens and texts where the fuzzers try the same, under
# AddressSanitizer, too. LEFT_OUT are names of files, or beginnings of them.
LEFT_OUT = (
    *("sacrebleu_", "nltk_arguments", "nltk_bulk", "nltk_smoothing", "cli", "files.", "formats"),
    *("processes", "memory", "unicode_ranges", "tokenizer_libraries", "tokenizers_parity"),
    *("entry_points", "report", "type_checkers", "update", "state", "significance", "compare"),
    *("identification", "explanation", "architecture"),
)
# Whole corpora, as a regular expression of pytest's -k.
WHOLE_CORPORA = "not wmt22 and not real_data"
# A room is a folder of tests.
ROOMS = sorted(
    {
        path.parent.relative_to(TESTS).as_posix()
        for path in TESTS.rglob("test_*.py")
        if path.parent.name not in ("integrations", "patching", "trust", "browser")
    }
)
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
needs_valgrind = pytest.mark.skipif(not tool("valgrind"), reason="there is no valgrind")


@pytest.fixture(scope="session")
def sanitized_build() -> None:
    if reason := missing():
        pytest.skip(reason)
    make()


@pytest.mark.parametrize("share", [0, 1])
def test_growth_over_100_000_calls(long, share):
    calls, env = 20_000 if long else 300, environment(**growth.ENVIRONMENT)
    done = python("growth", share, 2, calls, env=env, timeout=4 * 3600)
    assert done.status == 0, done.why()
    assert json.loads(done.output) == []


@needs_valgrind
def test_memcheck_of_every_entry_point(long, tmp_path):
    done, errors = memcheck.check(tmp_path, EVERYTHING.format(20 if long else 1))
    assert done.status == 0, done.why()
    assert not errors, "\n".join(errors)


def test_every_entry_point_under_the_sanitizers(long, sanitized_build):
    code = EVERYTHING.format(20 if long else 2)
    done = python("-c", code, env=sanitized(frames=ALL_FRAMES), timeout=7200, log="entries.log")
    assert done.status == 0, f"{done.why(5)}\n{worst(done)}"
    assert not REPORT.search(done.errors), worst(done)


@pytest.mark.parametrize("room", ROOMS)
def test_tests_under_the_sanitizers(long, room, sanitized_build):
    files = [
        path
        for path in sorted((TESTS / room).glob("test_*.py"))
        if not path.name.removeprefix("test_").startswith(LEFT_OUT)
    ]
    changes = {"FASTBLEU_TEST_SEGMENTS": "2000", "FASTBLEU_TEST_ONLY": "fastbleu"}
    if files:
        frames = ALL_FRAMES if long else None
        run_tests(room, ["-k", WHOLE_CORPORA, *files], frames, **changes)


@pytest.mark.long_only
@pytest.mark.parametrize("room", ROOMS)
def test_all_tests_under_the_sanitizers(room, sanitized_build):
    files = sorted((TESTS / room).glob("test_*.py"))
    run_tests(room, files, FIRST_FRAMES, FASTBLEU_TEST_SEGMENTS="200000")


def run_tests(room, arguments, frames, **changes):
    # Not pytest-xdist, whose workers keep threads that wait until the very end: what these refer to
    # lies in memory where LeakSanitizer does not look, so that it would be reported.
    options = ["-q", *(f"-pno:{plugin}" for plugin in ("cacheprovider", "benchmark", "xdist"))]
    command = ["-c", "import pytest, sys; sys.exit(pytest.main())", *options, *arguments]
    env = sanitized(frames=frames, **changes)
    log = f"sanitized-{room.replace('/', '-')}.log"
    for _ in range(3):
        done = python(*command, env=env, timeout=6 * 3600, log=log)
        if TRACER_CRASHED not in done.output + done.errors:  # of a child of a test, too
            break
    # 5: there are none, or all are skipped, for want of a library.
    assert done.status in (0, 5), f"status {done.status}\n{worst(done)}"
    assert not REPORT.search(done.output + done.errors), worst(done)


@pytest.mark.parametrize("canary", CANARIES, ids=lambda canary: canary.name)
def test_the_sanitizers_find_a_planted_fault(canary, sanitized_build, tmp_path):
    plant(canary, tmp_path / "build", SANITIZERS)
    found = python("-c", canary.code, env=sanitized(tmp_path / "build"))
    assert canary.is_noticed(found), f"it was missed: {found.why()}"
    sound = python("-c", canary.code, env=sanitized())
    assert not canary.is_noticed(sound), f"without it too: {sound.why()}"


@pytest.mark.long_only
@needs_valgrind
@pytest.mark.parametrize("canary", CANARIES[:2], ids=lambda canary: canary.name)
def test_memcheck_and_growth_find_a_planted_fault(canary, tmp_path):
    build = tmp_path / "build"
    plant(canary, build, [])
    assert memcheck.check(tmp_path, canary.code, build)[1] != []
    if canary.name == "leak":
        code = f"lambda: exec({canary.code!r})"
        code = f"from trust import growth; print(*growth.measured({code}, 300))"
        done = python("-c", code, env=environment(build, **growth.ENVIRONMENT))
        assert int(done.output) > growth.LIMIT, done.why()

"""The command with input it cannot score, closed pipes, signals, terminals, and long files."""

from __future__ import annotations

import gzip
import io
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from commands import POSIX, R1, A, B, error, output, python, run, start, usage_error

from fastbleu.cli import command as cli

FORMS = [[], ["-sl"], ["-f", "text"], ["-ci", "-cin", "20"]]

# ---- mistakes and what is said about them ---------------------------------------------------


def test_references_after_the_systems() -> None:
    message = error("-i", A, R1)
    assert "give their files first" in message
    assert message.endswith(f"Did you mean: fastbleu {R1} -i {A}")


def test_a_negative_smoothing_value_is_told_in_one_line(tmp_path: Path) -> None:
    hypotheses = tmp_path / "hypotheses.txt"
    hypotheses.write_bytes(b"b c d e f\n" * 2)
    (tmp_path / "ref").write_bytes(b"b x d y f\n" * 2)
    for form in [], ["-sl"]:
        message = error(tmp_path / "ref", "-i", hypotheses, *form, "-s", "floor", "-sv", "-1")
        assert message.startswith("--smooth-value -1 with --smooth-method floor")


def test_a_line_too_many_or_too_few(tmp_path: Path) -> None:
    short = tmp_path / "short.txt"
    short.write_bytes(b"a\nb\n")
    message = f"{short} has 2 lines, {R1} has 40 lines: "
    for form in FORMS:
        assert error(R1, "-i", short, *form).startswith(message)
    assert error(R1, "-i", A, short).startswith(message)
    message = f"{R1} has 40 lines, standard input has 80 lines: "
    assert error(R1, stdin=A.read_bytes() * 2).startswith(message)
    short.write_bytes(A.read_bytes() + b" \n")
    assert error(R1, "-i", short).endswith("41 lines: remove its last line, which is blank")


def test_a_test_set_without_a_language_pair() -> None:
    assert error("-t", "wmt14", "-i", A) == "test set wmt14 needs a language pair, such as -l en-de"
    assert "-t names it" in error(R1, "-i", A, "-ol", "en")


def test_tokenized_text(tmp_path: Path) -> None:
    tokenized = tmp_path / "tokenized.txt"
    tokenized.write_bytes(b"a b c d . \n" * 100)
    detokenized = tmp_path / "detokenized.txt"
    detokenized.write_bytes(b"a b c d .\n" * 99 + b"a b c d.\n")
    for system, warned in ((tokenized, True), (detokenized, False)):
        status, out, err = run(tokenized, "-i", system, "-b")
        assert (status, out.endswith("\n")) == (0, True)
        assert (" end in ' .'" in err) == warned
    assert str(tokenized) in run(tokenized, "-i", detokenized, tokenized)[2]
    assert output(tokenized, "-i", tokenized, "-b", "--force") == "100.0\n"
    assert output(tokenized, "-i", tokenized, "-sl", "-b", "--force") == "100.0\n" * 100


def test_doubtful_options(tmp_path: Path) -> None:
    assert (
        "use zh or a SentencePiece tokenizer" in run(R1, "-i", A, "-l", "en-zh", "-tok", "13a")[2]
    )
    assert "has no effect" in run(R1, "-i", A, "-s", "exp", "-sv", "1")[2]
    marked = tmp_path / "marked.txt"
    marked.write_bytes(b"\xef\xbb\xbf" + A.read_bytes())
    status, out, err = run(R1, "-i", marked, "-b")
    assert (status, f"{marked} starts with a byte order mark" in err) == (0, True)
    assert output(R1, "-i", marked, "-b", "-e", "utf-8-sig") == output(R1, "-i", A, "-b") != out


def test_standard_input_only_once() -> None:
    assert "standard input (-) is named more than once" in error("-", "-i", "-")
    assert "without -i" in error("-")
    assert "without -i" in error(R1)  # empty


def test_nothing_to_score(tmp_path: Path) -> None:
    empty = tmp_path / "empty.txt"
    empty.write_bytes(b"")
    for form in FORMS:
        assert error(empty, "-i", empty, *form).startswith("no segment to score")
    assert error(empty) == "no segment to score: the files have no lines"
    one = tmp_path / "one.txt"
    one.write_bytes(b"a\n")
    message = f"standard input has 0 lines, {one} has 1 line: "
    assert error(one).startswith(message)  # sacreBLEU scores an empty segment


def test_a_seed_that_is_none() -> None:
    for form in (["-ci"], [B, "-pbs"], [B, "-par"]):
        assert "SACREBLEU_SEED" in error(R1, "-i", A, *form, env={"SACREBLEU_SEED": "x"})
    assert output(R1, "-i", A, "-ci", "-cin", "9", "-b", env={"SACREBLEU_SEED": "None"})


@pytest.mark.skipif(sys.platform != "linux", reason="needs file names of any bytes")
def test_names_that_are_no_text(tmp_path: Path) -> None:
    odd = tmp_path / "a\nb\udcff.txt"
    assert r"a\nb\udcff.txt" in error(odd, "-i", A)
    odd.write_bytes(A.read_bytes())
    for encoding in ("utf-8", "ascii"):
        environment = {"PYTHONIOENCODING": encoding}
        for form in ("text", "json", "latex"):
            assert r"\udcff.txt" in output(R1, "-i", odd, B, "-f", form, env=environment)
        assert "μ" in output(R1, "-i", A, "-ci", "-cin", "9", "-f", "text", env=environment)


@pytest.mark.parametrize("form", FORMS)
def test_nothing_is_printed_before_all_is_read(tmp_path: Path, form: list[str]) -> None:
    (tmp_path / "r").write_bytes(b"a b c d\n" * 20_000)
    (tmp_path / "h").write_bytes(b"a b c d\n" * 19_998 + b"caf\xe9\n" + b"\n")
    message = error(tmp_path / "r", "-i", tmp_path / "h", *form)
    assert message.startswith(f"{tmp_path / 'h'}: line 19999 is not valid UTF-8")
    (tmp_path / "h.gz").write_bytes(gzip.compress(b"a b c d\n" * 20_000)[:-9])
    assert "h.gz: after line " in error(tmp_path / "r", "-i", tmp_path / "h.gz", *form)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["r", "-i"], "--input: expected at least one argument"),
        (["r", "-b", "s", "-i", "h"], "unrecognized arguments: s: all REF files come first"),
        (["r", "-i", "h", "--max-ngram-order", "0"], "must be from 1 to 100, not 0"),
        (["r", "-i", "h", "--threads", "0"], "must be from 1 to 256, not 0"),
        (["r", "-i", "h", "--num-refs", "0"], "must be at least 1, not 0"),
        (["r", "-i", "h", "-w", "1001"], "--width: must be from 0 to 1000"),
        (["r", "-i", "h", "-cin", str(10**30)], "--confidence-n: must be from"),
        (["r", "-i", "h", "--width", "-1"], "--width"),
        (["r", "-i", "h", "-s", "floor", "-sv", "1/2"], "invalid float value: '1/2'"),
        (["r", "-i", "h", "-e", "utf-9"], "'utf-9' is not an encoding"),
        (["r", "-i", "h", "-e", "rot13"], "'rot13' is not an encoding"),
        (["r", "-i", "h", "-e", "undefined"], "'undefined' is not an encoding"),
        (["r", "-i", "h", "-l", "de"], "'de' is not a language pair"),
        (
            ["r", "-i", "h", "-m", "chrf"],
            "'chrf' is unknown; choose one of bleu; for others",
        ),
        (
            ["r", "-i", "h", "-f", "JSN"],
            "--format: value 'JSN' is unknown; did you mean 'json'?",
        ),
        (["r", "-i", "h", "-tok", "moses"], "value 'moses' is unknown; choose one of none, zh"),
        (["r", "-i", "h", "-tok", "v13a"], "value 'v13a' is unknown; did you mean '13a'?"),
        (["r", "-i", "h", "-s", "flor"], "value 'flor' is unknown; did you mean 'floor'?"),
        (
            ["r", "-i", "h", "--missing", "drop"],
            "'drop' is unknown; choose one of error, em",
        ),
        (["r", "-i", "h", "--tokeniser", "zh"], "--tokeniser zh: did you mean --tokenize?"),
        (
            ["r", "-i", "h", "--dialect", "lamafactory"],
            "did you mean 'llamafactory'?",
        ),
        (["r", "-i", "h", "-l", "x" * 999], f"'{'x' * 75}...' is not a language pair"),
        (["r", "-i", "h", "--threads", "x" * 999], f"invalid int value: '{'x' * 76}..."),
        (
            ["r", "-b", "x" * 999, "-i", "h"],
            f"arguments: {'x' * 77}...: all REF files",
        ),
        (["r", "-i", "h", "--chrf-beta", "3"], "only the command sacrebleu has this"),
        (["r", "-i", "h", "-d"], "only the command sacrebleu has this"),
    ],
)
def test_arguments_that_make_no_sense(arguments: list[str], problem: str) -> None:
    assert problem in usage_error(*arguments)


@pytest.mark.parametrize(
    ("arguments", "same"),
    [
        (["--Score_Only"], ["-b"]), (["--scoreonly"], ["-b"]), (["-f", "TEXT"], ["-f", "text"]),
        (["-b", "-tok", "ZH"], ["-b", "-tok", "zh"]), (["-b", "-m", "BLEU"], ["-b"]),
        (["-b", "--Dialect", "NLTK"], ["-b", "--dialect", "nltk"]),
        (["-b", "--dialect=LLaMA-Factory"], ["-b", "--dialect", "llamafactory"]),
        (["-b", "--smooth_method=Add_K"], ["-b", "-s", "add-k"]),
        (["-b", "--dialect", "SacreBLEU", "-ci", "-cin", "9"], ["-b", "-ci", "-cin", "9"]),
        (["-b", "-s", "floor", "--smoothvalue=0.5"], ["-b", "-s", "floor", "-sv", "0.5"]),
        (["--explain", "NLTK", "Sacre-BLEU"], ["--explain", "nltk", "sacrebleu"]),
    ],
)  # fmt: skip
def test_case_and_hyphens_do_not_matter(arguments: list[str], same: list[str]) -> None:
    assert output(R1, "-i", A, *arguments) == output(R1, "-i", A, *same)


def test_a_summary_and_the_help_of_50_columns() -> None:
    summary = output("-h")
    lines = summary.splitlines()
    assert len(lines) == 10
    assert max(map(len, lines)) <= 50
    assert sum(line.startswith("  fastbleu ") for line in lines) == 3
    assert run() == (2, "", summary)
    text = output("--help", env={"COLUMNS": "50"})
    assert max(map(len, text.splitlines())) <= 50
    wide = output("--help", env={"COLUMNS": "150"})
    assert len(text.splitlines()) > 1.5 * len(wide.splitlines())
    words = [re.sub(r"\s+", " ", form.partition("options:")[2]) for form in (text, wide)]
    assert words[0] == words[1]
    for name in ("ja-mecab", "codexglue-summary", "--paired-bs"):
        assert name in text


def test_a_tokenizer_that_cannot_be_had(tmp_path: Path) -> None:
    message = error(R1, "-i", A, "-tok", "spm", env={"SACREBLEU": str(tmp_path)})
    assert message.startswith("-tok spm: ")


def test_an_ambiguous_option_names_the_candidates() -> None:
    message = usage_error(R1, "-i", A, "--smooth", "floor")
    assert "ambiguous option: --smooth could be --smooth-method (smoothing of orders" in message
    assert " or --smooth-value (value of floor" in message


def ends_on_a_terminal(*words: Any) -> tuple[int, bytes, bytes]:
    """Status and output of a run whose standard input is a terminal."""
    main, terminal = os.openpty()
    try:
        process = start(*words, stdin=terminal)
        out, err = process.communicate(timeout=60)
    finally:
        os.close(main)
        os.close(terminal)
    return process.returncode, out, err


@pytest.mark.skipif(not POSIX, reason="needs a pseudo-terminal")
def test_the_bare_command_on_a_terminal_prints_its_usage() -> None:
    _, out, err = ends_on_a_terminal()
    assert out == b""
    assert err.startswith(b"usage: fastbleu REF")
    assert b"  fastbleu ref.txt -i system.txt -b\n" in err
    assert err.endswith(b"\nfastbleu --help explains all options.\n")


@pytest.mark.skipif(not POSIX, reason="needs a pseudo-terminal")
def test_hypotheses_are_not_awaited_from_a_terminal() -> None:
    status, out, err = ends_on_a_terminal(R1)
    assert (status, out) == (2, b"")
    assert b"no hypotheses: name their files after -i" in err


def test_shell_completion(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "shtab.py").write_text("raise ImportError")
    message = error("--print-completion", "bash", env={"PYTHONPATH": str(tmp_path)})
    assert (
        message
        == "shell completion needs shtab: pip install '.[completion]' in a checkout of fastbleu"
    )
    pytest.importorskip("shtab")
    for shell in ("bash", "zsh", "fish", "tcsh"):
        assert "--smooth-method" in output("--print-completion", shell)


# ---- signals, terminals, parts of a result ---------------------------------------------------
# Closed pipes and full disks: tests/trust/test_files.py.


@pytest.mark.skipif(not POSIX, reason="needs limits of resources")
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize(
    ("size", "arguments"),
    [
        (70_000, "r -i r -sl -b --force"),
        (1_000, "t.csv::ref -i t.csv::mt --by by -f parquet"),
    ],
)
def test_a_result_that_is_written_in_part_is_an_error(
    tmp_path: Path, size: int, arguments: str, unbuffered: str
) -> None:
    import resource

    if "parquet" in arguments:
        pytest.importorskip("pyarrow")
    (tmp_path / "r").write_bytes(b"a b c d\n" * 20_000)
    (tmp_path / "t.csv").write_text("mt,ref,by\na b c d,a b c d,x\n")

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    options = {"env": {"PYTHONUNBUFFERED": unbuffered}, "preexec_fn": limit, "cwd": tmp_path}
    with (tmp_path / "out").open("wb") as file:
        status, _, err = run(*arguments.split(), stdout=file, **options)
    assert (tmp_path / "out").stat().st_size == size
    assert (status, err) == (1, "fastbleu: error: cannot write the result: File too large\n")


IMPORT = """
import os, signal, sys
from fastbleu.cli.imports import import_undisturbed

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == "numpy._core._multiarray_umath" and not seen:
            seen.append(name)
            os.kill(os.getpid(), signal.SIGINT)

seen = []
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Interrupting())
try:
    import_undisturbed("fastbleu.significance")
except KeyboardInterrupt:
    import numpy.random
    print("interrupted, and", "imported" if "fastbleu.significance" in sys.modules else "broken")
print(signal.getsignal(signal.SIGINT) is signal.default_int_handler, seen)
"""


@pytest.mark.skipif(not POSIX, reason="needs POSIX signals")
def test_an_import_is_finished_before_it_is_interrupted() -> None:
    assert python("-c", IMPORT).splitlines() == [
        "interrupted, and imported",
        "True ['numpy._core._multiarray_umath']",
    ]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("packed", [False, True])
def test_progress_bar_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    packed: bool,
) -> None:
    data = b"a b c d\n" * 9_000
    path = tmp_path / ("r.gz" if packed else "r")
    path.write_bytes(gzip.compress(data) if packed else data)
    arguments = [str(path), "-i", str(path), "-b", "--force"]

    def shown(*options: str) -> str:
        terminal = Terminal()
        monkeypatch.setattr(sys, "stderr", terminal)
        assert cli.main([*arguments, *options]) == 0
        assert capsys.readouterr().out == "100.0\n"
        return terminal.getvalue()

    assert shown() == ""  # short work shows none
    monkeypatch.setattr(cli, "_PROGRESS_DELAY", 0)
    assert "%" in shown()
    assert shown("--quiet") == ""


# ---- long files -----------------------------------------------------------------------------


# A process begins with the peak of the one that starts it, and that which runs the tests is large.
PEAK = """
import resource, subprocess, sys
status = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
print(status, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


# With AddressSanitizer a process takes what its allocator keeps.
needs_memory_use = pytest.mark.skipif(
    os.name == "nt" or "FASTBLEU_SANITIZED" in os.environ,
    reason="needs the memory use of a process, and of no sanitizer",
)


def peak(*arguments: Any, feed: Any = None) -> int:
    """Bytes of memory that a run takes at its peak."""
    words = [sys.executable, "-c", PEAK, sys.executable, "-m", "fastbleu", *map(str, arguments)]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as process:
        if feed is not None:
            feed()
        status, size = map(int, process.communicate()[0].split())
    assert status == 0
    return size * (1 if sys.platform == "darwin" else 1024)


@needs_memory_use  # and named pipes
def test_memory_with_pipes(tmp_path: Path) -> None:
    reference, system = tmp_path / "reference", tmp_path / "system"
    for pipe in (reference, system):
        os.mkfifo(pipe)

    def feed() -> None:
        with reference.open("wb") as of_reference, system.open("wb") as of_system:
            for start_ in range(0, 300_000, 1000):
                lines = b"".join(
                    b"line %d of a text with words\n" % i for i in range(start_, start_ + 1000)
                )
                of_reference.write(lines)
                of_system.write(lines)

    assert peak(reference, "-i", system, "-b", feed=feed) < 100 << 20


def test_more_lines_than_a_chunk_and_threads(tmp_path: Path) -> None:
    (tmp_path / "r").write_text("".join(f"a b c {i % 7} {i}\n" for i in range(9_001)))
    system = "".join(f"a b c {i % 5} {i}\n" for i in range(9_001))
    (tmp_path / "h.gz").write_bytes(gzip.compress(system.encode()))
    arguments = [tmp_path / "r", "-i", tmp_path / "h.gz", "-w", "14"]
    expected = output(*arguments)
    assert '"hyp_len": 0' not in expected
    assert "hyp_len = 45005" in expected
    for threads in (2, 3):
        assert output(*arguments, "--threads", threads) == expected
        by_line = output(*arguments, "-sl", "--threads", threads)
        assert by_line == output(*arguments, "-sl")
        assert by_line.count("\n") == 9_001

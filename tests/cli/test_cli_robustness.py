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
FILES = {
    "short": b"a\nb\n",
    "longer": A.read_bytes() + b" \n",
    "empty": b"",
    "one": b"a\n",
    "r": b"b x d y f\n" * 2,
    "h": b"b c d e f\n" * 2,
    "marked": b"\xef\xbb\xbf" + A.read_bytes(),
    "tokenized": b"a b c d . \n" * 100,
    "detokenized": b"a b c x .\n" * 99 + b"a b c x.\n",
}

# ---- mistakes and what is said about them ---------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with the files."""
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["-i", A, R1], r"give their files first.*mean: fastbleu \S+1.txt -i \S+system-a.txt$"),
        ([R1, "-i", A, "short"], "^short has 2 lines, .*reference.1.txt has 40 lines: "),
        ([R1, "-i", "longer"], "41 lines: remove its last line, which is blank$"),
        (["one"], "^standard input has 0 lines, one has 1 line: "),  # sacreBLEU scores it
        (["-t", "wmt14", "-i", A], "^test set wmt14 needs a language pair, such as -l en-de$"),
        ([R1, "-i", A, "-ol", "en"], "-t names it"),
        (["-", "-i", "-"], r"standard input \(-\) is named more than once"),
        (["-"], "without -i"),
        ([R1], "without -i"),  # it is empty
        (["empty"], "^no segment to score: the files have no lines$"),
        (["r", "-i", "h", "-s", "floor", "-sv", "-1"], "^--smooth-value -1 with --smooth-method"),
        (["r", "-i", "h", "-sl", "-s", "floor", "-sv", "-1"], "^--smooth-value -1 with --smooth"),
    ],
)
def test_files_and_options_that_cannot_be_scored(words: list[Any], problem: str) -> None:
    assert re.search(problem, error(*words))


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("form", FORMS)
def test_other_numbers_of_lines_and_none_in_every_form(form: list[str]) -> None:
    message = f"short has 2 lines, {R1} has 40 lines: "
    assert error(R1, "-i", "short", *form).startswith(message)
    message = f"{R1} has 40 lines, standard input has 80 lines: "
    assert error(R1, *form, stdin=A.read_bytes() * 2).startswith(message)
    assert error("empty", "-i", "empty", *form).startswith("no segment to score")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["tokenized", "-i", "tokenized", "-b"], " end in ' .'"),
        (["tokenized", "-i", "detokenized", "-b"], None),
        (["tokenized", "-i", "detokenized", "tokenized"], "tokenized: .* end in ' .'"),
        (["tokenized", "-i", "tokenized", "--force"], None),
        (["tokenized", "-i", "tokenized", "-sl", "--force"], None),
        ([R1, "-i", A, "-l", "en-zh", "-tok", "13a"], "use zh or a SentencePiece tokenizer"),
        ([R1, "-i", A, "-s", "exp", "-sv", "1"], "has no effect"),
        ([R1, "-i", "marked"], "marked starts with a byte order mark"),
        ([R1, "-i", "marked", "-e", "utf-8-sig"], None),
    ],
)
def test_doubtful_input_is_scored_with_a_warning(words: list[Any], problem: str | None) -> None:
    status, out, err = run(*words)
    assert (status, out != "") == (0, True)
    assert re.search(problem, err) if problem else err == ""


def test_a_byte_order_mark_is_part_of_the_first_token(folder: Path) -> None:
    expected = output(R1, "-i", A, "-b")
    assert output(R1, "-i", folder / "marked", "-b", "-e", "utf-8-sig") == expected
    assert run(R1, "-i", folder / "marked", "-b")[1] != expected


def test_a_wrong_seed() -> None:
    for form in (["-ci"], [B, "-pbs"], [B, "-par"]):
        assert "SACREBLEU_SEED" in error(R1, "-i", A, *form, env={"SACREBLEU_SEED": "x"})
    assert output(R1, "-i", A, "-ci", "-cin", "9", "-b", env={"SACREBLEU_SEED": "None"})


@pytest.mark.skipif(sys.platform != "linux", reason="needs file names of any bytes")
def test_names_of_any_bytes(tmp_path: Path) -> None:
    odd = tmp_path / "a\nb\udcff.txt"
    assert r"a\nb\udcff.txt" in error(odd, "-i", A)
    odd.write_bytes(A.read_bytes())
    for encoding in ("utf-8", "ascii"):
        environment = {"PYTHONIOENCODING": encoding}
        assert r"\udcff.txt" in output(R1, "-i", odd, B, "-f", "text", env=environment)
        assert "μ" in output(R1, "-i", A, "-ci", "-cin", "9", "-f", "text", env=environment)


@pytest.mark.parametrize("form", FORMS)
def test_nothing_is_printed_before_all_is_read(tmp_path: Path, form: list[str]) -> None:
    (tmp_path / "r").write_bytes(b"a b c d\n" * 20_000)
    (tmp_path / "h").write_bytes(b"a b c d\n" * 19_998 + b"caf\xe9\n" + b"\n")
    message = error(tmp_path / "r", "-i", tmp_path / "h", *form)
    assert message.startswith(f"{tmp_path / 'h'}: line 19999 is not valid UTF-8")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["r", "-i"], "--input: expected at least one argument"),
        (["r", "-b", "s", "-i", "h"], "unrecognized arguments: s: all REF files come first"),
        (["r", "-i", "h", "--max-ngram-order", "0"], "must be from 1 to 100, not 0"),
        (["r", "-i", "h", "--num-refs", "0"], "must be at least 1, not 0"),
        (["r", "-i", "h", "-w", "1001"], "--width: must be from 0 to 1000"),
        (["r", "-i", "h", "-cin", str(10**30)], "--confidence-n: must be from"),
        (["r", "-i", "h", "-s", "floor", "-sv", "1/2"], "invalid float value: '1/2'"),
        (["r", "-i", "h", "-e", "utf-9"], "'utf-9' is not an encoding"),
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
        (
            [R1, "-i", A, "--smooth", "floor"],
            "ambiguous option: --smooth could be --smooth-method",
        ),
        ([R1, "-i", A, "--smooth", "floor"], " or --smooth-value (value of floor"),
    ],
)
def test_wrong_arguments(arguments: list[str], problem: str) -> None:
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
def test_nothing_is_awaited_from_a_terminal() -> None:
    _, out, err = ends_on_a_terminal()
    assert out == b""
    assert err.startswith(b"usage: fastbleu REF")
    assert b"  fastbleu ref.txt -i system.txt -b\n" in err
    assert err.endswith(b"\nfastbleu --help explains all options.\n")
    status, out, err = ends_on_a_terminal(R1)
    assert (status, out) == (2, b"")
    assert b"no hypotheses: name their files after -i" in err


def test_shell_completion(tmp_path: Path) -> None:
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
@pytest.mark.parametrize(
    ("size", "arguments"),
    [
        (70_000, "r -i r -sl -b --force"),
        (1_000, "t.csv::ref -i t.csv::mt --by by -f parquet"),
    ],
)
def test_a_result_that_is_written_in_part_is_an_error(
    tmp_path: Path, size: int, arguments: str
) -> None:
    import resource

    if "parquet" in arguments:
        pytest.importorskip("pyarrow")
    (tmp_path / "r").write_bytes(b"a b c d\n" * 20_000)
    (tmp_path / "t.csv").write_text("mt,ref,by\na b c d,a b c d,x\n")

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    for unbuffered in ("", "1"):
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
    pipes = tmp_path / "reference", tmp_path / "system"
    for pipe in pipes:
        os.mkfifo(pipe)

    def feed() -> None:
        with pipes[0].open("wb") as of_reference, pipes[1].open("wb") as of_system:
            for first in range(0, 300_000, 1000):
                numbers = range(first, first + 1000)
                lines = b"".join(b"line %d of a text with words\n" % number for number in numbers)
                of_reference.write(lines)
                of_system.write(lines)

    assert peak(pipes[0], "-i", pipes[1], "-b", feed=feed) < 100 << 20

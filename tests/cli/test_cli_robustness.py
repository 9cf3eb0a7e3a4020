"""The command with input it cannot score, closed pipes, signals, terminals, and long files."""

import gzip
import io
import json
import os
import re
import signal
import subprocess
import sys

import pytest
from commands import R1, A, B, error, output, run, start, usage_error
from processes import POSIX, python, python_ends

from fastbleu.cli import alignment
from fastbleu.cli import command as cli

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


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The working directory, with the files."""
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ([R1, "-i", A, "short"], "^short has 2 lines, .*reference.1.txt has 40 lines: "),
        ([R1, "-i", "longer"], "41 lines: remove its last line, which is blank$"),
        (["one"], r"no -i\) has 0 lines, one has 1 line: "),  # sacreBLEU scores it
        (["-t", "wmt14", "-i", A], "^test set wmt14 needs a language pair, such as -l en-de$"),
        (["-", "-i", "-"], r"standard input \(-\) is named more than once"),
        (["-"], "without -i"),
        ([R1], "^standard input .hypotheses, as there is no -i. has 0 lines"),
        (["", "-i", R1], "^a file without a name: no such file"),
        (["empty"], "^no segment to score: the files have no lines$"),
    ],
)
def test_files_and_options_that_cannot_be_scored(words, problem):
    assert re.search(problem, error(*words))


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["tokenized", "-i", "detokenized", "-b"], None),
        (["tokenized", "-i", "detokenized", "tokenized"], "tokenized: .* end in ' .'"),
        ([R1, "-i", A, "-s", "exp", "-sv", "1"], "has no effect"),
        ([R1, "-i", "marked"], "marked starts with a byte order mark"),
    ],
)
def test_doubtful_input_is_scored_with_a_warning(words, problem):
    status, out, err = run(*words)
    assert (status, out != "") == (0, True)
    assert re.search(problem, err) if problem else err == ""


def test_an_invalid_seed():
    for form in (["-ci"], [B, "-pbs"], [B, "-par"]):
        assert "SACREBLEU_SEED" in error(R1, "-i", A, *form, env={"SACREBLEU_SEED": "x"})
    assert output(R1, "-i", A, "-ci", "-cin", "9", "-b", env={"SACREBLEU_SEED": "None"})
    for seed in ("x", "-1"):
        assert "--seed: it is" in usage_error(R1, "-i", A, "--seed", seed)
    found = output(R1, "-i", A, "-ci", "-cin", "9", "--seed", "none", env={"SACREBLEU_SEED": "x"})
    assert '"seed": "none"' in found


# The variable is sacreBLEU's, and the option, which it does not have, goes before it.
@pytest.mark.parametrize(
    "form", ["-ci", "-ci -cin 20 -m chrf ter", "-pbs", "-par", "-par --dialect nltk"]
)
def test_the_seed_comes_from_the_environment(form):
    words = [R1, "-i", A, *([] if "-ci" in form else [B]), *form.split(), "-f", "json"]
    found = output(*words, "--seed", "7", env={"SACREBLEU_SEED": "8"})
    assert found == output(*words, env={"SACREBLEU_SEED": "7"})
    assert output(*words) == output(*words, "--seed", "12345")
    if not form.startswith("-par"):  # its p-value is the smallest possible here, for all seeds
        assert found != output(*words)


@pytest.mark.skipif(sys.platform != "linux", reason="needs file names of any bytes")
def test_file_names_of_any_bytes(tmp_path):
    odd = tmp_path / "a\nb\udcff.txt"
    assert r"a\nb\udcff.txt" in error(odd, "-i", A)
    odd.write_bytes(A.read_bytes())
    for encoding in ("utf-8", "ascii"):
        environment = {"PYTHONIOENCODING": encoding}
        assert r"\udcff.txt" in output(R1, "-i", odd, B, "-f", "text", env=environment)
        assert "μ" in output(R1, "-i", A, "-ci", "-cin", "9", "-f", "text", env=environment)


@pytest.mark.parametrize("form", [[], ["-sl"], ["-f", "text"], ["-ci", "-cin", "20"]])
def test_nothing_is_printed_before_all_is_read(tmp_path, form):
    (tmp_path / "r").write_bytes(b"a b c d\n" * 20_000)
    (tmp_path / "h").write_bytes(b"a b c d\n" * 19_998 + b"caf\xe9\n" + b"\n")
    message = error(tmp_path / "r", "-i", tmp_path / "h", *form)
    assert message.startswith(f"{tmp_path / 'h'}: line 19999 is not valid UTF-8")
    message = f"{R1} has 40 lines, standard input (hypotheses, as there is no -i) has 80 lines: "
    assert error(R1, *form, stdin=A.read_bytes() * 2).startswith(message)
    assert "line 2 is not valid UTF-8" in error(R1, *form, stdin=b"a\n\xff\tb\n")


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ("-i", "--input: expected at least one argument"),
        ("-b s -i h", "unrecognized arguments: s: all REF files come first"),
        ("-i h --num-refs 0", "expected an integer of at least 1, not '0'"),
        ("-i h -w -1", "--width: expected an integer from 0 to 1000, not '-1'"),
        ("-i h -pbsn some", "expected an integer, not 'some'"),
        ("-i h -s floor -sv 1/2", "invalid float value: '1/2'"),
        ("-i h -e undefined", "'undefined' is not an encoding"),
        ("-i h --delimiter x", "--delimiter: 'x' is not one of ', ; \\t | :'"),
        ("-i h -m charf", "'charf' is unknown; did you mean 'chrf'?"),
        ("-i h --worst 3", "they need -sl"),
        ("-i h -sl --worst 0", "--worst: expected an integer of at least 1, not '0'"),
        ("-i h -m chrf --dialect nltk", "are for -m bleu"),
        ("-i h -m chrf --html x", "are for -m bleu"),
        ("-i h -m chrf --by x", "--by does not support --metrics"),
        ("-i h -f JSN", "--format: value 'JSN' is unknown; did you mean 'json'?"),
        ("-i h -tok moses", "value 'moses' is unknown; choose one of none, zh"),
        ("-i h --tokeniser zh", "--tokeniser zh: did you mean --tokenize?"),
        ("-i h --dialect lamafactory", "did you mean 'llamafactory'?"),
        (f"-i h -l {'x' * 999}", f"'{'x' * 75}...' is not a language pair"),
        (f"-b {'x' * 999} -i h", f"arguments: {'x' * 77}...: all REF files"),
        ("-i h --detail", "only the command sacrebleu has this"),
        ("-i h --smooth x", "ambiguous option: --smooth could be --smooth-method"),
    ],
)
def test_wrong_arguments(options, problem):
    assert problem in usage_error("r", *options.split())


@pytest.mark.parametrize(
    ("options", "same"),
    [
        ("--Score_Only", "-b"),
        ("-f TEXT", "-f text"),
        ("-b --dialect=LLaMA-Factory", "-b --dialect llamafactory"),
        ("-b --smooth_method=Add_K", "-b -s add-k"),
        ("-b --dialect SacreBLEU -ci -cin 9", "-b -ci -cin 9"),
        ("--explain NLTK Sacre-BLEU", "--explain nltk sacrebleu"),
    ],
)
def test_case_and_hyphens_do_not_matter(options, same):
    assert output(R1, "-i", A, *options.split()) == output(R1, "-i", A, *same.split())


def test_the_summary_and_the_help_fit_50_columns():
    summary = output("-h")
    assert len(summary.splitlines()) == 10
    assert max(map(len, summary.splitlines())) <= 50
    assert run() == (2, "", summary)
    text, wide = (output("--help", env={"COLUMNS": width}) for width in ("50", "150"))
    assert max(map(len, text.splitlines())) <= 50
    assert len(text.splitlines()) > 1.5 * len(wide.splitlines())


def test_an_unavailable_tokenizer(tmp_path):
    message = error(R1, "-i", A, "-tok", "spm", env={"SACREBLEU": str(tmp_path)})
    assert message.startswith("-tok spm: ")


def ends_on_a_terminal(*words):
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
def test_a_terminal_is_not_read():
    _, out, err = ends_on_a_terminal()
    assert out == b""
    assert err.startswith(b"usage: fastbleu REF")
    assert b"  fastbleu ref.txt -i system.txt -b\n" in err
    assert err.endswith(b"\nfastbleu --help explains all options.\n")
    status, out, err = ends_on_a_terminal(R1)
    assert (status, out) == (2, b"")
    assert b"no hypotheses: name their files after -i" in err


def test_shell_completion(tmp_path):
    (tmp_path / "shtab.py").write_text("raise ImportError")
    message = error("--print-completion", "bash", env={"PYTHONPATH": str(tmp_path)})
    assert message.startswith("shell completion needs shtab: pip install '.[completion]'")
    pytest.importorskip("shtab")
    for shell in ("bash", "zsh", "fish", "tcsh"):
        assert "--smooth-method" in output("--print-completion", shell)


# Closed pipes and full disks: tests/trust/test_files.py.


@pytest.mark.skipif(not POSIX, reason="needs limits of resources")
@pytest.mark.parametrize(
    ("size", "unbuffered", "arguments"),
    [
        (70_000, "", "r -i r -sl -b --force"),
        (70_000, "1", "r -i r -sl -b --force"),
        (1_000, "", "t.csv::ref -i t.csv::mt --by by -f parquet"),
    ],
)
def test_a_partly_written_result_is_an_error(tmp_path, size, unbuffered, arguments):
    import resource

    if "parquet" in arguments:
        pytest.importorskip("pyarrow")
    (tmp_path / "r").write_bytes(b"a b c d\n" * 20_000)
    (tmp_path / "t.csv").write_text("mt,ref,by\na b c d,a b c d,x\n")

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    # Python would cut off the modules that it compiles, too, and not notice.
    env = {"PYTHONUNBUFFERED": unbuffered, "PYTHONDONTWRITEBYTECODE": "1"}
    options = {"env": env, "preexec_fn": limit, "cwd": tmp_path}
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
def test_an_import_is_finished_before_it_is_interrupted():
    assert python("-c", IMPORT).splitlines() == [
        "interrupted, and imported",
        "True ['numpy._core._multiarray_umath']",
    ]


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_bar_on_a_terminal(monkeypatch, capsys, tmp_path):
    plain, packed = tmp_path / "r", tmp_path / "r.gz"
    plain.write_bytes(b"a b c d\n" * 9_000)
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    arguments = [str(plain), "-i", str(packed), "-b", "--force"]

    def shown(*options):
        terminal = Terminal()
        monkeypatch.setattr(sys, "stderr", terminal)
        assert cli.main([*arguments, *options]) == 0
        assert capsys.readouterr().out == "100.0\n"
        return terminal.getvalue()

    assert shown() == ""  # short work shows none
    monkeypatch.setattr(alignment, "_PROGRESS_DELAY", 0)
    assert "%" in shown()
    assert shown("--quiet") == ""


# A process inherits the peak of its parent, and the process that runs the tests is large.
PEAK = """
import resource, subprocess, sys
status = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
print(status, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


# With AddressSanitizer a process also has the memory that the allocator keeps.
@pytest.mark.skipif(
    os.name == "nt" or "FASTBLEU_SANITIZED" in os.environ,
    reason="needs the memory use of a process without a sanitizer",
)
def test_memory_with_pipes(tmp_path):
    pipes = tmp_path / "reference", tmp_path / "system"
    for pipe in pipes:
        os.mkfifo(pipe)
    words = [sys.executable, "-c", PEAK, sys.executable, "-m", "fastbleu", pipes[0], "-i", pipes[1]]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as process:
        with pipes[0].open("wb") as reference, pipes[1].open("wb") as system:
            for first in range(0, 300_000, 1000):
                numbers = range(first, first + 1000)
                lines = b"".join(b"line %d of a text with words\n" % number for number in numbers)
                reference.write(lines)
                system.write(lines)
        status, peak = map(int, process.communicate()[0].split())
    assert status == 0
    assert peak * (1 if sys.platform == "darwin" else 1024) < 100 << 20


# Reports.


@pytest.mark.skipif(not POSIX, reason="links and /dev/stdin")
@pytest.mark.parametrize(
    ("system", "target"),
    [
        *(("-i h", target) for target in ("h", "./h", "link", "hard link")),
        *(("", target) for target in ("h", "/dev/stdin")),
    ],
)
def test_a_report_never_replaces_an_input(folder, system, target):
    (folder / "link").symlink_to("h")
    (folder / "hard link").hardlink_to("h")
    before = {path: path.read_bytes() for path in folder.iterdir()}
    option = "--md" if system else "--html"
    if system:
        said = error("r", *system.split(), option, target)
    else:
        with open("h", "rb") as stdin, start("r", option, target, stdin=stdin) as process:
            out, said = process.communicate()
        assert (process.returncode, out) == (1, b"")
        said = said.decode().removeprefix("fastbleu: error: ")
    assert re.search(f"^{option} {target} would overwrite .*: name another", said)
    assert {path: path.read_bytes() for path in before} == before


@pytest.mark.usefixtures("folder")
def test_reports_replace_neither_labels_nor_each_other_nor_the_result(tmp_path):
    given = "r", "-i", "h"
    message = error(*given, "--html", "one", "--sources", "one")
    assert message == "--html one would overwrite one: name another file"
    message = error(*given, "--html", "a.out", "--md", "./a.out")
    assert message == "--md ./a.out would overwrite --html: name another file"
    with open("result", "wb") as stdout:
        process = start(*given, "--md", "result", stdout=stdout)
        assert b"--md result would overwrite the result" in process.communicate()[1]
    assert not (tmp_path / "a.out").exists()


@pytest.mark.usefixtures("folder")
def test_a_report_that_cannot_be_written_is_refused_before_anything_is_read(tmp_path):
    assert "no/a.html: the report cannot be written: its directory" in error(
        "x", "-i", "y", "--html", "no/a.html"
    )
    if POSIX and os.getuid():
        tmp_path.chmod(0o500)
        assert "no permission to write in" in error("x", "-i", "y", "--md", "a.md")
        tmp_path.chmod(0o700)


# Memory.

WITH_LITTLE_MEMORY = """
import resource, sys
from importlib import import_module
from fastbleu.cli.command import main
for name in sys.argv[1].split():
    import_module(name)
with open("/proc/self/statm") as pages:
    size = int(pages.read().split()[0]) * resource.getpagesize() + (30 << 20)
resource.setrlimit(resource.RLIMIT_AS, (size, size))
sys.exit(main(sys.argv[2:]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits the memory of a process as Linux does")
@pytest.mark.parametrize("suffix", ["txt", "jsonl", "parquet"])
def test_lack_of_memory(tmp_path, suffix):
    text, modules = "word " * 1_000_000, ""
    path = tmp_path / f"a.{suffix}"
    if suffix == "parquet":
        pytest.importorskip("pyarrow")
        from pyarrow import parquet, table

        parquet.write_table(table({"mt": [text] * 8}), path)
        modules = "pyarrow.parquet pyarrow.dataset narwhals fastbleu.tables"
    else:
        line = json.dumps({"mt": text}) if suffix == "jsonl" else text
        path.write_text(f"{line}\n" * 8)
    name = str(path) if suffix == "txt" else f"{path}::mt"
    status, out, said = python_ends("-c", WITH_LITTLE_MEMORY, modules, name, "-i", name)
    assert (status, out) == (1, "")
    assert said.startswith("fastbleu: error: there is not enough memory: ")
    assert said.count("\n") == 1

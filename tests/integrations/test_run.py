"""``python -m fastbleu.run`` runs a program unedited, patched, and its child processes as well."""

import os
import subprocess
import sys

import pytest

PROGRAM = """
import multiprocessing, os, subprocess, sys
from nltk.translate.bleu_score import sentence_bleu

def is_patched(_=None):
    return "_fastbleu" in str(sentence_bleu.__code__.co_names)

CODE = "import nltk.translate.bleu_score as b; print('_fastbleu' in str(vars(b).keys()))"

if __name__ == "__main__":
    import beside
    words = "a b c d e f".split()
    for _ in range(5):
        value = sentence_bleu([words], words[:5])
    print(__name__, __spec__ is None, __file__, sys.argv[1:], beside.NAME, value)
    print("here", is_patched())
    if "ALONE" in os.environ:
        sys.exit(3)
    for method in multiprocessing.get_all_start_methods():
        with multiprocessing.get_context(method).Pool(1) as pool:
            print(method, pool.map(is_patched, [0]))
    child = [sys.executable, "-c", CODE]
    print("child", subprocess.run(child, capture_output=True, text=True).stdout.strip())
    off = {**os.environ, "FASTBLEU_PATCH": "0"}
    print("off", subprocess.run(child, capture_output=True, text=True, env=off).stdout.strip())
    sys.exit(3)
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "program.py").write_text(PROGRAM, encoding="utf-8")
    (tmp_path / "code" / "beside.py").write_text("NAME = 'beside'", encoding="utf-8")
    (tmp_path / "site").mkdir()
    seen = "import os; os.environ['SEEN'] = os.environ.get('SEEN', '') + 'x'"
    (tmp_path / "site" / "sitecustomize.py").write_text(seen, encoding="utf-8")
    return tmp_path


def run(*arguments, cwd, prefix=("-m", "fastbleu.run"), **changes):
    environment = {**os.environ, **changes}
    command = [sys.executable, *prefix, *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, cwd=cwd, env=environment, check=False
    )


@pytest.mark.parametrize("program", [("code/program.py",), ("-m", "program")])
def test_a_program_and_its_children(folder, program):
    cwd = folder if program[0] != "-m" else folder / "code"
    plain = run(*program, "-m", "--report", cwd=cwd, prefix=(), ALONE="1")
    done = run(*program, "-m", "--report", cwd=cwd)
    assert (plain.returncode, done.returncode, done.stderr) == (3, 3, "")
    lines = done.stdout.splitlines()
    assert lines[0] == plain.stdout.splitlines()[0]
    assert lines[-1] == "off False"
    assert all("True" in line for line in lines[1:-1])
    assert len(lines) > 3


MOCKS = """
from unittest import mock
import nltk.translate.bleu_score as bleu, sacrebleu

def scores():
    yield bleu.corpus_bleu([[["a", "b", "c", "d"]]], [["a", "b", "c", "e"]], (0.5, 0.5))
    yield sacrebleu.sentence_bleu("a b c d.", ["a b c e."]).score

for name in ("modified_precision", "closest_ref_length", "Counter"):
    with mock.patch.object(bleu, name, side_effect=KeyError(name)):
        try:
            print(*scores())
        except KeyError as error:
            print(error)
with mock.patch.object(sacrebleu.BLEU, "sentence_score") as mocked:
    mocked.return_value.score = 5
    print(*scores())
"""


@pytest.mark.parametrize(
    ("value", "is_patched"), [("1", True), ("true", True), ("0", False), ("", False)]
)
def test_the_variable_alone_patches_when_the_package_is_imported(folder, value, is_patched):
    code = (
        "import fastbleu, nltk.translate.bleu_score as b; print('_fastbleu' in str(vars(b).keys()))"
    )
    (folder / "alone.py").write_text(code, encoding="utf-8")
    done = run("alone.py", cwd=folder, prefix=("-W", "error"), FASTBLEU_PATCH=value)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{is_patched}\n", "")


def test_what_a_program_mocks_is_mocked(folder):
    (folder / "mocks.py").write_text(MOCKS, encoding="utf-8")
    plain, done = (run("mocks.py", cwd=folder, prefix=how) for how in ((), ("-m", "fastbleu.run")))
    assert plain.stdout.startswith("'modified_precision'\n'closest_ref_length'\n'Counter'\n0.7")
    assert (done.stdout, done.stderr) == (plain.stdout, "")


def test_sitecustomize_of_the_environment_runs_too(folder):
    code = "import os, sys; print(os.environ['SEEN'], 'nltk' in sys.modules)"
    (folder / "code" / "parent.py").write_text(
        f"import subprocess, sys\nprint(subprocess.check_output([sys.executable, '-c', {code!r}]))",
        encoding="utf-8",
    )
    done = run("code/parent.py", cwd=folder, PYTHONPATH=str(folder / "site"), SEEN="")
    assert (done.returncode, done.stderr) == (0, "")
    assert "b'xx False" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "name a script, or a module after -m"),
        (("missing.py",), "there is no script 'missing.py'; for a module: -m missing.py"),
        (("--reprot", "code/program.py"), "unrecognized arguments: --reprot"),
    ],
)
def test_mistakes(folder, arguments, message):
    done = run(*arguments, cwd=folder)
    assert done.returncode == 2
    assert message in done.stderr

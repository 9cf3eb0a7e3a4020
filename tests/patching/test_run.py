"""Patches in new processes: `python -m fastbleu.run`, FASTBLEU_PATCH, imports after a patch."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import sacrebleu

from fastbleu.patching import hosts

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
    return tmp_path


def run(*arguments, cwd, prefix=("-m", "fastbleu.run"), **changes):
    command, environment = [sys.executable, *prefix, *arguments], {**os.environ, **changes}
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=environment)


@pytest.mark.parametrize("program", [("code/program.py",), ("-m", "program")])
def test_a_program_and_its_children(folder, program):
    """Testing the children of one of the two programs is enough."""
    cwd, changes = (folder / "code", {"ALONE": "1"}) if program[0] == "-m" else (folder, {})
    plain = run(*program, "-m", "--report", cwd=cwd, prefix=(), ALONE="1")
    done = run(*program, "-m", "--report", cwd=cwd, **changes)
    assert (plain.returncode, done.returncode, done.stderr) == (3, 3, "")
    first, *lines = done.stdout.splitlines()
    assert first == plain.stdout.splitlines()[0]
    assert lines.pop(0) == "here True"
    if not changes:
        assert lines.pop() == "off False"
        assert len(lines) > 1
        assert all("True" in line for line in lines)


def test_a_child_without_the_package_runs_as_by_itself(folder):
    """As another Python does; a `sitecustomize` of its own runs, too."""
    blocks = "import sys; sys.modules['fastbleu'] = None; print('own')"
    (folder / "sitecustomize.py").write_text(blocks, encoding="utf-8")
    startup = Path(hosts.__file__).parent / "startup"
    path = os.pathsep.join(map(str, (startup, folder)))
    code = "import nltk.translate.bleu_score"
    done = run("-c", code, cwd=folder, prefix=(), PYTHONPATH=path, FASTBLEU_PATCH="1")
    assert (done.returncode, done.stdout, done.stderr) == (0, "own\n", "")


def test_the_variable_alone_patches_when_the_package_is_imported(folder):
    code = "import fastbleu, nltk.translate.bleu_score as b; print('_fastbleu' in str([*vars(b)]))"
    for value, is_patched in (("true", True), ("0", False)):
        done = run("-c", code, cwd=folder, prefix=("-W", "error"), FASTBLEU_PATCH=value)
        assert (done.returncode, done.stdout, done.stderr) == (0, f"{is_patched}\n", "")


def test_sitecustomize_of_the_environment_runs_too(tmp_path):
    seen = "import os; os.environ['SEEN'] = os.environ.get('SEEN', '') + 'x'"
    (tmp_path / "sitecustomize.py").write_text(seen, encoding="utf-8")
    code = "import os, sys; print(os.environ['SEEN'], 'nltk' in sys.modules)"
    parent = f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {code!r}], check=True)"
    (tmp_path / "parent.py").write_text(parent, encoding="utf-8")
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    done = run("parent.py", cwd=tmp_path, PYTHONPATH=path, SEEN="")
    assert (done.returncode, done.stdout, done.stderr) == (0, "xxx False\n", "")


SEEN = """
import atexit, inspect, sys
main = sys.modules["__main__"]
names = ("__name__", "__builtins__", "__package__", "__file__", "__cached__", "__annotations__")
for name in (*names, "__doc__"):
    print(name, vars(main).get(name, "absent"))
print(__spec__ and (__spec__.name, __spec__.origin), type(__loader__), vars(main) is globals())
print(sys.argv, sys.orig_argv, sys.path, sys.flags, sys.warnoptions, sys.stdin.read())
def value(x: int = 1) -> "str":
    raise ValueError("seen")
atexit.register(lambda: print("exit", sys.modules["__main__"] is main, main.value.__module__))
"""

# What follows `python`, with what it adds to the program.
COMMANDS = [
    *(
        (["program.py", "-m", "x", ""], ""),
        (["code/../program.py"], "value()"),
        (["program.py"], "a b"),
    ),
    *((["-m", "program", "-c"], "value()"), (["-m", "package.inner"], ""), (["-m", "package"], "")),
    *(
        (["folder", "x"], "value()"),
        (["archive.zip", "x"], "value()"),
        (["-c", "{}", "-"], "value()"),
    ),
    *((["-", "x"], ""), ([], "value()"), (["-X", "dev", "-bOW", "error", "program.py"], "")),
    *((["program.py"], "sys.exit('why')"), (["program.py"], "sys.exit(7)"), (["missing.py"], "")),
    *((["program.py"], "raise KeyboardInterrupt"), (["-m", "missing"], ""), (["-I"], "")),
]


@pytest.mark.parametrize("number", range(len(COMMANDS)))
def test_programs_run_as_by_python(tmp_path, number):
    arguments, last = COMMANDS[number]
    code = f"{SEEN}{last}\n"
    for place in ("program.py", "package/__main__.py", "package/inner.py", "folder/__main__.py"):
        (tmp_path / place).parent.mkdir(exist_ok=True)
        (tmp_path / place).write_text(code, encoding="utf-8")
    (tmp_path / "code").mkdir()
    with zipfile.ZipFile(tmp_path / "archive.zip", "w") as archive:
        archive.writestr("__main__.py", code)
    given = code if arguments[:1] in ([], ["-"], ["-I"]) else "input"
    arguments = [argument.replace("{}", code) for argument in arguments]

    def outcome(*prefix):
        command = [sys.executable, *prefix, *arguments]
        done = subprocess.run(command, capture_output=True, input=given.encode(), cwd=tmp_path)
        return done.returncode, done.stdout, done.stderr

    plain = outcome()
    assert outcome("-m", "fastbleu.run") == plain
    if number == 0:
        assert plain[0] == 0, plain
        for prefix in (("-mfastbleu.run",), ("-um", "fastbleu.run"), ("-Bsmfastbleu.run",)):
            options = [prefix[0].partition("m")[0]] if prefix[0][1] != "m" else []
            assert outcome(*prefix) == outcome(*options)


def test_python_without_its_environment_is_refused(folder):
    start = "runpy.run_module('fastbleu.run', None, '__main__')"
    code = f"import runpy, sys; sys.path[:] = {sys.path}; {start}"
    for option in ("-I", "-E", "-S"):
        done = run("code/program.py", cwd=folder, prefix=(option, "-c", code))
        assert done.returncode == 1, done
        assert "-I, -E and -S prevent patching" in done.stderr


LATER = """
import sys
import fastbleu
patched = fastbleu.patch("nltk")
assert "when it is imported" in str(patched), patched
assert "nltk" not in sys.modules
import nltk
from nltk.translate.bleu_score import sentence_bleu
module = sys.modules["nltk.translate.bleu_score"]
assert module._fastbleu_0_fast
assert type(module.__spec__.loader) is type(nltk.__spec__.loader) is type(module.__loader__)
print(patched)
fastbleu.unpatch()
assert not any("fastbleu" in name for name in vars(module))
assert not any("fastbleu" in str(type(finder)) for finder in sys.meta_path)
"""


def printed(code, cwd, *options):
    done = run("-c", code, cwd=cwd, prefix=options)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def test_libraries_imported_later(tmp_path):
    _, row = printed(LATER, tmp_path, "-W", "error::RuntimeWarning").splitlines()
    assert row.startswith("nltk")
    assert "bleu_score.corpus_bleu, nltk.translate.bleu_score.modified_precision" in row


def test_a_version_with_unknown_code_is_left_alone(tmp_path):
    original = Path(sacrebleu.__file__).parent
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(original, tmp_path / "sacrebleu", ignore=ignored)
    with open(tmp_path / "sacrebleu" / "metrics" / "bleu.py", "a", encoding="utf-8") as changed:
        changed.write("\nNEW = 1\n")
    start = "import sys; sys.path.insert(0, ''); import fastbleu; "
    early = start + "import sacrebleu; p = fastbleu.patch(); "
    late = start + "p = fastbleu.patch(); import sacrebleu; "
    check = "assert sacrebleu.metrics.bleu.NEW; assert '_fastbleu' not in str(vars(sacrebleu.compat"
    check += ")); print(sacrebleu.sentence_bleu('a b', ['a b']).score > 0); print(p)"
    for code in (early, late):
        told = printed(code + check, tmp_path)
        assert "RuntimeWarning: fastbleu.patch leaves sacrebleu alone: the code of " in told
        assert "(2.6.0, " in told
        assert told.startswith("True\n")
        assert "the code of sacrebleu.metrics.bleu is not" in told.splitlines()[3]
    printed(late + check, tmp_path, "-W", "error")

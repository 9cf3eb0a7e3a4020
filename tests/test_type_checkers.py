"""What type checkers say of a user's script: wrong calls are reported, right ones are not."""

import ast
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import fastbleu
from fastbleu.core.scoring.names import get
from fastbleu.core.scoring.sacrebleu import SACREBLEU

BIN = str(Path(sys.executable).parent)
BASEDPYRIGHT = shutil.which("basedpyright", path=os.pathsep.join([BIN, os.environ["PATH"]]))
BEGINNING = """\
from typing import Any
import numpy as np
from fastbleu import BLEU, InputError, get_nothing  # wrong
from fastbleu import matrix, significance
from fastbleu.matrix import MBRResult, ReferenceIndex, SelfBLEUResult, mbr, pairwise
from fastbleu.tokenizers import get as get_tokenizer, names, tokenize
from fastbleu.types import DialectName, RecipeName, SmoothingName, TokenizerName
from fastbleu.types import Hypotheses, MissingChoice, References
class Tensor:
    def __array__(self, dtype: Any = None) -> Any: ...
metric, tokens, ids = BLEU(), BLEU(tokenize=False), np.array([[5, 6, 7]])
texts: list[str] = ["a b"]
words = [text.split() for text in texts]
name: str = input()
"""
RIGHT = """\
metric.score(["a"], ["b"])
metric.score(texts, ["a", ["b", "c"]])
metric.score(np.array(texts), np.array(texts))
metric.count(texts, [(text, text) for text in texts])
metric.update(texts, texts)
tokens.score([["a", "b"]], [[["a", "b"], ["c"]]])
tokens.score(words, [[line] for line in words])
tokens.score([[("a", 1)]], [[[("a", 1)]]])
tokens.score([[1, 2]], [[1, 2]])
tokens.score(ids, ids, hypothesis_mask=ids > 5)
tokens.score(Tensor(), [Tensor()], reference_mask=[Tensor()])
tokens.update([Tensor()], [[Tensor(), Tensor()]])
metric.sentence_scores(metric.count(texts, texts))
BLEU("nltk", tokenize="intl", smooth_method="method4", reference_length="shortest")
BLEU(tokenize=get_tokenizer(name))
BLEU(name, tokenize=name, smooth_method=name, reference_length=name)
mbr(texts, metric=name)
tokenizer: TokenizerName = "intl"
BLEU("nltk", tokenize=tokenizer)
BLEU("nltk", tokenize=str.split)
scores = pairwise(texts, texts, dtype="float32", metric=BLEU(threads=2))
chunks = matrix.pairwise_chunked(texts, texts, rows=2, metric="nltk")
blocks = [block.argmax(axis=1) == scores[rows] for rows, block in chunks]
result: MBRResult = mbr(texts)
chosen: str = texts[result.best]
batch = mbr([texts, texts], return_matrix=True, metric=BLEU(effective_order=True))
diversity: SelfBLEUResult = matrix.self_bleu(words, orders=(1, 2), metric=tokens)
mean: float = diversity.values[2]
index = ReferenceIndex(texts, metric="sacrebleu")
value: float = float(index.score(texts)) + index.score(texts).value
error = InputError("wrong")
row, side, file, line = error.segment, error.side, error.file, error.line
place: tuple[int | None, str | None, str | None, int | None] = row, side, file, line
def mine(hypotheses: Hypotheses, references: References, missing: MissingChoice) -> float:
    return float(metric.score(hypotheses, references, missing=missing))
"""
# What is right if matplotlib is installed.
PLOTS = """\
from matplotlib import pyplot
from fastbleu.plots import plot_comparisons, plot_differences, plot_matrix, plot_precisions
_, axes = pyplot.subplots(2, 2)
plot_precisions({name: metric.score(texts, texts)}, ax=axes[0, 0])
plot_precisions(metric.score(texts, texts))
plot_comparisons(significance.compare({"a": texts, "b": texts}, texts), ax=axes[0, 1])
plot_differences(*[metric.sentence_scores(texts, texts)] * 2, ax=axes[1, 0])
plot_matrix(scores, ax=axes[1, 1]).set_title("similarity")
"""
# What the package reads of these no line above depends on; to read torch takes 20 seconds.
MYPY = "[mypy]\n[mypy-narwhals.*,torch.*]\nfollow_imports = skip\n"
WRONG = """\
metric.score("a", "b")
metric.score([1, 2], [3, 4])
metric.count(texts)
metric.count("a", "b")
metric.update("a", "b")
tokens.score(words, "a b")
wrong_dialect: DialectName = "nltkk"
wrong_recipe: RecipeName = "intl"
wrong_tokenizer: TokenizerName = "14a"
wrong_smoothing: SmoothingName = "method9"
wrong_choice: MissingChoice = "ignore"
BLEU(5)
BLEU(tokenize=5)
BLEU(tokenise="13a")
matrix.no_such_name
pairwise(texts)
pairwise(texts, texts, metric=5)
metric.score(5, 5)
mbr(texts).no_such_field
"""


def reported_by_mypy(script):
    (script.parent / "mypy.ini").write_text(MYPY)
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", script.name]
    command += ["--cache-dir", ".cache"]
    done = subprocess.run(command, cwd=script.parent, capture_output=True, text=True, check=False)
    assert not done.stderr
    found = re.findall(rf"^{script.name}:(\d+): error: (.*)", done.stdout, re.MULTILINE)
    return {int(line): message for line, message in found}


def reported_by_pyright(script):
    (script.parent / "pyrightconfig.json").write_text('{"typeCheckingMode": "standard"}')
    command = [BASEDPYRIGHT, "--outputjson", "--pythonpath", sys.executable, script.name]
    done = subprocess.run(command, cwd=script.parent, capture_output=True, text=True, check=False)
    found = json.loads(done.stdout)["generalDiagnostics"]
    errors = [one for one in found if one["severity"] == "error"]
    return {one["range"]["start"]["line"] + 1: one["message"] for one in errors}


@pytest.fixture(params=[reported_by_mypy, reported_by_pyright])
def reported(request):
    if request.param is reported_by_mypy and importlib.util.find_spec("mypy") is None:
        pytest.skip("not installed: mypy")
    if request.param is reported_by_pyright and BASEDPYRIGHT is None:
        pytest.skip("not installed: basedpyright")
    return request.param


def test_what_is_reported(reported, tmp_path):
    right = RIGHT + PLOTS * (importlib.util.find_spec("matplotlib") is not None)
    lines = (BEGINNING + right + WRONG).splitlines()
    script = tmp_path / "script.py"
    script.write_text("\n".join(lines) + "\n")
    wrong = {number for number, line in enumerate(lines, 1) if line in WRONG.splitlines()}
    wrong.add(next(number for number, line in enumerate(lines, 1) if "# wrong" in line))
    messages = reported(script)
    assert {*messages} == wrong, messages
    of_calls = {line: text for line, text in messages.items() if ": " not in lines[line - 1]}
    assert max(map(len, of_calls.values())) < 1000, "of a page's length"


def literals(path):
    """The str of each Literal that a module defines for type checkers, by the alias' name."""
    tree = ast.parse((Path(fastbleu.__file__).parent / path).read_text(encoding="utf-8"))
    aliases = [node for node in ast.walk(tree) if isinstance(node, ast.AnnAssign) and node.value]
    return {
        ast.unparse(alias.target): {
            node.value
            for node in ast.walk(alias.value)
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        }
        for alias in aliases
    }


def test_the_literals_are_all_names():
    names = literals("core/inputs/types.py")
    assert names["ReferenceLength"] == {*SACREBLEU.reference_lengths, "average"}
    of_dialects = literals("originals/name_types.py")
    dialects = map(get, fastbleu.dialects.names())
    assert of_dialects["SmoothingName"] == {name for d in dialects for name in d.smoothings}
    assert of_dialects["DialectName"] == set(fastbleu.dialects.names())
    recipes = of_dialects["RecipeName"]
    with_versions = {name for name in recipes if "@" in name}
    all_names = of_dialects["DialectName"] | recipes - with_versions
    assert all_names == set(fastbleu.dialects.names(recipes=True))
    for name in with_versions:
        assert get(name)
    assert of_dialects["TokenizerName"] > set(fastbleu.tokenizers.names())

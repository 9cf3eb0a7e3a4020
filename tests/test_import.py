"""`import fastbleu` is light: the names are there, the heavy modules come when they are used."""

import importlib
import importlib.metadata
import subprocess
import sys

import pytest

import fastbleu

PUBLIC = [
    "sentence_bleu",
    "corpus_bleu",
    "modified_precision",
    "closest_ref_length",
    "brevity_penalty",
    "SmoothingFunction",
    "BLEU",
    "InputWarning",
    "Score",
    "Stats",
    "count",
    "tokenize",
    "__version__",
]
HEAVY = ["numpy", "tqdm", "nltk", "argparse", "gzip", "json", "dataclasses", "inspect",
    "fractions", "decimal",
         "typing", "re", "multiprocessing", "concurrent.futures", "sacrebleu"]  # fmt: skip
SCORE = "fastbleu.sentence_bleu([['a', 'b', 'c', 'd']], ['a', 'b', 'c', 'd'])"
METRIC = "fastbleu.BLEU().score(['a b c d'], ['a b c d'])"
CORPUS = "fastbleu.corpus_bleu([[['a', 'b', 'c', 'd']]], [['a', 'b', 'c', 'd']])"


def run(code, *options):
    command = [sys.executable, *options, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


@pytest.mark.parametrize("call", ["fastbleu", SCORE, CORPUS, METRIC])
def test_heavy_modules_are_not_loaded(call):
    code = f"import sys; before = set(sys.modules); import fastbleu; {call}\n"
    code += "print(*set(sys.modules) - before)"
    assert not set(run(code)) & set(HEAVY)


def test_import_and_use_without_a_warning():
    smoothed = SCORE.replace("])", "], smoothing_function=fastbleu.SmoothingFunction().method1)")
    code = f"import fastbleu; {SCORE}; {smoothed}; "
    code += "fastbleu.count([['a']], [[['a']]]).sum(); print('quiet')"
    assert run(code, "-W", "error") == ["quiet"]


@pytest.mark.parametrize("name", PUBLIC)
def test_public_names(name):
    assert getattr(fastbleu, name) is not None
    assert name in dir(fastbleu)
    assert name in fastbleu.__all__


def test_names_are_the_same_objects_everywhere():
    for name in PUBLIC[:6]:
        assert getattr(fastbleu, name) is getattr(importlib.import_module("fastbleu.nltk"), name)
    for name, module in {"Stats": "counting.stats", "count": "counting.batch"}.items():
        assert getattr(fastbleu, name) is getattr(
            importlib.import_module(f"fastbleu.{module}"), name
        )


@pytest.mark.parametrize(
    "module",
    ["nltk", "dialects", "tokenizers", "matrix", "sacrebleu", "significance", "integrations"],
)
def test_modules(module):
    assert importlib.import_module(f"fastbleu.{module}").__doc__
    assert run(f"from fastbleu import {module}; print({module}.__name__)") == [f"fastbleu.{module}"]


def test_unknown_names_are_an_attribute_error():
    with pytest.raises(AttributeError, match="no_such_name"):
        fastbleu.no_such_name  # noqa: B018


def test_star_import():
    names = {}
    exec("from fastbleu import *", names)
    assert set(PUBLIC) - {"__version__"} <= set(names)


def test_version():
    assert fastbleu.__version__.count(".") >= 1
    try:
        installed = importlib.metadata.version("pyfastbleu")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("pyfastbleu runs from its source directory, not installed")
    assert fastbleu.__version__ == installed

"""`import fastbleu` is light: the names are there, the heavy modules come when they are used."""

import ast
import importlib
import importlib.metadata
import sys
from pathlib import Path

import pytest
from commands import R1, A
from processes import python
from test_conventions import NAMES

import fastbleu
from fastbleu.integrations._host_metric import host_imports

pytestmark = pytest.mark.pythons

PUBLIC = NAMES[""]
MODULES = [
    *("dialects", "integrations", "matrix", "nltk", "plots", "sacrebleu"),
    *("significance", "tables", "tokenizers", "types"),
]
HEAVY = {
    *("argparse", "concurrent.futures", "dataclasses", "decimal", "difflib", "fractions", "gzip"),
    *("hashlib", "inspect", "json", "logging", "multiprocessing", "nltk", "numpy", "re", "regex"),
    *("sacrebleu", "sentencepiece", "statistics", "tabulate", "tqdm", "typing"),
}
SCORE = "fastbleu.sentence_bleu([['a', 'b', 'c', 'd']], ['a', 'b', 'c', 'd'])"
METRIC = "fastbleu.BLEU().score(['a b c d'], ['a b c d'])"
CORPUS = "fastbleu.corpus_bleu([[['a', 'b', 'c', 'd']]], [['a', 'b', 'c', 'd']])"
SACREBLEU = "import fastbleu.sacrebleu as m; m.sentence_bleu('a', ['a']); m.BLEU()"


def run(code, *options):
    return python(*options, "-c", code)


def test_heavy_modules_are_not_loaded():
    code = f"import sys; before = set(sys.modules); import fastbleu\n{SCORE}\n{CORPUS}\n{METRIC}\n"
    code += f"fastbleu.tokenizers.tokenize('a b'); {SACREBLEU}\nprint(*set(sys.modules) - before)"
    assert not set(run(code).split()) & HEAVY


def test_the_command_loads_what_it_needs(tmp_path):
    for name in (R1, A):  # more than is counted before texts are looked at
        (tmp_path / Path(name).name).write_text(Path(name).read_text("utf-8") * 20, "utf-8")
    files = str(tmp_path / Path(R1).name), "-i", str(tmp_path / Path(A).name)
    code = "import sys; from fastbleu.cli import main; main(sys.argv[1:]); "
    code += "print({'tqdm', 'numpy', 'tabulate', 'sacrebleu', 'gzip'} & set(sys.modules))"
    assert python("-c", code, *files, "-b").endswith("\nset()\n")


def test_import_and_use_without_a_warning():
    smoothed = SCORE.replace("])", "], smoothing_function=fastbleu.SmoothingFunction().method1)")
    code = f"import fastbleu; {SCORE}; {smoothed}; "
    code += "fastbleu.BLEU(tokenize=False).count([['a']], [[['a']]]).sum(); print('quiet')"
    assert run(code, "-W", "error").split() == ["quiet"]


def test_modules_are_imported_by_the_package():
    shown = "print(*[module.__name__ for module in modules if module.__doc__])"
    code = f"from fastbleu import {', '.join(MODULES)}\nmodules = {', '.join(MODULES)}\n{shown}"
    assert run(code).split() == [f"fastbleu.{name}" for name in MODULES]


def test_unknown_names_are_an_attribute_error():
    with pytest.raises(AttributeError, match="no_such_name"):
        fastbleu.no_such_name  # noqa: B018


def test_the_imports_for_type_checkers_are_the_public_names():
    tree = ast.parse(Path(fastbleu.__file__).read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    homes = {alias.name: node.module for node in imports for alias in node.names}
    names = set(dir(fastbleu)) - {"__version__"}
    for name in names:
        home = f"fastbleu.{homes[name]}" if homes[name] else "fastbleu"
        assert getattr(importlib.import_module(home), name) is getattr(fastbleu, name)
    assert set(homes) - names == {"late_names", "refuse_sub_interpreters", "PROVIDERS"}


def test_dir_shows_public_names_only_before_and_after_use():
    code = f"import fastbleu; before = dir(fastbleu); {METRIC}; {CORPUS}; fastbleu.matrix; "
    before, after = run(code + "print(*before, '/', *dir(fastbleu))", "-W", "ignore").split("/")
    assert before.split() == after.split() == sorted([*PUBLIC, *MODULES])


def test_version():
    assert fastbleu.__version__.count(".") >= 1
    try:
        installed = importlib.metadata.version("pyfastbleu")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("pyfastbleu runs from its source directory, not installed")
    assert fastbleu.__version__ == installed


def test_an_adaptor_without_its_host_says_how_to_install_it(monkeypatch):
    for adaptor, host in {
        **dict.fromkeys(("torchmetrics", "torcheval", "ignite", "mbrs"), "torch"),
        **dict.fromkeys(("ray", "spark", "arrow"), "pyarrow"),
        "keras": "keras",
    }.items():
        monkeypatch.delitem(sys.modules, f"fastbleu.integrations.{adaptor}", raising=False)
        monkeypatch.setitem(sys.modules, host, None)
        extra = "parquet" if adaptor == "arrow" else adaptor
        problem = f"fastbleu.integrations.{adaptor} needs {host}, .* pip install '.\\[{extra}\\]'"
        with pytest.raises(ModuleNotFoundError, match=problem):
            importlib.import_module(f"fastbleu.integrations.{adaptor}")
    no_host = pytest.raises(ModuleNotFoundError, match="No module named 'no_such")
    with no_host, host_imports("keras", "keras"):
        importlib.import_module("no_such_module")

"""Every code block of README.md and docs/ is run, with one Python namespace per page.

```python      run; a block that starts with >>> is compared with what it prints
```console     each `$ command` is run by bash and compared with what it prints
```sh          installs something; only its words are checked
```text        not code

In expected output, ... matches anything.

A page, or a block, that needs an optional package says so:
<!-- skip: start if(missing("torch"), reason="torch is not installed") -->
"""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import unittest
import warnings
from doctest import ELLIPSIS, OutputChecker
from pathlib import Path

import pytest
from sybil.document import Document
from sybil.example import SybilFailure
from sybil.parsers.myst import CodeBlockParser, PythonCodeBlockParser, SkipParser

from fastbleu import dialects

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs").rglob("*.md"))]
HOSTS = {"ignite", "keras", "torch", "torcheval", "torchmetrics"}
REQUIRED = os.environ.get("FASTBLEU_REQUIRE_HOSTS", "0") not in ("", "0")
INSTALLS = re.compile(r"(pip install|make|torchrun) .+|#.*|")


def name_of(page):
    return str(page.relative_to(ROOT))


def missing(*packages):
    """Whether a package cannot be imported; never of a host where all hosts are required."""
    if REQUIRED and set(packages) <= HOSTS:
        return False
    return not all(map(importlib.util.find_spec, packages))


def run_commands(example):
    """Run the commands of a block; returns how what they print differs."""
    checker = OutputChecker()
    for part in re.split(r"^\$ ", example.parsed, flags=re.MULTILINE)[1:]:
        command, _, expected = part.partition("\n")
        scripts = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        environment = {**os.environ, "PATH": scripts}
        done = subprocess.run(
            ["bash", "-c", command],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            timeout=300,
        )
        if not checker.check_output(expected.strip("\n"), done.stdout.strip("\n"), ELLIPSIS):
            return f"$ {command}\nprinted\n{done.stdout}\ninstead of\n{expected}"
    return None


def check_installs(example):
    """Say which line is neither an installation nor a remark."""
    lines = example.parsed.splitlines()
    return next((f"is not run: {line}" for line in lines if not INSTALLS.fullmatch(line)), None)


def parse(page):
    parsers = [
        PythonCodeBlockParser(doctest_optionflags=ELLIPSIS),
        CodeBlockParser("console", run_commands),
        CodeBlockParser("sh", check_installs),
        SkipParser(),
    ]
    return Document.parse(str(page), *parsers)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_code_blocks(page, tmp_path, monkeypatch):
    for sample in (ROOT / "examples").glob("*.txt"):
        shutil.copy(sample, tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    document = parse(page)
    document.namespace.update(__name__="__main__", missing=missing)
    skipped = []
    with warnings.catch_warnings():
        if "torch" in sys.modules or not missing("torch"):
            warnings.simplefilter("default")  # hosts warn of each other
        for example in document:
            try:
                example.evaluate()
            except unittest.SkipTest as reason:
                skipped.append(f"{reason} (line {example.line})")
    if skipped:
        pytest.skip("; ".join(sorted(set(skipped))[:3]))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_no_block_has_a_language_that_is_not_run(page):
    languages = re.findall(r"^ *```(?!\{)(\S*)\n(?=[\s\S]*?^ *```$)", page.read_text("utf-8"), re.M)
    known = {"python", "console", "sh", "text", "yaml", "bibtex", ""}
    assert set(languages) <= known


def test_pages_name_files_and_functions_that_exist():
    """CONTRIBUTING.md follows the code step by step; a row of DIFFERENCES.md names its test."""
    folders = "src", "tests", "tools", "bench"
    files = [*ROOT.glob("*.py"), *(path for one in folders for path in (ROOT / one).rglob("*.*"))]
    files = [path for path in files if path.suffix in (".py", ".pyx", ".pxd", ".h", ".sh")]
    words = {word for path in files for word in re.findall(r"\w+", path.read_text("utf-8"))}
    ends = tuple(path.as_posix() for path in files)
    for page in ("CONTRIBUTING.md", "DIFFERENCES.md"):
        for named in re.findall(r"`([\w./]+)`", (ROOT / page).read_text("utf-8")):
            if re.search(r"\w\.(py|pyx|pxd|h)$", named):
                is_there = "PART" in named or any(end.endswith(f"/{named}") for end in ends)
            else:
                is_there = page == "DIFFERENCES.md" or words.issuperset(re.findall(r"\w+", named))
            assert is_there, f"{page} names {named}"


def test_programs_that_readme_counts():
    """One program may have two dialects; "matlab" was never compared with its original."""
    others = set(dialects.names()) - {"sacrebleu", "nltk", "codebleu-weighted", "matlab"}
    assert f"and of {len(others)} other programs, bit for bit" in README.read_text("utf-8")


def test_extras_that_pages_install_exist():
    """As `pip install '.[EXTRA]'` in a checkout: there is no release yet."""
    tomllib = pytest.importorskip("tomllib", reason="from Python 3.11 on")
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = extras["optional-dependencies"]
    for page in PAGES:
        text = page.read_text("utf-8")
        assert not re.search(r"pip install '?(py)?fastbleu", text), page
        for named in re.findall(r"pip install '\.\[(.*?)\]'", text):
            assert set(named.split(",")) <= set(extras), page


def test_blocks_that_do_not_hold_are_found(tmp_path):
    """The checks themselves: a wrong result, a failing script, other output, a forbidden line."""
    page = tmp_path / "page.md"
    for block, error in {
        "python\n>>> 1 + 1\n3": SybilFailure,
        "python\n1 / 0": ZeroDivisionError,
        "console\n$ echo yes\nno": SybilFailure,
        "sh\nfastbleu --version": SybilFailure,
    }.items():
        page.write_text(f"```{block}\n```\n", encoding="utf-8")
        (example,) = parse(page)
        with pytest.raises(error):
            example.evaluate()

"""Every code block of README.md and docs/ is run, with one Python namespace per page.

```python      run; a block that starts with >>> is compared with what it prints
```console     each `$ command` is run by bash and compared with what it prints
```sh          installs something; only its words are checked
```text        not code

In expected output, ... matches anything.

A page, or a block, that needs an optional package says so:
<!-- skip: start if(missing("torch"), reason="torch is not installed") -->
"""

import ast
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tomllib
import unittest
import warnings
from doctest import ELLIPSIS, OutputChecker
from pathlib import Path

import pytest
from hosts import REQUIRED
from processes import HANGS
from sybil.document import Document
from sybil.example import SybilFailure
from sybil.parsers.myst import CodeBlockParser, PythonCodeBlockParser, SkipParser

import fastbleu
from fastbleu.core.runtime.extras import install_command

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs").rglob("*.md"))]
HOSTS = {"ignite", "keras", "torch", "torcheval", "torchmetrics"}
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
            timeout=HANGS,
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
                skipped.append(str(reason))
    if skipped:
        pytest.skip("; ".join(sorted(set(skipped))))


def test_no_block_has_a_language_that_is_not_run():
    known = {"python", "console", "sh", "text", "yaml", "bibtex", ""}
    block = re.compile(r"^ *```(?!\{)(\S*)\n(?=[\s\S]*?^ *```$)", re.MULTILINE)
    for page in PAGES:
        assert set(block.findall(page.read_text("utf-8"))) <= known, page


def test_pages_name_files_and_functions_that_exist():
    """Architecture follows the code step by step; a row of DIFFERENCES.md names its test."""
    folders = "src", "tests", "tools", "bench"
    files = [*ROOT.glob("*.py"), *(path for one in folders for path in (ROOT / one).rglob("*.*"))]
    files = [path for path in files if path.suffix in (".py", ".pyx", ".pxd", ".h", ".sh")]
    words = {word for path in files for word in re.findall(r"\w+", path.read_text("utf-8"))}
    ends = tuple(path.as_posix() for path in files)
    for page in ("CONTRIBUTING.md", "docs/architecture.md", "docs/core.md", "DIFFERENCES.md"):
        for named in re.findall(r"`([\w./]+)`", (ROOT / page).read_text("utf-8")):
            if re.search(r"\w\.(py|pyx|pxd|h)$", named):
                is_there = "PART" in named or any(end.endswith(f"/{named}") for end in ends)
            else:
                is_there = page == "DIFFERENCES.md" or words.issuperset(re.findall(r"\w+", named))
            assert is_there, f"{page} names {named}"


LINKED = re.compile(
    r"\]\((?:https://(?:github|raw\.githubusercontent)\.com/pyfastbleu/fastbleu/)?([^()\s]+)\)"
)
BRANCH = re.compile(r"(?:blob/)?main/")


def links_of(page):
    """(file, anchor) of each link to a file of the project, as GitHub follows it."""
    for target in LINKED.findall(re.sub(r"```[\s\S]*?```", "", page.read_text("utf-8"))):
        if not re.match(r"\w+:", target):
            path, _, anchor = target.partition("#")
            branch = BRANCH.match(path)
            folder = ROOT if branch else page.parent
            path = path[branch.end() if branch else 0 :]
            yield (folder / path if path else page), anchor


def anchors_of(page):
    """What GitHub makes of a page's headings."""
    headings = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_links_lead_where_they_say():
    for page in [*sorted(ROOT.glob("*.md")), *PAGES[1:]]:
        for file, anchor in links_of(page):
            assert file.exists(), f"{name_of(page)} links to {file}"
            assert not anchor or anchor in anchors_of(file), f"{name_of(page)} links to #{anchor}"


def test_links_of_metadata_and_code_lead_to_files():
    linked = re.compile(r"github\.com/pyfastbleu/fastbleu/(?:blob|raw|edit)/main/([\w./-]+\w)")
    found = set()
    for folder in (".github", "packaging", "src", "docs/conf.py", "pyproject.toml", "CITATION.cff"):
        path = ROOT / folder
        for file in path.rglob("*") if path.is_dir() else [path]:
            if file.suffix in (".cff", ".html", ".js", ".md", ".py", ".toml", ".yaml", ".yml"):
                found |= {(name, file) for name in linked.findall(file.read_text("utf-8"))}
    assert found
    assert not [(name, file) for name, file in found if not (ROOT / name).exists()]


def pyproject():
    """What pyproject.toml says."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def extras():
    return set(pyproject()["project"]["optional-dependencies"])


def test_the_table_of_extras_is_whole():
    table = (ROOT / "docs" / "quickstart.md").read_text("utf-8").partition("| extra |")[2]
    named = re.findall(r"`(\w+)`", "".join(re.findall(r"^\|(.*?)\|", table, re.MULTILINE)))
    assert sorted(named) == sorted(extras())


def test_extras_that_pages_install_exist():
    """Of a checkout, as long as there is no release; then by name. All pages and errors agree."""
    ways = set(re.findall(r"pip install '([\w.]+)", install_command("ja")))
    for page in PAGES:
        text = page.read_text("utf-8")
        ways |= set(re.findall(r"^pip install '?([\w.]+)", text, re.MULTILINE))
        for named in re.findall(r"pip install '[\w.]+\[(.*?)\]'", text):
            assert set(named.split(",")) <= extras(), page
    assert ways in ({"."}, {pyproject()["project"]["name"]})


def test_extras_that_errors_name_exist():
    """And each is named by one, but for hosts that call this package, and a table of tokenizers."""
    named = set()
    for file in (ROOT / "src").rglob("*.py"):
        for call in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name):
                words = [word.value for word in call.args if isinstance(word, ast.Constant)]
                if call.func.id == "install_command":
                    named.update(words)
                elif call.func.id == "host_imports":
                    options = {option.arg: option.value.value for option in call.keywords}
                    named.add(options.get("extra", words[0]))
    hosts, tokenizers = {"evaluate", "transformers"}, {"ja", "ko", "spm", "words"}
    assert named == extras() - hosts - tokenizers


def test_the_pythons_that_wheels_are_built_for_are_named():
    """As classifiers, in SUPPORT.md and in the workflow."""
    project = pyproject()
    classifiers = project["project"]["classifiers"]
    supported = [name.split()[-1] for name in classifiers if ":: Python :: 3." in name]
    wheels = project["tool"]["cibuildwheel"]["build"]
    built = [re.sub(r"cp3(\d+)(t?)-\*", r"3.\1\2", name) for name in wheels]
    assert [name for name in built if not name.endswith("t")] == supported
    assert ", ".join(supported) in (ROOT / "SUPPORT.md").read_text("utf-8")
    workflow = (ROOT / ".github/workflows/tests.yml").read_text("utf-8")
    assert f"python: {built}".replace("'", '"') in workflow


def test_blocks_that_do_not_hold_are_found(tmp_path):
    """A wrong result, other output, a line that only installs may have."""
    page = tmp_path / "page.md"
    for block in ("python\n>>> 1 + 1\n3", "console\n$ echo yes\nno", "sh\nfastbleu --version"):
        page.write_text(f"```{block}\n```\n", encoding="utf-8")
        (example,) = parse(page)
        with pytest.raises(SybilFailure):
            example.evaluate()


# Questions that users have are answered one click from README, on pages that a forge shows: the
# question, the page, words of a heading, by which a search finds it, and a part of the answer.
QUESTIONS = [
    ("Why is my score 0?", "docs/faq.md", "Why is my score 0?", "smooth_method"),
    ("What is 9.29e-232?", "docs/faq.md", "9.29e-232", "SmoothingFunction().method1"),
    ("Is it 0-1 or 0-100?", "docs/faq.md", "0-1 or 0-100", "nltk's 0-1"),
    ("How do I get BLEU-1?", "docs/faq.md", "BLEU-1 and BLEU-2", "max_ngram_order=2"),
    ("How do I plot?", "docs/faq.md", "plot scores", "plot_comparisons"),
    ("What is public, and stable?", "docs/faq.md", "What is public", "underscore"),
    ("Where are PTB's rules from?", "docs/faq.md", 'tokenizer "ptb"', "was not read"),
    ("Which side comes first?", "docs/faq.md", "order of the arguments", "references[segment][k]"),
    ("What is a metric=?", "docs/reference/conventions.md", "Conventions", "metric="),
    ("Which attributes do errors have?", "docs/reference/conventions.md", "", "error.segment"),
    ("How do I score Chinese?", "docs/faq.md", "Chinese, Japanese", 'tokenize="zh"'),
    ("May I average sentences?", "docs/faq.md", "May I average", "`update` and `compute`"),
    ("How do I compute d-BLEU?", "docs/faq.md", "d-BLEU", "--documents"),
    ("What does the signature say?", "docs/guides/paper.md", "Report it in a paper", "`nrefs`"),
    ("Is a difference significant?", "docs/guides/significance.md", "", "compare"),
    ("Why do two numbers differ?", "docs/why-numbers-differ.md", "Why", "explain"),
    ("How do I mask padding?", "docs/guides/training.md", "Token ids", "ignore_ids"),
    ("Which column of a file?", "docs/guides/command.md", "Files", "--keyed-by"),
    ("Can I score by group, with FILTER?", "docs/guides/engines.md", "", "CASE WHEN"),
    ("What if a cell is empty?", "docs/guides/tables.md", "Files and streams", "missing="),
    ("Does it run on my platform?", "SUPPORT.md", "", "Windows"),
    ("How small is a p-value?", "docs/guides/significance.md", "p-value", ""),
    ("Is it the wrong tokenizer?", "docs/why-numbers-differ.md", "wrong tokenizer", ""),
    ("Which import replaces mine?", "docs/guides/coming-from.md", "", "fastbleu.sacrebleu"),
]


@pytest.mark.parametrize(("question", "page", "heading", "answer"), QUESTIONS)
def test_questions_are_answered_one_click_away(question, page, heading, answer):
    assert ROOT / page in {file for file, _ in links_of(README)}, question
    text = (ROOT / page).read_text("utf-8")
    sections = re.split(r"^(?=#+ )", text, flags=re.MULTILINE)
    about = [part for part in sections if heading in part.partition("\n")[0]]
    assert any(answer in part for part in about), question


def test_pages_one_click_away_are_shown_by_a_forge():
    """A page of Sphinx's directives alone shows names without text."""
    for page in {file for file, _ in links_of(README) if file.suffix == ".md"}:
        text = page.read_text("utf-8")
        shown = re.sub(r"```{eval-rst}[\s\S]*?```", "", text)
        assert len(shown.split()) > len(text.split()) / 2, page


TEXTS = {
    "Chinese": "政府今天宣布了支持小企业的新措施，这些措施将从下个月开始实施。",
    "Japanese": "委員会は昨日、報告書を公表しました。次の会議は来月開かれます。",
    "Korean": "위원회는어제보고서를공개했습니다.",
    "Thai": "คณะกรรมการเผยแพร่รายงานเมื่อวานนี้และจะประชุมอีกครั้งในเดือนหน้า",
}


@pytest.mark.filterwarnings("error")  # that a tokenizer does not fit
@pytest.mark.parametrize("language", TEXTS)
def test_the_readme_names_a_tokenizer_that_fits(language):
    languages, names = re.search(
        r"\[(Chinese,[^]]*)\]\([^)]*\):\s+(.*?), as in", README.read_text("utf-8"), re.DOTALL
    ).groups()
    name = dict(zip(languages.split(", "), re.findall('"(.*?)"', names), strict=True))[language]
    try:
        metric = fastbleu.BLEU(tokenize=name)
    except (ImportError, FileNotFoundError) as error:
        pytest.skip(str(error))
    assert metric.score([TEXTS[language]], [TEXTS[language]]).hyp_len > 5

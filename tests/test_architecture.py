"""The floors: a file of the package imports only from lower floors, and stays small.

A new module must be given a floor here. `__init__` may name anything, lazily.
"""

import ast
import re
from pathlib import Path

import pytest

FLOORS = {
    "_core": 0,
    "_score": 0,
    "_resample": 0,
    "errors": 0,
    "patching": 0,
    "nltk_fraction": 0,
    "result": 0,
    "significance_results": 0,
    "_sacrebleu": 1,
    "_text": 1,
    "_tokens": 1,
    "corpus": 1,
    "_nltk": 2,
    "stats": 2,
    "tokenizers": 2,
    "counting": 3,
    "nltk_precision": 3,
    "resampling": 3,
    "sacrebleu_tokenizer": 3,
    "files": 4,
    "formats": 4,
    "nltk": 4,
    "sacrebleu_input": 4,
    "significance_scoring": 4,
    "nltk_dialect": 5,
    "sacrebleu_dialect": 5,
    "sacrebleu_patch": 5,
    "score": 5,
    "metric": 6,
    "sacrebleu_score": 6,
    "significance": 6,
    "significance_experiment": 6,
    "sacrebleu_metric": 7,
    "sacrebleu": 7,
    "cli_arguments": 8,
    "cli_report": 8,
    "cli": 9,
    "__main__": 10,
}
# Within one floor a file may import these, and nothing else.
SAME_FLOOR: dict[str, list[str]] = {
    "score": ["nltk_dialect", "sacrebleu_dialect"],
    "sacrebleu": ["sacrebleu_metric"],
    "sacrebleu_score": ["significance"],
    "significance": ["significance_experiment"],
}
LINES = {".py": 320, ".pyx": 500, ".pxd": 150, ".h": 500}
LINES_OF_INIT = 60
LOWEST_FOR_OUTSIDERS = {"numpy": 1, "tqdm": 5, "argparse": 6, "nltk": 4}

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "fastbleu"
SOURCES = sorted(path for path in PACKAGE.rglob("*") if path.suffix in LINES)
MODULES = [path for path in SOURCES if path.suffix != ".h" and path.stem != "__init__"]
CYTHON_IMPORT = re.compile(
    r"^\s*(?:from\s+([\w.]+)\s+c?import\s+(.+)|c?import\s+(.+))$", re.MULTILINE
)


def python_imports(source):
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (("", alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            origin = "." * node.level + (node.module or "")
            yield from ((origin, alias.name) for alias in node.names)


def cython_imports(source):
    source = re.sub(r'"""[\s\S]*?"""|#.*', "", source)
    source = re.sub(r"\(([^()]*)\)", lambda match: match.group(1).replace("\n", " "), source)
    for origin, names, modules in CYTHON_IMPORT.findall(source):
        for name in (names or modules).split(","):
            yield origin, name.split(" as ")[0].strip()


def imported_modules(path):
    """(module of fastbleu or None, outside package or None) for every import of a file."""
    imports = python_imports if path.suffix == ".py" else cython_imports
    for origin, name in imports(path.read_text(encoding="utf-8")):
        full = f"{origin}.{name}".strip(".") if origin.strip(".") else name
        inside = origin.startswith(".") or full.split(".")[0] == "fastbleu"
        parts = full.removeprefix("fastbleu.").split(".")
        yield (parts[0], None) if inside else (None, parts[0])


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_every_module_has_a_floor(path):
    assert path.parent == PACKAGE
    assert path.stem in FLOORS


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_imports_come_from_lower_floors(path):
    for inside, outside in imported_modules(path):
        if inside in FLOORS and inside != path.stem:
            allowed = FLOORS[inside] < FLOORS[path.stem] or inside in SAME_FLOOR.get(path.stem, ())
            assert allowed, (
                f"{path.name} (floor {FLOORS[path.stem]}) imports {inside} (floor {FLOORS[inside]})"
            )
        elif inside and inside != path.stem:
            assert inside == "__version__", f"{path.name} imports {inside}, which has no floor"
        if outside in LOWEST_FOR_OUTSIDERS:
            assert FLOORS[path.stem] >= LOWEST_FOR_OUTSIDERS[outside], (
                f"{path.name} imports {outside}"
            )


def test_the_package_is_seen_at_all():
    imports = {path.stem: list(imported_modules(path)) for path in MODULES}
    assert any(
        inside == "_core" for inside, _ in imports["_tokens"] + imports["corpus"] + imports["stats"]
    )


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_files_stay_small(path):
    limit = LINES_OF_INIT if path.name == "__init__.py" else LINES[path.suffix]
    assert len(path.read_text(encoding="utf-8").splitlines()) <= limit


def test_no_drawer_for_odds_and_ends():
    assert not [
        path.name for path in SOURCES if path.stem in ("utils", "helpers", "misc", "common")
    ]

"""The floors: a file of the package imports only from lower floors, and stays small.

A new module must be given a floor here. The `__init__` of the package names things lazily; those of
its subpackages re-export, and belong to the highest floor of their modules.
"""

import ast
import re
from pathlib import Path

import pytest

HOSTS = ["evaluate", "ignite", "keras", "mbrs", "torcheval", "torchmetrics", "transformers"]
STOREYS = [
    [
        "_exceptions",
        "_rows",
        "_score",
        "_sequences",
        "_tables",
        "_resample",
        "errors",
        "interpreters",
        "patching",
        "nltk_fraction",
    ],
    ["_interrupts"],
    ["_core", "_objects", "threads"],
    [
        "_ids",
        "_sacrebleu",
        "_text",
        "_tokens",
        "_vocabulary",
        "arrays",
        "checks",
        "corpus",
        "distributed",
        "matrix.index_file",
        "matrix.progress",
        "significance.results",
    ],
    [
        "_nltk",
        "_sentences",
        "ids",
        "matrix.doors",
        "matrix.shapes",
        "matrix.weights",
        "stats",
        "suspicions",
        "tokenizer_libraries",
    ],
    ["_ngrams", "nltk_precision", "result", "tokenizers", "significance.resampling"],
    ["_expected", "_pairs", "_references", "nltk", "workers", "significance.scoring"],
    [
        "counting",
        "nltk_dialect",
        "sacrebleu_dialect",
        "sacrebleu.input",
        "sacrebleu.tokenizer",
        "totals",
    ],
    ["score", "sacrebleu.patching"],
    ["parameters", "significance.experiment"],
    ["matrix.sentences", "scorer", "significance.procedures"],
    ["matrix.expected", "matrix.index_contents", "matrix.index_queries", "matrix.pair_scorer"],
    ["matrix.sources"],
    ["matrix.all_pairs", "matrix.decoding", "matrix.diversity", "matrix.index"],
    ["matrix_methods"],
    ["metric"],
    ["matrix.functions", "integrations._tensors"],
    ["sacrebleu.score"],
    ["sacrebleu.metric"],
    ["sacrebleu.functions", "sacrebleu.metrics", "cli.files", "cli.imports"],
    [f"integrations.{host}" for host in HOSTS],
    ["cli.arguments", "cli.markup", "cli.readers", "cli.report", "cli.testsets"],
    ["cli.formats"],
    ["cli.command"],
    ["__main__"],
]
FLOORS = {module: floor for floor, modules in enumerate(STOREYS) for module in modules}
PACKAGES = {module.split(".")[0] for module in FLOORS if "." in module}
LINES = {".py": 320, ".pyx": 500, ".pxd": 150, ".h": 500}
LINES_OF_INIT = 60
# The lowest floor that may import another package: that of a module.
LOWEST_FOR_OUTSIDERS = {
    "numpy": "arrays",
    "nltk": "nltk",
    "tqdm": "matrix.progress",
    "sacrebleu": "sacrebleu.patching",
    "torch": "integrations._tensors",
    "argparse": "cli.arguments",
}

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


def name_of(path):
    """A module's name below the package, as it stands in FLOORS."""
    return ".".join(path.relative_to(PACKAGE).with_suffix("").parts)


def floor_of(module):
    """The floor of a module, or the highest of a subpackage's; None for what is neither."""
    if module in PACKAGES:
        return max(floor for name, floor in FLOORS.items() if name.startswith(f"{module}."))
    return FLOORS.get(module)


def imported_modules(path):
    """(module of fastbleu or None, outside package or None) for every import of a file."""
    imports = python_imports if path.suffix == ".py" else cython_imports
    home = ["fastbleu", *path.relative_to(PACKAGE).parent.parts]
    for origin, name in imports(path.read_text(encoding="utf-8")):
        level = len(origin) - len(origin.lstrip("."))
        base = home[: len(home) - level + 1] if level else []
        parts = [*base, *filter(None, origin.lstrip(".").split(".")), name]
        if parts[0] != "fastbleu":
            yield None, parts[0].split(".")[0]
            continue
        dotted = ".".join(parts[1:])
        while "." in dotted and floor_of(dotted) is None:
            dotted = dotted.rpartition(".")[0]
        yield dotted, None


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_every_module_has_a_floor(path):
    assert name_of(path) in FLOORS


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_imports_come_from_lower_floors(path):
    here, floor = name_of(path), FLOORS[name_of(path)]
    for inside, outside in imported_modules(path):
        if inside and inside not in (here, "__version__"):
            found = floor_of(inside)
            assert found is not None, f"{here} imports {inside}, which has no floor"
            assert found < floor, f"{here} (floor {floor}) imports {inside} (floor {found})"
        if outside in LOWEST_FOR_OUTSIDERS:
            assert floor >= FLOORS[LOWEST_FOR_OUTSIDERS[outside]], f"{here} imports {outside}"


def test_the_package_is_seen_at_all():
    imports = {name_of(path): list(imported_modules(path)) for path in MODULES}
    assert any(
        inside == "_core" for inside, _ in imports["_tokens"] + imports["corpus"] + imports["stats"]
    )


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_files_stay_small(path):
    limit = LINES_OF_INIT if path.name == "__init__.py" else LINES[path.suffix]
    assert len(path.read_text(encoding="utf-8").splitlines()) <= limit


def test_no_drawer_for_odds_and_ends():
    assert not [
        path.name for path in SOURCES if path.stem in ("utils", "helpers", "misc", "common")
    ]

"""The layout: what the core is, which part may import which, and how large a file may grow.

The core is a ladder of folders. Every other part stands on it: it may import all of the core, and
of the other parts those that are listed with a reason.
"""

import ast
import functools
import re
from pathlib import Path

# The folders of core/, lowest first. Each imports those before it, and nothing outside the core.
LADDER = ["kernel", "runtime", "inputs", "tokenizers", "counting", "scoring", "metric"]
# What `_core`, the counting of packed segments, imports; it is imported by all above runtime.
OF_THE_MODULE_CORE = ["core.kernel", "core.runtime", "core.counting._packed"]
# The parts that stand on the core, and which of the others they import.
PARTS = {
    "files": [],
    "matrix": [],
    "nltk": [],
    "plots": [],
    "originals": ["plots"],  # `describe` returns a table
    "significance": ["plots"],  # its results are tables
    "chrf": ["significance"],  # intervals and paired tests
    "sacrebleu": ["chrf", "significance"],  # corpus_score(n_bootstrap=...)
    "diagnosis": ["files", "originals", "plots"],  # it tries all recipes
    "reporting": ["diagnosis", "matrix", "plots", "significance"],
    "tables": ["files", "reporting", "significance"],  # confidence=..., and `report` of a table
    # Each adaptor mirrors an original; those of query engines call what tables do.
    "integrations": ["files", "matrix", "originals", "sacrebleu", "tables"],
    "patching": ["integrations", "nltk", "originals", "sacrebleu"],
    "run": ["patching"],
    "cli": [
        "chrf",
        "diagnosis",
        "files",
        "plots",
        "reporting",
        "sacrebleu",
        "significance",
        "tables",
    ],
}
# These name things lazily, wherever they are defined, or start the command.
FACES = ("__init__.py", "__main__.py", "dialects.py", "tokenizers.py", "types.py")
# Attributes of objects outside the core that have, by chance, the name of one in it.
NOT_OF_THE_CORE = {
    ("cli/results.py", "_text"),
    ("cli/metrics.py", "_ci"),  # of sacreBLEU's scores
    ("cli/metrics.py", "_mean"),
    ("cli/metrics.py", "_aggregate_and_compute"),  # of sacreBLEU's TER
    ("cli/metrics.py", "_compute_score_from_stats"),
    ("cli/metrics.py", "_extract_corpus_statistics"),
}
LINES = {".py": 500, ".pyx": 510, ".pxd": 150, ".h": 500}
LINES_OF_INIT = 80
# Parts that no score needs, and functions that run before any call or replace other code.
OUTSIDE_CALLS = {"cli", "integrations", "patching", "plots", "reporting", "run"}
NO_CALLS = {"patch", "apply", "_is_main"}

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "fastbleu"
FACE_FILES = [PACKAGE / name for name in FACES]
FILES = [path for path in sorted(PACKAGE.rglob("*")) if path.suffix in LINES]
SOURCES = {path: path.read_text(encoding="utf-8") for path in FILES}
MODULES = [path for path in FILES if path.suffix != ".h"]
CYTHON_IMPORT = re.compile(
    r"^\s*(?:from\s+([\w.]+)\s+c?import\s+(.+)|c?import\s+(.+))$", re.MULTILINE
)
IMPORTS = ast.Import, ast.ImportFrom
# Names of modules for `lazy` and `import_locked`, which import them at the first use.
LATE_IMPORT = re.compile(r"\"(fastbleu(?:\.\w+)+)\"")


parse = functools.cache(ast.parse)


def python_imports(source):
    for node in ast.walk(parse(source)):
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
    """A file's name below the package, with its ending."""
    return path.relative_to(PACKAGE).as_posix()


def part_of(path):
    """The part that a file belongs to, of the core with its folder: "core.counting", "cli"."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:2]) if parts[0] == "core" else parts[0]


def is_below(name, folder):
    return f"{name}.".startswith(f"{folder}.")


def is_file(module):
    """Whether a module has this name, which may be that of a capsule."""
    place = PACKAGE.parent.joinpath(*module.split("."))
    return bool({place.with_suffix(".py"), place.with_suffix(".pyx")} & {*MODULES} - {*FACE_FILES})


def imported_names(path):
    """The name below fastbleu of every import of the package in a file."""
    imports = python_imports if path.suffix == ".py" else cython_imports
    home = ["fastbleu", *path.relative_to(PACKAGE).parent.parts]
    late = [("", name) for name in LATE_IMPORT.findall(SOURCES[path]) if is_file(name)]
    for origin, name in [*imports(SOURCES[path]), *late]:
        level = len(origin) - len(origin.lstrip("."))
        base = home[: len(home) - level + 1] if level else []
        parts = [*base, *filter(None, origin.lstrip(".").split(".")), *name.split(".")]
        if parts[0] == "fastbleu":
            yield ".".join(parts[1:])


def files_imported(path, *endings):
    """The files with these endings that a file imports, also late and for types."""
    for name in imported_names(path):
        parts = name.split(".")
        for place in (PACKAGE.joinpath(*parts), PACKAGE.joinpath(*parts[:-1])):
            files = [place.with_suffix(ending) for ending in endings]
            yield from (file for file in files if file in SOURCES and file != path)


def allowed_imports(part):
    """What a part may import besides itself."""
    core = [f"core.{folder}" for folder in LADDER]
    if part == "_core":
        return OF_THE_MODULE_CORE
    if part in core:
        above_the_module = ["_core"] if part not in ("core.kernel", "core.runtime") else []
        return [*core[: core.index(part)], *above_the_module]
    return [*core, "_core", *PARTS[part]]


def test_no_part_imports_itself_by_way_of_others():
    known = []
    for part, others in PARTS.items():
        assert set(others) <= set(known), f"{part} imports a part below it"
        known.append(part)


def test_every_module_imports_what_its_part_may():
    wrong = []
    for path in MODULES:
        name, part = name_of(path), part_of(path)
        if name in FACES or name == "core/__init__.py":
            continue
        allowed = [part, *allowed_imports(part), "__version__"]
        for inside in imported_names(path):
            if inside and not any(is_below(inside, folder) for folder in allowed):
                wrong.append(f"{name} imports {inside}")
    assert not wrong


def test_all_of_the_core_is_used_by_a_score():
    """By `BLEU`, or by the functions of nltk and sacreBLEU; what they do not need is elsewhere."""
    used, found = set(), [PACKAGE / "core/metric/bleu.py"]
    found += [path for path in MODULES if part_of(path) in ("nltk", "sacrebleu")]
    while found:
        path = found.pop()
        used.add(path)
        found += [file for file in files_imported(path, ".py", ".pyx", ".pxd") if file not in used]
    core = [path for path in MODULES if part_of(path).startswith("core.")]
    unused = {name_of(path) for path in core if path not in used and path.name != "__init__.py"}
    assert unused == {"core/metric/argument.py"}  # by which other parts ask for a metric's scorer


def test_no_files_import_each_other():
    """Neither late nor for types: each file can be read after those that it imports."""
    imports = {path: set() for path in MODULES if path.suffix != ".pxd" and path not in FACE_FILES}
    for path in MODULES:
        if path not in FACE_FILES:
            owner = path.with_suffix(".pyx") if path.suffix == ".pxd" else path
            if owner in imports:
                imports[owner] |= {*files_imported(path, ".py", ".pyx")} - {owner}
    while leaves := [path for path, others in imports.items() if not others & imports.keys()]:
        for path in leaves:
            del imports[path]
    assert not {name_of(path): [*map(name_of, others)] for path, others in imports.items()}


def private_names(source):
    """The names with an underscore that classes define, as methods and attributes."""
    for owner in ast.walk(parse(source)):
        for node in ast.walk(owner) if isinstance(owner, ast.ClassDef) else ():
            if isinstance(node, ast.FunctionDef):
                yield node.name
            elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
                yield node.id if isinstance(node, ast.Name) else node.attr


def insides_used(path):
    """The names with an underscore that a file uses of objects other than self and cls."""
    if path.suffix != ".py":
        return re.findall(r"(?<!\bself)(?<!\bcls)\.(_\w+)", SOURCES[path])
    used = [node for node in ast.walk(parse(SOURCES[path])) if isinstance(node, ast.Attribute)]
    return [node.attr for node in used if ast.unparse(node.value) not in ("self", "cls")]


def test_no_part_uses_the_insides_of_the_core():
    """What it needs has a name without an underscore, as `scorer_of(metric)` has."""
    of_the_core = ("core", "_core", "nltk", "sacrebleu")
    core = [path for path in MODULES if part_of(path).split(".")[0] in of_the_core]
    sources = [SOURCES[path] for path in core if path.suffix == ".py"]
    names = {name for source in sources for name in private_names(source)}
    private = {name for name in names if name.startswith("_") and not name.endswith("__")}
    assert {"_scorer", "_counter", "_own", "_corpus_score"} <= private
    wrong = []
    for path in MODULES:
        # Originals are subclasses of Dialect; patches reach into the hosts' objects, which have
        # some of these names, too.
        if path in core or part_of(path) in ("originals", "patching"):
            continue
        wrong += [(name_of(path), name) for name in insides_used(path) if name in private]
    assert set(wrong) == NOT_OF_THE_CORE


def test_what_a_call_imports_it_imports_with_the_import_lock():
    """Or a child that is forked meanwhile waits for the module forever (runtime/import_lock.py)."""
    wrong = []
    for path in MODULES:
        if path.suffix != ".py":
            wrong += [f"{name_of(path)}: {line}" for line in nested_imports(SOURCES[path])]
        elif part_of(path) not in OUTSIDE_CALLS and path.name != "import_lock.py":
            for function in ast.walk(parse(SOURCES[path])):
                if isinstance(function, ast.FunctionDef) and function.name not in NO_CALLS:
                    imports = [node for node in ast.walk(function) if isinstance(node, IMPORTS)]
                    wrong += [f"{name_of(path)}:{node.lineno}" for node in imports]
    assert not wrong


def nested_imports(source):
    """The imports of Cython code that are made in a function."""
    source = re.sub(r'"""[\s\S]*?"""', "", source)
    return re.findall(r"^ +(?:import|from \S+ import) .+", source, re.MULTILINE)


def test_files_stay_small():
    large = []
    for path, text in SOURCES.items():
        limit = LINES_OF_INIT if path.name == "__init__.py" else LINES[path.suffix]
        # The documentation of the public interface does not make a file harder to read.
        documented = sum(docstring_lines(text)) if path.suffix == ".py" else 0
        if len(text.splitlines()) - documented > limit:
            large.append(name_of(path))
    assert not large


def docstring_lines(source):
    """The number of lines of each docstring."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    for node in ast.walk(parse(source)):
        if isinstance(node, documented) and ast.get_docstring(node) is not None:
            yield node.body[0].end_lineno - node.body[0].lineno + 1


def test_no_dealloc_uses_what_an_attribute_holds():
    """The garbage collector may have set it to None, and a number of None is whatever lies behind.

    Pools of self-BLEU freed memory that was not theirs for that reason, if only on AArch64.
    """
    classes: dict[str, str] = {}  # with what the .pxd says of them
    for text in [SOURCES[path] for path in MODULES if path.suffix != ".py"]:
        for name, body in re.findall(r"^cdef class (\w+).*\n((?:(?: .*)?\n)+)", text, re.MULTILINE):
            classes[name] = classes.get(name, "") + body
    held = "|".join([*classes, "object", "array", "list", "dict", "set", "tuple", "str", "bytes"])
    for name, body in classes.items():
        attribute = rf"^    cdef (?:readonly |public )?(?:{held}) (\w+)"
        of_objects = re.findall(attribute, body, re.MULTILINE)
        for dealloc in re.findall(r"def __dealloc__\(self\):\n((?:        .+\n)+)", body):
            used = re.findall(r"self\.(\w+)\.", dealloc)
            assert not set(used) & set(of_objects), f"{name}:\n{dealloc}"

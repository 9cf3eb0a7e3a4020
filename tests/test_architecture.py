"""The rooms: which folder of the package may import which, and how large a file may grow.

A room imports from the rooms above it in ROOMS. Of the root modules only `_packed`, `_core` and
`run` are rooms: `__init__` names things lazily, `__main__` starts the command.
"""

import ast
import re
from pathlib import Path

# Each room, and the rooms it may import besides itself.
BASE = ["kernel", "runtime", "_packed", "_core"]
ROOMS = {
    "kernel": [],
    "runtime": ["kernel"],
    "_packed": ["kernel", "runtime"],
    "_core": ["kernel", "runtime", "_packed"],
    "plots": ["runtime"],
    "inputs": BASE,
    "tokenizers": [*BASE, "inputs"],
    "counting": [*BASE, "inputs", "tokenizers", "plots"],
    "dialects": [*BASE, "inputs", "tokenizers", "counting", "plots"],
    "metric": [*BASE, "inputs", "tokenizers", "counting", "dialects"],
    "matrix": [*BASE, "inputs", "tokenizers", "counting", "dialects", "metric", "plots"],
    "significance": [*BASE, "inputs", "counting", "dialects", "metric", "plots"],
    "chrf": [*BASE, "inputs", "tokenizers", "counting", "significance"],
    "diagnosis": ["runtime", "inputs", "tokenizers", "counting", "dialects", "metric", "plots"],
    "reporting": [
        *("runtime", "inputs", "tokenizers", "counting", "dialects", "matrix", "metric"),
        *("significance", "diagnosis", "plots"),
    ],
    "tables": [*BASE, "inputs", "counting", "dialects", "metric", "significance", "reporting"],
    "nltk": [*BASE, "inputs", "counting", "dialects"],
    "sacrebleu": [*BASE, "inputs", "tokenizers", "counting", "dialects", "significance", "chrf"],
    "integrations": [
        *("runtime", "inputs", "tokenizers", "counting", "dialects", "matrix", "metric"),
        *("nltk", "sacrebleu", "tables", "chrf"),
    ],
    "run": ["integrations"],
    "cli": [
        *("runtime", "inputs", "tokenizers", "counting", "dialects", "significance", "sacrebleu"),
        *("metric", "diagnosis", "reporting", "tables", "plots", "chrf"),
    ],
}
# These name things lazily, wherever they are defined, or start the command.
FACES = ("__init__.py", "__main__.py", "dialects/__init__.py")
# Rooms whose objects have insides, and what other rooms may still use by such a name.
CORE = [*BASE, "inputs", "tokenizers", "counting", "dialects", "metric", "nltk", "sacrebleu"]
NOT_OF_THE_CORE = {
    # Attributes of their own objects, which have the name by chance.
    # sacreBLEU's TER.
    *(
        ("cli/metrics.py", f"_{name}")
        for name in ("aggregate_and_compute", "compute_score_from_stats")
    ),
    ("cli/metrics.py", "_extract_corpus_statistics"),
    *(("cli/results.py", "_text"), ("cli/sacrebleu_text.py", "_tables")),
    ("significance/results.py", "_tables"),
}
LINES = {".py": 500, ".pyx": 510, ".pxd": 150, ".h": 500}
LINES_OF_INIT = 75
# Rooms that a score needs, and functions in them that run before any call or replace other code.
IN_CALLS = set(ROOMS) - {"cli", "integrations", "kernel", "plots", "reporting"}
OUTSIDE_CALLS = {"patch", "apply", "_is_main"}

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "fastbleu"
FILES = [path for path in sorted(PACKAGE.rglob("*")) if path.suffix in LINES]
SOURCES = {path: path.read_text(encoding="utf-8") for path in FILES}
MODULES = [path for path in FILES if path.suffix != ".h"]
CYTHON_IMPORT = re.compile(
    r"^\s*(?:from\s+([\w.]+)\s+c?import\s+(.+)|c?import\s+(.+))$", re.MULTILINE
)
IMPORTS = ast.Import, ast.ImportFrom
# Imports at the first use: `lazy("numpy")`, `import_locked("fastbleu.inputs.arguments")`.
LATE_IMPORT = re.compile(r"\b(?:lazy|import_locked)\(\"([\w.]+)\"\)")


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
    """A file's name below the package, with its ending."""
    return path.relative_to(PACKAGE).as_posix()


def room_of(path):
    """The room that a file belongs to; None for `__init__` and `__main__` of the package."""
    room = path.relative_to(PACKAGE).parts[0].split(".")[0]
    return room if room in ROOMS else None


def imported_names(path):
    """The name below fastbleu of every import of the package in a file."""
    imports = python_imports if path.suffix == ".py" else cython_imports
    home = ["fastbleu", *path.relative_to(PACKAGE).parent.parts]
    late = [("", name) for name in LATE_IMPORT.findall(SOURCES[path])]
    for origin, name in [*imports(SOURCES[path]), *late]:
        level = len(origin) - len(origin.lstrip("."))
        base = home[: len(home) - level + 1] if level else []
        parts = [*base, *filter(None, origin.lstrip(".").split(".")), name]
        if parts[0] == "fastbleu":
            yield ".".join(parts[1:])


def test_no_room_can_import_itself_by_way_of_others():
    above = []
    for room, allowed in ROOMS.items():
        assert set(allowed) <= set(above), f"{room} may import a room below it"
        above.append(room)


def test_every_module_is_in_a_room_and_imports_from_the_rooms_above():
    wrong = []
    for path in MODULES:
        room, name = room_of(path), name_of(path)
        if name in FACES:
            continue
        if room is None:
            wrong.append(f"{name} is in no room")
            continue
        allowed = room, *ROOMS[room], "__version__"
        for inside in imported_names(path):
            if inside and inside.split(".")[0] not in allowed:
                wrong.append(f"{name} imports {inside}")
    assert not wrong


def private_names(source):
    """The names with an underscore that classes define, as methods and attributes."""
    for owner in ast.walk(ast.parse(source)):
        for node in ast.walk(owner) if isinstance(owner, ast.ClassDef) else ():
            if isinstance(node, ast.FunctionDef):
                yield node.name
            elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
                yield node.id if isinstance(node, ast.Name) else node.attr


def insides_used(path):
    """The names with an underscore that a file uses of objects other than self and cls."""
    if path.suffix != ".py":
        return re.findall(r"(?<!\bself)(?<!\bcls)\.(_\w+)", SOURCES[path])
    used = [node for node in ast.walk(ast.parse(SOURCES[path])) if isinstance(node, ast.Attribute)]
    return [node.attr for node in used if ast.unparse(node.value) not in ("self", "cls")]


def test_no_room_uses_the_insides_of_the_core():
    """What it needs has a name without an underscore, as `scorer_of(metric)` has."""
    core = [path for path in MODULES if room_of(path) in CORE]
    sources = [SOURCES[path] for path in core if path.suffix == ".py"]
    names = {name for source in sources for name in private_names(source)}
    private = {name for name in names if name.startswith("_") and not name.endswith("__")}
    assert {"_scorer", "_counter", "_own", "_corpus_score"} <= private
    wrong = []
    for path in MODULES:
        # Patches reach into the hosts' objects, which have some of these names, too.
        if path in core or path.name.endswith("_patches.py"):
            continue
        wrong += [(name_of(path), name) for name in insides_used(path) if name in private]
    assert set(wrong) == NOT_OF_THE_CORE


def test_what_a_call_imports_it_imports_with_the_import_lock():
    """Or a child that is forked meanwhile waits for the module forever (runtime/import_lock.py)."""
    wrong = []
    for path in MODULES:
        if path.suffix != ".py":
            wrong += [f"{name_of(path)}: {line}" for line in nested_imports(SOURCES[path])]
        elif room_of(path) in IN_CALLS and name_of(path) != "runtime/import_lock.py":
            for function in ast.walk(ast.parse(SOURCES[path])):
                if isinstance(function, ast.FunctionDef) and function.name not in OUTSIDE_CALLS:
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
    for node in ast.walk(ast.parse(source)):
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

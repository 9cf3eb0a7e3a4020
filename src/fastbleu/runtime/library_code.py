"""Which names a library's function uses, and whether they hold the library's own objects.

A patched function is another implementation of the library's whole: of all functions that it calls
by a global name or by an attribute, and of the constants that these use. If other code has replaced
one of them, the result would be another.
"""

from __future__ import annotations

import ast
import builtins
import dis
import sys
from functools import cached_property, lru_cache
from importlib.util import resolve_name
from pathlib import Path
from types import CodeType, FunctionType, ModuleType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any, TypeAlias

    Name: TypeAlias = tuple[dict[str, Any] | type, str]


class ReplacedError(Exception):
    """Other code has replaced a part of a library; the message names it."""


# The codes that `patching.Patch` gives functions, and what they had before.
original_codes: dict[CodeType, CodeType] = {}


def functions_of(value: Any) -> list[FunctionType]:
    """A function, method or property as functions, from the outermost decorator inwards."""
    functions = []
    while True:
        value = getattr(value, "fget", None) if isinstance(value, property) else value
        if isinstance(value, (staticmethod, classmethod)):
            value = value.__func__
        if isinstance(value, FunctionType):
            functions.append(value)
        elif type(value).__name__ != "_lru_cache_wrapper":
            return functions
        value = getattr(value, "__wrapped__", None)


def _code_of(function: FunctionType) -> CodeType:
    code = function.__code__
    while code in original_codes:
        code = original_codes[code]
    return code


def _nested(code: CodeType) -> Iterator[CodeType]:
    """A code and those of the functions, classes and comprehensions in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _nested(constant)


@lru_cache(maxsize=1024)
def _loaded(code: CodeType) -> tuple[list[str], set[str]]:
    """The global names and the attributes that a code loads."""
    loads: dict[bool, list[str]] = {True: [], False: []}
    for instruction in dis.get_instructions(code):
        name = instruction.opname
        if name.startswith("LOAD_") and name.endswith(("GLOBAL", "NAME", "ATTR", "METHOD")):
            loads[name.endswith(("GLOBAL", "NAME"))].append(instruction.argval)
    return list(dict.fromkeys(loads[True])), set(loads[False])


class _File:
    """What the source file of a module defines."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module
        loader: Any = module.__spec__ and module.__spec__.loader
        code = loader.get_code(module.__name__)
        self.codes = set(_nested(code))
        # By qualified name, for functions and classes of the module, and methods.
        self.definitions: dict[str, list[CodeType]] = {}
        for outer in filter(_is_code, code.co_consts):
            self.definitions.setdefault(outer.co_name, []).append(outer)
            for inner in filter(_is_code, outer.co_consts):
                self.definitions.setdefault(f"{outer.co_name}.{inner.co_name}", []).append(inner)

    def check(self, name: str, value: Any) -> bool:
        """Raise ReplacedError if a qualified name does not hold what the file gives it.

        False if the file does not say so: then it is the result of a call, or not from this file.
        """
        own = name[:2] == "__" or not hasattr(builtins, name)
        if name in self.definitions and isinstance(value, type):
            own = (value.__module__, value.__qualname__) == (self._module.__name__, name)
        elif name in self.definitions:
            functions = functions_of(value)
            own = bool(functions) and _code_of(functions[-1]) in self.definitions[name]
            decorators = self._decorators.get(name, 0)
            own = own and (decorators > 0 or len(functions) == 1)
        elif name in self._values:
            own = any(value is known or _equal(value, known) for known in self._values[name])
        if not own:
            raise ReplacedError(f"{self._module.__name__}.{name} has been replaced")
        return name in self.definitions or name in self._values

    @cached_property
    def _tree(self) -> ast.Module:
        return ast.parse(Path(str(self._module.__file__)).read_bytes())

    @cached_property
    def _decorators(self) -> dict[str, int]:
        nodes = dict(_definitions(self._tree.body, ""))
        return {name: len(node.decorator_list) for name, node in nodes.items()}

    @cached_property
    def _values(self) -> dict[str, list[Any]]:
        """What the imports and literals of the file give a qualified name."""
        values: dict[str, list[Any]] = {}
        bodies = [("", self._tree.body)]
        nodes = dict(_definitions(self._tree.body, ""))
        bodies += [(f"{name}.", node.body) for name, node in nodes.items() if _is_class(node)]
        for prefix, body in bodies:
            for statement in _statements(body):
                for name, value in self._bindings(statement):
                    values.setdefault(prefix + name, []).append(value)
        return values

    def _bindings(self, node: ast.stmt) -> Iterator[tuple[str, Any]]:
        if isinstance(node, ast.Import):
            for alias in node.names:
                module = alias.name if alias.asname else alias.name.partition(".")[0]
                yield alias.asname or module, sys.modules.get(module)
        elif isinstance(node, ast.ImportFrom):
            relative = "." * node.level + (node.module or "")
            source = resolve_name(relative, self._module.__package__)
            for alias in node.names:
                inside = sys.modules.get(f"{source}.{alias.name}")
                value = getattr(sys.modules.get(source), alias.name, inside)
                yield alias.asname or alias.name, value
        elif isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                try:
                    value = ast.literal_eval(node.value)
                except ValueError:
                    continue
                # None and empty containers are state, which the library fills.
                if isinstance(target, ast.Name) and value:
                    yield target.id, value


def _is_code(constant: object) -> Any:
    return isinstance(constant, CodeType)


def _is_class(node: ast.stmt) -> bool:
    return isinstance(node, ast.ClassDef)


def _equal(value: Any, known: Any) -> bool:
    return type(value) is type(known) and bool(value == known)


def _statements(body: Iterable[ast.AST]) -> Iterator[Any]:
    """The statements of a body, also in `if` and `try`, but not in functions and classes."""
    for node in body:
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield from _statements(
                child
                for child in ast.iter_child_nodes(node)
                if isinstance(child, (ast.stmt, ast.ExceptHandler))
            )


def _definitions(body: list[ast.stmt], prefix: str) -> Iterator[tuple[str, Any]]:
    for node in _statements(body):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield prefix + node.name, node
            if isinstance(node, ast.ClassDef) and not prefix:
                yield from _definitions(node.body, f"{node.name}.")


class UsedNames:
    """All names that a function of a library uses, by way of others, too; checked while collected.

    Parameters
    ----------
    packages : tuple of str
        The top-level packages whose code is followed.
    owner : module or class
        Where the function is; for a method, attributes that it mentions are looked up in the class.
    name : str
    classes : iterable of types
        Classes of which all attributes are used.
    files : dict, optional
        Keeps what has been read of source files, for the next functions.

    Raises
    ------
    ReplacedError
        A name does not hold what the library's source gives it.
    """

    def __init__(
        self,
        packages: tuple[str, ...],
        owner: Any,
        name: str,
        classes: Iterable[type] = (),
        files: dict[str, Any] | None = None,
    ) -> None:
        self.names: dict[tuple[int, str], Name] = {}
        self._packages, self._owner, self._whole = packages, owner, set(classes)
        self._files: dict[str, _File] = {} if files is None else files
        self._attributes = {name}
        self._modules: list[ModuleType] = []
        self._classes: list[type] = [*classes]
        self._codes: set[CodeType] = set()
        self._checked: set[tuple[int, str]] = set()
        if isinstance(owner, ModuleType):
            self._use(owner, vars(owner), name, name)
        else:
            self._classes.append(owner)
        before = -1
        while before != len(self.names):  # an attribute may lead to functions that mention more
            before = len(self.names)
            for module in self._modules:
                for attribute in self._attributes & vars(module).keys():
                    self._use(module, vars(module), attribute, attribute)
            for cls in self._classes:
                self._use_attributes(cls)

    @property
    def methods(self) -> frozenset[str]:
        """The attributes of the owner that are used, and which a subclass must not override."""
        bases = {id(base) for base in self._owner.__mro__}
        used = [name for holder, name in self.names.values() if id(holder) in bases]
        return frozenset([*used, "__getattribute__", "__getattr__"])

    def _use_attributes(self, cls: type) -> None:
        bases = [base for base in cls.__mro__ if self._is_own(base)]
        for position, base in enumerate(bases):
            for name, value in list(vars(base).items()):
                used = cls in self._whole
                if name[:2] == "__":  # called by operators
                    used = (used or cls is not self._owner) and bool(functions_of(value))
                if used or name in self._attributes:
                    for before in bases[:position]:  # where the name would hide this one
                        self.names.setdefault((id(before), name), (before, name))
                    module = sys.modules[base.__module__]
                    self._use(module, base, name, f"{base.__qualname__}.{name}")

    def _use(self, module: ModuleType, owner: Any, name: str, qualified: str) -> None:
        if (id(owner), name) not in self._checked:
            self._checked.add((id(owner), name))
            self.names[id(owner), name] = owner, name
            namespace = vars(owner) if isinstance(owner, type) else owner
            if name in namespace:
                value = namespace[name]
                if not self._file(module).check(qualified, value) and self._is_foreign(value):
                    raise ReplacedError(f"{module.__name__}.{qualified} has been replaced")
                self._follow(value)
                if type(value) is dict:  # a table, of which an entry may be replaced
                    self.names.update({(id(value), key): (value, key) for key in value})

    def _is_foreign(self, value: Any) -> bool:
        """Whether this is a function of other code, or a mock."""
        functions = functions_of(value)
        if not functions:
            return type(value).__module__.partition(".")[0] in ("unittest", "mock")
        return not self._is_own_name(functions[-1].__globals__.get("__name__", ""))

    def _follow(self, value: Any) -> None:
        if isinstance(value, ModuleType):
            if self._is_own_name(value.__name__) and value not in self._modules:
                self._modules.append(value)
        elif isinstance(value, type) and self._is_own(value) and value not in self._classes:
            self._classes.append(value)
        for function in functions_of(value):
            module = sys.modules.get(function.__globals__.get("__name__", ""))
            if module is None or not self._is_own_name(module.__name__):
                continue
            code = _code_of(function)
            if code.co_filename[:1] == "<":  # generated, for a dataclass
                continue
            if code not in self._file(module).codes:
                raise ReplacedError(f"{module.__name__}.{function.__qualname__} has been replaced")
            if code not in self._codes:
                self._codes.add(code)
                for inner in _nested(code):
                    self._read(inner, module, function.__globals__)

    def _read(self, code: CodeType, module: ModuleType, namespace: dict[str, Any]) -> None:
        used, attributes = _loaded(code)
        self._attributes |= attributes
        for name in used:
            self._use(module, namespace, name, name)

    def _file(self, module: ModuleType) -> _File:
        if module.__name__ not in self._files:
            self._files[module.__name__] = _File(module)
        return self._files[module.__name__]

    def _is_own_name(self, module: str) -> bool:
        return module.partition(".")[0] in self._packages

    def _is_own(self, cls: type) -> bool:
        return self._is_own_name(cls.__module__)

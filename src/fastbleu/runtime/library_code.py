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
from contextlib import suppress
from functools import lru_cache
from importlib.util import resolve_name
from pathlib import Path
from types import CodeType, FunctionType, ModuleType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, TypeAlias

    Name: TypeAlias = tuple[dict[str, Any] | type, str]


class ReplacedError(Exception):
    """Other code has replaced a part of a library; the message names it."""


# The codes that `patching.Replacement` gives functions, and the library's own.
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


@lru_cache(maxsize=1024)
def _loaded(code: CodeType) -> tuple[list[str], set[str]]:
    """The global names and the attributes that a code loads, also in its inner functions."""
    loads: dict[bool, list[str]] = {True: [], False: []}
    codes = [code]
    for each in codes:
        codes += [constant for constant in each.co_consts if isinstance(constant, CodeType)]
        for instruction in dis.get_instructions(each):
            name = instruction.opname
            if name.startswith("LOAD_") and name.endswith(("GLOBAL", "NAME", "ATTR", "METHOD")):
                loads[name.endswith(("GLOBAL", "NAME"))].append(instruction.argval)
    return list(dict.fromkeys(loads[True])), set(loads[False])


@lru_cache(maxsize=256)
class _Source:
    """What a source file gives qualified names."""

    def __init__(self, path: str) -> None:
        self.defined: set[str] = set()
        self.imported: dict[str, list[tuple[ast.Import | ast.ImportFrom, ast.alias]]] = {}
        self.literals: dict[str, list[Any]] = {}
        self._read(ast.parse(Path(path).read_bytes()).body, "")

    def _read(self, body: list[Any], prefix: str) -> None:
        for node in body:
            match node:
                case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                    for alias in aliases:
                        name = alias.asname or alias.name.partition(".")[0]
                        self.imported.setdefault(name, []).append((node, alias))
                case (
                    ast.Assign(targets=[ast.Name(id=name), *_], value=value)
                    | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
                ):
                    with suppress(ValueError):
                        # None and empty containers are state, which the library fills.
                        if literal := ast.literal_eval(value):
                            self.literals.setdefault(prefix + name, []).append(literal)
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    self.defined.add(prefix + node.name)
                case ast.ClassDef():
                    self.defined.add(prefix + node.name)
                    self._read(node.body, f"{prefix}{node.name}.")
                case _:
                    for field in ("body", "handlers", "orelse", "finalbody"):
                        self._read(getattr(node, field, []), prefix)


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

    Raises
    ------
    ReplacedError
        A name does not hold what the library's source gives it.
    """

    def __init__(
        self, packages: tuple[str, ...], owner: Any, name: str, classes: Iterable[type] = ()
    ) -> None:
        self.names: dict[tuple[int, str], Name] = {}
        self._packages, self._owner, self._whole = packages, owner, set(classes)
        self._attributes = {name}
        self._modules: list[ModuleType] = []
        self._classes: list[type] = [*classes]
        self._codes: set[CodeType] = set()
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
        bases = [base for base in cls.__mro__ if self._is_own(base.__module__)]
        for position, base in enumerate(bases):
            for name, value in list(vars(base).items()):
                used = cls in self._whole
                if name[:2] == "__":  # called by operators
                    used = (used or cls is not self._owner) and bool(functions_of(value))
                if used or name in self._attributes:
                    # Where the name would hide this one.
                    absent = [before for before in bases[:position] if name not in vars(before)]
                    self.names.update({(id(before), name): (before, name) for before in absent})
                    module = sys.modules[base.__module__]
                    self._use(module, base, name, f"{base.__qualname__}.{name}")

    def _use(self, module: ModuleType, owner: Any, name: str, qualified: str) -> None:
        if (id(owner), name) not in self.names:
            self.names[id(owner), name] = owner, name
            namespace = vars(owner) if isinstance(owner, type) else owner
            if name in namespace:
                value = namespace[name]
                if not self._is_given(module, qualified, value):
                    raise ReplacedError(f"{module.__name__}.{qualified} has been replaced")
                self._follow(value)
                if type(value) is dict:  # a table, of which an entry may be replaced
                    self.names.update({(id(value), key): (value, key) for key in value})

    def _is_given(self, module: ModuleType, name: str, value: Any) -> bool:
        """Whether a value may be what the module's source gives a name."""
        source, functions = _Source(str(module.__file__)), functions_of(value)
        modules = [function.__globals__.get("__name__", "") for function in functions]
        if name in source.defined:
            [defined] = functions[-1:] or [value]
            place = getattr(defined, "__module__", None), getattr(defined, "__qualname__", None)
            return place == (module.__name__, name) and all(map(self._is_own, modules))
        if name in source.literals:
            return any(type(value) is type(x) and value == x for x in source.literals[name])
        if name in source.imported:
            package = module.__package__
            return any(value is _imported(package, *pair) for pair in source.imported[name])
        if functions:
            return self._is_own(modules[-1])
        mocked = type(value).__module__.partition(".")[0] in ("unittest", "mock")
        return not mocked and (name[:2] == "__" or not hasattr(builtins, name))

    def _follow(self, value: Any) -> None:
        if isinstance(value, ModuleType):
            if self._is_own(value.__name__) and value not in self._modules:
                self._modules.append(value)
        elif (
            isinstance(value, type)
            and self._is_own(value.__module__)
            and value not in self._classes
        ):
            self._classes.append(value)
        for function in functions_of(value):
            module = sys.modules.get(function.__globals__.get("__name__", ""))
            code = original_codes.get(function.__code__, function.__code__)
            generated = code.co_filename[:1] == "<"  # for a dataclass
            if module is None or generated or not self._is_own(module.__name__):
                continue
            if code.co_filename != module.__file__:
                raise ReplacedError(f"{module.__name__}.{function.__qualname__} has been replaced")
            if code not in self._codes:
                self._codes.add(code)
                used, attributes = _loaded(code)
                self._attributes |= attributes
                for name in used:
                    self._use(module, function.__globals__, name, name)

    def _is_own(self, module: str) -> bool:
        return module.partition(".")[0] in self._packages


def _imported(package: str | None, node: ast.Import | ast.ImportFrom, alias: ast.alias) -> Any:
    if isinstance(node, ast.Import):
        return sys.modules.get(alias.name if alias.asname else alias.name.partition(".")[0])
    source = resolve_name("." * node.level + (node.module or ""), package)
    submodule = sys.modules.get(f"{source}.{alias.name}")
    return getattr(sys.modules.get(source), alias.name, submodule)

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


# The codes that `patching.Replacement` gives functions, and what they had before.
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
            own = own and (len(functions) == 1 or name.rpartition(".")[2] in self._decorated)
        elif name in self._values:
            known = self._values[name]
            own = any(value is one or (type(value) is type(one) and value == one) for one in known)
        if not own:
            raise ReplacedError(f"{self._module.__name__}.{name} has been replaced")
        return name in self.definitions or name in self._values

    @cached_property
    def _tree(self) -> ast.Module:
        return ast.parse(Path(str(self._module.__file__)).read_bytes())

    @cached_property
    def _decorated(self) -> set[str]:
        nodes: Any = ast.walk(self._tree)
        return {node.name for node in nodes if getattr(node, "decorator_list", None)}

    @cached_property
    def _values(self) -> dict[str, list[Any]]:
        """What the imports and literals of the file give a qualified name."""
        values: dict[str, list[Any]] = {}
        bodies = [("", self._tree.body)]
        for node in ast.walk(self._tree):
            if isinstance(node, ast.ClassDef):
                bodies.append((f"{node.name}.", node.body))
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    name = alias.name if alias.asname else alias.name.partition(".")[0]
                    values.setdefault(alias.asname or name, []).append(sys.modules.get(name))
            elif isinstance(node, ast.ImportFrom):
                relative = "." * node.level + (node.module or "")
                source = resolve_name(relative, self._module.__package__)
                for alias in node.names:
                    value = sys.modules.get(f"{source}.{alias.name}")
                    value = getattr(sys.modules.get(source), alias.name, value)
                    values.setdefault(alias.asname or alias.name, []).append(value)
        for prefix, body in bodies:
            for statement in body:
                target: Any = getattr(statement, "targets", [getattr(statement, "target", None)])[0]
                if isinstance(statement, (ast.Assign, ast.AnnAssign)) and statement.value:
                    with suppress(ValueError):
                        value = ast.literal_eval(statement.value)
                        # None and empty containers are state, which the library fills.
                        if isinstance(target, ast.Name) and value:
                            values.setdefault(prefix + target.id, []).append(value)
        return values


def _is_code(constant: object) -> Any:
    return isinstance(constant, CodeType)


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

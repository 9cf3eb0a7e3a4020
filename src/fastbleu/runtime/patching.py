"""Replacing functions of another library in place, and restoring them.

Only the code of a function is replaced. The function itself stays the object that it was, so that
names imported before, pickles, `isinstance`, `__defaults__` and signatures stay as they are.

A replacement stands for all that the original runs: the functions that it calls by a global name or
by an attribute, and the constants that these use. If other code has replaced one of them, the
result would be another, so that the original runs.
"""

from __future__ import annotations

import ast
import builtins
import dis
import gc
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import lru_cache
from importlib.util import resolve_name
from inspect import CO_VARARGS, CO_VARKEYWORDS, getattr_static
from itertools import count
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

from ._internals import Internals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    Name: TypeAlias = tuple[dict[str, Any] | type, str]

_STUB = """
def outer({cells}):
    def {name}({parameters}):
        {doc!r}
        if {key}_is_own({self}):
            try:
                {key} = {key}_fast({arguments})
            except Exception:  # the original raises its own
                {key} = NotImplemented
            if {key} is not NotImplemented:
                return {key}
        return {key}_original({arguments})
        {cells}
"""

_numbers = count()
# The codes that `Replacement` gives functions, and the library's own.
_original_codes: dict[CodeType, CodeType] = {}


class PatchTarget(NamedTuple):
    """A function of a library, and what replaces it.

    Attributes
    ----------
    owner : module or class
        Where the function is. For a method, objects of other classes, and of subclasses that
        override what it uses, are left to the original.
    name : str
    fast : callable
        The replacement, which gets all arguments as the function has them. It returns
        NotImplemented, or raises, where the original has to be called; it must not have had an
        effect then.
    classes : iterable of types
        Further classes that the original uses, such as that of an argument.
    copied : bool
        The library copies the function; its copies are replaced, too.
    """

    owner: Any
    name: str
    fast: Callable[..., Any]
    classes: Iterable[type] = ()
    copied: bool = False


class Replacement:
    """Replaces a function, and gives it its own code back.

    `packages` are those whose code the original runs. Raises `ReplacedError` if other code has
    replaced something that the function uses.
    """

    def __init__(self, target: PatchTarget, packages: tuple[str, ...]) -> None:
        owner, name, self._copied = target.owner, target.name, target.copied
        used = UsedNames(packages, owner, name, target.classes)
        self._function = inner = functions_of(getattr_static(owner, name))[-1]
        self._code = inner.__code__
        # A copy of the code, by which `_exchange` does not find the original.
        original = FunctionType(
            self._code.replace(), inner.__globals__, inner.__name__, None, inner.__closure__
        )
        original.__qualname__ = inner.__qualname__
        is_own: Callable[..., bool] = Internals(used.names.values()).unchanged
        is_method = isinstance(owner, type)
        if is_method:
            is_own = _method_guard(is_own, owner, used.methods)
        self._key = f"_fastbleu_{next(_numbers)}"
        self._stub = _stub(inner, self._key, is_method)
        self._hooks = {"is_own": is_own, "fast": target.fast, "original": original}

    def apply(self) -> None:
        """Replace the function's code."""
        for hook, value in self._hooks.items():
            self._function.__globals__[f"{self._key}_{hook}"] = value
        _original_codes[self._stub] = _original_codes.get(self._code, self._code)
        self._exchange(self._code, self._stub)

    def undo(self) -> None:
        """Give the function its code back, unless other code has replaced it since."""
        self._exchange(self._stub, self._code)
        _original_codes.pop(self._stub, None)
        for hook in self._hooks:
            self._function.__globals__.pop(f"{self._key}_{hook}", None)
        if self._copied:  # copies that the collector does not know are left; they run the original
            for hook, value in (self._hooks | {"is_own": lambda _: False}).items():
                self._function.__globals__[f"{self._key}_{hook}"] = value

    def _exchange(self, old: CodeType, new: CodeType) -> None:
        copies = gc.get_referrers(old) if self._copied else []  # not those of a frozen collector
        for function in (self._function, *copies):
            if isinstance(function, FunctionType) and function.__code__ is old:
                function.__code__ = new


def _stub(function: FunctionType, key: str, is_method: bool) -> CodeType:
    """Code with the parameters of a function that chooses between the fast way and the original."""
    original = function.__code__
    names = iter(original.co_varnames)
    positional = [next(names) for _ in range(original.co_argcount)]
    keywords = [next(names) for _ in range(original.co_kwonlyargcount)]
    rest = [f"*{next(names)}"] if original.co_flags & CO_VARARGS else []
    more = [f"**{next(names)}"] if original.co_flags & CO_VARKEYWORDS else []
    first = original.co_posonlyargcount
    slash = ["/"] if first else []
    star = rest or (["*"] if keywords else [])
    parameters = [*positional[:first], *slash, *positional[first:], *star, *keywords, *more]
    arguments = [*positional, *rest, *(f"{name}={name}" for name in keywords), *more]
    values = {"key": key, "self": positional[0] if is_method else ""}
    values |= {"parameters": ", ".join(parameters), "arguments": ", ".join(arguments)}
    # A function has as many cells as its code names.
    cells = ", ".join(original.co_freevars)
    tree = ast.parse(
        _STUB.format(name=original.co_name, cells=cells, doc=function.__doc__, **values)
    )
    for node in ast.walk(tree):
        if isinstance(node, (ast.stmt, ast.expr, ast.arg, ast.ExceptHandler)):
            node.lineno = node.end_lineno = original.co_firstlineno
            node.col_offset = node.end_col_offset = 0
    code = compile(tree, original.co_filename, "exec", dont_inherit=True)
    for _ in range(2):
        [code] = [inner for inner in code.co_consts if isinstance(inner, CodeType)]
    # From Python 3.11 on a code has the qualified name, which errors show.
    named = {"co_qualname": getattr(original, "co_qualname", None)}
    return code.replace(**{name: value for name, value in named.items() if value})


def _method_guard(
    unchanged: Callable[[], bool], owner: type, methods: frozenset[str]
) -> Callable[[Any], bool]:
    """Whether an object has the methods of its class `owner`, none of its own or a subclass'."""
    bases = frozenset(owner.__mro__)

    def is_own(metric: Any) -> bool:
        if not unchanged():
            return False
        kind = type(metric)
        if kind is not owner:
            others = [base for base in kind.__mro__ if base not in bases]
            if owner not in kind.__mro__ or not all(map(methods.isdisjoint, map(vars, others))):
                return False
        own = vars(metric)
        return methods.isdisjoint(own) or all(
            _is_copy(own[name], getattr_static(owner, name)) for name in methods & own.keys()
        )

    return is_own


def _is_copy(method: Any, original: Any) -> bool:
    functions = functions_of(original)
    copy = functions_of(getattr(method, "__func__", None))
    return bool(functions and copy) and copy[-1].__code__ is functions[-1].__code__


class ReplacedError(Exception):
    """Other code has replaced a part of a library; the message names it."""


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
    for inner in codes:
        codes += [constant for constant in inner.co_consts if isinstance(constant, CodeType)]
        for instruction in dis.get_instructions(inner):
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
        self.names: dict[tuple[int, str], Name] = {}  # by the id of the namespace, and the name
        self._packages, self._owner, self._whole = packages, owner, set(classes)
        self._attributes = {name}
        self._modules: list[ModuleType] = []
        self._classes: list[type] = [*classes]
        self._codes: set[CodeType] = set()
        if isinstance(owner, ModuleType):
            self._use(owner, vars(owner), name, name)
        else:
            self._classes.append(owner)
        known = -1
        while known != len(self.names):  # an attribute may lead to functions that mention more
            known = len(self.names)
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
                    # Subclasses, where another one of this name would hide it.
                    hiding = [sub for sub in bases[:position] if name not in vars(sub)]
                    self.names.update({(id(sub), name): (sub, name) for sub in hiding})
                    module = sys.modules[base.__module__]
                    self._use(module, base, name, f"{base.__qualname__}.{name}")

    def _use(self, module: ModuleType, owner: Any, name: str, qualified: str) -> None:
        if (id(owner), name) not in self.names:
            self.names[id(owner), name] = owner, name
            namespace = vars(owner) if isinstance(owner, type) else owner
            if name in namespace:
                value = namespace[name]
                if not self._is_from_source(module, qualified, value):
                    raise ReplacedError(f"{module.__name__}.{qualified} has been replaced")
                self._follow(value)
                if type(value) is dict:  # a table, of which an entry may be replaced
                    self.names.update({(id(value), key): (value, key) for key in value})

    def _is_from_source(self, module: ModuleType, name: str, value: Any) -> bool:
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
            code = _original_codes.get(function.__code__, function.__code__)
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

"""Replacing functions of another library in place, and restoring them.

Only the code of a function is replaced. The function stays the same object, so that names imported
before, pickles, `isinstance`, `__defaults__` and signatures stay as they are.

A replacement stands for everything that the original runs: the functions that it calls by a global
name or by an attribute, and the constants that these use. If other code has replaced one of them,
the result would differ, so the original runs.
"""

from __future__ import annotations

import ast
import dis
import gc
import re
import sys
from collections.abc import Callable, Iterable
from functools import lru_cache
from importlib.util import module_from_spec
from inspect import Parameter, Signature, getattr_static, signature
from itertools import count
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

from ._internals import Internals

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

_ABSENT = object()
_numbers = count()
# Maps the code objects that `replace_code` installs to the library's own.
_original_codes: dict[CodeType, CodeType] = {}


class PatchTarget(NamedTuple):
    """A function of a library and its replacement.

    Attributes
    ----------
    owner : module or class
        Where the function is defined. For a method, the original handles objects of subclasses.
    name : str
    fast : callable
        Called with the arguments of the function. It returns NotImplemented, or raises, if the
        original must be called; it must not have had any effect by then.
    others : iterable of (module, str)
        Further names that the original uses, such as the class of an argument.
    copied : bool
        The library copies the function; its copies are replaced, too.
    """

    owner: Any
    name: str
    fast: Callable[..., Any]
    others: Iterable[tuple[ModuleType, str]] = ()
    copied: bool = False


def replace_code(target: PatchTarget, packages: tuple[str, ...]) -> Callable[[], None]:
    """Replace a function's code; return a function that restores it.

    `packages` are those whose code the original runs. Raises `ReplacedError`, and replaces nothing,
    if other code has replaced something that the function uses.
    """
    owner, name, fast, others, copied = target
    used = UsedNames(packages, owner, name, others)
    function = functions_of(getattr_static(owner, name))[-1]
    code, namespace = function.__code__, function.__globals__
    # With a copy of the code, so that `exchange` does not find this function.
    original = FunctionType(
        code.replace(), namespace, function.__name__, None, function.__closure__
    )
    original.__qualname__ = function.__qualname__
    is_method = isinstance(owner, type)
    internals = Internals(used.names.values(), owner if is_method else None)
    is_own = internals.unchanged_for if is_method else internals.unchanged
    key = f"_fastbleu_{next(_numbers)}"
    hooks = {f"{key}_is_own": is_own, f"{key}_fast": fast, f"{key}_original": original}
    stub = _stub(function, key, is_method)

    def exchange(old: CodeType, new: CodeType) -> None:
        copies = gc.get_referrers(old) if copied else []  # not those hidden by gc.freeze()
        for each in (function, *copies):
            if isinstance(each, FunctionType) and each.__code__ is old:
                each.__code__ = new

    def undo() -> None:
        exchange(stub, code)  # unless other code has replaced it since
        _original_codes.pop(stub, None)
        if copied:  # copies unknown to the collector keep the stub, but run the original
            namespace[f"{key}_is_own"] = lambda _: False
        else:
            for hook in hooks:
                namespace.pop(hook, None)

    namespace.update(hooks)
    _original_codes[stub] = _original_codes.get(code, code)
    exchange(code, stub)
    return undo


def _stub(function: FunctionType, key: str, is_method: bool) -> CodeType:
    """Compile code with a function's parameters that calls the fast function or the original."""
    own = function.__code__
    parameters = [
        parameter.replace(default=Parameter.empty, annotation=Parameter.empty)
        for parameter in signature(function, follow_wrapped=False).parameters.values()
    ]
    source = _STUB.format(
        key=key,
        name=own.co_name,
        parameters=str(Signature(parameters))[1:-1],
        arguments=", ".join(
            f"{p.name}={p.name}" if p.kind is Parameter.KEYWORD_ONLY else str(p) for p in parameters
        ),
        self=parameters[0].name if is_method else "",
        doc=function.__doc__,
        cells=", ".join(own.co_freevars),  # a function needs as many cells as its code names
    )
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, (ast.stmt, ast.expr, ast.arg, ast.ExceptHandler)):
            node.lineno = node.end_lineno = own.co_firstlineno
            node.col_offset = node.end_col_offset = 0
    code = compile(tree, own.co_filename, "exec", dont_inherit=True)
    for _ in range(2):
        [code] = [inner for inner in code.co_consts if isinstance(inner, CodeType)]
    return code.replace(co_qualname=own.co_qualname)  # which errors show


class ReplacedError(Exception):
    """Other code has replaced a part of a library; the message names it."""


def functions_of(value: Any) -> list[FunctionType]:
    """The functions in a function, method or property, from the outermost decorator inwards."""
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
    """The global names and attributes that a code object and its inner functions load."""
    names: list[str] = []
    attributes: set[str] = set()
    codes = [code]
    for inner in codes:
        codes += [constant for constant in inner.co_consts if isinstance(constant, CodeType)]
        for instruction in dis.get_instructions(inner):
            operation = instruction.opname
            if operation in ("LOAD_GLOBAL", "LOAD_NAME"):
                names.append(instruction.argval)
            elif operation.startswith("LOAD_") and operation.endswith(("ATTR", "METHOD")):
                attributes.add(instruction.argval)
    return list(dict.fromkeys(names)), attributes


@lru_cache(maxsize=256)
def _run_again(module: ModuleType) -> ModuleType:
    """A second module of the same code, in which nobody has replaced anything.

    Of a module that cannot run twice, as mbrs', whose classes register their names, the first one.
    """
    spec: Any = module.__spec__
    fresh = module_from_spec(spec)
    try:
        spec.loader.exec_module(fresh)
    except Exception:
        return module
    return fresh


def _is_same(value: Any, fresh: Any) -> bool:
    """Whether two runs of a module's code may have given one name these values."""
    if value is fresh or isinstance(value, ModuleType):  # packages get their submodules later
        return True
    kinds = [(kind.__module__, kind.__qualname__) for kind in (type(value), type(fresh))]
    if kinds[0] != kinds[1]:  # a class of the module itself is another one in each run
        return False
    if codes := [function.__code__ for function in functions_of(fresh)]:
        return [_original_codes.get(f.__code__, f.__code__) for f in functions_of(value)] == codes
    if isinstance(fresh, type):
        return (value.__module__, value.__qualname__) == (fresh.__module__, fresh.__qualname__)
    # Empty containers are state that the library fills. Two patterns of `regex` are never equal.
    return not fresh or value == fresh or _described(value) == _described(fresh)


def _described(value: Any) -> str:
    return re.sub(" at 0x[0-9a-fA-F]+", "", repr(value))


class UsedNames:
    """All names that a function uses, directly or through other functions of `packages`.

    Raises `ReplacedError` if one does not hold what the library's source assigns to it. Attributes
    that a method mentions are looked up in its class `owner`; all attributes of classes in `others`
    are used.
    """

    def __init__(self, packages: tuple[str, ...], owner: Any, name: str, others: Any = ()) -> None:
        # By the id of the namespace, and the name. For a list, None stands for its items.
        self.names: dict[tuple[int, str | None], tuple[Any, str | None]] = {}
        self._packages, self._owner = packages, owner
        self._whole = [vars(module)[other] for module, other in others]
        self._attributes = {name}
        self._modules: list[ModuleType] = []
        self._classes: list[type] = []
        self._codes: set[CodeType] = set()
        is_method = isinstance(owner, type)
        start = (sys.modules[owner.__module__], owner.__name__) if is_method else (owner, name)
        for module, used in (start, *others):
            if not self._is_own(module.__name__):
                raise ReplacedError(f"{module.__name__}.{used} is not the library's")
            self._use(module, vars(module), used, used)
        known = -1
        while known != len(self.names):  # an attribute may lead to functions that mention more
            known = len(self.names)
            for module in self._modules:
                for attribute in self._attributes & vars(module).keys():
                    self._use(module, vars(module), attribute, attribute)
            for cls in self._classes:
                self._use_attributes(cls)

    def _use_attributes(self, cls: type) -> None:
        bases = [base for base in cls.__mro__ if self._is_own(base.__module__)]
        for position, base in enumerate(bases):
            for name, value in list(vars(base).items()):
                used = cls in self._whole
                if name[:2] == "__":  # called by operators
                    used = (used or cls is not self._owner) and bool(functions_of(value))
                if used or name in self._attributes:
                    # Subclasses in which a new attribute of this name would hide it.
                    hiding = [sub for sub in bases[:position] if name not in vars(sub)]
                    self.names.update({(id(sub), name): (sub, name) for sub in hiding})
                    module = sys.modules[base.__module__]
                    self._use(module, base, name, f"{base.__qualname__}.{name}")

    def _use(self, module: ModuleType, owner: Any, name: str, qualified: str) -> None:
        if (id(owner), name) not in self.names:
            self.names[id(owner), name] = owner, name
            namespace = vars(owner) if isinstance(owner, type) else owner
            if name in namespace:
                value, fresh = namespace[name], _run_again(module)
                for part in qualified.split("."):
                    fresh = vars(fresh).get(part, _ABSENT)
                if not _is_same(value, fresh):
                    raise ReplacedError(f"{module.__name__}.{qualified} has been replaced")
                self._follow(value)
                if type(value) is dict:  # a table, whose entries may be replaced
                    self.names.update({(id(value), key): (value, key) for key in value})
                elif type(value) is list and fresh:
                    self.names[id(value), None] = value, None

    def _follow(self, value: Any) -> None:
        if isinstance(value, ModuleType):
            is_settings = value.__name__.endswith(".config")  # which callers change
            if self._is_own(value.__name__) and value not in self._modules and not is_settings:
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
            generated = code.co_filename[:1] == "<"  # such as the methods of a dataclass
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

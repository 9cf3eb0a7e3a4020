"""Replacing functions of another library in place, and restoring them.

Only the code of a function is replaced. The function itself stays the object that it was, so that
names imported before, pickles, `isinstance`, `__defaults__` and signatures stay as they are.
"""

from __future__ import annotations

import ast
import gc
from inspect import CO_VARARGS, CO_VARKEYWORDS, getattr_static
from itertools import count
from types import CodeType, FunctionType

from ._internals import Internals
from .library_code import UsedNames, functions_of, original_codes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

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


class Replacement:
    """A function of a library, and what replaces it.

    Parameters
    ----------
    owner : module or class
        Where the function is. For a method, objects of other classes, and of subclasses that
        override what it uses, are left to the original.
    name : str
    fast : callable
        The replacement, which gets all arguments as the function has them. It returns
        NotImplemented, or raises, where the original has to be called; it must not have had an
        effect then.
    packages : tuple of str
        The packages whose code the original runs.
    classes : iterable of types
        Further classes that the original uses, such as that of an argument.
    copied : bool
        The library copies the function; its copies are replaced, too.

    Raises
    ------
    ReplacedError
        Other code has replaced something that the function uses.
    """

    def __init__(
        self,
        owner: Any,
        name: str,
        fast: Callable[..., Any],
        packages: tuple[str, ...],
        classes: Iterable[type] = (),
        copied: bool = False,
    ) -> None:
        self._copied = copied
        used = UsedNames(packages, owner, name, classes)
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
        self._hooks = {"is_own": is_own, "fast": fast, "original": original}

    def apply(self) -> None:
        """Replace the function's code."""
        for hook, value in self._hooks.items():
            self._function.__globals__[f"{self._key}_{hook}"] = value
        original_codes[self._stub] = original_codes.get(self._code, self._code)
        self._exchange(self._code, self._stub)

    def undo(self) -> None:
        """Give the function its code back, unless other code has replaced it since."""
        self._exchange(self._stub, self._code)
        original_codes.pop(self._stub, None)
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

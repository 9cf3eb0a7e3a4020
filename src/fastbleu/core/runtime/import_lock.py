"""Imports: a lock for those inside calls, modules outside the core, no sub-interpreters.

A child that is forked while another thread imports a module inherits that module's lock. Nothing in
the child would release it, so importing the module there would wait forever. Therefore forks wait
for `import_lock`, and every import inside a call holds it.
"""

from __future__ import annotations

import _thread
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import ModuleType
    from typing import Any

import_lock = _thread.RLock()
_before_logging = False


def _release() -> None:
    try:  # noqa: SIM105 - contextlib is not imported for this
        import_lock.release()
    except RuntimeError:
        pass  # registered while this fork waited, so nothing was acquired for it


def _forks_wait() -> None:
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(
            before=import_lock.acquire, after_in_parent=_release, after_in_child=_release
        )


_forks_wait()


def import_locked(name: str) -> ModuleType:
    """Import a module by its absolute name."""
    with import_lock:
        from importlib import import_module

        library = name.partition(".")[0]
        if library != "fastbleu" and library not in sys.stdlib_module_names:
            _forks_wait_before_logging()
        return import_module(name)


class lazy:
    """A module that `import_locked` imports when one of its attributes is first used.

    It stands for the module in a file whose functions need it only in some calls:
    ``if TYPE_CHECKING: import decimal``, ``else: decimal = lazy("decimal")``.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("__"):  # `inspect` asks any object for some
            raise AttributeError(attribute)
        value = getattr(import_locked(self._name), attribute)
        setattr(self, attribute, value)  # the next use does not come here
        return value


def late_names(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """`__getattr__` of a package whose names are imported when they are first used.

    `homes` has the module below fastbleu that defines each name; "": the name is a module.
    """

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value: Any = import_locked(f"fastbleu.{homes[name] or name}")
        if homes[name]:
            value = getattr(value, name)
        setattr(sys.modules[package], name, value)
        return value

    return get


# What the core asks for by name, and the name of the module that provides it, if that is installed:
# `fastbleu/__init__.py` lists them, so that no file of the core names one.
PROVIDERS: dict[str, str] = {}


def provider(provided: str) -> Any:
    """The module that provides this; None if it is not installed."""
    name = PROVIDERS.get(provided, "")
    try:
        return import_locked(name) if name else None
    except ModuleNotFoundError as error:
        if not f"{name}.".startswith(f"{error.name}."):
            raise  # it is there, and lacks something
        return None


def _forks_wait_before_logging() -> None:
    """Make forks take `import_lock` before the lock of `logging`, which imports may wait for.

    The function registered last is called first.
    """
    global _before_logging
    if not _before_logging:
        with import_lock:
            import logging
        del logging
        _forks_wait()
        _before_logging = True


def import_warning_formatter() -> None:
    """Import the modules that Python imports only when it formats a warning."""
    import_locked("linecache")
    import_locked("tokenize")


def refuse_sub_interpreters() -> None:
    """Raise an ImportError in a sub-interpreter, before any compiled module is loaded there.

    Compiled code that released the GIL acquires it again for the main interpreter
    (PyGILState_Ensure), which deadlocks in any other. Also, a compiled module belongs to the first
    interpreter that loads it: the main interpreter could no longer load it.
    """
    if not _is_main():
        raise ImportError(
            "fastbleu works in the main interpreter only, and this is a sub-interpreter; under "
            "mod_wsgi set WSGIApplicationGroup %{GLOBAL}"
        )


def _is_main() -> bool:
    if sys.version_info >= (3, 12):
        return bool(_thread._is_main_interpreter())
    try:
        import _xxsubinterpreters as subinterpreters  # type: ignore[import-not-found]
    except ImportError:
        return True
    return bool(subinterpreters.get_current() == subinterpreters.get_main())

"""A lock for imports inside calls, so that a process can fork meanwhile.

A child that is forked while another thread imports a module inherits that module's lock, which
nobody in the child would release: its own import of the module would wait forever. A fork waits
for `import_lock` instead, so every import that a call makes is made with it.
"""

from __future__ import annotations

import os
from _thread import RLock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

import_lock = RLock()
_before_logging = False


def _release() -> None:
    try:  # noqa: SIM105 - contextlib is not imported for this
        import_lock.release()
    except RuntimeError:
        pass  # registered while this fork waited, so that nothing was acquired for it


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

        if name.partition(".")[0] != "fastbleu":
            _forks_wait_before_logging()
        return import_module(name)


def _forks_wait_before_logging() -> None:
    """Have a fork take `import_lock` before the lock of `logging`, for which imports may wait.

    What is registered last is called first.
    """
    global _before_logging
    if not _before_logging:
        with import_lock:
            import logging
        del logging
        _forks_wait()
        _before_logging = True


def import_warning_formatter() -> None:
    """Import the modules with which Python formats a warning, and which it imports only then."""
    with import_lock:
        import linecache
        import tokenize
    del linecache, tokenize

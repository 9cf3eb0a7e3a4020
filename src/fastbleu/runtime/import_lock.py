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
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=import_lock.acquire,
        after_in_parent=import_lock.release,
        after_in_child=import_lock.release,
    )


def import_locked(name: str) -> ModuleType:
    """Import a module by its absolute name."""
    with import_lock:
        from importlib import import_module

        return import_module(name)


def import_warning_formatter() -> None:
    """Import the modules with which Python formats a warning, and which it imports only then."""
    with import_lock:
        import linecache
        import tokenize
    del linecache, tokenize

"""Imports of what takes long, so long that Ctrl-C may come meanwhile."""

from __future__ import annotations

import signal
from importlib import import_module
from threading import current_thread, main_thread
from typing import Any

__all__ = ["import_undisturbed"]


def import_undisturbed(name: str) -> Any:
    """Import a module that loads numpy; Ctrl-C is heard afterwards.

    Extension modules may take an exception that comes while they are loaded for a fault of their
    own: numpy makes an ImportError of it, which says that it was not installed well.
    """
    handler = signal.getsignal(signal.SIGINT)
    if handler is not signal.default_int_handler or current_thread() is not main_thread():
        return import_module(name)
    interrupted = []
    signal.signal(signal.SIGINT, lambda *_: interrupted.append(True))
    try:
        module = import_module(name)
    finally:
        signal.signal(signal.SIGINT, handler)
    if interrupted:
        raise KeyboardInterrupt
    return module

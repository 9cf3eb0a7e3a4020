"""Imports that take so long that Ctrl-C may arrive meanwhile."""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def import_undisturbed(name: str) -> Any:
    """Import a module that loads numpy, delaying Ctrl-C until it is loaded.

    numpy would report the interruption as a broken installation.
    """
    import signal
    from threading import current_thread, main_thread

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

"""Imports of the command, which Ctrl-C interrupts cleanly."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType


def import_undisturbed(name: str) -> ModuleType:
    """Import a module that loads numpy, delaying Ctrl-C until it is loaded.

    numpy would report the interruption as a broken installation.
    """
    import signal
    from importlib import import_module
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

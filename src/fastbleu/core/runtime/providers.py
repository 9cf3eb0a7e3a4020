"""Modules outside the core that it asks by what they provide.

`fastbleu/__init__.py` lists them, so that no file of the core names one.
"""

from __future__ import annotations

from .import_lock import import_locked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

PROVIDERS: dict[str, str] = {}  # what is provided, and the name of the module


def provider(provided: str) -> Any:
    """The module that provides this; None if it is not installed."""
    name = PROVIDERS.get(provided, "")
    try:
        return import_locked(name) if name else None
    except ModuleNotFoundError as error:
        if not f"{name}.".startswith(f"{error.name}."):
            raise  # it is there, and lacks something
        return None

"""Replacing functions of another library, and restoring them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import ExitStack
    from typing import Any

_NONE = object()
# The places that a Patch has replaced: (id of the module or class, name).
_taken: set[tuple[int, str]] = set()


class Patch:
    """Replacements (module or class, name, object) that can be applied and undone.

    A place that another Patch has replaced is left to it. Not thread-safe: patch before threads
    start.
    """

    def __init__(self, places: list[tuple[Any, str, Any]]) -> None:
        self._places = places
        self._originals: list[tuple[Any, str, Any, Any]] | None = None

    def apply(self) -> ExitStack:
        """Apply the replacements; the result is a context manager that undoes this call."""
        from contextlib import ExitStack

        undoing = ExitStack()
        if self._originals is not None:
            return undoing
        self._originals = []
        try:
            for owner, name, replacement in self._places:
                if (id(owner), name) not in _taken:
                    # A class may have inherited a method: then it has none of its own.
                    original = vars(owner).get(name, _NONE)
                    self._originals.append((owner, name, replacement, original))
                    _taken.add((id(owner), name))
                    setattr(owner, name, replacement)
        except BaseException:
            self.undo()
            raise
        undoing.callback(self.undo)
        return undoing

    def undo(self) -> None:
        """Restore the originals, except for names that other code has replaced since."""
        for owner, name, replacement, original in reversed(self._originals or ()):
            _taken.discard((id(owner), name))
            if getattr(owner, name, None) is not replacement:
                continue
            if original is _NONE:
                delattr(owner, name)
            else:
                setattr(owner, name, original)
        self._originals = None

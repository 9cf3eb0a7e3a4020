"""Replacing functions of another library, and restoring them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


_NONE = object()


class Patch:
    """Replacements (module or class, name, object) that can be applied and undone.

    Not thread-safe: patch before threads start.
    """

    def __init__(self, places: list[tuple[Any, str, Any]]) -> None:
        self._places = places
        self._originals: list[Any] | None = None

    @property
    def applied(self) -> bool:
        """Whether the replacements are in place."""
        return self._originals is not None

    def apply(self) -> Restore:
        """Apply the replacements; the result is a context manager that undoes this call."""
        if self.applied:
            return Restore(None)
        # A class may have inherited a method: then it has none of its own.
        self._originals = [vars(owner).get(name, _NONE) for owner, name, _ in self._places]
        for owner, name, replacement in self._places:
            setattr(owner, name, replacement)
        return Restore(self)

    def undo(self) -> None:
        """Restore the originals, except for names that other code has replaced since."""
        if self._originals is None:
            return
        for (owner, name, replacement), original in zip(self._places, self._originals, strict=True):
            if getattr(owner, name) is not replacement:
                continue
            if original is _NONE:
                delattr(owner, name)
            else:
                setattr(owner, name, original)
        self._originals = None


class Restore:
    """Undoes a patch at the end of a with block, unless it was applied before the block."""

    def __init__(self, patch: Patch | None) -> None:
        self._patch = patch

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: object) -> None:
        if self._patch is not None:
            self._patch.undo()

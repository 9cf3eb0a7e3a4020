"""Putting functions in the place of another library's, and taking them out again."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any


class Patch:
    """A set of names in other modules, and what to put there.

    Not thread-safe: patch before threads start.

    Parameters
    ----------
    places : list of (module, name, replacement)
    """

    def __init__(self, places: list[tuple[ModuleType, str, Any]]) -> None:
        self._places = places
        self._originals: list[Any] | None = None

    @property
    def applied(self) -> bool:
        """Whether the replacements are in place."""
        return self._originals is not None

    def apply(self) -> Restore:
        """Put the replacements in place, if they are not there yet.

        Returns
        -------
        Restore
            A context manager that undoes what this call did.
        """
        if self.applied:
            return Restore(None)
        self._originals = [getattr(module, name) for module, name, _ in self._places]
        for module, name, replacement in self._places:
            setattr(module, name, replacement)
        return Restore(self)

    def undo(self) -> None:
        """Put the originals back, wherever nobody has replaced the replacement since."""
        if self._originals is None:
            return
        for (module, name, replacement), original in zip(
            self._places, self._originals, strict=True
        ):
            if getattr(module, name) is replacement:
                setattr(module, name, original)
        self._originals = None


class Restore:
    """Undoes a patch at the end of a with block; does nothing where the patch was there before."""

    def __init__(self, patch: Patch | None) -> None:
        self._patch = patch

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: object) -> None:
        if self._patch is not None:
            self._patch.undo()

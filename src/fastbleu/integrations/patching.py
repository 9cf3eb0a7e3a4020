"""`fastbleu.patch`: BLEU of other libraries, made fast in place for code that cannot be edited."""

from __future__ import annotations

import sys
import warnings
from contextlib import suppress
from functools import wraps
from importlib.util import find_spec
from types import FunctionType, ModuleType

from ..runtime.patching import Patch
from .patches import HOSTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.machinery import ModuleSpec
    from typing import Any

    from .call_times import CallTimes
    from .patches import Host


# Times the patched functions if `fastbleu.run` reports them.
measured_by: CallTimes | None = None


class _Library:
    """What has been done to one library."""

    def __init__(self, name: str, host: Host) -> None:
        self.name, self.host = name, host
        self.replaced: list[str] = []
        self.bound_anew: list[str] = []
        self.left_alone = ""
        self._patches: list[Patch] = []
        self._pairs: list[tuple[Any, Any]] = []  # originals and what stands for them

    def apply(self, module: ModuleType) -> None:
        """Patch a module of the library; a warning if its code is not known."""
        self.left_alone = self.host.problem(module)
        if self.left_alone:
            fix = "score with fastbleu's own functions instead"
            message = f"fastbleu.patch leaves {self.name} alone: {self.left_alone}; {fix}"
            warnings.warn(message, RuntimeWarning, stacklevel=3)
            return
        places, pairs = [], []
        for owner, name, fast in self.host.places(module):
            original = getattr(owner, name)
            if measured_by is not None and isinstance(original, FunctionType):
                fast = measured_by.wrap(original, fast)
            if isinstance(owner, ModuleType):
                if original.__module__ != owner.__name__:
                    continue  # other code has replaced it
                fast = _stand_in(original, fast)
                pairs.append((original, fast))
            places.append((owner, name, fast))
        own = {(id(owner), name) for owner, name, _ in places}
        found = [place for place in _holders(pairs) if (id(place[0]), place[1]) not in own]
        patch = Patch([*places, *found])
        patch.apply()
        self._patches.append(patch)
        self._pairs += pairs
        self.replaced += [f"{_name_of(owner, module)}{name}" for owner, name, _ in places]
        self.bound_anew = sorted({*self.bound_anew, *(owner.__name__ for owner, _, _ in found)})

    def undo(self) -> None:
        """Give all originals back, also to modules imported since."""
        for patch in reversed(self._patches):
            patch.undo()
        for owner, name, original in _holders([(fast, original) for original, fast in self._pairs]):
            setattr(owner, name, original)
        self._patches, self._pairs = [], []

    def row(self) -> list[str]:
        """The library's row of the table."""
        loaded = sys.modules.get(self.host.library)
        version = str(getattr(loaded, "__version__", ""))
        if self.left_alone:
            return [self.name, version, f"left alone: {self.left_alone}", ""]
        if self.replaced:
            return [self.name, version, ", ".join(self.replaced), ", ".join(self.bound_anew)]
        if loaded is None and not _is_installed(self.host.library):
            return [self.name, version, "left alone: not installed", ""]
        return [self.name, version, "when it is imported", ""]


def _stand_in(original: Any, fast: Any) -> Any:
    """A function or class like `fast` that exists once, so that `undo` recognizes it."""
    if isinstance(original, type):
        named = {key: getattr(original, key) for key in ("__module__", "__qualname__", "__doc__")}
        return type(original.__name__, (fast,), named)

    def stand_in(*args: Any, **kwargs: Any) -> Any:
        return fast(*args, **kwargs)

    return wraps(original)(stand_in)


def _holders(pairs: list[tuple[Any, Any]]) -> Iterator[tuple[ModuleType, str, Any]]:
    """Each module and global name that holds the first object of a pair, and the second."""
    wanted = {id(held): other for held, other in pairs}
    for module in list(sys.modules.values()):
        if isinstance(module, ModuleType):
            for name, value in list(vars(module).items()):
                if id(value) in wanted:
                    yield module, name, wanted[id(value)]


def _name_of(owner: Any, module: ModuleType) -> str:
    return "" if owner is module else f"{owner.__name__}."


def _is_installed(library: str) -> bool:
    try:
        return find_spec(library) is not None
    except (ImportError, ValueError):
        return False


_active: dict[str, _Library] = {}


class _Finder:
    """Finds the modules to patch with the other finders, and patches them once they have run."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        library = next((one for one in _active.values() if one.host.matches(name)), None)
        if library is None:
            return None
        for finder in sys.meta_path:
            if finder is not self and hasattr(finder, "find_spec"):
                spec = finder.find_spec(name, path, target)
                if spec is not None:
                    if hasattr(spec.loader, "exec_module"):
                        spec.loader = _Loader(spec.loader, library)  # type: ignore[assignment]
                    return spec
        return None


class _Loader:
    """A module's own loader, which the module keeps; afterwards the module is patched."""

    def __init__(self, loader: Any, library: _Library) -> None:
        self._loader, self._library = loader, library

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        module: ModuleType | None = self._loader.create_module(spec)
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        if _active.get(self._library.name) is self._library:
            try:
                self._library.apply(module)
            except Exception as error:  # also a warning; the import must not fail for it
                library = self._library
                library.left_alone = library.left_alone or f"{type(error).__name__}: {error}"
                with suppress(Warning):
                    warnings.warn(
                        f"fastbleu.patch leaves {library.name} alone: {library.left_alone}",
                        RuntimeWarning,
                        stacklevel=2,
                    )


_finder = _Finder()


class Patched:
    """What `patch` did, as a table when printed; as a context manager it undoes this call."""

    def __init__(self, libraries: list[_Library], new: list[_Library]) -> None:
        self._libraries, self._new = libraries, new

    def __enter__(self) -> Patched:
        return self

    def __exit__(self, *_: object) -> None:
        _undo(self._new)

    def __repr__(self) -> str:
        head = ["library", "version", "replaced", "bound anew in"]
        rows = [head, *(library.row() for library in self._libraries)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)
        return "\n".join(lines)


def patch(*libraries: str) -> Patched:
    """Make BLEU of other libraries fast in place, with the same results.

    Functions that other modules imported earlier are bound anew in their globals. Libraries that
    are imported later are patched then. Not thread-safe: patch before threads start.

    Parameters
    ----------
    *libraries : str
        "nltk", "sacrebleu", "torchmetrics", "torcheval", "ignite", "coco" (pycocoevalcap); all of
        them by default.

    Returns
    -------
    Patched
        Prints as a table of what was replaced and what was left alone, and why. As a context
        manager it undoes this call.

    Raises
    ------
    ValueError
        A library is not known.

    Warns
    -----
    RuntimeWarning
        A library is left alone, because its code is not that of a known version.

    Examples
    --------
    >>> import nltk.translate.bleu_score
    >>> with patch("nltk"):
    ...     nltk.translate.bleu_score.sentence_bleu([["a", "b"]], ["a", "b"], (0.5, 0.5))
    1.0
    """
    for name in libraries:
        if name not in HOSTS:
            raise ValueError(f"patch knows no library {name!r}; it knows {', '.join(HOSTS)}")
    names = libraries or tuple(HOSTS)
    new = [_Library(name, HOSTS[name]) for name in dict.fromkeys(names) if name not in _active]
    try:
        for library in new:
            _active[library.name] = library
            for name, module in list(sys.modules.items()):
                if library.host.matches(name) and isinstance(module, ModuleType):
                    library.apply(module)
        if _finder not in sys.meta_path:
            sys.meta_path.insert(0, _finder)
    except BaseException:
        _undo(new)
        raise
    return Patched([_active[name] for name in dict.fromkeys(names)], new)


def unpatch() -> None:
    """Undo all calls of `patch`; does nothing if there were none.

    Every name holds the object again that it had before, also in modules that imported it since.
    """
    _undo(list(_active.values()))


def _undo(libraries: list[_Library]) -> None:
    for library in reversed(libraries):
        if _active.get(library.name) is library:
            del _active[library.name]
            library.undo()
    if not _active and _finder in sys.meta_path:
        sys.meta_path.remove(_finder)

"""`fastbleu.patch`: BLEU of other libraries, made fast in place for code that cannot be edited.

A row of HOSTS describes a patch: once one of its modules is imported, each function that `targets`
lists for it gets other code, which `replace_code` installs, and its own code again on `unpatch`.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable
from contextlib import suppress
from hashlib import sha256
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from ..core.inputs.arguments import a_type, known_name, shown, unknown_name
from .replacing import PatchTarget, ReplacedError, replace_code


class Host(NamedTuple):
    """A library: the modules that are patched once imported, and the known versions of a file.

    Attributes
    ----------
    packages : tuple of str
        The library, and other packages whose code its functions run.
    modules : tuple of str
        The modules to patch.
    known : dict
        The versions by the first digits of the SHA-256 of a source file: that of the module
        `checked`, or of the module to patch.
    targets : str
        The function, as "module.name" of this package, that lists what to patch in a module. It
        raises `ReplacedError` if it does not know the module's code.
    checked : str
    scripts : tuple of str
        How the names of further modules to patch begin, which the library makes from scripts.
    """

    packages: tuple[str, ...]
    modules: tuple[str, ...]
    known: dict[str, str]
    targets: str
    checked: str = ""
    scripts: tuple[str, ...] = ()


HOSTS = {
    "nltk": Host(
        ("nltk",),
        ("nltk.translate.bleu_score",),
        {"02e7d7370fc6": "3.10.4", "8f9c3258a9af": "3.10.0-3.10.3", "d25c06a63b9e": "3.9.2"},
        "_nltk_patches.targets",
    ),
    "sacrebleu": Host(
        ("sacrebleu",),
        ("sacrebleu.compat",),
        {"8d227ba4470d": "2.6.0", "a5ebd446d162": "2.5.1", "4ea19dc440ee": "2.4.3"},
        "_sacrebleu_patches.targets",
        "sacrebleu.metrics.bleu",
    ),
    # The file with its tokenizers, which imports the one that counts.
    "torchmetrics": Host(
        ("torchmetrics",),
        ("torchmetrics.functional.text.sacre_bleu",),
        {"8c604571d28f": "1.7.4-1.9.0", "7249dadeef6c": "1.6.3"},
        "_torch_patches.torchmetrics_targets",
    ),
    "torcheval": Host(
        ("torcheval",),
        ("torcheval.metrics.functional.text.bleu",),
        {"3a537fba6868": "0.0.7"},
        "_torch_patches.torcheval_targets",
    ),
    "ignite": Host(
        ("ignite",),
        ("ignite.metrics.nlp.bleu",),
        {"90cdf07076dc": "0.5.4-0.5.5", "372419dc2401": "0.5.3", "3bcf1dd3eea0": "0.5.2"},
        "_torch_patches.ignite_targets",
    ),
    "coco": Host(
        ("pycocoevalcap",),
        ("pycocoevalcap.bleu.bleu", "pycocoevalcap.tokenizer.ptbtokenizer"),
        {"05b74a92b32e": "1.2", "ded90551127b": "1.2"},
        "_coco_patches.targets",
    ),
    "evaluate": Host(
        ("evaluate", "evaluate_modules"),
        (),
        {"bccb0b3ac91d": "0.4.5-0.4.6", "0356b0c877a4": "0.4.2-0.4.4", "55ad85ad2267": "0.4.1"},
        "_evaluate_patches.targets",
        "evaluate.module",
        ("evaluate_modules.",),
    ),
    "mbrs": Host(
        ("mbrs", "sacrebleu"),
        ("mbrs.metrics.bleu",),
        {"b3b7da96a6dd": "0.1.7-0.1.8", "889b475dccdf": "0.1.6"},
        "_sacrebleu_patches.mbrs_targets",
    ),
}


class _Library:
    """What has been done to one library."""

    def __init__(self, name: str) -> None:
        self.name, self.host = name, HOSTS[name]
        self.left_alone: dict[str, str] = {}  # reasons by function; "" for a whole module
        self._replaced: list[tuple[str, Callable[[], None]]] = []  # names, and what undoes them

    def modules_in(self, names: Iterable[str]) -> list[str]:
        """Those of `names` that are modules to patch."""
        modules, scripts = self.host.modules, self.host.scripts
        return [name for name in names if name in modules or name.startswith(scripts)]

    def apply(self, module: ModuleType) -> None:
        """Patch a module of the library; warn if its code is not the library's own."""
        left_alone: dict[str, str] = {}
        try:
            targets = self._targets(module)
        except ReplacedError as error:
            targets, left_alone[""] = [], str(error)
        for target in targets:
            label = f"{target.owner.__name__}.{target.name}"
            try:
                self._replaced.append((label, replace_code(target, self.host.packages)))
            except ReplacedError as error:
                left_alone[label] = str(error)
        self.left_alone |= left_alone
        if left_alone:
            fix = "score with fastbleu's own functions instead"
            message = f"fastbleu.patch leaves {self.name} alone: {_reasons(left_alone)}; {fix}"
            warnings.warn(message, RuntimeWarning, stacklevel=3)

    def _targets(self, module: ModuleType) -> list[PatchTarget]:
        """What to patch in a module; `ReplacedError` if its code is not known."""
        file, _, function = self.host.targets.partition(".")
        list_targets = getattr(import_module(f"{__package__}.{file}"), function)
        try:
            targets: list[PatchTarget] = list_targets(module)
        except Exception as error:
            _check_version(self.host, module)
            if isinstance(error, ReplacedError):
                raise
            problem = f"other code has replaced parts of {module.__name__}: {error}"
            raise ReplacedError(problem) from error
        if targets:  # a script may compute something else
            _check_version(self.host, module)
        return targets

    def undo(self) -> None:
        """Restore the functions' own code."""
        for _, undo in reversed(self._replaced):
            undo()
        self._replaced = []

    def row(self) -> list[str]:
        """The library's row of the table."""
        library = self.host.packages[0]
        loaded = sys.modules.get(library)
        version = str(getattr(loaded, "__version__", ""))
        replaced = ", ".join(dict.fromkeys(name for name, _ in self._replaced))
        left_alone = _reasons(self.left_alone)
        if _active.get(self.name) is not self:
            left_alone = "the patch is undone"
        elif not (replaced or left_alone):
            replaced = "when it is imported"
            if loaded is None and not _is_installed(library):
                replaced, left_alone = "", "not installed"
        return [self.name, version, replaced, left_alone]


def _reasons(left_alone: dict[str, str]) -> str:
    reasons = left_alone.items()
    return "; ".join(f"{name} ({why})" if name else why for name, why in reasons)


def _check_version(host: Host, module: ModuleType) -> None:
    """Raise `ReplacedError` unless the code of a module, or of the one to check, is known."""
    checked = sys.modules[host.checked] if host.checked else module
    try:
        code = Path(str(checked.__file__)).read_bytes().replace(b"\r\n", b"\n")
    except (AttributeError, OSError):
        raise ReplacedError(f"the source code of {checked.__name__} cannot be read") from None
    if sha256(code).hexdigest()[:12] not in host.known:
        known = ", ".join(dict.fromkeys(host.known.values()))
        raise ReplacedError(
            f"the code of {checked.__name__} is not that of a known version ({known})"
        )


def _is_installed(library: str) -> bool:
    with suppress(ImportError, ValueError):
        return find_spec(library) is not None
    return False


_active: dict[str, _Library] = {}


class _Finder:
    """Finds the modules to patch with the other finders, and patches them once they have run."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        library = next((each for each in _active.values() if each.modules_in([name])), None)
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
    """Runs a module's own loader, which the module keeps, and then patches the module."""

    def __init__(self, loader: Any, library: _Library) -> None:
        self._loader, self._library = loader, library

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def exec_module(self, module: ModuleType) -> None:
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        library = self._library
        if _active.get(library.name) is not library:
            return
        try:  # the import must not fail, even if warnings are errors
            library.apply(module)
        except RuntimeWarning:
            pass
        except Exception as error:
            library.left_alone[""] = f"{type(error).__name__}: {error}"
            with suppress(RuntimeWarning):
                message = f"fastbleu.patch leaves {library.name} alone: {shown(error)}"
                warnings.warn(message, RuntimeWarning, stacklevel=2)


_finder = _Finder()


class Patched:
    """What `patch` did, as a table when printed; as a context manager it undoes this call."""

    __module__ = "fastbleu"

    def __init__(self, libraries: list[_Library], new: list[_Library]) -> None:
        self._libraries, self._new = libraries, new

    def __enter__(self) -> Patched:
        return self

    def __exit__(self, *_: object) -> None:
        _undo(self._new)

    def __repr__(self) -> str:
        head = ["library", "version", "replaced", "left alone"]
        rows = [head, *(library.row() for library in self._libraries)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)
        return "\n".join(lines)


def patch(*libraries: str) -> Patched:
    """Make BLEU of other libraries fast in place, with the same results.

    Functions stay the same objects, with other code. Each compares the library's internals with
    those that the patch saw, and runs its original code if one has been replaced since. Libraries
    that are imported later are patched then. Not thread-safe: patch before threads start.

    Parameters
    ----------
    *libraries : str
        "nltk", "sacrebleu", "torchmetrics", "torcheval", "ignite", "coco" (pycocoevalcap),
        "evaluate", "mbrs"; all of them by default.

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
        A library, or a function, is left alone, because its code is not that of a known version.

    Examples
    --------
    >>> import nltk.translate.bleu_score
    >>> with patch("nltk"):
    ...     nltk.translate.bleu_score.sentence_bleu([["a", "b"]], ["a", "b"], (0.5, 0.5))
    1.0
    """
    for library_name in libraries:
        if not isinstance(library_name, str):
            expected = 'patch takes names, as in patch("nltk", "sacrebleu")'
            raise TypeError(f"{expected}, not {a_type(library_name)}")
        if known_name(library_name, HOSTS) is None:
            raise ValueError(unknown_name("library", library_name, HOSTS))
    names = list(dict.fromkeys(str(known_name(name, HOSTS)) for name in libraries or HOSTS))
    new = [_Library(name) for name in names if name not in _active]
    try:
        for library in new:
            _active[library.name] = library
            for name in library.modules_in([*sys.modules]):
                module = sys.modules.get(name)
                if isinstance(module, ModuleType):
                    library.apply(module)
        if _finder not in sys.meta_path:
            sys.meta_path.insert(0, _finder)
    except BaseException:
        _undo(new)
        raise
    return Patched([_active[name] for name in names], new)


def unpatch() -> None:
    """Undo all calls of `patch`; does nothing if there were none."""
    _undo(list(_active.values()))


def _undo(libraries: list[_Library]) -> None:
    for library in reversed(libraries):
        if _active.get(library.name) is library:
            del _active[library.name]
            library.undo()
    if not _active and _finder in sys.meta_path:
        sys.meta_path.remove(_finder)

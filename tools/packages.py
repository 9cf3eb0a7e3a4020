"""Single files of packages from PyPI: what computes is their own, all else may be a stub.

A package is unpacked into build/packages, without what it requires.
"""

from __future__ import annotations

import importlib
import shutil
import subprocess
import sys
from abc import ABCMeta
from collections.abc import Iterable
from functools import partial
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

FOLDER = Path(__file__).resolve().parents[1] / "build" / "packages"


class Permissive(ABCMeta):
    """A class whose unknown attributes are stubs, and which as a decorator changes nothing."""

    def __getattr__(cls, name: str) -> type[Stub]:
        if name.startswith("__"):
            raise AttributeError(name)
        return Stub

    def __call__(cls, *arguments: Any, **named: Any) -> Any:
        decorates = cls is Stub and len(arguments) == 1 and callable(arguments[0])
        return arguments[0] if decorates else super().__call__(*arguments, **named)

    def register(cls, *arguments: Any, **named: Any) -> type[Stub]:
        return Stub  # and not ABCMeta's


class Stub(metaclass=Permissive):
    """Stands for what a file imports and BLEU does not need; keeps named arguments."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        vars(self).update(named)

    def __getattr__(self, name: str) -> type[Stub]:
        return getattr(type(self), name)

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return Stub(*arguments)


class Finder:
    """Finds the real files of packages; all else in `stubbed` packages is a stub."""

    def __init__(self) -> None:
        self.files: dict[str, Path] = {}
        self.stubbed: set[str] = set()

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name in self.files:
            return spec_from_file_location(name, self.files[name])
        # Python asks for optional modules of its own and of installed packages.
        if name.partition(".")[0] not in self.stubbed:
            return None
        return ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = ModuleType(spec.name)
        module.__getattr__ = partial(getattr, Stub)
        return module

    def exec_module(self, module: ModuleType) -> None:
        pass


finder = Finder()


def unpacked(requirement: str, *options: str) -> Path:
    """The folder with the files of a package of PyPI, "name" or "name==1.0"."""
    folder = FOLDER / requirement
    if not folder.exists():
        command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "-q"]
        options = ("--no-deps", "--no-compile", "--target", str(folder), *options)
        subprocess.run([*command, *options, requirement], check=True)
    return folder


def unpacked_of_npm(requirement: str) -> Path:
    """The folder with the files of a package of npm, "name@1.0"."""
    folder = FOLDER / requirement
    if not folder.exists():
        folder.mkdir(parents=True)
        subprocess.run(["npm", "pack", "--silent", requirement], cwd=folder, check=True)
        [archive] = folder.glob("*.tgz")
        shutil.unpack_archive(archive, folder)
    return folder / "package"


def load(folder: Path, *names: str, stubs: Iterable[str] = ()) -> Any:
    """The first of these modules of a folder, which needs the others; the rest is stubs."""
    if finder not in sys.meta_path:
        sys.meta_path.insert(0, finder)  # before what is installed
    finder.stubbed |= {names[0].partition(".")[0], *stubs}
    for name in names:
        finder.files[name] = folder.joinpath(*name.split(".")).with_suffix(".py")
    # From a stub one would import a stub, not the module that is loaded later.
    return [importlib.import_module(name) for name in reversed(names)][-1]


def nltk_data() -> str:
    """A folder with the data of nltk's word_tokenize, which llama-index-core holds."""
    return str(unpacked("llama-index-core") / "llama_index" / "core" / "_static" / "nltk_cache")

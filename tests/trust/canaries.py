"""Planted faults: each of them must be found, or the rest of the part has shown nothing.

A fault is a patch of the headers (tests/faults/memory-*.patch). The one module that it is sought
in is compiled with it, from what Cython has made, and takes its place in a copy of the build.
"""

import shutil
import sysconfig
from dataclasses import dataclass
from pathlib import Path

import fastbleu
from trust.children import ROOT, Finished, finish
from trust.sanitizers import BUILD

FLAGS = ["-O1", "-g", "-fno-omit-frame-pointer", "-fno-wrapv", "-ffp-contract=off", "-w"]
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
GENERATED = ROOT / "build" / "cython" / "src" / "fastbleu"
WORDS = (
    "from fastbleu import BLEU; "
    'BLEU(tokenize=False).count([["sixteen-or-more-characters"]], [[["a"]]])'
)
# More tokens than short segments have, which number none.
MANY_WORDS = WORDS.replace('"]]', '"] * 600]')
SUMS = "import fastbleu; rows = fastbleu.Stats([[2**63 - 1] * 4]); rows + rows"


@dataclass(frozen=True)
class Canary:
    """`code` runs the fault; `reports` are words of the sanitizers' report on it."""

    name: str
    module: str  # below the package, without an ending
    code: str
    reports: tuple[str, ...]

    def is_noticed(self, found: Finished) -> bool:
        """Whether the process ended because of the fault, and the report says which."""
        return found.status != 0 and all(words in found.errors for words in self.reports)


PACKER = "core/counting/_token_packer"
CANARIES = [
    Canary("overflow", PACKER, WORDS, ("heap-buffer-overflow", "hashed_key")),
    Canary("leak", PACKER, MANY_WORDS, ("detected memory leaks", "interner_begin")),
    Canary("signed", "_core", SUMS, ("signed integer overflow", "add_overflows")),
]


def plant(canary: Canary, build: Path, sanitizers: list[str]) -> None:
    """Make a build with the fault, with sanitizers or without."""
    sound = BUILD if sanitizers else Path(fastbleu.__file__).parents[1]
    package = build / "fastbleu"
    shutil.copytree(sound / "fastbleu", package)
    shutil.rmtree(package / "core" / "kernel", ignore_errors=True)
    shutil.copytree(ROOT / "src" / "fastbleu" / "core" / "kernel", package / "core" / "kernel")
    fault = ROOT / "tests" / "faults" / f"memory-{canary.name}.patch"
    done = finish(["patch", "-s", "-p1", "-d", package, "-i", fault])
    assert done.status == 0, f"the patch does not apply: {done.why()}"
    module = package / f"{canary.module}{sysconfig.get_config_var('EXT_SUFFIX')}"
    include = [f"-I{sysconfig.get_path('include')}", f"-I{package / 'core'}"]
    flags = ["-shared", "-fPIC", *FLAGS, *sanitizers, *include]
    # A copy, because Cython puts headers beside what it makes, and the compiler looks there first.
    source = shutil.copy(GENERATED / f"{canary.module}.c", package / f"{canary.module}.c")
    done = finish(["gcc", *flags, "-o", module, source])
    assert done.status == 0, f"it cannot be compiled: {done.why()}"

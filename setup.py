"""Builds the compiled modules; everything else about the package is in pyproject.toml.

Switches (environment):
FASTBLEU_DEBUG=1      assertions, bounds checks, debug symbols, no optimisation: compiles fastest
FASTBLEU_SYMBOLS=1    debug symbols in an ordinary build, for profilers
FASTBLEU_SANITIZE=1   AddressSanitizer and UndefinedBehaviorSanitizer (tests/trust/); not with MSVC
FASTBLEU_TSAN=1       ThreadSanitizer; for a CPython that has it (tests/trust/free_threading.py)
FASTBLEU_MUTANT=1..8  plants a fault in the tokenisers that their tests must find; for tests only
FASTBLEU_PORTABLE=1   leaves out all processor-specific code
"""

import os
import re
from functools import cache
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

SOURCE = Path("src")
PACKAGE = SOURCE / "fastbleu"
INCLUDED = re.compile(r'#include "(.+)"|cdef extern from "(kernel/.+)"')
CIMPORTED = re.compile(r"^ *from (fastbleu[\w.]*) cimport", re.MULTILINE)


def switch(name):
    return os.environ.get(name, "0") not in ("", "0")


DEBUG = switch("FASTBLEU_DEBUG")
SYMBOLS = switch("FASTBLEU_SYMBOLS")
SANITIZE = switch("FASTBLEU_SANITIZE")
TSAN = switch("FASTBLEU_TSAN")
MACROS = [
    (name, os.environ[name]) for name in ("FASTBLEU_MUTANT", "FASTBLEU_PORTABLE") if switch(name)
]

# Objects built with different switches must never be mixed.
SWITCHES = (
    *("FASTBLEU_DEBUG", "FASTBLEU_SYMBOLS", "FASTBLEU_SANITIZE", "FASTBLEU_TSAN"),
    *(name for name, _ in MACROS),
)
BUILD_BASE = "-".join(
    ["build/plain", *(name[9:].lower() + os.environ[name] for name in SWITCHES if switch(name))]
)

DIRECTIVES = {
    "language_level": 3,
    "boundscheck": DEBUG,
    "wraparound": False,
    "initializedcheck": DEBUG,
    "cdivision": True,
    "embedsignature": True,
    "auto_pickle": False,
    # Without the GIL a module is as safe as with it; tests/trust/free_threading.py has tried it.
    "freethreading_compatible": True,
}


@cache
def headers_of(path):
    """The headers that a file includes, by way of others, too."""
    text = path.read_text(encoding="utf-8")
    found = {
        (path.parent / quoted if quoted else PACKAGE / extern).resolve()
        for quoted, extern in INCLUDED.findall(text)
    }
    for header in list(found):
        found |= headers_of(header)
    if path.suffix == ".pyx" and path.with_suffix(".pxd").exists():
        found |= headers_of(path.with_suffix(".pxd"))
    for module in CIMPORTED.findall(text) if path.suffix in (".pyx", ".pxd") else ():
        found |= headers_of(SOURCE / (module.replace(".", "/") + ".pxd"))
    return frozenset(found)


def extension(path):
    """The compiled module of a .pyx file."""
    return Extension(
        ".".join(path.relative_to(SOURCE).with_suffix("").parts),
        [path.as_posix()],
        include_dirs=[PACKAGE.as_posix()],
        depends=sorted(os.path.relpath(header) for header in headers_of(path)),
        define_macros=MACROS,
    )


class BuildExtensions(build_ext):
    """Adds the flags of the compiler at hand."""

    def build_extensions(self):
        if self.compiler.compiler_type == "msvc":
            if SANITIZE or TSAN:
                raise SystemExit("FASTBLEU_SANITIZE and FASTBLEU_TSAN need gcc or clang")
            compile_args, link_args = ["/Od" if DEBUG else "/O2", "/fp:precise"], []
        else:
            # No contraction: a fused multiply-add would change the last bit of a score.
            compile_args = ["-O3", "-g0", "-ffp-contract=off", "-fvisibility=hidden"]
            link_args = []
            if SYMBOLS:
                compile_args += ["-g"]
            if DEBUG:
                compile_args += ["-O0", "-g", "-UNDEBUG"]
            if TSAN:
                compile_args += ["-O1", "-g", "-fno-omit-frame-pointer", "-fsanitize=thread"]
                link_args += ["-fsanitize=thread"]
            if SANITIZE:
                # -fno-wrapv: Python's own -fwrapv would hide signed overflow.
                compile_args += [
                    "-O1",
                    "-g1",
                    "-fno-omit-frame-pointer",
                    "-fno-wrapv",
                    "-fsanitize=address,undefined",
                    "-fno-sanitize-recover=all",
                ]
                link_args += ["-fsanitize=address,undefined"]
        for extension in self.extensions:
            extension.extra_compile_args = compile_args
            extension.extra_link_args = link_args
        super().build_extensions()


setup(
    ext_modules=cythonize(
        [extension(path) for path in sorted(PACKAGE.rglob("*.pyx"))],
        compiler_directives=DIRECTIVES,
        include_path=[SOURCE.as_posix()],
        build_dir=f"{BUILD_BASE}/cython",
    ),
    cmdclass={"build_ext": BuildExtensions},
    options={
        "build": {"build_base": BUILD_BASE},
        "build_ext": {"parallel": os.cpu_count() or 1},
    },
)

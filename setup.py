"""Builds the compiled modules; everything else about the package stands in pyproject.toml.

Switches (environment):
FASTBLEU_DEBUG=1      assertions, debug symbols, no optimisation: what compiles fastest
FASTBLEU_SANITIZE=1   AddressSanitizer and UndefinedBehaviorSanitizer (tests/trust/); not with MSVC
FASTBLEU_TSAN=1       ThreadSanitizer; for a CPython that has it (tests/trust/free_threading.py)
FASTBLEU_MUTANT=1..8  plants a fault in the tokenisers that their tests must find; for tests only
FASTBLEU_PORTABLE=1   leaves out all processor-specific code
"""

import os

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

MODULES = [
    "_rows",
    "_interrupts",
    "_core",
    "_tokens",
    "_ids",
    "_text",
    "_vocabulary",
    "_sentences",
    "_ngrams",
    "_pairs",
    "_expected",
    "_references",
    "_score",
    "_resample",
    "_sacrebleu",
    "_nltk",
]


def switch(name):
    return os.environ.get(name, "0") not in ("", "0")


DEBUG = switch("FASTBLEU_DEBUG")
SANITIZE = switch("FASTBLEU_SANITIZE")
TSAN = switch("FASTBLEU_TSAN")
MACROS = [
    (name, os.environ[name]) for name in ("FASTBLEU_MUTANT", "FASTBLEU_PORTABLE") if switch(name)
]

# Objects built with different switches must never be mixed.
SWITCHES = (
    *("FASTBLEU_DEBUG", "FASTBLEU_SANITIZE", "FASTBLEU_TSAN"),
    *(name for name, _ in MACROS),
)
BUILD_BASE = "-".join(
    ["build/plain", *(name[9:].lower() + os.environ[name] for name in SWITCHES if switch(name))]
)

DIRECTIVES = {
    "language_level": 3,
    "boundscheck": False,
    "wraparound": False,
    "initializedcheck": DEBUG,
    "cdivision": True,
    "embedsignature": True,
    "auto_pickle": False,
    # Without the GIL a module is as safe as with it; tests/trust/free_threading.py has tried it.
    "freethreading_compatible": True,
}


class BuildExtensions(build_ext):
    """Adds the flags of the compiler at hand."""

    def build_extensions(self):
        if self.compiler.compiler_type == "msvc":
            if SANITIZE or TSAN:
                raise SystemExit("FASTBLEU_SANITIZE and FASTBLEU_TSAN need gcc or clang")
            compile_args, link_args = ["/Od" if DEBUG else "/O2", "/fp:precise"], []
        else:
            # No contraction: a fused multiply-add would change the last bit of a score.
            compile_args, link_args = ["-O3", "-ffp-contract=off", "-fvisibility=hidden"], []
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
        [
            Extension(
                f"fastbleu.{name}",
                [f"src/fastbleu/{name}.pyx"],
                include_dirs=["src/fastbleu"],
                depends=[
                    f"src/fastbleu/kernel/{header}"
                    for header in sorted(os.listdir("src/fastbleu/kernel"))
                ],
                define_macros=MACROS,
            )
            for name in MODULES
        ],
        compiler_directives=DIRECTIVES,
        include_path=["src"],
        build_dir=f"{BUILD_BASE}/cython",
    ),
    cmdclass={"build_ext": BuildExtensions},
    options={
        "build": {"build_base": BUILD_BASE},
        "build_ext": {"parallel": os.cpu_count() or 1},
    },
)

"""Builds the compiled modules; everything else about the package is in pyproject.toml.

Switches (environment):
FASTBLEU_DEBUG=1      assertions, bounds checks, debug symbols, no optimization: compiles fastest
FASTBLEU_SYMBOLS=1    debug symbols in an ordinary build, for profilers
FASTBLEU_SANITIZE=1   AddressSanitizer and UndefinedBehaviorSanitizer (tests/trust/); not with MSVC
FASTBLEU_TSAN=1       ThreadSanitizer, with a CPython that has it (test_free_threading.py)
FASTBLEU_PORTABLE=1   leaves out all processor-specific code
"""

import filecmp
import gzip
import os
import re
import shutil
import sys
import sysconfig
import tarfile
import threading
from functools import cache
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.sdist import sdist
from setuptools.errors import PlatformError
from setuptools.modified import newer_group

SOURCE = Path("src")
PACKAGE = SOURCE / "fastbleu"
CORE = PACKAGE / "core"  # where the headers are: kernel/...
INCLUDED = re.compile(r'#include "(.+)"|cdef extern from "(kernel/.+)"')
CIMPORTED = re.compile(r"^ *from (fastbleu[\w.]*) cimport", re.MULTILINE)


def switch(name):
    return os.environ.get(name, "0") not in ("", "0")


DEBUG = switch("FASTBLEU_DEBUG")
SYMBOLS = switch("FASTBLEU_SYMBOLS")
SANITIZE = switch("FASTBLEU_SANITIZE")
TSAN = switch("FASTBLEU_TSAN")
PORTABLE = switch("FASTBLEU_PORTABLE")

# Cython 3.3.1 passes a constructor's keywords in an array; if there is no memory for their
# names, it frees what is not set. With this it passes them in a dict.
MACROS = [("CYTHON_VECTORCALL_TPNEW", "0")]

# Objects built with different switches must never be mixed.
SWITCHES = ("DEBUG", "SYMBOLS", "SANITIZE", "TSAN", "PORTABLE")
BUILD_BASE = "-".join(
    ["build/plain", *(f"{name.lower()}1" for name in SWITCHES if switch(f"FASTBLEU_{name}"))]
)
# Only the directives decide what Cython writes.
TRANSLATIONS = Path("build", "cython-debug" if DEBUG else "cython")
BUILD_LIB = f"{BUILD_BASE}/{Path('lib' + sysconfig.get_config_var('EXT_SUFFIX')).stem}"

NO_COMPILER = (
    "fastbleu needs a C compiler. Linux: apt install gcc, or dnf install gcc; "
    "macOS: xcode-select --install; Windows: the Build Tools for Visual Studio, with C++"
)
NO_HEADERS = (
    "fastbleu needs Python's headers (Python.h). Linux: apt install python3-dev, or dnf install "
    "python3-devel; macOS and Windows: Python from python.org, which has them"
)

DIRECTIVES = {
    "language_level": 3,
    "boundscheck": DEBUG,
    "wraparound": False,
    "initializedcheck": DEBUG,
    "cdivision": True,
    "embedsignature": True,
    # Public compiled functions ask for it; with all others it made the wheel a fifth larger.
    "binding": False,
    "auto_pickle": False,
    # Without the GIL a module is as safe as with it; test_free_threading.py has tried it.
    "freethreading_compatible": True,
}


@cache
def headers_of(path):
    """The headers that a file includes, by way of others, too."""
    text = path.read_text(encoding="utf-8")
    found = {
        (path.parent / quoted if quoted else CORE / extern).resolve()
        for quoted, extern in INCLUDED.findall(text)
    }
    for header in list(found):
        found |= headers_of(header)
    for declared in declarations_of(path) if path.suffix in (".pyx", ".pxd") else ():
        found |= headers_of(declared)
    return frozenset(found)


@cache
def declarations_of(path):
    """The .pxd files that a module reads, by way of others, too."""
    modules = CIMPORTED.findall(path.read_text(encoding="utf-8"))
    found = {SOURCE / f"{module.replace('.', '/')}.pxd" for module in modules}
    if path.suffix == ".pyx" and path.with_suffix(".pxd").exists():
        found.add(path.with_suffix(".pxd"))
    for declared in list(found):
        found |= declarations_of(declared)
    return frozenset(found)


def extension(path):
    """The compiled module of a .pyx file."""
    return Extension(
        ".".join(path.relative_to(SOURCE).with_suffix("").parts),
        [path.as_posix()],
        include_dirs=[CORE.as_posix()],
        depends=["setup.py", *sorted(os.path.relpath(header) for header in headers_of(path))],
        define_macros=MACROS + [("FASTBLEU_PORTABLE", "1")] * PORTABLE,
    )


class BuildExtensions(build_ext):
    """Translates and compiles at the same time, with the flags of the compiler at hand."""

    translating = threading.Lock()

    def finalize_options(self):
        super().finalize_options()
        # One more than there are processors: one at a time translates.
        self.parallel = self.parallel or 1 + (os.cpu_count() or 1)

    def check_tools(self):
        """End with one line if nothing can be compiled here."""
        try:
            if self.compiler.compiler_type == "msvc":
                self.compiler.initialize()
            elif shutil.which(self.compiler.compiler_so[0]) is None:
                raise SystemExit(NO_COMPILER)
        except PlatformError:
            raise SystemExit(NO_COMPILER) from None
        paths = [os.environ.get(name, "") for name in ("CPATH", "C_INCLUDE_PATH", "INCLUDE")]
        places = [*self.compiler.include_dirs, *os.pathsep.join(paths).split(os.pathsep)]
        if not any(place and Path(place, "Python.h").exists() for place in places):
            raise SystemExit(NO_HEADERS)

    def build_extensions(self):
        self.check_tools()
        if not TRANSLATIONS.exists():
            print("building fastbleu's compiled modules takes about a minute", file=sys.stderr)
        if self.compiler.compiler_type == "msvc":
            if SANITIZE or TSAN:
                raise SystemExit("FASTBLEU_SANITIZE and FASTBLEU_TSAN need gcc or clang")
            compile_args, link_args = ["/Od" if DEBUG else "/O2", "/fp:precise"], []
        else:
            # No contraction: a fused multiply-add would change the last bit of a score.
            compile_args = ["-O3", "-g0", "-ffp-contract=off", "-fvisibility=hidden"]
            link_args = []
            if sysconfig.get_platform() in ("linux-i386", "linux-i686"):
                # The x87 unit keeps more digits, which would change the last bit, too.
                compile_args += ["-msse2", "-mfpmath=sse"]
            if SYMBOLS:
                compile_args += ["-g"]
            elif sys.platform == "linux" and not (DEBUG or SANITIZE or TSAN):
                link_args += ["-Wl,-s"]
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

    def run(self):
        if self.editable_mode:
            # pip's temporary directory would hide what `build_ext --inplace` has compiled.
            self.build_lib = BUILD_LIB
        super().run()

    def build_extension(self, ext):
        module = Path(ext.sources[0])
        translation = TRANSLATIONS / module.with_suffix(".c")
        with self.translating:
            # cythonize would look at the age of Cython's own files, too: that of its installation.
            read = ["setup.py", module, *declarations_of(module)]
            if self.force or newer_group(read, translation):
                cythonize(
                    [ext],
                    compiler_directives=DIRECTIVES,
                    include_path=[SOURCE.as_posix()],
                    build_dir=TRANSLATIONS.as_posix(),
                    quiet=True,
                    force=True,
                )
        ext.sources = [translation.as_posix()]
        super().build_extension(ext)

    def copy_extensions_to_source(self):
        self.force = True  # what is there may be newer, but built with other switches
        super().copy_extensions_to_source()

    def copy_file(self, infile, outfile, *how, **options):
        # A process may have loaded what is there, and would crash if it were written to.
        if os.path.exists(outfile):
            if filecmp.cmp(infile, outfile, shallow=False):
                return outfile, 0
            os.unlink(outfile)
        return super().copy_file(infile, outfile, *how, **options)


class SourceDistribution(sdist):
    """Writes the same bytes again for the same files and SOURCE_DATE_EPOCH, as bdist_wheel does."""

    def make_archive(self, base_name, format, root_dir=None, base_dir=None, owner=None, group=None):
        moment = os.environ.get("SOURCE_DATE_EPOCH")
        if not moment or format != "gztar":
            return super().make_archive(base_name, format, root_dir, base_dir, owner, group)

        def normalize(entry):
            entry.mtime, entry.uid, entry.gid, entry.uname, entry.gname = int(moment), 0, 0, "", ""
            entry.mode = 0o755 if entry.mode & 0o100 else 0o644
            return entry

        path = f"{base_name}.tar.gz"
        with (
            gzip.GzipFile(path, "wb", mtime=int(moment)) as compressed,
            tarfile.open(mode="w", fileobj=compressed) as archive,
        ):
            archive.add(base_dir, filter=normalize)
        return path


setup(
    ext_modules=[extension(path) for path in sorted(PACKAGE.rglob("*.pyx"))],
    cmdclass={"build_ext": BuildExtensions, "sdist": SourceDistribution},
    options={"build": {"build_base": BUILD_BASE, "build_platlib": BUILD_LIB}},
)

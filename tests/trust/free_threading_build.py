"""CPythons without the GIL, built from Debian's source package and kept: see `free_threaded`.

They stand in $FASTBLEU_TRUST_CACHE, or ~/.cache/fastbleu-trust: one ordinary, one with
ThreadSanitizer, and what fastbleu requires for both. All is built by the ordinary one.
"""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from trust.children import Finished, alone, build_into, clang, environment, finish, tool

SUITE, PACKAGE = "trixie", "python3.13"
KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
CACHE = Path(os.environ.get("FASTBLEU_TRUST_CACHE", Path.home() / ".cache" / "fastbleu-trust"))
REQUIRED = ["numpy", "tabulate", "tqdm", "pytest"]
PACKAGES = CACHE / "packages"
# What ThreadSanitizer reports of CPython itself, and CPython's developers know of.
SUPPRESSIONS = CACHE / "source" / "Tools" / "tsan" / "suppressions_free_threading.txt"


def missing(sanitized: bool) -> str:
    """What is not here of what a build needs; "" where all is, or the build is there already."""
    absent = [name for name in ("apt-get", "dpkg-source", "make", "gcc") if not tool(name)]
    if not KEYRING.exists():
        absent.append("the keys of Debian's archive")
    if all((CACHE / name / "done").exists() for name in ("plain", "tsan")[: 1 + sanitized]):
        absent.clear()
    if sanitized and not clang():  # gcc's ThreadSanitizer knows none of the fences that CPython has
        absent.append("clang")
    return f"needs {', '.join(absent)}" if absent else ""


def free_threaded(sanitized: bool = False) -> Path:
    """The Python, built if it is not there yet: 2 minutes, with ThreadSanitizer 5."""
    prefix = CACHE / ("tsan" if sanitized else "plain")
    python = prefix / "bin" / "python3"
    with alone("free-threading"):
        if not (prefix / "done").exists():
            source = _source()
            _build(source, prefix, sanitized)
            if not sanitized:
                (wheel,) = source.glob("Lib/ensurepip/_bundled/pip-*.whl")
                # Releases without a wheel for this Python would be compiled for half an hour.
                pip = [python, "-m", "pip", "install", "--quiet", "--only-binary=:all:"]
                _step([*pip, "pip"], PYTHONPATH=str(wheel))
                _step([*pip, "--target", PACKAGES, *REQUIRED])
            (prefix / "done").touch()
    return python


def build_fastbleu(directory: Path, sanitized: bool) -> None:
    """Build the package for either of them."""
    switches = {}
    if sanitized:
        switches = {"FASTBLEU_TSAN": "1", "CC": clang(), "LDSHARED": f"{clang()} -shared"}
    build_into(directory, free_threaded(), **switches)


def _step(command: Sequence[object], where: Path = CACHE, **changes: str) -> Finished:
    """Run a command in a directory of the cache."""
    command = ["env", "-C", where, *command]
    done = finish(command, 7200, env=environment(**{"PYTHONPATH": None, **changes}))
    assert done.status == 0, f"{' '.join(map(str, command))}: {done.why()}"
    return done


def _source() -> Path:
    """Debian's source of CPython with Debian's patches, from where apt has its packages from."""
    source, apt, unpacked = CACHE / "source", CACHE / "apt", CACHE / "unpacking"
    if source.exists():
        return source
    for name in ("lists/partial", "archives/partial"):
        (apt / name).mkdir(parents=True, exist_ok=True)
    asked = ["apt-get", "indextargets", "--format", "$(REPO_URI)", "Origin: Debian"]
    mirrors = {line for line in _step(asked).output.split() if line.rstrip("/").endswith("debian")}
    assert mirrors, f"needs a mirror (apt-get update), or {PACKAGE} of {SUITE} unpacked in {source}"
    entry = f"deb-src [signed-by={KEYRING}] {min(mirrors)} {SUITE} main\n"
    (apt / "sources.list").write_text(entry)
    # A configuration of its own: that of the machine stays as it is.
    own = {"Dir::Etc::sourcelist": apt / "sources.list", "Dir::Etc::sourceparts": "-"}
    own |= {"Dir::State::lists": apt / "lists", "Dir::Cache": apt, "APT::Sandbox::User": "root"}
    options = [f"-o{name}={value}" for name, value in own.items()]
    _step(["apt-get", *options, "update"])
    _step(["apt-get", *options, "source", "--download-only", PACKAGE])
    (description,) = CACHE.glob(f"{PACKAGE}_*.dsc")
    shutil.rmtree(unpacked, ignore_errors=True)
    # apt has checked the signature and the sums.
    _step(["dpkg-source", "--no-check", "-x", description, unpacked])
    unpacked.rename(source)
    return source


def _build(source: Path, prefix: Path, sanitized: bool) -> None:
    directory = CACHE / f"build-{prefix.name}"
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    options = ["--disable-gil", "--disable-test-modules", "--with-ensurepip=no"]
    changes = {}
    if sanitized:
        options.append("--with-thread-sanitizer")
        changes = {"CC": clang(), "CXX": clang(), "LDFLAGS": "-fsanitize=thread"}
        # It runs itself to compile its library, which takes minutes with all that it would check.
        changes["TSAN_OPTIONS"] = "report_bugs=0"
    _step([source / "configure", f"--prefix={prefix}", *options], directory, **changes)
    _step(["make", f"-j{os.cpu_count()}"], directory, **changes)
    _step(["make", "install"], directory, **changes)
    shutil.rmtree(directory)

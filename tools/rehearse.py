"""Build, install, upgrade and uninstall the package, with a folder as the package index.

python tools/rehearse.py 3.11 3.13    # `make release PARTS=wheels` calls this in its environment

Each CPython builds its wheel twice. A bare environment then installs `pyfastbleu` by name from the
index, over an older release, and runs the examples of README.md. A table says what was found.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile
from email.parser import Parser
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
SCRIPTS = Path(sysconfig.get_path("scripts"))
NAME, OLDER = "pyfastbleu", "0.0.1"
MOST_BYTES = 1_750_000  # of a wheel; compiled modules are two thirds
MOST_SECONDS = 5  # of CPU time, for its installation
ROW = "| {:<7} | {:<72} | {:>9} | {:>7} | {:<10} | {:<37} | {:<9} |".format
HEADINGS = (
    "CPython",
    "wheel",
    "bytes",
    "install",
    "built again",
    "by name, README, pip check, upgrade",
    "uninstall",
)


def run(*command, **options):
    """Run a command; end with its output if it fails."""
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, **options)
    if done.returncode:
        printed = done.stdout + done.stderr
        sys.exit(f"{' '.join(map(str, command))} ended with status {done.returncode}:\n{printed}")
    return done.stdout


def require(condition, problem):
    if not condition:
        sys.exit(problem)


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def cpu_seconds():
    """Of processes that have ended."""
    times = os.times()
    return times.children_user + times.children_system


def interpreter_of(version):
    """The newest CPython of pyenv with this version, or the one on the PATH."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    found = sorted(pyenv.glob(f"{version}.*/bin/python3"))
    return found[-1] if found else shutil.which(f"python{version}")


def build_sdist(folder):
    run(sys.executable, "-m", "build", "--sdist", "--outdir", folder, PROJECT)
    [sdist] = folder.iterdir()
    return sdist


def build_wheel(python, sdist, folder, **environment):
    """Build a wheel, on Linux for all distributions; return its path."""
    environment = {
        **os.environ,
        "PATH": f"{SCRIPTS}{os.pathsep}{os.environ['PATH']}",
        **environment,
    }
    pip = [python, "-m", "pip", "--disable-pip-version-check"]
    run(*pip, "wheel", "--no-deps", "--wheel-dir", folder, sdist, env=environment)
    [wheel] = folder.glob("*.whl")
    if sys.platform == "linux":  # auditwheel looks for patchelf on the PATH
        run("auditwheel", "repair", "--wheel-dir", folder / "repaired", wheel, env=environment)
        [wheel] = (folder / "repaired").iterdir()
    return wheel


def check_wheel(wheel, version):
    """Check the tags, licence and metadata of a wheel; return the metadata."""
    tag = f"cp{version.replace('.', '')}"
    _, _, python, abi, platform = wheel.stem.split("-")
    require(python == abi.rstrip("t") == tag.rstrip("t"), f"{wheel.name} is not for {tag}")
    require(
        sys.platform != "linux" or platform.startswith("manylinux"),
        f"{wheel.name} is for one machine",
    )
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        [metadata] = [name for name in names if name.endswith(".dist-info/METADATA")]
        fields = Parser().parsestr(archive.read(metadata).decode())
        stated = metadata.replace("METADATA", "licenses/") + fields["License-File"]
        require(stated in names, f"{wheel.name} lacks {stated}")
    compiled = [name for name in names if re.search(r"\.(c|pyx|pxd|h)$", name)]
    require(not compiled, f"{wheel.name} has sources: {compiled[:3]}")
    run(SCRIPTS / "twine", "check", "--strict", wheel)
    size = wheel.stat().st_size
    require(size <= MOST_BYTES, f"{wheel.name} has {size} bytes, more than {MOST_BYTES}")
    return fields


def add_to_index(index, *files):
    """Put files into a package index, each into the folder of its project."""
    for file in files:
        project = index / re.sub(r"[-_.]+", "-", file.name.split("-")[0]).lower()
        project.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, project)
        links = [
            f'<a href="{path.name}">{path.name}</a>' for path in sorted(project.glob("*.[wt]*"))
        ]
        (project / "index.html").write_text("\n".join(links))


def older_release(wheel, folder):
    """The same wheel as an older release, with a module that is gone now."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    [current] = folder.glob("*.dist-info")
    information = current.rename(folder / f"{NAME}-{OLDER}.dist-info")
    metadata = information / "METADATA"
    metadata.write_text(
        re.sub(r"^Version: .*", f"Version: {OLDER}", metadata.read_text("utf-8"), flags=re.M),
        "utf-8",
    )
    (folder / "fastbleu" / "gone.py").touch()
    files = [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()]
    (information / "RECORD").write_text("".join(f"{name},,\n" for name in files))
    older = folder.parent / "-".join([NAME, OLDER, *wheel.name.split("-")[2:]])
    with zipfile.ZipFile(older, "w") as archive:
        for name in files:
            archive.write(folder / name, name)
    return older


def run_readme(python, script, bare):
    """Run the examples of README.md and compare what they print."""
    text = (PROJECT / "README.md").read_text("utf-8")
    blocks = re.findall(r"^```(python|console)\n(.*?)```", text, re.DOTALL | re.MULTILINE)
    script.write_text("\n".join(block for kind, block in blocks if kind == "python"), "utf-8")
    run(python, "-m", "doctest", script, env=bare, cwd=script.parent)
    for kind, block in blocks:
        for example in block.split("$ ")[1:] if kind == "console" else ():
            command, _, expected = example.partition("\n")
            printed = run("/bin/sh", "-c", command, env=bare, cwd=PROJECT)
            require(printed == expected, f"README.md: {command} printed {printed!r}")


def install(python, index, environment):
    """Install by name over an older release, use and uninstall it; return the upgrade's seconds."""
    pip = [environment / "bin" / "python", "-m", "pip", "--disable-pip-version-check"]
    bare = {"PATH": str(environment / "bin"), "HOME": os.environ["HOME"]}
    there = {"env": bare, "cwd": environment}
    run(python, "-m", "venv", "--clear", environment)
    by_name = ["install", "--index-url", index.as_uri(), "--only-binary", ":all:"]
    run(*pip, *by_name, f"{NAME}=={OLDER}", **there)
    start = cpu_seconds()
    run(*pip, *by_name, "--upgrade", NAME, **there)
    seconds = cpu_seconds() - start
    run(*pip, "check", **there)
    # In a folder without a package that could be imported in place of the installed one.
    run(pip[0], PROJECT / "tools" / "check_install.py", **there)
    run_readme(pip[0], environment / "readme.txt", bare)
    require(
        not [*environment.rglob("fastbleu/gone.py")], "a file of the older release is still there"
    )
    run(*pip, "uninstall", "--yes", NAME, **there)
    left = [*environment.rglob("*fastbleu*")]
    require(not left, f"left after uninstalling: {left}")
    require(seconds < MOST_SECONDS, f"installing took {seconds:.1f} s, more than {MOST_SECONDS} s")
    return seconds


def rehearse(version, sdist, work):
    """Print a row of the table; return whether there is such a CPython."""
    found = interpreter_of(version)
    if not found:
        print(f"CPython {version}: not found, not tested")
        return False
    builder = work / "builder"
    run(found, "-m", "venv", "--clear", builder)
    python = builder / "bin" / "python"
    wheel = build_wheel(python, sdist, work / "first")
    fields = check_wheel(wheel, version)
    again = build_wheel(python, sdist, work / "second", CCACHE_DISABLE="1")
    require(digest(wheel) == digest(again), f"{wheel.name} is different when it is built again")
    requirements = [line for line in fields.get_all("Requires-Dist") if "extra ==" not in line]
    pip = [python, "-m", "pip", "--disable-pip-version-check"]
    run(*pip, "download", "--only-binary", ":all:", "--dest", work / "needed", *requirements)
    add_to_index(
        work / "index", wheel, older_release(wheel, work / "older"), *(work / "needed").iterdir()
    )
    seconds = install(found, work / "index", work / "bare")
    print(
        ROW(
            version,
            wheel.name,
            wheel.stat().st_size,
            f"{seconds:.1f} s",
            "same bytes",
            "passed",
            "no files",
        ),
        flush=True,
    )
    for folder in ("first", "second", "older", "needed"):
        shutil.rmtree(work / folder)
    return True


def main(versions):
    moment = run("git", "log", "-1", "--format=%ct", cwd=PROJECT).strip()
    os.environ.setdefault("SOURCE_DATE_EPOCH", moment)  # the dates in archives
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        sdist, again = (build_sdist(work / name) for name in ("sdist", "sdist-again"))
        require(digest(sdist) == digest(again), f"{sdist.name} is different when it is built again")
        with tarfile.open(sdist) as archive:
            root = sdist.name.removesuffix(".tar.gz")
            require(f"{root}/LICENSE" in archive.getnames(), f"{sdist.name} lacks LICENSE")
        run(SCRIPTS / "twine", "check", "--strict", sdist)
        print(f"{sdist.name}: {sdist.stat().st_size} bytes, the same when built again\n")
        print(ROW(*HEADINGS), "|---|---|--:|--:|---|---|---|", sep="\n", flush=True)
        tested = [rehearse(version, sdist, work) for version in versions]
    require(any(tested), "there is no CPython to test")


if __name__ == "__main__":
    main(sys.argv[1:])

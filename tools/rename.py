"""Rename the package: distribution, module, command, environment variables and documents.

python tools/rename.py NAME              # in this checkout, which must have no uncommitted changes
python tools/rename.py NAME --in FOLDER  # in a copy; builds, installs and checks it there

The address of the repository becomes github.com/NAME/NAME. Afterwards let `ruff check
--fix` and `ruff format` sort imports and wrap lines, record again what is listed, and run `make
lint test`.
"""

import argparse
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
DISTRIBUTION, MODULE = "pyfastbleu", "fastbleu"
# What is no longer true when all names are the same.
REMOVED = (
    "The distribution `pyfastbleu` installs the module `fastbleu`; "
    "the project called fastbleu on PyPI is unrelated.",
)


def files_of(project):
    """The files that git knows."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=project, capture_output=True, check=True)
    return [project / name for name in listed.stdout.decode().split("\0") if name]


def renamed(text, name):
    for sentence in REMOVED:
        # As it is wrapped in a page.
        text = re.sub(r"\s+".join(map(re.escape, sentence.split())) + r"\s?", "", text)
    for old in (DISTRIBUTION, MODULE):
        text = text.replace(old, name).replace(old.upper(), name.upper())
    return text


def rename(files, project, name):
    """Rename in the content and the paths of these files of a project."""
    for file in files:
        content = file.read_bytes()
        text = content.decode("utf-8", "surrogateescape")
        if b"\0" not in content:
            file.write_bytes(renamed(text, name).encode("utf-8", "surrogateescape"))
        elif MODULE in text:
            print(f"{file.relative_to(project)} is not text and names {MODULE}: record it again")
        path = project / renamed(file.relative_to(project).as_posix(), name)
        path.parent.mkdir(parents=True, exist_ok=True)
        file.rename(path)


def build(project):
    """Install a project in an environment of its own, and check what is installed."""
    environment = project / ".venv"
    venv.create(environment, with_pip=True)
    python = environment / "bin" / "python"
    pip = [python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    subprocess.run([*pip, project], check=True)
    subprocess.run([python, project / "tools" / "check_install.py"], cwd=environment, check=True)


def main():
    parser = argparse.ArgumentParser(description="Rename the package.")
    parser.add_argument("name", type=str.lower, help="of distribution, module and command")
    parser.add_argument("--in", dest="folder", type=Path, help="rename, build and check a copy")
    parser.add_argument("--no-build", action="store_true", help="do not build the copy")
    options = parser.parse_args()
    if not options.name.isidentifier():
        parser.error(f"{options.name} cannot be imported")
    files = files_of(PROJECT)
    if options.folder is None:
        changes = subprocess.run(
            ["git", "status", "--porcelain"], cwd=PROJECT, capture_output=True, check=True
        )
        if changes.stdout:
            sys.exit("commit or stash your changes first")
        rename(files, PROJECT, options.name)
        return
    project = options.folder.resolve()
    copies = [project / file.relative_to(PROJECT) for file in files]
    for file, copy in zip(files, copies, strict=True):
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(file, copy)
    rename(copies, project, options.name)
    if not options.no_build:
        build(project)


if __name__ == "__main__":
    main()

"""Run each `pip install` of README.md and docs/ in an environment and a checkout of its own.

python tools/test_installs.py              # all of them; PyTorch is the release in TORCH
python tools/test_installs.py ja DESTDIR   # those that contain one of these words
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

import tomllib

PROJECT = Path(__file__).resolve().parent.parent
PAGES = [PROJECT / "README.md", *sorted((PROJECT / "docs").rglob("*.md"))]
# What an extra expects to be there.
EXPECTS = {"keras": "torch"}
# What an extra is for; all others are names of integrations.
USES = {
    "ja": "fastbleu.tokenize('今天', 'ja-mecab')",
    "parquet": "import pyarrow; fastbleu.tables.score({'a': ['b'], 'c': ['b']}, 'a', ['c'])",
    "tables": "fastbleu.tables.score",
}


def commands():
    """Each command once, and the name of its last extra."""
    found = {}
    for page in PAGES:
        for block in re.findall(r"```sh\n(.*?)```", page.read_text("utf-8"), re.DOTALL):
            for line in block.splitlines():
                command = shlex.split(line, comments=True)
                if command[:2] == ["pip", "install"]:
                    extra = re.search(r"(\w+)\]$", command[-1])
                    found[tuple(command)] = extra[1] if extra else ""
    return found


def run(*command, **options):
    subprocess.run(command, check=True, **options)


def needed_by_distribution():
    """What a distribution has installed when it builds the package."""
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))
    return [*project["build-system"]["requires"], *project["project"]["dependencies"]]


def main():
    wanted = sys.argv[1:]
    for command, extra in commands().items():
        if wanted and not any(word in " ".join(command) for word in wanted):
            continue
        print("$", *command, flush=True)
        with tempfile.TemporaryDirectory() as folder:
            environment = Path(folder, "env")
            python = environment / "bin" / "python"
            checkout = Path(folder, "checkout")
            destination = Path(folder, "destination")
            checkout.mkdir()
            venv.create(environment, with_pip=True)
            archive = subprocess.run(
                ["git", "archive", "HEAD"], cwd=PROJECT, check=True, capture_output=True
            ).stdout
            run("tar", "-x", "-C", checkout, input=archive)
            pinned = Path(folder, "constraints.txt")
            pinned.write_text(os.environ.get("TORCH", "torch==2.13.0") + "\n")
            pip = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
            options = {"cwd": checkout, "env": {**os.environ, "PIP_CONSTRAINT": str(pinned)}}
            if "--no-build-isolation" in command:
                run(*pip, *needed_by_distribution(), **options)
            if extra in EXPECTS:
                run(*pip, EXPECTS[extra], **options)
            arguments = [word.replace("$DESTDIR", str(destination)) for word in command[2:]]
            run(*pip, *arguments, **options)
            if destination.exists():  # the content of a package, which is unpacked at the root
                built = destination / environment.relative_to("/")
                shutil.copytree(built, environment, dirs_exist_ok=True, symlinks=True)
            run(python, checkout / "tools" / "check_install.py", cwd=folder)
            use = USES.get(extra, f"import fastbleu.integrations.{extra}" if extra else "")
            backend = {**os.environ, "KERAS_BACKEND": "torch"}
            run(python, "-c", f"import fastbleu\n{use}", cwd=folder, env=backend)
    print("each command of installation works")


if __name__ == "__main__":
    main()

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
import tomllib
import venv
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
PAGES = [PROJECT / "README.md", *sorted((PROJECT / "docs").rglob("*.md"))]
# What an extra expects to be there.
EXPECTS = {"keras": "torch"}
# What an extra is for; all others are names of integrations.
USES = {
    "ja": "fastbleu.tokenizers.tokenize('今天', 'ja-mecab')",
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
    subprocess.run(list(map(str, command)), check=True, **options)


def install(folder, command, extra):
    """Install a checkout in an environment of its own, and use what it is for."""
    environment, checkout, destination = folder / "env", folder / "checkout", folder / "destination"
    venv.create(environment, with_pip=True)
    checkout.mkdir()
    run("git", "archive", "--output", folder / "files.tar", "HEAD", cwd=PROJECT)
    run("tar", "-xf", folder / "files.tar", "-C", checkout)
    pinned = folder / "constraints.txt"
    pinned.write_text(os.environ.get("TORCH", "torch==2.13.0") + "\n")
    python = environment / "bin" / "python"
    pip = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    options = {"cwd": checkout, "env": {**os.environ, "PIP_CONSTRAINT": str(pinned)}}
    if "--no-build-isolation" in command:  # a distribution has these
        project = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))
        needed = project["build-system"]["requires"] + project["project"]["dependencies"]
        run(*pip, *needed, **options)
    if extra in EXPECTS:
        run(*pip, EXPECTS[extra], **options)
    run(*pip, *(word.replace("$DESTDIR", str(destination)) for word in command[2:]), **options)
    if destination.exists():  # the content of a package, which is unpacked at the root
        built = destination / environment.relative_to("/")
        shutil.copytree(built, environment, dirs_exist_ok=True, symlinks=True)
    run(python, checkout / "tools" / "check_install.py", cwd=folder)
    use = USES.get(extra, f"import fastbleu.integrations.{extra}" if extra else "")
    backend = {**os.environ, "KERAS_BACKEND": "torch"}
    run(python, "-c", f"import fastbleu\n{use}", cwd=folder, env=backend)


words = sys.argv[1:]
for command, extra in commands().items():
    if not words or any(word in " ".join(command) for word in words):
        print("$", *command, flush=True)
        with tempfile.TemporaryDirectory() as folder:
            install(Path(folder), command, extra)
